/**
 * Starts the servers that the benchmark measures, with controllers where they are needed, and prints rows of figures.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { startControllers } from '../../support/control-plane';
import { startEtcd } from '../../support/external/etcd';
import { freePort } from '../../support/ports';
import { removeFolder, startApiServer, temporaryFolder, waitUntil, type ApiServer } from '../../support/programs';
import { BenchClient, configMap } from './client';
import { measureLoop, type Cost } from './measure';
import { textOption, TOKEN } from './settings';

type CpuCost = Pick<Cost, 'cpuMicros'>;

/** Prints a cost, and its ratio to a baseline when there is one. */
export function printRow(name: string, cost: CpuCost, baseline?: CpuCost & { readonly name: string }): void {
  const ratio =
    baseline === undefined
      ? ''
      : `${(cost.cpuMicros / baseline.cpuMicros).toFixed(2)} × ${baseline.name} (${baseline.cpuMicros.toFixed(1)})`;
  console.log(`${name.padEnd(46)} ${cost.cpuMicros.toFixed(1).padStart(9)} µs  ${ratio}`);
}

export interface BenchServerOptions {
  /** The endpoint of etcd; absent = the embedded store. */
  readonly etcdServers?: string | undefined;
  /** Flags of the API server. */
  readonly args?: readonly string[];
  readonly environment?: NodeJS.ProcessEnv;
}

/** Resolves when the server is ready. Its data are in `folder`, unless `etcdServers` is set. */
export async function startServer(
  folder: string,
  { etcdServers, args = [], environment }: BenchServerOptions = {},
): Promise<{ server: ApiServer; client: BenchClient }> {
  const securePort = await freePort();
  const tokens = path.join(folder, 'tokens.csv');
  writeFileSync(tokens, `${TOKEN},bench,bench,"system:masters"\n`, { mode: 0o600 });
  const server = await startApiServer({
    folder,
    securePort,
    args: [`--token-auth-file=${tokens}`, ...args],
    ...(etcdServers === undefined ? {} : { etcdServers }),
    ...(environment === undefined ? {} : { environment }),
  });
  return { server, client: new BenchClient(securePort, TOKEN) };
}

/** Eight gigabytes: the default of two is too little for the largest measurements. */
const ETCD_OPTIONS = { arguments: ['--quota-backend-bytes', String(8 * 2 ** 30)] };

/** A server that is measured, with a client of its administrator. */
export interface BenchServer {
  readonly server: ApiServer;
  readonly client: BenchClient;
  readonly pid: number;
  /** Data, certificates and tokens of the server; temporary. */
  readonly folder: string;
}

export interface TemporaryServerOptions extends BenchServerOptions {
  /** Writes files to the folder of the server before it starts. The flags that name them are added to `args`. */
  readonly prepare?: ((folder: string) => Promise<void> | readonly string[]) | undefined;
}

/** Measures on a server that is started for this measurement only. */
export async function withServer(
  measure: (opened: BenchServer) => Promise<void>,
  { prepare, args = [], ...options }: TemporaryServerOptions = {},
): Promise<void> {
  const folder = temporaryFolder('bench');
  const preparedArgs = (await prepare?.(folder)) ?? [];
  const { server, client } = await startServer(folder, { ...options, args: [...args, ...preparedArgs] });
  try {
    await measure({ server, client, pid: server.process.pid, folder });
  } finally {
    client.close();
    await server.process.stop();
    removeFolder(folder);
  }
}

/** Measures on an etcd that is started for this measurement only; `endpoint` is undefined when none is needed. */
export async function withEtcd(isNeeded: boolean, measure: (endpoint: string | undefined) => Promise<void>): Promise<void> {
  const etcd = isNeeded ? await startEtcd(ETCD_OPTIONS) : undefined;
  try {
    await measure(etcd?.endpoint);
  } finally {
    await etcd?.dispose();
  }
}

/** Measures on several servers at the same time, one for each of the options. */
export function withServers(
  options: readonly TemporaryServerOptions[],
  measure: (opened: readonly BenchServer[]) => Promise<void>,
): Promise<void> {
  const [first, ...others] = options;
  if (first === undefined) return measure([]);
  return withServer((server) => withServers(others, (opened) => measure([server, ...opened])), first);
}

/** Measures on a server that is started with its controllers, or on that of `--server`, without the id of a process. */
export async function withControllers(measure: (client: BenchClient, pid?: number) => Promise<void>): Promise<void> {
  const address = textOption('server');
  if (address !== undefined) {
    const client = new BenchClient(Number(address.slice(address.lastIndexOf(':') + 1)), textOption('token') ?? '');
    await measure(client);
    return client.close();
  }
  await withServer(async ({ server, client }) => {
    const controllers = startControllers(server, '--log-level=error');
    try {
      await measure(client, controllers.pid);
    } finally {
      await controllers.stop();
    }
  });
}

/** Creates a namespace on a server with controllers. Resolves when pods can be created in it. */
export async function createNamespace(client: BenchClient, name: string): Promise<void> {
  await client.send('POST', '/api/v1/namespaces', { metadata: { name } });
  const account = `/api/v1/namespaces/${name}/serviceaccounts/default`;
  await waitUntil('the service account', async () => (await client.status('GET', account)) === 200, 60_000);
}

/** Creates the namespace and `count` ConfigMaps with `size` characters of data. Resolves with the cost of one creation. */
export async function createConfigMaps(
  { client, pid }: Pick<BenchServer, 'client' | 'pid'>,
  { namespace, count, size = 1000 }: { readonly namespace: string; readonly count: number; readonly size?: number },
): Promise<Cost> {
  await client.send('POST', '/api/v1/namespaces', { metadata: { name: namespace } });
  return measureLoop(pid, { workers: 16, count }, async (index) => {
    await client.send('POST', `/api/v1/namespaces/${namespace}/configmaps`, configMap(namespace, `o-${index}`, '', size));
  });
}
