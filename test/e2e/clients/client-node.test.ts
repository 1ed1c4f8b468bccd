/**
 * The public JavaScript client against the built API server: requests, and an informer that survives a restart of the
 * server and a compaction of the store in between. The informer must deliver every acknowledged change once, in order.
 */
import {
  ListWatch,
  V1MicroTime,
  Watch,
  KubeConfig,
  CoreV1Api,
  CoordinationV1Api,
  PatchStrategy,
  setHeaderOptions,
  type ApiException,
  type V1ConfigMap,
} from '@kubernetes/client-node';
import { systemClock } from '../../../shared/runtime/clock';
import { systemRandom } from '../../../shared/runtime/random';
import { openEtcdStore } from '../../../apiserver/storage/etcd/open';
import { describeWithEtcd, startEtcd } from '../../support/external/etcd';
import { freePort } from '../../support/ports';
import { startApiServer, waitUntil, type ApiServer } from '../../support/programs';
import { useFolder, useResource } from '../../support/use-resource';

const namespace = 'default';
/** Of the objects that the informer follows. */
const INFORMED_LABELS = { set: 'informed' };
const INFORMED_SELECTOR = 'set=informed';
/** After an error the client has to start an informer again. */
const RESTART_MS = 50;

describe('against the embedded store', () => {
  const folder = useFolder('e2e-client');
  const servers = useResource(
    async () => ({ server: await startApiServer({ folder, securePort: await freePort() }) }),
    ({ server }) => server.process.stop(),
    60_000,
  );
  const config = useResource(() => configOf(servers().server));
  const core = useResource(() => config().makeApiClient(CoreV1Api));

  describe('the client', () => {
    const address = { name: 'one', namespace };
    const read = (): Promise<V1ConfigMap> => core().readNamespacedConfigMap(address);
    const patch = (body: object, strategy: string): Promise<V1ConfigMap> =>
      core().patchNamespacedConfigMap({ ...address, body }, setHeaderOptions('Content-Type', strategy));

    it('creates and reads an object', async () => {
      const body = { metadata: { name: 'one', labels: { set: 'a' } }, data: { k: '1' } };
      const created = await core().createNamespacedConfigMap({ namespace, body });
      expect(created.metadata?.creationTimestamp).toBeInstanceOf(Date);
      expect((await read()).data).toEqual({ k: '1' });
    });

    it('replaces an object, unless it has changed since it was read', async () => {
      const before = await read();
      const replaced = await core().replaceNamespacedConfigMap({ ...address, body: { ...before, data: { k: '2' } } });
      expect(Number(replaced.metadata?.resourceVersion)).toBeGreaterThan(Number(before.metadata?.resourceVersion));
      await expect(core().replaceNamespacedConfigMap({ ...address, body: before })).rejects.toMatchObject({ code: 409 });
    });

    it('patches an object', async () => {
      expect((await patch({ data: { l: '3' } }, PatchStrategy.MergePatch)).data).toEqual({ k: '2', l: '3' });
      expect((await patch([{ op: 'remove', path: '/data/k' }], PatchStrategy.JsonPatch)).data).toEqual({ l: '3' });
    });

    it('lists objects by their labels', async () => {
      const listed = await core().listNamespacedConfigMap({ namespace, labelSelector: 'set=a' });
      expect(listed.items.map((item) => item.metadata?.name)).toEqual(['one']);
    });

    it('receives a Status for an object that it has deleted', async () => {
      await core().deleteNamespacedConfigMap(address);
      const refusal = await read().catch((error: unknown) => error as ApiException<string>);
      expect(refusal).toMatchObject({ code: 404 });
      const status = { kind: 'Status', reason: 'NotFound', message: 'configmaps "one" not found' };
      expect(JSON.parse((refusal as ApiException<string>).body)).toMatchObject(status);
    });
  });

  it('the microseconds of a Lease are kept', async () => {
    const leases = config().makeApiClient(CoordinationV1Api);
    const renewTime = new V1MicroTime('2026-01-02T03:04:05.678Z');
    await leases.createNamespacedLease({ namespace, body: { metadata: { name: 'l' }, spec: { holderIdentity: 'me', renewTime } } });
    const read = await leases.readNamespacedLease({ name: 'l', namespace });
    // The client returns these times as it received them.
    expect(read.spec?.renewTime).toBe('2026-01-02T03:04:05.678000Z');
  });

  it('the client pages through a list', async () => {
    for (let n = 0; n < 5; n++)
      await core().createNamespacedConfigMap({ namespace, body: { metadata: { name: `p${n}`, labels: { set: 'pages' } } } });
    const names: string[] = [];
    let _continue: string | undefined;
    do {
      const page = await core().listNamespacedConfigMap({
        namespace,
        labelSelector: 'set=pages',
        limit: 2,
        ...(_continue === undefined ? {} : { _continue }),
      });
      names.push(...page.items.map((item) => item.metadata?.name ?? ''));
      _continue = page.metadata?._continue;
    } while (_continue !== undefined && _continue !== '');
    expect(names).toEqual(['p0', 'p1', 'p2', 'p3', 'p4']);
  });

  it('an informer misses and repeats no change when the server is killed and restarted', async () => {
    await expectInformerFollows(servers().server, async ({ write }) => {
      await servers().server.process.kill();
      servers().server = await startApiServer({ folder, securePort: portOf(servers().server) });
      await write(servers().server, 2);
    });
  }, 60_000);
});

describeWithEtcd('two replicas on etcd', () => {
  const folder = useFolder('e2e-client-etcd');
  const etcd = useResource(startEtcd, (started) => started.dispose());
  const start = async (securePort: number): Promise<ApiServer> => startApiServer({ folder, securePort, etcdServers: etcd().endpoint });
  const servers = useResource(
    async () => ({ server: await start(await freePort()), other: await start(await freePort()) }),
    ({ server, other }) => Promise.all([server.process.stop(), other.process.stop()]),
    60_000,
  );

  it('an informer misses and repeats no change when its replica restarts after a compaction', async () => {
    await expectInformerFollows(servers().server, async ({ write, lastSeenRevision }) => {
      await servers().server.process.stop();
      const store = await openEtcdStore({ endpoints: [etcd().endpoint], clock: systemClock, random: systemRandom });
      await store.compact(lastSeenRevision);
      await store.close();
      await write(servers().other, 2);
      servers().server = await start(portOf(servers().server));
      await write(servers().server, 3);
    });
  }, 60_000);
});

/**
 * A change that the server acknowledged. `version` is `undefined` for a deletion, because its response has no version.
 */
interface Change {
  readonly name: string;
  readonly verb: 'add' | 'update' | 'delete';
  readonly version: string | undefined;
}

interface Interruption {
  /** The last resourceVersion that the informer has received. */
  readonly lastSeenRevision: number;
  /** Makes a round of changes through a server. */
  write(server: ApiServer, round: number): Promise<void>;
}

/**
 * Writes a round of changes, interrupts the server of a running informer, and compares the delivered changes with the
 * acknowledged ones.
 */
async function expectInformerFollows(server: ApiServer, interrupt: (interruption: Interruption) => Promise<void>): Promise<void> {
  const config = configOf(server);
  const core = config.makeApiClient(CoreV1Api);
  const delivered: Change[] = [];
  const informer = new ListWatch(
    `/api/v1/namespaces/${namespace}/configmaps`,
    new Watch(config),
    () => core.listNamespacedConfigMap({ namespace, labelSelector: INFORMED_SELECTOR }),
    false,
    INFORMED_SELECTOR,
  );
  const record = (verb: Change['verb']) => (object: V1ConfigMap) =>
    void delivered.push({
      name: object.metadata?.name ?? '',
      verb,
      version: verb === 'delete' ? undefined : object.metadata?.resourceVersion,
    });
  let isStopped = false;
  informer.on('add', record('add'));
  informer.on('update', record('update'));
  informer.on('delete', record('delete'));
  informer.on('error', () => void setTimeout(() => (isStopped ? undefined : void informer.start()), RESTART_MS));
  await informer.start();

  const acknowledged: Change[] = [];
  const write = async (through: ApiServer, round: number): Promise<void> => {
    for await (const change of writeRound(configOf(through).makeApiClient(CoreV1Api), round)) acknowledged.push(change);
  };
  try {
    await write(server, 1);
    await waitUntil('the informer to deliver the changes', () => delivered.length >= acknowledged.length);
    await interrupt({ lastSeenRevision: Number(informer.latestResourceVersion()), write });
    await waitUntil('the informer to deliver all changes', () => delivered.length >= acknowledged.length);
    expect(delivered).toEqual(acknowledged);
    const stored = await configOf(server).makeApiClient(CoreV1Api).listNamespacedConfigMap({ namespace, labelSelector: INFORMED_SELECTOR });
    const identity = (object: V1ConfigMap): string => `${object.metadata?.name}@${object.metadata?.resourceVersion}`;
    expect(informer.list().map(identity).sort()).toEqual(stored.items.map(identity).sort());
    expect(stored.items.length).toBeGreaterThanOrEqual(16);
  } finally {
    isStopped = true;
    await informer.stop();
  }
}

/** Creates twelve objects, changes each twice, and deletes every third. Yields each change once it is acknowledged. */
async function* writeRound(client: CoreV1Api, round: number): AsyncGenerator<Change> {
  for (let n = 0; n < 12; n++) {
    const name = `r${round}-${n}`;
    const metadata = { name, labels: INFORMED_LABELS };
    const created = await client.createNamespacedConfigMap({ namespace, body: { metadata, data: { n: '0' } } });
    yield { name, verb: 'add', version: created.metadata?.resourceVersion };
    for (let change = 1; change <= 2; change++) {
      const changed = await client.replaceNamespacedConfigMap({ name, namespace, body: { metadata, data: { n: String(change) } } });
      yield { name, verb: 'update', version: changed.metadata?.resourceVersion };
    }
    if (n % 3 === 0) {
      await client.deleteNamespacedConfigMap({ name, namespace });
      yield { name, verb: 'delete', version: undefined };
    }
  }
}

function portOf(server: ApiServer): number {
  return Number(new URL(server.address).port);
}

function configOf(server: ApiServer): KubeConfig {
  const config = new KubeConfig();
  config.loadFromFile(server.kubeconfig);
  return config;
}
