/**
 * A session with real kubectl: objects are created, printed, changed, described and deleted. Each step asserts the
 * output of kubectl or the stored objects, and later steps use the objects of earlier ones.
 */
import { SERVED_KINDS } from '../../../shared/api/kinds';
import { parseTable, describeWithEachKubectl } from '../../support/external/kubectl-session';
import { waitUntil } from '../../support/programs';
import { fixture } from '../fixture';

/** The members of an object that these tests read. */
interface KubectlObject {
  readonly metadata: {
    readonly name: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
    readonly labels?: Record<string, string>;
    readonly annotations?: Record<string, string>;
    readonly finalizers?: string[];
    readonly deletionTimestamp?: string;
    readonly uid: string;
  };
  readonly data?: Record<string, string>;
}

const webManifest = (NAME: string): string => fixture('web.yaml', { NAME });

const ANY_AGE = expect.stringMatching(/^\d+s$/);

describeWithEachKubectl('kubectl', (session) => {
  it('create subcommands create objects', async () => {
    expect(await session.ok('create configmap settings --from-literal=colour=blue --from-literal=size=9')).toBe(
      'configmap/settings created\n',
    );
    expect(await session.ok('create secret generic login --from-literal=password=hunter2')).toBe('secret/login created\n');
    expect(await session.ok('get secret login -o jsonpath={.data.password}')).toBe(Buffer.from('hunter2').toString('base64'));
  });

  it('create fails for a name that exists or is invalid', async () => {
    expect(await session.fails('create configmap settings')).toBe(
      'error: failed to create configmap: configmaps "settings" already exists\n',
    );
    expect(await session.fails(`create namespace ${session.namespace}`)).toContain('(AlreadyExists)');
    expect(await session.fails('create configmap Bad_Name')).toContain('a lowercase RFC 1123 subdomain must consist of');
  });

  it('get fails for a missing object unless told to ignore it', async () => {
    expect(await session.fails('get configmap nothing')).toBe('Error from server (NotFound): configmaps "nothing" not found\n');
    expect(await session.ok('get configmap nothing --ignore-not-found')).toBe('');
  });

  it('create with a dry run of the server stores nothing', async () => {
    expect(await session.ok('create configmap dry --dry-run=server')).toBe('configmap/dry created (server dry run)\n');
    expect(await session.ok('get configmap dry --ignore-not-found')).toBe('');
  });

  it('create creates the objects of a file', async () => {
    expect(await session.ok('create -f -', webManifest('web'))).toBe(
      'pod/web created\nservice/web-svc created\nlease.coordination.k8s.io/web-lease created\n',
    );
    expect(await session.ok('get lease web-lease -o jsonpath={.spec.holderIdentity}')).toBe('somebody');
  });

  it('create reports each object of a file that exists', async () => {
    expect((await session.fails('create -f -', webManifest('web'))).match(/AlreadyExists/g)).toHaveLength(3);
  });

  it('get prints tables', async () => {
    expect(parseTable(await session.ok('get configmap settings'))).toEqual([
      ['NAME', 'DATA', 'AGE'],
      ['settings', '2', ANY_AGE],
    ]);
    expect(parseTable(await session.ok('get secrets login'))).toEqual([
      ['NAME', 'TYPE', 'DATA', 'AGE'],
      ['login', 'Opaque', '1', ANY_AGE],
    ]);
    expect(parseTable(await session.ok('get pods'))).toEqual([
      ['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE'],
      ['web', '0/1', 'Pending', '0', ANY_AGE],
    ]);
    expect(parseTable(await session.ok('get pods web -o wide --no-headers'))).toEqual([
      ['web', '0/1', 'Pending', '0', ANY_AGE, '<none>', 'worker-1', '<none>', '<none>'],
    ]);
    expect(parseTable(await session.ok('get services web-svc -o wide'))).toEqual([
      ['NAME', 'TYPE', 'CLUSTER-IP', 'EXTERNAL-IP', 'PORT(S)', 'AGE', 'SELECTOR'],
      ['web-svc', 'ClusterIP', 'None', '<none>', '80/TCP', ANY_AGE, 'app=web'],
    ]);
    expect(parseTable(await session.ok('get leases.coordination.k8s.io web-lease'))).toEqual([
      ['NAME', 'HOLDER', 'AGE'],
      ['web-lease', 'somebody', ANY_AGE],
    ]);
    expect(parseTable(await session.ok(`get namespace ${session.namespace} --show-labels`))).toEqual([
      ['NAME', 'STATUS', 'AGE', 'LABELS'],
      [
        session.namespace,
        'Active',
        ANY_AGE,
        expect.stringMatching(new RegExp(`(platform|kubernetes)\\.io/metadata\\.name=${session.namespace}`)),
      ],
    ]);
    expect(parseTable(await session.ok('get pods -L app'))[1]).toEqual(['web', '0/1', 'Pending', '0', expect.anything(), 'web']);
  });

  it('get prints objects in each output format', async () => {
    const settings = await session.json<KubectlObject>('get configmap settings');
    expect(settings).toMatchObject({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'settings', namespace: session.namespace },
      data: { colour: 'blue', size: '9' },
    });
    expect(await session.ok('get configmap settings -o name')).toBe('configmap/settings\n');
    const { resourceVersion, uid, creationTimestamp } = settings.metadata;
    expect(creationTimestamp).toMatch(/^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(await session.ok('get configmap settings -o yaml')).toBe(`apiVersion: v1
data:
  colour: blue
  size: "9"
kind: ConfigMap
metadata:
  creationTimestamp: "${creationTimestamp}"
  name: settings
  namespace: ${session.namespace}
  resourceVersion: "${resourceVersion}"
  uid: ${uid}
`);
    expect(await session.ok('get configmap settings -o custom-columns=C:.data.colour,S:.data.size')).toBe('C      S\nblue   9\n');
    expect(await session.ok(['get', 'configmap', 'settings', '-o', 'go-template={{.data.colour}}'])).toBe('blue');
    const list = await session.json<{ kind: string; items: KubectlObject[] }>('get configmaps,secrets');
    expect(list.kind).toBe('List');
    expect(list.items.map((item) => item.metadata.name)).toEqual(expect.arrayContaining(['settings', 'login']));
  });

  describe('with five objects of a label, get', () => {
    const numbers = [1, 2, 3, 4, 5];
    const manifest = (n: number): string =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: page-${n}, labels: {set: pages, parity: ${n % 2 === 0 ? 'even' : 'odd'}}}\ndata: {"n": "${n}"}\n`;
    beforeAll(() => session.ok('create -f -', numbers.map(manifest).join('---\n')));

    it('reads a list in pages', async () => {
      const paged = await session.run('get configmaps -l set=pages --chunk-size=2 -o name -v=6');
      expect(paged.stdout).toBe(numbers.map((n) => `configmap/page-${n}\n`).join(''));
      expect(paged.stderr.match(/GET .*\/configmaps\?.*limit=2/g)).toHaveLength(3);
      expect(parseTable(await session.ok('get configmaps -l set=pages --chunk-size=2')).map(([name]) => name)).toEqual([
        'NAME',
        ...numbers.map((n) => `page-${n}`),
      ]);
    });

    it('selects by labels', async () => {
      expect(await session.ok('get cm -l set=pages,parity=even -o name')).toBe('configmap/page-2\nconfigmap/page-4\n');
      expect(await session.ok(['get', 'cm', '-l', 'set,parity notin (even)', '-o', 'name'])).toBe(
        'configmap/page-1\nconfigmap/page-3\nconfigmap/page-5\n',
      );
    });

    it('selects by fields', async () => {
      expect(await session.ok('get cm --field-selector metadata.name=page-3 -o name')).toBe('configmap/page-3\n');
      expect(await session.ok('get pods --field-selector spec.nodeName=worker-1 -o name')).toBe('pod/web\n');
      expect(await session.ok('get pods --field-selector status.phase=Running -o name')).toBe('');
      expect(await session.fails('get pods --field-selector spec.banana=1')).toContain('field label not supported: spec.banana');
    });

    it('lists across namespaces', async () => {
      const [head, ...rows] = parseTable(await session.ok('get configmaps -A -l set=pages'));
      expect(head).toEqual(['NAMESPACE', 'NAME', 'DATA', 'AGE']);
      expect(rows.filter(([namespace]) => namespace === session.namespace)).toHaveLength(5);
    });

    it('sorts by a field', async () => {
      expect(await session.ok('get cm -l set=pages --sort-by=.data.n -o jsonpath={.items[*].metadata.name}')).toContain('page-1 page-2');
    });

    it('prints none after a deletion by label', async () => {
      expect(await session.ok('delete configmaps -l set=pages')).toBe(numbers.map((n) => `configmap "page-${n}" deleted\n`).join(''));
      expect(await session.ok('get cm -l set=pages -o name')).toBe('');
    });
  });

  it('get --watch prints changes as they are made', async () => {
    const watch = session.start('get configmaps -w --field-selector metadata.name=watched');
    const watchOnly = session.start('get configmaps --watch-only -o name');
    let tick = 0;
    try {
      // kubectl prints nothing before the first event, so changes are made until both watches have printed one.
      await session.ok('create configmap watched --from-literal=a=1');
      await waitUntil('the new object', () => watch.output.includes('watched'));
      await waitUntil('an event for the second watch', async () => {
        await session.ok(`patch configmap watched --type=merge -p {"data":{"tick":"${++tick}"}}`);
        return watchOnly.output.includes('configmap/watched');
      });
      await session.ok('patch configmap watched --type=merge -p {"data":{"b":"2","c":"3"}}');
      await waitUntil('the change', () => /watched +4 /.test(watch.output));
      expect(parseTable(watch.output)[0]).toEqual(['NAME', 'DATA', 'AGE']);
    } finally {
      await Promise.all([watch.kill(), watchOnly.kill()]);
    }
    await session.ok('delete configmap watched');
  });

  it('create reports unknown fields and kinds', async () => {
    const misspelt = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'typo' }, dat: { a: '1' } });
    expect(await session.fails('create --validate=strict -f -', misspelt)).toContain('unknown field "dat"');
    expect(await session.ok('create --validate=ignore -f -', misspelt)).toBe('configmap/typo created\n');
    const pod = webManifest('typo').replace('containerPort', 'containerprot').split('---')[0]!;
    // kubectl learns from OpenAPI v3 that the server validates fields.
    const refused = await session.run('create -f - -v=6', pod);
    expect([refused.code, refused.stderr.includes('/openapi/v3/api/v1'), refused.stderr.includes('/openapi/v2')]).toEqual([1, true, false]);
    expect(refused.stderr).toContain('unknown field "spec.containers[0].ports[0].containerprot"');
    const gizmo = '{"apiVersion":"v1","kind":"Gizmo","metadata":{"name":"x"}}';
    expect(await session.fails('create --validate=false -f -', gizmo)).toContain('no matches for kind "Gizmo" in version "v1"');
    expect(await session.fails('get gizmos')).toContain('the server doesn\'t have a resource type "gizmos"');
  });

  it('describe prints objects with their Events', async () => {
    const { uid: UID } = (await session.json<KubectlObject>('get pod web')).metadata;
    await session.ok('create -f -', fixture('pulled-event.yaml', { NAMESPACE: session.namespace, UID }));
    const settings = await session.ok('describe configmap settings');
    expect(settings).toMatch(/^Name: +settings\nNamespace: +/);
    expect(settings).toMatch(/colour:\n----\nblue\n/);
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
    expect(parseTable(await session.ok('get events'))).toEqual([
      ['LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'],
      [expect.any(String), 'Normal', 'Pulled', 'pod/web', 'the image is here'],
    ]);
    expect(await session.ok('events --for pod/web')).toContain('the image is here');
  });

  it('describe and get print nodes with roles, conditions and capacity', async () => {
    const name = `node-${session.namespace}`;
    await session.ok('create -f -', fixture('edge-node.yaml', { NAME: name }));
    expect(parseTable(await session.ok(`get node ${name}`))).toEqual([
      ['NAME', 'STATUS', 'ROLES', 'AGE', 'VERSION'],
      [name, 'Ready', 'edge', ANY_AGE, 'v1.31.0'],
    ]);
    const description = await session.ok(`describe node ${name}`);
    expect(description).toMatch(/\nRoles: +edge\n/);
    expect(description).toMatch(/\n {2}Ready +True .*KubeletReady/);
    expect(description).toMatch(/\nCapacity:\n {2}cpu: +4\n/);
    expect(await session.ok(`delete node ${name}`)).toBe(`node "${name}" deleted\n`);
  });

  it('wait ends when a condition is met or an object is deleted', async () => {
    expect(await session.ok('wait pod/web --for=jsonpath={.status.phase}=Pending --timeout=20s')).toBe('pod/web condition met\n');
    const waiting = session.start('wait pod/web --for=jsonpath={.status.phase}=Running --timeout=20s');
    await session.ok(['patch', 'pod', 'web', '--subresource=status', '--type=merge', '-p', '{"status":{"phase":"Running"}}']);
    expect((await waiting.exited).code).toBe(0);
    await session.ok('create configmap leaving');
    const waitingForDelete = session.start('wait configmap/leaving --for=delete --timeout=20s');
    await session.ok('delete configmap leaving');
    expect((await waitingForDelete.exited).code).toBe(0);
  });

  it('delete reports a missing object unless told to ignore it', async () => {
    expect(await session.ok('delete configmap typo')).toBe('configmap "typo" deleted\n');
    expect(await session.fails('delete configmap typo')).toBe('Error from server (NotFound): configmaps "typo" not found\n');
    expect(await session.ok('delete configmap typo --ignore-not-found')).toBe('');
  });

  it('delete leaves an object until its finalizer is removed', async () => {
    await session.ok('create configmap held');
    await session.ok('patch configmap held --type=merge -p {"metadata":{"finalizers":["example.com/hold"]}}');
    expect(await session.ok('delete configmap held --wait=false')).toBe('configmap "held" deleted\n');
    const held = await session.json<KubectlObject>('get configmap held');
    expect(held.metadata.deletionTimestamp).toMatch(/Z$/);
    expect(held.metadata.finalizers).toEqual(['example.com/hold']);
    expect(await session.ok('patch configmap held --type=merge -p {"metadata":{"finalizers":null}}')).toBe('configmap/held patched\n');
    expect(await session.fails('get configmap held')).toContain('NotFound');
  });

  it('delete --force removes a terminating pod', async () => {
    // A pod on a node terminates gracefully; the kubelet or a forced deletion removes it.
    expect(await session.ok('delete pod web --wait=false')).toBe('pod "web" deleted\n');
    expect(parseTable(await session.ok('get pods web'))[1]?.[2]).toBe('Terminating');
    expect(await session.ok('delete pod web --force --grace-period=0')).toBe('pod "web" force deleted\n');
    expect(await session.ok('get pods')).toBe('');
  });

  it('delete --all deletes all objects of several kinds', async () => {
    expect(await session.ok('delete service,lease --all')).toBe(
      'service "web-svc" deleted\nlease.coordination.k8s.io "web-lease" deleted\n',
    );
  });

  it('version prints the version of the server', async () => {
    const version = JSON.parse(await session.ok('version -o json')) as {
      serverVersion: { major: string; minor: string; gitVersion: string };
    };
    expect(version.serverVersion).toMatchObject({ major: '1', minor: '31', gitVersion: expect.stringMatching(/^v1\.31\./) });
  });

  it('cluster-info prints the address of the server', async () => {
    expect(await session.ok('cluster-info')).toMatch(/control plane.* is running at .*https:\/\/127\.0\.0\.1:\d+/);
  });

  it('api-resources prints every kind, after two requests for discovery', async () => {
    const { stdout: resources, stderr: requests } = await session.run('api-resources --no-headers -o wide -v=6');
    expect(requests.match(/GET \S+\/apis?\b\S* 200 OK/g)).toHaveLength(2);
    // kubectl prints one version of each kind of a group.
    const kinds = new Set(SERVED_KINDS.map(({ group, resource }) => `${resource}.${group}`));
    // Other test files may have defined kinds of example.com on this server.
    const builtIn = resources.split('\n').filter((line) => line !== '' && !line.includes('example.com/'));
    expect(builtIn).toHaveLength(kinds.size);
    expect(resources).toMatch(/^configmaps +cm +v1 +true +ConfigMap +.*create.*delete.*list/m);
    expect(resources).toMatch(/^namespaces +ns +v1 +false +Namespace/m);
    expect(resources).toMatch(/^leases +coordination\.k8s\.io\/v1 +true +Lease/m);
    expect(resources).toMatch(/^pods +po +v1 +true +Pod .* all$/m);
    expect(await session.ok('api-resources --namespaced=false -o name')).toMatch(/^nodes$/m);
    expect(await session.ok('api-resources --api-group=coordination.k8s.io -o name')).toBe('leases.coordination.k8s.io\n');
  });

  it('api-versions prints the group versions', async () => {
    const versions = (await session.ok('api-versions')).split('\n');
    expect(versions).toEqual(expect.arrayContaining(['v1', 'coordination.k8s.io/v1']));
  });

  it('get --raw prints the response to a path', async () => {
    expect(JSON.parse(await session.ok(`get --raw /api/v1/namespaces/${session.namespace}/configmaps/settings`))).toMatchObject({
      data: { colour: 'blue', size: '9' },
    });
    expect(await session.ok('get --raw /readyz')).toBe('ok');
    expect(await session.ok('get --raw /livez?verbose')).toContain('healthz check passed');
    expect(await session.fails('get --raw /nowhere')).toContain('the server could not find the requested resource');
  });

  it('explain prints fields with types and descriptions', async () => {
    const containers = await session.ok('explain pod.spec.containers');
    expect(containers).toMatch(/^KIND: +Pod\nVERSION: +v1\n\nFIELD: containers <\[\]Container>/);
    expect(containers).toMatch(/\n {2}image\t<string>/);
    expect(containers).toMatch(/\n {2}name\t<string> -required-/);
    expect(await session.ok('explain cm.data')).toMatch(/FIELD: data <map\[string\]string>/);
    expect(await session.ok('explain leases.coordination.k8s.io --recursive')).toMatch(
      /^GROUP: +coordination\.k8s\.io\nKIND: +Lease\nVERSION: +v1\n[^]*\n {4}holderIdentity\t<string>/,
    );
    // kubectl reads OpenAPI v2 in protobuf.
    const ports = await session.run('explain pod.spec.containers.ports --output plaintext-openapiv2 -v=6');
    expect(ports.stdout).toMatch(/KIND: +Pod\nVERSION: +v1\n\nRESOURCE: ports <\[\]Object>/);
    expect(ports.stdout).toMatch(/containerPort\t<integer> -required-/);
    expect(ports.stderr).toMatch(/GET \S+\/openapi\/v2\?\S* 200 OK/);
    expect(await session.fails('explain cm.nothing')).toContain('field "nothing" does not exist');
  });

  it('the system namespaces have the names that are compiled into kubectl', async () => {
    expect(await session.ok('get namespace kube-system kube-public kube-node-lease default -o name')).toMatch(
      /^namespace\/(kube|platform)-system\nnamespace\/(kube|platform)-public\nnamespace\/(kube|platform)-node-lease\nnamespace\/default\n$/,
    );
    const name = `e2e-${session.namespace}`;
    expect(await session.ok(`-n kube-system create configmap ${name}`)).toBe(`configmap/${name} created\n`);
    expect(parseTable(await session.ok('-n kube-system get cm')).map(([first]) => first)).toContain(name);
    expect(await session.ok(`-n kube-system get cm ${name} -o name`)).toBe(`configmap/${name}\n`);
    expect(await session.ok(`-n kube-system label cm ${name} seen=yes`)).toBe(`configmap/${name} labeled\n`);
    expect(await session.fails('delete namespace kube-system')).toContain('this namespace may not be deleted');
    await session.ok(`-n kube-system delete configmap ${name}`);
  });
});
