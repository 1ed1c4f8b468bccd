/**
 * An informer of the public JavaScript client delivers every acknowledged change once, in order, although its API server
 * restarts and the store is compacted in between.
 */
import { CoreV1Api, KubeConfig, ListWatch, Watch, type V1ConfigMap } from '@kubernetes/client-node';
import { systemClock } from '../../../shared/runtime/clock';
import { systemRandom } from '../../../shared/runtime/random';
import { openEtcdStore } from '../../../apiserver/storage/etcd/open';
import { describeWithEtcd, startEtcd } from '../../support/external/etcd';
import { freePort } from '../../support/ports';
import { startApiServer, waitUntil, type ApiServer } from '../../support/programs';
import { useFolder, useResource } from '../../support/use-resource';

const namespace = 'default';
/** The labels of the objects that the informer follows, and their selector. */
const INFORMED_LABELS = { set: 'informed' };
const INFORMED_SELECTOR = 'set=informed';
/** The client's informer stops at an error; it is started again after this time. */
const RESTART_MS = 50;
/** How many objects a round creates, and how many of them it deletes again. */
const CREATED_PER_ROUND = 12;
const DELETED_PER_ROUND = 4;

describe('an informer over the embedded store', () => {
  const folder = useFolder('e2e-client');
  const started = useResource(
    async () => ({ server: await startApiServer({ folder, securePort: await freePort() }) }),
    ({ server }) => server.process.stop(),
    60_000,
  );

  it('misses and repeats no change when the server is killed and restarted', async () => {
    const { server } = started();
    await expectInformerFollows(server, async ({ writeRound }) => {
      await server.process.kill();
      started().server = await startApiServer({ folder, securePort: portOf(server) });
      await writeRound(started().server, 2);
    });
  }, 60_000);
});

describeWithEtcd('an informer with two replicas on etcd', () => {
  const folder = useFolder('e2e-client-etcd');
  const etcd = useResource(startEtcd, (running) => running.dispose());
  const startReplica = (securePort: number): Promise<ApiServer> => startApiServer({ folder, securePort, etcdServers: etcd().endpoint });
  const replicas = useResource(
    async () => ({ informed: await startReplica(await freePort()), other: await startReplica(await freePort()) }),
    ({ informed, other }) => Promise.all([informed.process.stop(), other.process.stop()]),
    60_000,
  );

  it('misses and repeats no change when its replica restarts after a compaction', async () => {
    const { informed, other } = replicas();
    await expectInformerFollows(informed, async ({ writeRound, lastSeenRevision }) => {
      await informed.process.stop();
      const store = await openEtcdStore({ endpoints: [etcd().endpoint], clock: systemClock, random: systemRandom });
      await store.compact(lastSeenRevision);
      await store.close();
      await writeRound(other, 2);
      replicas().informed = await startReplica(portOf(informed));
      await writeRound(replicas().informed, 3);
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
  /** Makes the changes of a round through a server. Each round has objects of its own. */
  writeRound(server: ApiServer, round: number): Promise<void>;
}

/**
 * Writes a round of changes, interrupts the server of a running informer, and compares the delivered changes with the
 * acknowledged ones.
 */
async function expectInformerFollows(server: ApiServer, interrupt: (interruption: Interruption) => Promise<void>): Promise<void> {
  const config = configOf(server);
  const listConfigMaps = () => config.makeApiClient(CoreV1Api).listNamespacedConfigMap({ namespace, labelSelector: INFORMED_SELECTOR });
  const { informer, delivered, stop } = await startInformer(config, listConfigMaps);
  const acknowledged: Change[] = [];
  const writeRound = async (through: ApiServer, round: number): Promise<void> => {
    for await (const change of changesOfRound(configOf(through).makeApiClient(CoreV1Api), round)) acknowledged.push(change);
  };
  try {
    await writeRound(server, 1);
    await waitUntil('the informer to deliver the changes', () => delivered.length >= acknowledged.length);
    await interrupt({ lastSeenRevision: Number(informer.latestResourceVersion()), writeRound });
    await waitUntil('the informer to deliver all changes', () => delivered.length >= acknowledged.length);
    expect(delivered).toEqual(acknowledged);

    const { items: stored } = await listConfigMaps();
    const identity = ({ metadata }: V1ConfigMap): string => `${metadata?.name}@${metadata?.resourceVersion}`;
    expect(informer.list().map(identity).sort()).toEqual(stored.map(identity).sort());
    // Of two rounds at least.
    expect(stored.length).toBeGreaterThanOrEqual(2 * (CREATED_PER_ROUND - DELETED_PER_ROUND));
  } finally {
    await stop();
  }
}

interface RunningInformer {
  readonly informer: ListWatch<V1ConfigMap>;
  readonly delivered: readonly Change[];
  stop(): Promise<void>;
}

/** Starts an informer that records what it delivers, and that is started again after an error. */
async function startInformer(config: KubeConfig, list: () => ReturnType<CoreV1Api['listNamespacedConfigMap']>): Promise<RunningInformer> {
  const path = `/api/v1/namespaces/${namespace}/configmaps`;
  // The client does not start it by itself.
  const informer = new ListWatch(path, new Watch(config), list, false, INFORMED_SELECTOR);
  const delivered: Change[] = [];
  let isStopped = false;
  for (const verb of ['add', 'update', 'delete'] as const)
    informer.on(verb, ({ metadata }: V1ConfigMap) => {
      delivered.push({ name: metadata?.name ?? '', verb, version: verb === 'delete' ? undefined : metadata?.resourceVersion });
    });
  informer.on('error', () => {
    setTimeout(() => {
      if (!isStopped) void informer.start();
    }, RESTART_MS);
  });
  await informer.start();
  return {
    informer,
    delivered,
    async stop() {
      isStopped = true;
      await informer.stop();
    },
  };
}

/** Creates objects, changes each twice, and deletes every third. Yields each change once it is acknowledged. */
async function* changesOfRound(client: CoreV1Api, round: number): AsyncGenerator<Change> {
  for (let n = 0; n < CREATED_PER_ROUND; n++) {
    const name = `r${round}-${n}`;
    const metadata = { name, labels: INFORMED_LABELS };
    const created = await client.createNamespacedConfigMap({ namespace, body: { metadata, data: { n: '0' } } });
    yield { name, verb: 'add', version: created.metadata?.resourceVersion };
    for (let change = 1; change <= 2; change++) {
      const changed = await client.replaceNamespacedConfigMap({ name, namespace, body: { metadata, data: { n: String(change) } } });
      yield { name, verb: 'update', version: changed.metadata?.resourceVersion };
    }
    if (n % (CREATED_PER_ROUND / DELETED_PER_ROUND) === 0) {
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
