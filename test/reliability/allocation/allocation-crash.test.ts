/**
 * API servers killed (SIGKILL) while they create, change and delete Services: the allocations in the store stay
 * consistent, whenever the kill happens. One process on the embedded store; two on etcd, of which one is killed while
 * the other continues.
 */
import { auditStoredAllocations } from '../../support/store/allocation-audit';
import { openEmbedded, openEtcd } from '../../support/store/open-stores';
import { ApiClient, isConnectionCut } from '../../support/http/api-client';
import { describeWithEtcd, startEtcd } from '../../support/external/etcd';
import { freePort } from '../../support/ports';
import { startApiServer, waitUntil, type ApiServer } from '../../support/programs';
import { useFolder, useResource } from '../../support/use-resource';

const SERVICES = '/api/v1/namespaces/default/services';
/** Writers, each with one request in flight, so that a kill hits some in every phase of a write. */
const WRITERS = 8;
/** Milliseconds of writing before each kill. After the last one, the kill waits for a Service that went through all steps. */
const KILL_DELAYS_MS = [20, 90, 250, 600];
const LONGEST_DELAY_MS = Math.max(...KILL_DELAYS_MS);
const RANGE_FLAGS = ['--service-cluster-ip-range=10.0.0.0/22,fd00::/112', '--service-node-port-range=30000-30399'];

describe('a killed replica on the embedded store', () => {
  const folder = useFolder('allocation-crash');

  it('leaves no leaked and no doubly allocated address', async () => {
    const securePort = await freePort();
    for (const [round, delayMs] of KILL_DELAYS_MS.entries()) {
      const server = await startApiServer({ folder, securePort, args: RANGE_FLAGS });
      await killWhileWriting(server, `r${round}`, delayMs);
      const store = await openEmbedded(`${folder}/store`);
      const { findings } = await auditStoredAllocations(store);
      await store.close();
      expect(findings).toEqual([]);
    }
  }, 90_000);
});

describeWithEtcd('a killed replica on etcd, beside another replica,', () => {
  const folder = useFolder('allocation-crash-etcd');
  const etcd = useResource(startEtcd, (started) => started.dispose());

  it('leaves no leaked and no doubly allocated address', async () => {
    const start = async (): Promise<ApiServer> =>
      startApiServer({ folder, securePort: await freePort(), etcdServers: etcd().endpoint, args: RANGE_FLAGS });
    const survivor = await start();
    const store = await openEtcd(etcd().endpoint);
    try {
      for (const [round, delayMs] of KILL_DELAYS_MS.slice(1).entries()) {
        const victim = await start();
        const client = new ApiClient(survivor.address, survivor.certificates, WRITERS);
        const stop = new AbortController();
        const { finished: writing } = startWriters(client, `s${round}`, stop.signal);
        await killWhileWriting(victim, `k${round}`, delayMs);
        stop.abort();
        await writing;
        client.close();
        expect((await auditStoredAllocations(store)).findings).toEqual([]);
      }
    } finally {
      await store.close();
      await survivor.process.stop();
    }
  }, 90_000);
});

/** Kills the server after `delayMs` of writes. */
async function killWhileWriting(server: ApiServer, prefix: string, delayMs: number): Promise<void> {
  const client = new ApiClient(server.address, server.certificates, WRITERS);
  const writers = startWriters(client, prefix, new AbortController().signal);
  await new Promise((resolve) => setTimeout(resolve, delayMs));
  if (delayMs === LONGEST_DELAY_MS) await waitUntil('a Service to go through all steps', () => writers.completed > 0);
  await server.process.kill();
  await writers.finished;
  client.close();
}

interface Writers {
  /** The number of Services that went through all steps, each of which may have been rejected. */
  completed: number;
  /** Resolves when all writers have stopped. */
  readonly finished: Promise<unknown>;
}

/** Starts {@link WRITERS} writers with Services of different names. */
function startWriters(client: ApiClient, prefix: string, stop: AbortSignal): Writers {
  const onCompleted = (): void => void (writers.completed += 1);
  const runs = Array.from({ length: WRITERS }, (_, writer) => writeServices(client, `${prefix}-w${writer}`, stop, onCompleted));
  const writers: Writers = { completed: 0, finished: Promise.all(runs) };
  return writers;
}

/**
 * Creates, changes and partly deletes Services until the connection breaks or `stop` is aborted. `onCompleted` is called
 * after the last step of each.
 */
async function writeServices(client: ApiClient, prefix: string, stop: AbortSignal, onCompleted: () => void): Promise<void> {
  for (let serial = 0; !stop.aborted; serial++) {
    for (const { method, path, body } of serviceSteps(`${prefix}-${serial}`, serial)) {
      const headers = method === 'PATCH' ? { 'content-type': 'application/merge-patch+json' } : {};
      try {
        const response = await client.send(method, path, body, { timeoutMs: 10_000, headers });
        // A node port of another writer is rejected, and so are requests that depend on it. A full range is reported as 500.
        if (response.status >= 500 && !response.text.includes('range is full')) throw new Error(`${method} ${path}: ${response.text}`);
      } catch (error) {
        if (isConnectionCut(error)) return;
        throw error;
      }
    }
    onCompleted();
  }
}

interface ServiceStep {
  readonly method: 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly body?: object;
}

/**
 * Requests that allocate and release cluster IPs of both families and node ports of one Service. Only some Services are
 * deleted in the end, so that there are allocations to keep. Writers compete for 16 node ports.
 */
function serviceSteps(name: string, serial: number): readonly ServiceStep[] {
  const path = `${SERVICES}/${name}`;
  const spec = { type: 'NodePort', ipFamilyPolicy: 'PreferDualStack', ports: [{ port: 80 }] };
  const singleStackSpec = { ipFamilyPolicy: 'SingleStack', ports: [{ port: 80, nodePort: 30_000 + (serial % 16) }] };
  const steps: readonly ServiceStep[] = [
    { method: 'POST', path: SERVICES, body: { apiVersion: 'v1', kind: 'Service', metadata: { name }, spec } },
    { method: 'PATCH', path, body: { spec: singleStackSpec } },
    { method: 'PATCH', path, body: { spec: { type: 'ClusterIP' } } },
  ];
  return serial % 3 === 0 ? steps : [...steps, { method: 'DELETE', path }];
}
