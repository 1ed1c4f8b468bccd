/**
 * A server is restored from a backup, into the same or the other kind of store, while clients keep running: their
 * informers must converge to the restored state, although they have seen later revisions than the backup has. Allocated
 * addresses and ports stay allocated, and no repair Event is recorded.
 */
import { renameSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
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
/** Broken connections must be noticed within seconds. */
const settings = { pingEveryMs: 2_000, pingTimeoutMs: 3_000, connectTimeoutMs: 3_000 };
const namespace = 'default';
/** The default of `--bump-revision`, by which a restore raises revisions. */
const BUMP_REVISION = 1_000_000_000;

const configMap = (name: string, color: string): JsonObject => ({ metadata: { namespace, name }, data: { color } });
const service = (name: string, clusterIP?: string): JsonObject => ({
  metadata: { namespace, name },
  spec: { type: 'NodePort', ports: [{ port: 80 }], ...(clusterIP !== undefined && { clusterIP }) },
});

interface MapState {
  readonly name: string;
  readonly uid: string;
  readonly color: string | undefined;
  readonly resourceVersion: string;
}

/** The states of ConfigMaps in the order of their names. */
const statesOf = (objects: readonly ApiObject[]): readonly MapState[] =>
  objects
    .map(({ name, uid, body, resourceVersion }) => ({ name, uid, color: stringAt(objectAt(body, 'data'), 'color'), resourceVersion }))
    .sort((a, b) => a.name.localeCompare(b.name));

/** The states without what a restore changes. */
const withoutVersions = (states: readonly MapState[]): readonly Omit<MapState, 'resourceVersion'>[] =>
  states.map(({ name, uid, color }) => ({ name, uid, color }));

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

  /** The endpoint of a new etcd; '' for the embedded store. */
  const openLocation = async (kind: StoreKind): Promise<string> => {
    if (kind === 'embedded') return '';
    const etcd = await startEtcd();
    etcds().push(etcd);
    return etcd.endpoint;
  };
  const storeFlag = (endpoint: string): string => (endpoint === '' ? `--storage-dir=${store}` : `--etcd-servers=${endpoint}`);
  /** Starts a server on a store, always at the same address. */
  const startServer = (endpoint: string): Promise<ApiServer> =>
    startApiServer({ folder, securePort: port(), ...(endpoint !== '' && { etcdServers: endpoint }) });

  /** The first server and its store; the restore replaces `server` by the one on the restored store. */
  const running = useResource(
    async () => {
      const endpoint = await openLocation(from);
      return { endpoint, server: await startServer(endpoint) };
    },
    ({ server }) => server.process.kill(),
    60_000,
  );
  const client = useClosable(() => adminClient([running().server.address], running().server.certificates, { settings }));
  const maps = () => client().of(MAPS).namespace(namespace);
  const services = () => client().of(SERVICES).namespace(namespace);

  const stopInformer = useResource(
    () => new AbortController(),
    (stop) => stop.abort(),
  );
  const informer = useResource(async () => {
    const environment = { clock: systemClock, random: systemRandom, logger: silentLogger };
    const created = new Informer({ client: client(), resource: MAPS, namespace, ...environment });
    void created.run(stopInformer().signal);
    await created.synced;
    return created;
  });

  /** Waits until the informer holds the objects of the server, and returns their states. */
  async function waitForInformer(): Promise<readonly MapState[]> {
    const served = async (): Promise<readonly MapState[]> => statesOf((await maps().list()).items);
    await waitUntil(
      'the informer to hold the objects of the server',
      async () => isDeepStrictEqual(statesOf(informer().list()), await served()),
      60_000,
    );
    return served();
  }

  /** A backup and, after further changes that the informer receives, the restore of it. */
  const restore = useResource(
    async () => {
      for (const name of ['kept', 'changed', 'deleted']) await maps().create(configMap(name, 'red'));
      const web = await services().create(service('web'));
      const backedUp = await waitForInformer();
      await migrate('backup', storeFlag(running().endpoint), `--file=${file}`);

      // Changes that the restore loses.
      const changed = await maps().patch('changed', 'merge', { data: { color: 'blue' } });
      await maps().delete('deleted');
      await maps().create(configMap('lost', 'red'));
      for (let count = 0; count < 50; count++) await maps().patch('lost', 'merge', { data: { color: String(count) } });
      await waitForInformer();
      const listsBefore = informer().counts.lists;
      await running().server.process.kill();

      if (from === 'embedded' && to === 'embedded') renameSync(store, path.join(folder, 'lost'));
      const endpoint = await openLocation(to);
      await migrate('restore', storeFlag(endpoint), `--file=${file}`);
      running().server = await startServer(endpoint);
      return { backedUp, listsBefore, changed, webSpec: objectAt(web.body, 'spec') };
    },
    undefined,
    120_000,
  );

  test('makes informers list again when they have seen revisions newer than the backup', async () => {
    const { backedUp, listsBefore } = restore();
    expect(withoutVersions(await waitForInformer())).toEqual(withoutVersions(backedUp));
    expect(informer().counts.lists).toBeGreaterThan(listsBefore);
  }, 90_000);

  test('has revisions above those that clients have seen', async () => {
    const { items } = await maps().list();
    expect(items.filter(({ resourceVersion }) => Number(resourceVersion) <= BUMP_REVISION)).toEqual([]);
  });

  test('rejects an update of an object as it was after the backup with 409', async () => {
    await expect(maps().update(restore().changed.body)).rejects.toMatchObject({ code: 409, reason: 'Conflict' });
  });

  test('ends a watch from a revision after the backup with 410', async () => {
    const watch = maps().watch({ from: { resourceVersion: restore().changed.resourceVersion }, timeoutSeconds: 60 });
    expect(await watch.next()).toMatchObject({ value: { type: 'ERROR', error: { code: 410 } } });
  });

  test('keeps the address and the node port of a Service allocated, and records no repair Event', async () => {
    const { webSpec } = restore();
    const onSameAddress = service('other', stringAt(webSpec, 'clusterIP'));
    await expect(services().create(onSameAddress)).rejects.toThrow('provided IP is already allocated');
    const [{ nodePort = 0 } = {}] = (arrayAt(webSpec, 'ports') ?? []).filter(isObject);
    const onSamePort: JsonObject = { metadata: { namespace, name: 'other' }, spec: { type: 'NodePort', ports: [{ port: 80, nodePort }] } };
    await expect(services().create(onSamePort)).rejects.toThrow('provided port is already allocated');
    expect(objectAt((await services().get('web')).body, 'spec')).toEqual(webSpec);
    const events = (await client().of(EVENTS).list()).items;
    // Reasons of repairs are such as `ClusterIPNotAllocated` and `PortNotAllocated`.
    expect(events.filter(({ body }) => /IP|Port/.test(stringAt(body, 'reason') ?? ''))).toEqual([]);
  });
}

describe('an embedded store restored from its backup', () => describeRestoredClients({ from: 'embedded', to: 'embedded' }));
describeWithEtcd('an embedded store restored into etcd', () => describeRestoredClients({ from: 'embedded', to: 'etcd' }));
describeWithEtcd('etcd restored into another etcd', () => describeRestoredClients({ from: 'etcd', to: 'etcd' }));
describeWithEtcd('etcd restored into an embedded store', () => describeRestoredClients({ from: 'etcd', to: 'embedded' }));
