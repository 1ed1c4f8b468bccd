/**
 * A person's session with real kubectl: describing, waiting, deleting, and learning what the server serves.
 */
import { table, webManifest, withEachKubectl, type Named } from '../support/kubectl-session';

withEachKubectl('a server', (current) => {
  beforeAll(async () => {
    const session = current();
    await session.ok('create -f -', webManifest('web'));
    await session.ok('create configmap settings --from-literal=colour=white');
    await session.ok('create secret generic login --from-literal=password=hunter2');
  }, 30_000);

  it('describes objects', async () => {
    const session = current();
    await session.ok(
      'create -f -',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name: 'web.1', namespace: session.namespace },
        reason: 'Pulled',
        message: 'the image is here',
        type: 'Normal',
        count: 3,
        involvedObject: {
          apiVersion: 'v1',
          kind: 'Pod',
          name: 'web',
          namespace: session.namespace,
          uid: (await session.json<Named>('get pod web')).metadata.uid,
        },
        source: { component: 'kubelet' },
        firstTimestamp: '2026-01-01T00:00:00Z',
        lastTimestamp: '2026-01-01T00:00:00Z',
      }),
    );
    const settings = await session.ok('describe configmap settings');
    expect(settings).toMatch(/^Name: +settings\nNamespace: +/);
    expect(settings).toMatch(/colour:\n----\nwhite\n/);
    const pod = await session.ok('describe pod web');
    expect(pod).toMatch(/^Name: +web\n/);
    expect(pod).toMatch(/\nNode: +worker-1\//);
    expect(pod).toMatch(/\n {4}Image: +registry\.example\.com\/web:1\.0\n/);
    expect(pod).toMatch(/\n {6}MODE: +test\n/);
    expect(pod).toMatch(/Normal +Pulled .*kubelet +the image is here/);
    expect(await session.ok(`describe namespace ${session.namespace}`)).toMatch(/\nStatus: +Active\n/);
    const service = await session.ok('describe service web-svc');
    expect(service).toMatch(/\nIP: +None\n/);
    expect(service).toMatch(/\nTargetPort: +8080\/TCP\n/);
    expect(await session.ok('describe secret login')).toMatch(/\npassword: +7 bytes\n/);
    expect(table(await session.ok('get events'))).toEqual([
      ['LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'],
      [expect.any(String), 'Normal', 'Pulled', 'pod/web', 'the image is here'],
    ]);
    expect(await session.ok('events --for pod/web')).toContain('the image is here');
  });

  it('describes nodes', async () => {
    const session = current();
    const name = `node-${session.namespace}`;
    await session.ok(
      'create -f -',
      JSON.stringify({ apiVersion: 'v1', kind: 'Node', metadata: { name, labels: { 'node-role.kubernetes.io/edge': '' } } }),
    );
    await session.ok([
      'patch',
      'node',
      name,
      '--subresource=status',
      '--type=merge',
      '-p',
      JSON.stringify({
        status: {
          capacity: { cpu: '4' },
          conditions: [{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'ready' }],
          nodeInfo: { kubeletVersion: 'v1.31.0' },
        },
      }),
    ]);
    expect(table(await session.ok(`get node ${name}`))).toEqual([
      ['NAME', 'STATUS', 'ROLES', 'AGE', 'VERSION'],
      [name, 'Ready', 'edge', expect.stringMatching(/^\d+s$/), 'v1.31.0'],
    ]);
    const description = await session.ok(`describe node ${name}`);
    expect(description).toMatch(/\nRoles: +edge\n/);
    expect(description).toMatch(/\n {2}Ready +True .*KubeletReady/);
    expect(description).toMatch(/\nCapacity:\n {2}cpu: +4\n/);
    expect(await session.ok(`delete node ${name}`)).toBe(`node "${name}" deleted\n`);
  });

  it('waits', async () => {
    const session = current();
    expect(await session.ok('wait pod/web --for=jsonpath={.status.phase}=Pending --timeout=20s')).toBe('pod/web condition met\n');
    const waiting = session.start('wait pod/web --for=jsonpath={.status.phase}=Running --timeout=20s');
    await session.ok(['patch', 'pod', 'web', '--subresource=status', '--type=merge', '-p', '{"status":{"phase":"Running"}}']);
    expect((await waiting.exited).code).toBe(0);
    await session.ok('create configmap leaving');
    const gone = session.start('wait configmap/leaving --for=delete --timeout=20s');
    await session.ok('delete configmap leaving');
    expect((await gone.exited).code).toBe(0);
  });

  it('deletes, gracefully, by force, and when the last finalizer goes', async () => {
    const session = current();
    await session.ok('create configmap typo');
    expect(await session.ok('delete configmap typo')).toBe('configmap "typo" deleted\n');
    expect(await session.fails('delete configmap typo')).toBe('Error from server (NotFound): configmaps "typo" not found\n');
    expect(await session.ok('delete configmap typo --ignore-not-found')).toBe('');

    await session.ok('create configmap held');
    await session.ok('patch configmap held --type=merge -p {"metadata":{"finalizers":["example.com/hold"]}}');
    expect(await session.ok('delete configmap held --wait=false')).toBe('configmap "held" deleted\n');
    const held = await session.json<Named>('get configmap held');
    expect(held.metadata.deletionTimestamp).toMatch(/Z$/);
    expect(held.metadata.finalizers).toEqual(['example.com/hold']);
    expect(await session.ok('patch configmap held --type=merge -p {"metadata":{"finalizers":null}}')).toBe('configmap/held patched\n');
    expect(await session.fails('get configmap held')).toContain('NotFound');

    // A pod on a node is asked to go first; somebody (its node's agent, or force) ends it.
    expect(await session.ok('delete pod web --wait=false')).toBe('pod "web" deleted\n');
    expect(table(await session.ok('get pods web'))[1]?.[2]).toBe('Terminating');
    expect(await session.ok('delete pod web --force --grace-period=0')).toBe('pod "web" force deleted\n');
    expect(await session.ok('get pods')).toBe('');
    expect(await session.ok('delete service,lease --all')).toBe(
      'service "web-svc" deleted\nlease.coordination.k8s.io "web-lease" deleted\n',
    );
  });

  it('shows what the server serves', async () => {
    const session = current();
    const version = JSON.parse(await session.ok('version -o json')) as {
      serverVersion: { major: string; minor: string; gitVersion: string };
    };
    expect(version.serverVersion).toMatchObject({ major: '1', minor: '31', gitVersion: expect.stringMatching(/^v1\.31\./) });
    expect(await session.ok('cluster-info')).toMatch(/control plane.* is running at .*https:\/\/127\.0\.0\.1:\d+/);
    const resources = await session.ok('api-resources --no-headers -o wide');
    expect(resources).toMatch(/^configmaps +cm +v1 +true +ConfigMap +.*create.*delete.*list/m);
    expect(resources).toMatch(/^namespaces +ns +v1 +false +Namespace/m);
    expect(resources).toMatch(/^leases +coordination\.k8s\.io\/v1 +true +Lease/m);
    expect(resources).toMatch(/^pods +po +v1 +true +Pod .* all$/m);
    expect(await session.ok('api-resources --namespaced=false -o name')).toMatch(/^nodes$/m);
    expect(await session.ok('api-resources --api-group=coordination.k8s.io -o name')).toBe('leases.coordination.k8s.io\n');
    const versions = (await session.ok('api-versions')).split('\n');
    expect(versions).toEqual(expect.arrayContaining(['v1', 'coordination.k8s.io/v1']));
    expect(JSON.parse(await session.ok(`get --raw /api/v1/namespaces/${session.namespace}/configmaps/settings`))).toMatchObject({
      data: { colour: 'white' },
    });
    expect(await session.ok('get --raw /readyz')).toBe('ok');
    expect(await session.ok('get --raw /livez?verbose')).toContain('healthz check passed');
    expect(await session.fails('get --raw /nowhere')).toContain('the server could not find the requested resource');
  });

  it('explains fields', async () => {
    const session = current();
    const containers = await session.ok('explain pod.spec.containers');
    expect(containers).toMatch(/^KIND: +Pod\nVERSION: +v1\n/);
    expect(containers).toMatch(/FIELD: containers <\[\]Container>/);
    expect(containers).toMatch(/\n {2}image\t<string>/);
    expect(containers).toMatch(/\n {2}name\t<string> -required-/);
    expect(await session.ok('explain cm.data')).toMatch(/FIELD: data <map\[string\]string>/);
    expect(await session.ok('explain lease --recursive')).toMatch(/\n {4}holderIdentity\t<string>/);
    expect(await session.fails('explain cm.nothing')).toContain('field "nothing" does not exist');
  });

  it('knows the system namespaces under the names that are compiled into kubectl', async () => {
    const session = current();
    expect(await session.ok('get namespace kube-system kube-public kube-node-lease default -o name')).toMatch(
      /^namespace\/(kube|platform)-system\nnamespace\/(kube|platform)-public\nnamespace\/(kube|platform)-node-lease\nnamespace\/default\n$/,
    );
    const name = `e2e-${session.namespace}`;
    expect(await session.ok(`-n kube-system create configmap ${name}`)).toBe(`configmap/${name} created\n`);
    expect(table(await session.ok('-n kube-system get cm')).map(([first]) => first)).toContain(name);
    expect(await session.ok(`-n kube-system get cm ${name} -o name`)).toBe(`configmap/${name}\n`);
    expect(await session.ok(`-n kube-system label cm ${name} seen=yes`)).toBe(`configmap/${name} labeled\n`);
    expect(await session.fails('delete namespace kube-system')).toContain('this namespace may not be deleted');
    await session.ok(`-n kube-system delete configmap ${name}`);
  });
});
