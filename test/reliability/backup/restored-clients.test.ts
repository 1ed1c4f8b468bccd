/**
 * A server is restored from a backup, into the same or the other kind of store, while clients keep running: their
 * informers must converge to the restored state, although they have seen later revisions than the backup has. Allocated
 * addresses and ports stay allocated, and no repair Event is recorded.
 */
import { renameSync } from 'node:fs';
import path from 'node:path';
import type { ApiObject } from '../../../shared/client/rest/api-object';
import { Informer } from '../../../shared/client/informer/informer';
import { resourceOf } from '../../../shared/client/rest/resource';
import { systemClock } from '../../../shared/runtime/clock';
import { silentLogger } from '../../../shared/runtime/logger';
import { systemRandom } from '../../../shared/runtime/random';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { adminClient } from '../../support/control-plane';
import { describeWithEtcd, startEtcd, type EtcdServer } from '../../support/external/etcd';
import { migrate } from '../../support/migrate';
import { freePort } from '../../support/ports';
import { startApiServer, waitUntil, type ApiServer } from '../../support/programs';
import { useClosable, useFolder, useResource } from '../../support/use-resource';

const MAPS = resourceOf('core.v1.ConfigMap');
const SERVICES = resourceOf('core.v1.Service');
const EVENTS = resourceOf('core.v1.Event');
const settings = { pingEveryMs: 2_000, pingTimeoutMs: 3_000, connectTimeoutMs: 3_000 };
const namespace = 'default';

const configMap = (name: string, color: string): JsonObject => ({ metadata: { namespace, name }, data: { color } });
const service = (name: string, clusterIP?: string): JsonObject => ({
  metadata: { namespace, name },
  spec: { type: 'NodePort', ports: [{ port: 80 }], ...(clusterIP !== undefined && { clusterIP }) },
});

const contentOf = (objects: readonly ApiObject[]): string =>
  objects
    .map(({ name, uid, body, resourceVersion }) => `${name} ${uid} ${stringAt(objectAt(body, 'data'), 'color') ?? ''} ${resourceVersion}`)
    .sort()
    .join('\n');

type StoreKind = 'embedded' | 'etcd';

interface Restore {
  /** The store that is backed up. */
  readonly from: StoreKind;
  /** The store into which the backup is restored. */
  readonly to: StoreKind;
}

function describeRestoredClients({ from, to }: Restore): void {
  const folder = useFolder('restored-clients');
  const file = path.join(folder, 'a.backup');
  const store = path.join(folder, 'store');
  const port = useResource(freePort);
  const etcds = useResource(
    (): EtcdServer[] => [],
    (started) => Promise.all(started.map((etcd) => etcd.dispose())),
  );

  /** Returns the endpoint of a new etcd; '' for the embedded store. */
  const openLocation = async (kind: StoreKind): Promise<string> => {
    if (kind === 'embedded') return '';
    const etcd = await startEtcd();
    etcds().push(etcd);
    return etcd.endpoint;
  };
  const flags = (endpoint: string): string => (endpoint === '' ? `--storage-dir=${store}` : `--etcd-servers=${endpoint}`);
  const start = (endpoint: string): Promise<ApiServer> =>
    startApiServer({ folder, securePort: port(), ...(endpoint !== '' && { etcdServers: endpoint }) });

  /** The first server and its store; the test replaces `server` by the one on the restored store, at the same address. */
  const running = useResource(
    async () => {
      const endpoint = await openLocation(from);
      return { endpoint, server: await start(endpoint) };
    },
    ({ server }) => server.process.kill(),
    60_000,
  );
  const client = useClosable(() => adminClient([running().server.address], running().server.certificates, { settings }));
  const stopAfterTests = useResource(
    () => new AbortController(),
    (stop) => stop.abort(),
  );

  const maps = () => client().of(MAPS).namespace(namespace);
  const services = () => client().of(SERVICES).namespace(namespace);

  async function waitForInformer(informer: Informer): Promise<string> {
    const items = (): Promise<string> =>
      maps()
        .list()
        .then((list) => contentOf(list.items));
    await waitUntil('the informer to hold the objects of the server', async () => contentOf(informer.list()) === (await items()), 60_000);
    return items();
  }

  test('makes informers list again when they have seen revisions newer than the backup', async () => {
    for (const name of ['kept', 'changed', 'deleted']) await maps().create(configMap(name, 'red'));
    const web = await services().create(service('web'));
    const environment = { clock: systemClock, random: systemRandom, logger: silentLogger };
    const informer = new Informer({ client: client(), resource: MAPS, namespace, ...environment });
    void informer.run(stopAfterTests().signal);
    await informer.synced;
    const backedUp = await waitForInformer(informer);
    await migrate('backup', flags(running().endpoint), `--file=${file}`);

    // Changes after the backup, which the restore loses.
    const changed = await maps().patch('changed', 'merge', { data: { color: 'blue' } });
    await maps().delete('deleted');
    await maps().create(configMap('lost', 'red'));
    for (let count = 0; count < 50; count++) {
      await maps().patch('lost', 'merge', { data: { color: String(count) } });
    }
    await waitForInformer(informer);
    const lists = informer.counts.lists;
    await running().server.process.kill();

    if (from === 'embedded' && to === 'embedded') renameSync(store, path.join(folder, 'lost'));
    const secondEndpoint = await openLocation(to);
    await migrate('restore', flags(secondEndpoint), `--file=${file}`);
    running().server = await start(secondEndpoint);

    const restored = await waitForInformer(informer);
    const withoutVersionSuffix = (text: string): string => text.replace(/ \d+$/gm, '');
    expect(withoutVersionSuffix(restored)).toBe(withoutVersionSuffix(backedUp));
    expect(informer.counts.lists).toBeGreaterThan(lists);
    for (const { resourceVersion } of (await maps().list()).items) {
      expect(Number(resourceVersion)).toBeGreaterThan(1_000_000_000);
    }

    await expect(maps().update(changed.body)).rejects.toMatchObject({ code: 409, reason: 'Conflict' });
    const watch = maps().watch({ from: { resourceVersion: changed.resourceVersion }, timeoutSeconds: 60 });
    expect(await watch.next()).toMatchObject({ value: { type: 'ERROR', error: { code: 410 } } });

    // The address and the port are still allocated.
    const spec = objectAt(web.body, 'spec');
    const creation = services().create(service('other', stringAt(spec, 'clusterIP')));
    await expect(creation).rejects.toThrow('provided IP is already allocated');
    const [{ nodePort = 0 } = {}] = (arrayAt(spec, 'ports') ?? []).filter(isObject);
    const onSamePort: JsonObject = { metadata: { namespace, name: 'other' }, spec: { type: 'NodePort', ports: [{ port: 80, nodePort }] } };
    await expect(services().create(onSamePort)).rejects.toThrow('provided port is already allocated');
    expect(objectAt((await services().get('web')).body, 'spec')).toEqual(spec);
    const repairs = (await client().of(EVENTS).list()).items.filter(({ body }) => /IP|Port/.test(stringAt(body, 'reason') ?? ''));
    expect(repairs).toEqual([]);
  }, 120_000);
}

describe('an embedded store restored from its backup', () => describeRestoredClients({ from: 'embedded', to: 'embedded' }));
describeWithEtcd('an embedded store restored into etcd', () => describeRestoredClients({ from: 'embedded', to: 'etcd' }));
describeWithEtcd('etcd restored into another etcd', () => describeRestoredClients({ from: 'etcd', to: 'etcd' }));
describeWithEtcd('etcd restored into an embedded store', () => describeRestoredClients({ from: 'etcd', to: 'embedded' }));
