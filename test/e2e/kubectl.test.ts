/**
 * A person's session with real kubectl: making objects, looking at them, changing them. One story: each step asserts what kubectl printed
 * or what the server then holds, and later steps use what earlier ones made.
 */
import { table, webManifest, withEachKubectl, type Named } from '../support/kubectl-session';
import { waitUntil } from '../support/programs';

withEachKubectl('objects', (current) => {
  it('makes objects by create subcommands, and refuses to make them twice', async () => {
    const session = current();
    expect(await session.ok('create configmap settings --from-literal=colour=blue --from-literal=size=9')).toBe(
      'configmap/settings created\n',
    );
    expect(await session.ok('create secret generic login --from-literal=password=hunter2')).toBe('secret/login created\n');
    expect(await session.ok('get secret login -o jsonpath={.data.password}')).toBe(Buffer.from('hunter2').toString('base64'));
    expect(await session.fails('create configmap settings')).toBe(
      'error: failed to create configmap: configmaps "settings" already exists\n',
    );
    expect(await session.fails(`create namespace ${session.namespace}`)).toContain('(AlreadyExists)');
    expect(await session.fails('create configmap Bad_Name')).toContain('a lowercase RFC 1123 subdomain must consist of');
    expect(await session.fails('get configmap nothing')).toBe('Error from server (NotFound): configmaps "nothing" not found\n');
    expect(await session.ok('get configmap nothing --ignore-not-found')).toBe('');
    expect(await session.ok('create configmap dry --dry-run=server')).toBe('configmap/dry created (server dry run)\n');
    expect(await session.ok('get configmap dry --ignore-not-found')).toBe('');
  });

  it('makes a pod, a service and a lease from a file, and a second time says that they are there', async () => {
    const session = current();
    expect(await session.ok('create -f -', webManifest('web'))).toBe(
      'pod/web created\nservice/web-svc created\nlease.coordination.k8s.io/web-lease created\n',
    );
    expect((await session.fails('create -f -', webManifest('web'))).match(/AlreadyExists/g)).toHaveLength(3);
    expect(await session.ok('get lease web-lease -o jsonpath={.spec.holderIdentity}')).toBe('somebody');
  });

  it('prints tables', async () => {
    const session = current();
    expect(table(await session.ok('get configmap settings'))).toEqual([
      ['NAME', 'DATA', 'AGE'],
      ['settings', '2', expect.stringMatching(/^\d+s$/)],
    ]);
    expect(table(await session.ok('get secrets login'))).toEqual([
      ['NAME', 'TYPE', 'DATA', 'AGE'],
      ['login', 'Opaque', '1', expect.stringMatching(/^\d+s$/)],
    ]);
    expect(table(await session.ok('get pods'))).toEqual([
      ['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE'],
      ['web', '0/1', 'Pending', '0', expect.stringMatching(/^\d+s$/)],
    ]);
    expect(table(await session.ok('get pods web -o wide --no-headers'))).toEqual([
      ['web', '0/1', 'Pending', '0', expect.stringMatching(/^\d+s$/), '<none>', 'worker-1', '<none>', '<none>'],
    ]);
    expect(table(await session.ok('get services web-svc -o wide'))).toEqual([
      ['NAME', 'TYPE', 'CLUSTER-IP', 'EXTERNAL-IP', 'PORT(S)', 'AGE', 'SELECTOR'],
      ['web-svc', 'ClusterIP', 'None', '<none>', '80/TCP', expect.stringMatching(/^\d+s$/), 'app=web'],
    ]);
    expect(table(await session.ok('get leases.coordination.k8s.io web-lease'))).toEqual([
      ['NAME', 'HOLDER', 'AGE'],
      ['web-lease', 'somebody', expect.stringMatching(/^\d+s$/)],
    ]);
    expect(table(await session.ok(`get namespace ${session.namespace} --show-labels`))).toEqual([
      ['NAME', 'STATUS', 'AGE', 'LABELS'],
      [
        session.namespace,
        'Active',
        expect.stringMatching(/^\d+s$/),
        expect.stringMatching(new RegExp(`(platform|kubernetes)\\.io/metadata\\.name=${session.namespace}`)),
      ],
    ]);
    expect(table(await session.ok('get pods -L app'))[1]).toEqual(['web', '0/1', 'Pending', '0', expect.anything(), 'web']);
  });

  it('prints objects in the forms that were asked for', async () => {
    const session = current();
    const settings = await session.json<Named>('get configmap settings');
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
    const list = await session.json<{ kind: string; items: Named[] }>('get configmaps,secrets');
    expect(list.kind).toBe('List');
    expect(list.items.map((item) => item.metadata.name)).toEqual(expect.arrayContaining(['settings', 'login']));
  });

  it('pages, selects and looks across namespaces', async () => {
    const session = current();
    for (const n of [1, 2, 3, 4, 5]) await session.ok(`create configmap page-${n} --from-literal=n=${n}`);
    for (const n of [1, 2, 3, 4, 5]) await session.ok(`label configmap page-${n} set=pages parity=${n % 2 === 0 ? 'even' : 'odd'}`);
    const paged = await session.run('get configmaps -l set=pages --chunk-size=2 -o name -v=6');
    expect(paged.stdout).toBe([1, 2, 3, 4, 5].map((n) => `configmap/page-${n}\n`).join(''));
    expect(paged.stderr.match(/GET .*\/configmaps\?.*limit=2/g)).toHaveLength(3);
    expect(table(await session.ok('get configmaps -l set=pages --chunk-size=2')).map(([name]) => name)).toEqual([
      'NAME',
      'page-1',
      'page-2',
      'page-3',
      'page-4',
      'page-5',
    ]);
    expect(await session.ok('get cm -l set=pages,parity=even -o name')).toBe('configmap/page-2\nconfigmap/page-4\n');
    expect(await session.ok(['get', 'cm', '-l', 'set,parity notin (even)', '-o', 'name'])).toBe(
      'configmap/page-1\nconfigmap/page-3\nconfigmap/page-5\n',
    );
    expect(await session.ok('get cm --field-selector metadata.name=page-3 -o name')).toBe('configmap/page-3\n');
    expect(await session.ok('get pods --field-selector spec.nodeName=worker-1 -o name')).toBe('pod/web\n');
    expect(await session.ok('get pods --field-selector status.phase=Running -o name')).toBe('');
    expect(await session.fails('get pods --field-selector spec.banana=1')).toContain('field label not supported: spec.banana');
    const everywhere = table(await session.ok('get configmaps -A -l set=pages'));
    expect(everywhere[0]).toEqual(['NAMESPACE', 'NAME', 'DATA', 'AGE']);
    expect(everywhere.filter(([space]) => space === session.namespace)).toHaveLength(5);
    expect(await session.ok('get cm -l set=pages --sort-by=.data.n -o jsonpath={.items[*].metadata.name}')).toContain('page-1 page-2');
    expect(await session.ok('delete configmaps -l set=pages')).toBe([1, 2, 3, 4, 5].map((n) => `configmap "page-${n}" deleted\n`).join(''));
    expect(await session.ok('get cm -l set=pages -o name')).toBe('');
  });

  it('watches', async () => {
    const session = current();
    const watching = session.start('get configmaps -w --field-selector metadata.name=watched');
    const only = session.start('get configmaps --watch-only -o name');
    let tick = 0;
    try {
      // kubectl says nothing before the first event, so events go on until both watches have told of one.
      await session.ok('create configmap watched --from-literal=a=1');
      await waitUntil('the new object', () => watching.output.includes('watched'));
      await waitUntil('an event for the second watch', async () => {
        await session.ok(`patch configmap watched --type=merge -p {"data":{"tick":"${++tick}"}}`);
        return only.output.includes('configmap/watched');
      });
      await session.ok('patch configmap watched --type=merge -p {"data":{"b":"2","c":"3"}}');
      await waitUntil('the change', () => /watched +4 /.test(watching.output));
      expect(table(watching.output)[0]).toEqual(['NAME', 'DATA', 'AGE']);
    } finally {
      await Promise.all([watching.kill(), only.kill()]);
    }
    await session.ok('delete configmap watched');
  });

  it('changes objects', async () => {
    const session = current();
    expect(await session.ok('patch configmap settings --type=merge -p {"data":{"colour":"red","new":"1"}}')).toBe(
      'configmap/settings patched\n',
    );
    expect(await session.ok('patch configmap settings --type=merge -p {"data":{"colour":"red"}}')).toBe(
      'configmap/settings patched (no change)\n',
    );
    expect(await session.ok('patch configmap settings --type=json -p [{"op":"remove","path":"/data/new"}]')).toBe(
      'configmap/settings patched\n',
    );
    expect(await session.fails('patch configmap settings --type=json -p [{"op":"remove","path":"/data/new"}]')).toContain(
      'The request is invalid: the server rejected our request due to an error in our request',
    );
    expect((await session.json<Named>('get configmap settings')).data).toEqual({ colour: 'red', size: '9' });
    expect(await session.ok('label configmap settings team=a')).toBe('configmap/settings labeled\n');
    expect(await session.fails('label configmap settings team=b')).toContain('already has a value (a), and --overwrite is false');
    expect(await session.ok('label configmap settings team=b --overwrite')).toBe('configmap/settings labeled\n');
    expect(await session.ok('label configmap settings team-')).toBe('configmap/settings unlabeled\n');
    expect(await session.ok('annotate configmap settings note=hello')).toBe('configmap/settings annotated\n');
    const { metadata } = await session.json<Named>('get configmap settings');
    expect(metadata.labels).toBeUndefined();
    expect(metadata.annotations).toEqual({ note: 'hello' });
  });

  it('replaces what was read, but not what somebody else has changed since', async () => {
    const session = current();
    const read = await session.ok('get configmap settings -o json');
    const edited = read.replace('"red"', '"green"');
    expect(await session.ok('replace -f -', edited)).toBe('configmap/settings replaced\n');
    expect(await session.ok('get configmap settings -o jsonpath={.data.colour}')).toBe('green');
    expect(await session.fails('replace -f -', edited)).toContain(
      'the object has been modified; please apply your changes to the latest version',
    );
    const { uid } = (await session.json<Named>('get configmap settings')).metadata;
    const fresh = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' }, data: { colour: 'white' } });
    expect(await session.ok('replace --force -f -', fresh)).toBe('configmap "settings" deleted\nconfigmap/settings replaced\n');
    const replaced = await session.json<Named>('get configmap settings');
    expect(replaced.metadata.uid).not.toBe(uid);
    expect(replaced.data).toEqual({ colour: 'white' });
  });

  it('finds spelling mistakes', async () => {
    const session = current();
    const misspelt = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'typo' }, dat: { a: '1' } });
    expect(await session.fails('create --validate=strict -f -', misspelt)).toContain('unknown field "dat"');
    expect(await session.ok('create --validate=ignore -f -', misspelt)).toBe('configmap/typo created\n');
    const pod = webManifest('typo').replace('containerPort', 'containerprot').split('---')[0]!;
    expect(await session.fails('create -f -', pod)).toContain('unknown field "spec.containers[0].ports[0].containerprot"');
    const gizmo = '{"apiVersion":"v1","kind":"Gizmo","metadata":{"name":"x"}}';
    expect(await session.fails('create --validate=false -f -', gizmo)).toContain('no matches for kind "Gizmo" in version "v1"');
    expect(await session.fails('get gizmos')).toContain('the server doesn\'t have a resource type "gizmos"');
  });
});
