/**
 * Real kubectl creates, prints, describes, waits for and deletes objects: its output, or the stored objects. The tests
 * are one session: later ones use the ConfigMap `settings`, the Secret `login` and the pod, Service and Lease `web` of
 * earlier ones.
 */
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
  describe('create', () => {
    it('subcommands create objects', async () => {
      expect(await session.ok('create configmap settings --from-literal=colour=blue --from-literal=size=9')).toBe(
        'configmap/settings created\n',
      );
      expect(await session.ok('create secret generic login --from-literal=password=hunter2')).toBe('secret/login created\n');
      expect(await session.ok('get secret login -o jsonpath={.data.password}')).toBe(Buffer.from('hunter2').toString('base64'));
    });

    it('fails for a name that exists or is invalid', async () => {
      expect(await session.fails('create configmap settings')).toBe(
        'error: failed to create configmap: configmaps "settings" already exists\n',
      );
      expect(await session.fails(`create namespace ${session.namespace}`)).toContain('(AlreadyExists)');
      expect(await session.fails('create configmap Bad_Name')).toContain('a lowercase RFC 1123 subdomain must consist of');
    });

    it('with a dry run of the server stores nothing', async () => {
      expect(await session.ok('create configmap dry --dry-run=server')).toBe('configmap/dry created (server dry run)\n');
      expect(await session.ok('get configmap dry --ignore-not-found')).toBe('');
    });

    it('creates the objects of a file', async () => {
      expect(await session.ok('create -f -', webManifest('web'))).toBe(
        'pod/web created\nservice/web-svc created\nlease.coordination.k8s.io/web-lease created\n',
      );
      expect(await session.ok('get lease web-lease -o jsonpath={.spec.holderIdentity}')).toBe('somebody');
    });

    it('fails for each object of a file that exists', async () => {
      expect((await session.fails('create -f -', webManifest('web'))).match(/AlreadyExists/g)).toHaveLength(3);
    });

    it('rejects an unknown field with strict validation, and drops it without validation', async () => {
      const misspelt = JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'typo' }, dat: { a: '1' } });
      expect(await session.fails('create --validate=strict -f -', misspelt)).toContain('unknown field "dat"');
      expect(await session.ok('create --validate=ignore -f -', misspelt)).toBe('configmap/typo created\n');
    });

    it('lets the server validate fields by default, because OpenAPI v3 is served', async () => {
      const [pod = ''] = webManifest('typo').replace('containerPort', 'containerprot').split('---');
      const { code, stderr } = await session.run('create -f - -v=6', pod);
      expect(code).toBe(1);
      expect(stderr).toContain('unknown field "spec.containers[0].ports[0].containerprot"');
      // With -v=6 kubectl prints the URLs of its requests. OpenAPI v2 would be for a validation by kubectl itself.
      expect(stderr).toContain('/openapi/v3/api/v1');
      expect(stderr).not.toContain('/openapi/v2');
    });

    it('fails for an unknown kind, as get does', async () => {
      const gizmo = '{"apiVersion":"v1","kind":"Gizmo","metadata":{"name":"x"}}';
      expect(await session.fails('create --validate=false -f -', gizmo)).toContain('no matches for kind "Gizmo" in version "v1"');
      expect(await session.fails('get gizmos')).toContain('the server doesn\'t have a resource type "gizmos"');
    });
  });

  describe('get', () => {
    it.each<[string, string[][]]>([
      [
        'configmap settings',
        [
          ['NAME', 'DATA', 'AGE'],
          ['settings', '2', ANY_AGE],
        ],
      ],
      [
        'secrets login',
        [
          ['NAME', 'TYPE', 'DATA', 'AGE'],
          ['login', 'Opaque', '1', ANY_AGE],
        ],
      ],
      [
        'pods',
        [
          ['NAME', 'READY', 'STATUS', 'RESTARTS', 'AGE'],
          ['web', '0/1', 'Pending', '0', ANY_AGE],
        ],
      ],
      ['pods web -o wide --no-headers', [['web', '0/1', 'Pending', '0', ANY_AGE, '<none>', 'worker-1', '<none>', '<none>']]],
      ['pods web -L app --no-headers', [['web', '0/1', 'Pending', '0', ANY_AGE, 'web']]],
      [
        'services web-svc -o wide',
        [
          ['NAME', 'TYPE', 'CLUSTER-IP', 'EXTERNAL-IP', 'PORT(S)', 'AGE', 'SELECTOR'],
          ['web-svc', 'ClusterIP', 'None', '<none>', '80/TCP', ANY_AGE, 'app=web'],
        ],
      ],
      [
        'leases.coordination.k8s.io web-lease',
        [
          ['NAME', 'HOLDER', 'AGE'],
          ['web-lease', 'somebody', ANY_AGE],
        ],
      ],
    ])('%s prints a table', async (words, rows) => {
      expect(parseTable(await session.ok(`get ${words}`))).toEqual(rows);
    });

    it('--show-labels prints the label that a namespace has of its name', async () => {
      const { namespace } = session;
      const label = expect.stringMatching(new RegExp(`(platform|kubernetes)\\.io/metadata\\.name=${namespace}`));
      expect(parseTable(await session.ok(`get namespace ${namespace} --show-labels --no-headers`))).toEqual([
        [namespace, 'Active', ANY_AGE, label],
      ]);
    });

    it('-o json prints an object', async () => {
      expect(await session.json('get configmap settings')).toMatchObject({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'settings', namespace: session.namespace },
        data: { colour: 'blue', size: '9' },
      });
    });

    it('-o yaml prints an object', async () => {
      const { metadata } = await session.json<KubectlObject>('get configmap settings');
      const { resourceVersion, uid, creationTimestamp } = metadata;
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
    });

    it.each([
      ['name', 'configmap/settings\n'],
      ['custom-columns=C:.data.colour,S:.data.size', 'C      S\nblue   9\n'],
      ['go-template={{.data.colour}}', 'blue'],
    ])('-o %s prints an object', async (format, output) => {
      expect(await session.ok(['get', 'configmap', 'settings', '-o', format])).toBe(output);
    });

    it('prints objects of two kinds as one list', async () => {
      const { kind, items } = await session.json<{ kind: string; items: KubectlObject[] }>('get configmaps,secrets');
      expect(kind).toBe('List');
      expect(items.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(['settings', 'login']));
    });

    it('fails for a missing object unless --ignore-not-found is given', async () => {
      expect(await session.fails('get configmap nothing')).toBe('Error from server (NotFound): configmaps "nothing" not found\n');
      expect(await session.ok('get configmap nothing --ignore-not-found')).toBe('');
    });

    describe('with five objects of a label', () => {
      const numbers = [1, 2, 3, 4, 5];
      /** A ConfigMap with its number in the data, and labels for the set and for the parity of the number. */
      const manifest = (n: number): string =>
        `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: page-${n}, labels: {set: pages, parity: ${n % 2 === 0 ? 'even' : 'odd'}}}\ndata: {"n": "${n}"}\n`;
      beforeAll(() => session.ok('create -f -', numbers.map(manifest).join('---\n')));

      it('reads a list in pages', async () => {
        // With -v=6 kubectl prints the URLs of its requests to standard error.
        const paged = await session.run('get configmaps -l set=pages --chunk-size=2 -o name -v=6');
        expect(paged.stdout).toBe(numbers.map((n) => `configmap/page-${n}\n`).join(''));
        expect(paged.stderr.match(/GET .*\/configmaps\?.*limit=2/g)).toHaveLength(3);
      });

      it('prints one table of a list in pages', async () => {
        const firstColumn = parseTable(await session.ok('get configmaps -l set=pages --chunk-size=2')).map(([name]) => name);
        expect(firstColumn).toEqual(['NAME', ...numbers.map((n) => `page-${n}`)]);
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
        const [columns, ...rows] = parseTable(await session.ok('get configmaps -A -l set=pages'));
        expect(columns).toEqual(['NAMESPACE', 'NAME', 'DATA', 'AGE']);
        expect(rows.filter(([namespace]) => namespace === session.namespace)).toHaveLength(5);
      });

      it('sorts by a field', async () => {
        const names = await session.ok('get cm -l set=pages --sort-by=.data.n -o jsonpath={.items[*].metadata.name}');
        expect(names).toBe('page-1 page-2 page-3 page-4 page-5');
      });

      it('prints none after a deletion by label', async () => {
        expect(await session.ok('delete configmaps -l set=pages')).toBe(numbers.map((n) => `configmap "page-${n}" deleted\n`).join(''));
        expect(await session.ok('get cm -l set=pages -o name')).toBe('');
      });
    });

    it('--watch and --watch-only print changes as they are made', async () => {
      const watch = session.start('get configmaps -w --field-selector metadata.name=watched');
      const watchOnly = session.start('get configmaps --watch-only -o name');
      let patches = 0;
      try {
        // kubectl prints nothing before the first event, so changes are made until both watches have printed one.
        await session.ok('create configmap watched --from-literal=a=1');
        await waitUntil('the new object', () => watch.output.includes('watched'));
        await waitUntil('an event for the second watch', async () => {
          await session.ok(`patch configmap watched --type=merge -p {"data":{"patches":"${++patches}"}}`);
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
  });

  describe('describe', () => {
    beforeAll(async () => {
      const { uid: UID } = (await session.json<KubectlObject>('get pod web')).metadata;
      await session.ok('create -f -', fixture('pulled-event.yaml', { NAMESPACE: session.namespace, UID }));
    });

    it('prints a ConfigMap', async () => {
      const description = await session.ok('describe configmap settings');
      expect(description).toMatch(/^Name: +settings\nNamespace: +/);
      expect(description).toMatch(/colour:\n----\nblue\n/);
    });

    it('prints a pod with its Events', async () => {
      const description = await session.ok('describe pod web');
      expect(description).toMatch(/^Name: +web\n/);
      expect(description).toMatch(/\nNode: +worker-1\//);
      expect(description).toMatch(/\n {4}Image: +registry\.example\.com\/web:1\.0\n/);
      expect(description).toMatch(/\n {6}MODE: +test\n/);
      expect(description).toMatch(/Normal +Pulled .*kubelet +the image is here/);
    });

    it('prints a namespace', async () => {
      expect(await session.ok(`describe namespace ${session.namespace}`)).toMatch(/\nStatus: +Active\n/);
    });

    it('prints a Service', async () => {
      const description = await session.ok('describe service web-svc');
      expect(description).toMatch(/\nIP: +None\n/);
      expect(description).toMatch(/\nTargetPort: +8080\/TCP\n/);
    });

    it('prints the lengths of the values of a Secret', async () => {
      expect(await session.ok('describe secret login')).toMatch(/\npassword: +7 bytes\n/);
    });

    it('prints the roles, conditions and capacity of a node, of which get prints a row', async () => {
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

    it('prints the Event that get events and events --for print', async () => {
      expect(parseTable(await session.ok('get events'))).toEqual([
        ['LAST SEEN', 'TYPE', 'REASON', 'OBJECT', 'MESSAGE'],
        [expect.any(String), 'Normal', 'Pulled', 'pod/web', 'the image is here'],
      ]);
      expect(await session.ok('events --for pod/web')).toContain('the image is here');
    });
  });

  describe('wait', () => {
    it('ends when a field has the value', async () => {
      expect(await session.ok('wait pod/web --for=jsonpath={.status.phase}=Pending --timeout=20s')).toBe('pod/web condition met\n');
      const waiting = session.start('wait pod/web --for=jsonpath={.status.phase}=Running --timeout=20s');
      await session.ok(['patch', 'pod', 'web', '--subresource=status', '--type=merge', '-p', '{"status":{"phase":"Running"}}']);
      expect((await waiting.exited).code).toBe(0);
    });

    it('ends when the object is deleted', async () => {
      await session.ok('create configmap leaving');
      const waiting = session.start('wait configmap/leaving --for=delete --timeout=20s');
      await session.ok('delete configmap leaving');
      expect((await waiting.exited).code).toBe(0);
    });
  });

  describe('delete', () => {
    it('fails for a missing object unless --ignore-not-found is given', async () => {
      expect(await session.ok('delete configmap typo')).toBe('configmap "typo" deleted\n');
      expect(await session.fails('delete configmap typo')).toBe('Error from server (NotFound): configmaps "typo" not found\n');
      expect(await session.ok('delete configmap typo --ignore-not-found')).toBe('');
    });

    it('leaves an object until its finalizer is removed', async () => {
      await session.ok('create configmap held');
      await session.ok('patch configmap held --type=merge -p {"metadata":{"finalizers":["example.com/hold"]}}');
      expect(await session.ok('delete configmap held --wait=false')).toBe('configmap "held" deleted\n');
      const held = await session.json<KubectlObject>('get configmap held');
      expect(held.metadata.deletionTimestamp).toMatch(/Z$/);
      expect(held.metadata.finalizers).toEqual(['example.com/hold']);
      expect(await session.ok('patch configmap held --type=merge -p {"metadata":{"finalizers":null}}')).toBe('configmap/held patched\n');
      expect(await session.fails('get configmap held')).toContain('NotFound');
    });

    it('--force removes a terminating pod', async () => {
      // A pod on a node terminates gracefully; the kubelet or a forced deletion removes it.
      expect(await session.ok('delete pod web --wait=false')).toBe('pod "web" deleted\n');
      expect(parseTable(await session.ok('get pods web'))[1]?.[2]).toBe('Terminating');
      expect(await session.ok('delete pod web --force --grace-period=0')).toBe('pod "web" force deleted\n');
      expect(await session.ok('get pods')).toBe('');
    });

    it('--all deletes all objects of several kinds', async () => {
      expect(await session.ok('delete service,lease --all')).toBe(
        'service "web-svc" deleted\nlease.coordination.k8s.io "web-lease" deleted\n',
      );
    });
  });
});
