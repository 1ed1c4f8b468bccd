/**
 * Starts the servers that the benchmark measures, with controllers where they are needed, and prints rows of figures.
 */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { startControllers } from '../../support/control-plane';
import { freePort } from '../../support/ports';
import { removeFolder, startApiServer, temporaryFolder, type ApiServer } from '../../support/programs';
import { BenchClient, configMap } from './client';
import { measureLoop, type Cost } from './measure';
import { textOption, TOKEN } from './settings';

export function printRow(name: string, cost: Cost | { cpuMicros: number }, against?: string, reference?: number): void {
  const ratio = reference === undefined ? '' : `${(cost.cpuMicros / reference).toFixed(2)} × ${against} (${reference.toFixed(1)})`;
  console.log(`${name.padEnd(46)} ${cost.cpuMicros.toFixed(1).padStart(9)} µs  ${ratio}`);
}

export async function startServer(
  folder: string,
  etcdServers?: string,
  args: readonly string[] = [],
  environment?: NodeJS.ProcessEnv,
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

export interface BenchServer {
  readonly server: ApiServer;
  readonly client: BenchClient;
  readonly pid: number;
  readonly folder: string;
}

/** Measures on a server that is started for this measurement only. */
export async function withServer(
  measure: (opened: BenchServer) => Promise<void>,
  {
    etcdServers,
    args = [],
    prepare,
    environment,
  }: {
    etcdServers?: string | undefined;
    args?: readonly string[];
    prepare?: ((folder: string) => Promise<void>) | undefined;
    environment?: NodeJS.ProcessEnv;
  } = {},
): Promise<void> {
  const folder = temporaryFolder('bench');
  await prepare?.(folder);
  const { server, client } = await startServer(folder, etcdServers, args, environment);
  try {
    await measure({ server, client, pid: server.process.pid, folder });
  } finally {
    client.close();
    await server.process.stop();
    removeFolder(folder);
  }
}

/** Measures on a server of our own with its controllers, or on the server of `--server`. */
export async function withControllers(measure: (client: BenchClient, pid?: number) => Promise<void>): Promise<void> {
  const other = textOption('server');
  if (other !== undefined) {
    const client = new BenchClient(Number(other.slice(other.lastIndexOf(':') + 1)), textOption('token') ?? '');
    await measure(client);
    return client.close();
  }
  const folder = temporaryFolder('bench');
  const { server, client } = await startServer(folder);
  const controllers = startControllers(server, '--log-level=error');
  try {
    await measure(client, controllers.pid);
  } finally {
    client.close();
    await controllers.stop();
    await server.process.stop();
    removeFolder(folder);
  }
}

export async function createConfigMaps(client: BenchClient, pid: number, namespace: string, count: number, size = 1000): Promise<Cost> {
  await client.send('POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: namespace } }));
  return measureLoop(pid, { workers: 16, count }, async (index) => {
    await client.send('POST', `/api/v1/namespaces/${namespace}/configmaps`, configMap(namespace, `o-${index}`, '', size));
  });
}
