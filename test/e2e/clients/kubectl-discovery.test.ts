/**
 * What real kubectl prints about the server: its version, address, kinds and fields, and the names of its system
 * namespaces.
 */
import { SERVED_KINDS } from '../../../shared/api/kinds';
import { describeWithEachKubectl, parseTable } from '../../support/external/kubectl-session';

describeWithEachKubectl('discovery', (session) => {
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
    // With -v=6 kubectl prints its requests to standard error.
    const { stdout: resources, stderr: requests } = await session.run('api-resources --no-headers -o wide -v=6');
    // One request each for /api and /apis.
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
  });

  it('api-resources selects kinds by scope and group', async () => {
    expect(await session.ok('api-resources --namespaced=false -o name')).toMatch(/^nodes$/m);
    expect(await session.ok('api-resources --api-group=coordination.k8s.io -o name')).toBe('leases.coordination.k8s.io\n');
  });

  it('api-versions prints the group versions', async () => {
    const versions = (await session.ok('api-versions')).split('\n');
    expect(versions).toEqual(expect.arrayContaining(['v1', 'coordination.k8s.io/v1']));
  });

  it('get --raw prints the response to a path', async () => {
    expect(JSON.parse(await session.ok(`get --raw /api/v1/namespaces/${session.namespace}`))).toMatchObject({ kind: 'Namespace' });
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
    expect(await session.fails('explain cm.nothing')).toContain('field "nothing" does not exist');
  });

  it('explain prints the same fields from OpenAPI v2, which kubectl reads in protobuf', async () => {
    const ports = await session.run('explain pod.spec.containers.ports --output plaintext-openapiv2 -v=6');
    expect(ports.stdout).toMatch(/KIND: +Pod\nVERSION: +v1\n\nRESOURCE: ports <\[\]Object>/);
    expect(ports.stdout).toMatch(/containerPort\t<integer> -required-/);
    expect(ports.stderr).toMatch(/GET \S+\/openapi\/v2\?\S* 200 OK/);
  });

  it('get finds the system namespaces by the names that are compiled into kubectl', async () => {
    // A server with --naming=platform prints the names of its own dialect.
    expect(await session.ok('get namespace kube-system kube-public kube-node-lease default -o name')).toMatch(
      /^namespace\/(kube|platform)-system\nnamespace\/(kube|platform)-public\nnamespace\/(kube|platform)-node-lease\nnamespace\/default\n$/,
    );
  });

  it('objects in a system namespace are changed under the name that is compiled into kubectl', async () => {
    const name = `e2e-${session.namespace}`;
    expect(await session.ok(`-n kube-system create configmap ${name}`)).toBe(`configmap/${name} created\n`);
    expect(parseTable(await session.ok('-n kube-system get cm')).map(([first]) => first)).toContain(name);
    expect(await session.ok(`-n kube-system get cm ${name} -o name`)).toBe(`configmap/${name}\n`);
    expect(await session.ok(`-n kube-system label cm ${name} seen=yes`)).toBe(`configmap/${name} labeled\n`);
    await session.ok(`-n kube-system delete configmap ${name}`);
  });

  it('delete fails for a system namespace', async () => {
    expect(await session.fails('delete namespace kube-system')).toContain('this namespace may not be deleted');
  });
});
