/**
 * `platform migrate` from the embedded store to etcd, over TLS with client certificates, and back: the servers on
 * both stores serve the same objects of several types and accept writes. A move while a server uses the store, to a
 * target with keys, or from a source without keys is rejected. The tests run in this order, because each move replaces
 * the store in use.
 */
import path from 'node:path';
import { ApiClient, type ApiObject } from '../../support/http/api-client';
import { describeWithEtcd, startEtcd } from '../../support/external/etcd';
import { makeEtcdCertificates } from '../../support/certificates/etcd-certificates';
import { migrate } from '../../support/migrate';
import { customResourceDefinition } from '../../support/objects/custom-resource-definition';
import { freePort } from '../../support/ports';
import { startApiServer, waitUntil, type ApiServer } from '../../support/programs';
import { useFolder, useResource } from '../../support/use-resource';
import { listObjects, createConfigMaps, MAPS, withoutVersion } from './store-locations';

const WIDGETS = '/apis/example.com/v1/widgets';
const LIST_PATHS = [
  '/api/v1/namespaces',
  '/api/v1/configmaps',
  '/api/v1/secrets',
  '/api/v1/services',
  '/apis/apps/v1/deployments',
  '/apis/scheduling.k8s.io/v1/priorityclasses',
  '/apis/rbac.authorization.k8s.io/v1/clusterroles',
  '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
  '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas',
  WIDGETS,
];

const WIDGET_DEFINITION = customResourceDefinition({
  plural: 'widgets',
  kind: 'Widget',
  group: 'example.com',
  schema: { properties: { size: { type: 'integer' } } },
  spec: { scope: 'Cluster' },
});

const DEPLOYMENT = {
  metadata: { name: 'web' },
  spec: {
    selector: { matchLabels: { app: 'web' } },
    template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
  },
};

const NODE_PORT_SERVICE = { metadata: { name: 'web' }, spec: { type: 'NodePort', ports: [{ port: 80 }] } };

const CREATED_OBJECTS: readonly { readonly path: string; readonly body: object }[] = [
  { path: '/api/v1/namespaces/default/secrets', body: { metadata: { name: 'token' }, stringData: { value: 's3cret' } } },
  { path: '/api/v1/namespaces/default/services', body: NODE_PORT_SERVICE },
  { path: '/apis/apps/v1/namespaces/default/deployments', body: DEPLOYMENT },
  { path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', body: WIDGET_DEFINITION },
];

/** The default of `--bump-revision`, by which a restore raises revisions above those that clients may have seen. */
const BUMP_REVISION = 1_000_000_000;

type ObjectsByList = ReadonlyMap<string, readonly ApiObject[]>;

async function readAllObjects(client: ApiClient): Promise<ObjectsByList> {
  const objects = new Map<string, readonly ApiObject[]>();
  for (const list of LIST_PATHS) objects.set(list, (await listObjects(client, list)).map(withoutVersion));
  return objects;
}

describeWithEtcd('platform', () => {
  const folder = useFolder('moved');
  const store = path.join(folder, 'store');
  /** The embedded store into which the data return from etcd. */
  const returned = path.join(folder, 'returned');
  const embeddedFlag = `--storage-dir=${store}`;
  const certificates = useResource(() => makeEtcdCertificates(folder));
  const etcd = useResource(
    () => startEtcd({ tls: certificates().members }),
    (started) => started.dispose(),
  );
  const tlsFlags = (): readonly string[] => {
    const { ca, cert, key } = certificates().client;
    return [`--etcd-cafile=${ca}`, `--etcd-certfile=${cert}`, `--etcd-keyfile=${key}`];
  };
  const etcdFlags = (): readonly string[] => [`--etcd-servers=${etcd().endpoint}`, ...tlsFlags()];

  interface Running {
    readonly server: ApiServer;
    readonly client: ApiClient;
  }

  async function start(args: readonly string[], etcdServers?: string): Promise<Running> {
    const options = { folder, securePort: await freePort(), args, ...(etcdServers !== undefined && { etcdServers }) };
    const server = await startApiServer(options);
    return { server, client: new ApiClient(server.address, server.certificates) };
  }

  async function stop({ server, client }: Running): Promise<void> {
    client.close();
    await server.process.stop();
  }

  /** The API server on the store that is in use; a move replaces it. */
  const current = useResource(
    async () => ({ running: await start([]) }),
    ({ running }) => stop(running),
    60_000,
  );
  const client = (): ApiClient => current().running.client;

  /** Returns the resourceVersion of the created object. */
  async function create(collection: string, body: object): Promise<number> {
    const response = await client().send('POST', collection, body);
    if (response.status !== 201) throw new Error(response.text);
    return Number(response.json().metadata.resourceVersion);
  }

  /**
   * Stops the server, moves its data and starts it on the other store, which must have the same objects and continue
   * with revisions that are larger by {@link BUMP_REVISION}. Returns the output of the command.
   */
  async function expectMoved(flags: readonly string[], startOnTarget: () => Promise<Running>): Promise<string> {
    const before = await readAllObjects(client());
    const version = Number((await client().get(MAPS)).json().metadata.resourceVersion);
    await stop(current().running);
    const output = await migrate('migrate', ...flags);
    current().running = await startOnTarget();
    expect(await readAllObjects(client())).toEqual(before);
    expect(await create(MAPS, { metadata: { generateName: 'moved-' } })).toBeGreaterThan(version + BUMP_REVISION);
    return output;
  }

  const toEtcd = (): readonly string[] => ['--to=etcd', embeddedFlag, ...etcdFlags()];
  const toEmbedded = (): readonly string[] => ['--to=embedded', `--storage-dir=${returned}`, ...etcdFlags()];

  beforeAll(async () => {
    for (const { path: collection, body } of CREATED_OBJECTS) await create(collection, body);
    await createConfigMaps(client(), 100, 500);
    await waitUntil('the widgets to be served', async () => (await client().get(WIDGETS)).status === 200);
    await create(WIDGETS, { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name: 'one' }, size: 7 });
  }, 60_000);

  test('migrate is refused while a server uses the embedded store', async () => {
    await expect(migrate('migrate', ...toEtcd())).rejects.toThrow(/in use|another process|uses/i);
  }, 60_000);

  test('migrate keeps all objects when the data go to etcd', async () => {
    const output = await expectMoved(toEtcd(), () => start(tlsFlags(), etcd().endpoint));
    expect(output).toMatch(/restored \d+ keys, revision \d+ of the embedded store/);
  }, 90_000);

  test('migrate is refused while a server uses etcd', async () => {
    await expect(migrate('migrate', ...toEmbedded())).rejects.toThrow('1 API servers use the store: stop them first');
  }, 60_000);

  test('migrate keeps all objects when the data go back to an embedded store', async () => {
    await expectMoved(toEmbedded(), () => start([`--storage-dir=${returned}`]));
  }, 90_000);

  test('migrate fails when the target already has keys', async () => {
    await expect(migrate('migrate', ...toEtcd())).rejects.toThrow('there are already keys under /registry/');
  }, 60_000);

  test('migrate fails when the source has no keys under the prefix', async () => {
    // The first move left the embedded store unchanged: its keys are under /registry/.
    await expect(migrate('migrate', ...toEtcd(), '--etcd-prefix=/other')).rejects.toThrow('no data of this program under /other/');
  }, 60_000);

  test.each([
    ['without a certificate', (): readonly string[] => [`--etcd-cafile=${certificates().client.ca}`]],
    ['without the certificate authority', (): readonly string[] => []],
  ])(
    'backup fails to connect to etcd %s',
    async (_title, flags) => {
      await expect(migrate('backup', `--file=${folder}/x`, `--etcd-servers=${etcd().endpoint}`, ...flags())).rejects.toThrow(
        /certificate/i,
      );
    },
    60_000,
  );
});
