/**
 * An API server with `--workers`: two processes that share a port on one etcd. One of them is killed; another server is
 * stopped.
 */
import { readFileSync } from 'node:fs';
import { IDENTITY_LEASE_PREFIX } from '../../../shared/names/server-identity';
import { ApiClient } from '../../support/http/api-client';
import { readExposition } from '../../support/exposition';
import { describeWithEtcd, startEtcd } from '../../support/external/etcd';
import { freePort } from '../../support/ports';
import { isProcessAlive, launchApiServer, startApiServer, waitUntil } from '../../support/programs';
import { useClosable, useFolder, useResource } from '../../support/use-resource';

const CONFIGMAPS = '/api/v1/namespaces/default/configmaps';
/** The fewest that share a port. */
const WORKERS = 2;
/** The address of the default Service's endpoints. */
const ADDRESS = '192.0.2.1';
/** Workers receive connections in turn, so that this many reach all. */
const CONNECTIONS = 4;

interface Endpoints {
  readonly subsets?: readonly { readonly addresses: readonly { readonly ip: string }[] }[];
}

/** Process ids of the children of a process. */
const childrenOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);

describeWithEtcd('an API server with two workers', () => {
  const folder = useFolder('workers');
  const etcd = useResource(startEtcd, (started) => started.dispose());
  const server = useResource(
    async () =>
      startApiServer({
        folder,
        securePort: await freePort(),
        etcdServers: etcd().endpoint,
        args: [`--workers=${WORKERS}`, `--advertise-address=${ADDRESS}`],
      }),
    ({ process }) => process.stop(),
    60_000,
  );
  /** Clients with one connection each. */
  const clients = useResource(
    () => Array.from({ length: CONNECTIONS }, () => new ApiClient(server().address, server().certificates, 1)),
    (opened) => opened.forEach((client) => client.close()),
  );

  const client = useClosable(() => new ApiClient(server().address, server().certificates));

  /** The workers that are in the metrics; through a connection of its own, which may reach any worker. */
  const readyWorkers = async (): Promise<readonly string[]> => {
    const newClient = new ApiClient(server().address, server().certificates, 1);
    try {
      const { text } = await newClient.get('/metrics', { timeoutMs: 5_000 });
      return Array.from(text.matchAll(/^process_start_time_seconds\{worker="(\d+)"\}/gm), ([, worker = '']) => worker);
    } catch {
      return [];
    } finally {
      newClient.close();
    }
  };

  /** Every worker exposes the metrics of all. */
  const requestsByWorker = async (): Promise<ReadonlyMap<string, number>> => {
    const { text } = await client().get('/metrics');
    const counts = new Map<string, number>();
    for (const [name, value] of readExposition(text).series) {
      const worker = /^apiserver_request_total\{.*worker="(\d+)"/.exec(name)?.[1];
      if (worker !== undefined) counts.set(worker, (counts.get(worker) ?? 0) + value);
    }
    return counts;
  };

  it('shows a write through one worker in reads through the other', async () => {
    await waitUntil('all workers to be ready', async () => (await readyWorkers()).length === WORKERS);
    for (const [index, writer] of clients().entries()) {
      const created = await writer.send('POST', CONFIGMAPS, { metadata: { name: `from-${index}` } });
      expect(created.status).toBe(201);
      for (const reader of clients()) expect((await reader.get(`${CONFIGMAPS}/from-${index}`)).status).toBe(200);
    }
  });

  it('counts the requests of each worker', async () => {
    const before = await requestsByWorker();
    for (const client of clients()) await client.get(CONFIGMAPS);
    const after = await requestsByWorker();
    expect(after.size).toBe(WORKERS);
    for (const [worker, count] of after) expect(count).toBeGreaterThan(before.get(worker) ?? 0);
  });

  it('publishes a Lease for each worker and one address of the default Service', async () => {
    const leases = await client().get('/apis/coordination.platform.io/v1/namespaces/platform-system/leases');
    const names = (leases.json().items ?? []).map(({ metadata: { name } }) => name);
    expect(names.filter((name) => name.startsWith(IDENTITY_LEASE_PREFIX))).toHaveLength(WORKERS);
    const addresses = await waitUntil('the endpoints of the default Service', async () => {
      const { subsets }: Endpoints = JSON.parse((await client().get('/api/v1/namespaces/default/endpoints/platform')).text);
      return subsets?.flatMap((subset) => subset.addresses);
    });
    expect(addresses).toEqual([{ ip: ADDRESS }]);
  });

  it('replaces a worker that is killed while the other serves', async () => {
    const { process } = server();
    const before = childrenOf(process.pid);
    expect(before).toHaveLength(WORKERS);
    const [killed = -1] = before;
    globalThis.process.kill(killed, 'SIGKILL');
    await waitUntil('the other worker to serve', async () => (await readyWorkers()).length > 0);
    await waitUntil('the worker to be replaced', () => {
      const now = childrenOf(process.pid);
      return now.length === WORKERS && !now.includes(killed);
    });
    await waitUntil('all workers to be ready', async () => (await readyWorkers()).length === WORKERS, 45_000);
  }, 90_000);

  it('stops all workers on SIGTERM and exits with code 0', async () => {
    const stopping = await startApiServer({
      folder,
      securePort: await freePort(),
      etcdServers: etcd().endpoint,
      args: [`--workers=${WORKERS}`],
    });
    const workers = childrenOf(stopping.process.pid);
    expect(await stopping.process.stop()).toBe(0);
    expect(workers.filter(isProcessAlive)).toEqual([]);
  }, 60_000);

  // 64 is the exit code of wrong flags.
  it.each([
    { flags: ['--storage-backend=embedded', '--storage-dir=store'], message: 'only one process can open the embedded store' },
    { flags: ['--audit-log-path=audit.log'], message: 'cannot share --audit-log-path' },
  ])('is refused with $flags', async ({ flags, message }) => {
    const securePort = await freePort();
    const process = await launchApiServer({ folder, securePort, etcdServers: etcd().endpoint, args: ['--workers=2', ...flags] });
    expect(await process.exited).toMatchObject({ code: 64 });
    expect(process.output).toContain(message);
  });
});
