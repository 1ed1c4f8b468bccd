/**
 * `npm run chaos -- [--minutes=60] [--lanes=30] [--seed=1] [--only=<disruption>] [--protocol=h2|http/1.1] [--keep=1]`:
 * starts an API server over the embedded store and misuses its connections at random while a well-behaved client goes
 * on. Prints a line a minute. Exits with 1 when the server ends, a well-behaved read fails, or connections remain open
 * afterwards. With --keep the server keeps running until it is killed.
 */
import { writeFileSync } from 'node:fs';
import { connect as connectTcp, type Socket } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { systemClock } from '../../../shared/runtime/clock';
import { createSeededRandom, type SeededRandom } from '../../replay/seeded-random';
import { ApiClient } from '../../support/http/api-client';
import { freePort } from '../../support/ports';
import { anonymousMegabytes } from '../../support/process-usage';
import { removeFolder, startApiServer, temporaryFolder, type ApiServer } from '../../support/programs';
import { CONFIGMAPS } from '../hostile/hostile-client';
import { DISRUPTIONS } from './disruptions';

const TOKEN = 'chaos-token';
const MINUTE_MS = 60_000;
/** Beyond every time limit of the server for silent and unread connections. */
const DRAIN_MS = 150_000;
/** The well-behaved client deletes the objects of the chaos clients once a minute, after as many reads. */
const READ_INTERVAL_MS = 100;
const READS_PER_CLEANUP = MINUTE_MS / READ_INTERVAL_MS;
/** The well-behaved client has up to two connections. */
const CALM_CONNECTIONS = 2;
/** Objects that make the responses to lists and watches larger than the socket buffers. */
const LARGE_OBJECTS = 100;
const LARGE_OBJECT_BYTES = 100_000;

const option = (name: string, fallback: string): string =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? fallback;
const { sleep: wait } = systemClock;

/** A TCP connection to the server. Its errors are ignored. */
function openTcp(server: ApiServer): Socket {
  const rawSocket = connectTcp(Number(new URL(server.address).port), '127.0.0.1');
  rawSocket.on('error', () => undefined);
  return rawSocket;
}

/** Resolves after the handshake; rejects when it fails. */
function openTls(server: ApiServer, rawSocket: Socket, protocol: string): Promise<TLSSocket> {
  const { authority } = server.certificates;
  const socket = connectTls({ socket: rawSocket, ALPNProtocols: [protocol], ca: authority, servername: 'localhost' });
  return new Promise((resolve, reject) => {
    socket.once('secureConnect', () => resolve(socket));
    socket.on('error', reject);
    socket.once('close', () => reject(new Error('the connection ended during the handshake')));
  });
}

/**
 * A chaos client: opens one connection after the other, and misuses each in a random way, until performance.now() is
 * `until`. `counts`: the number of connections by disruption.
 */
async function runLane(server: ApiServer, random: SeededRandom, until: number, counts: Map<string, number>): Promise<void> {
  const only = option('only', '');
  const names = Object.keys(DISRUPTIONS).filter((name) => only === '' || name === only);
  // Two of three connections use HTTP/2.
  const protocols = option('protocol', 'h2,h2,http/1.1').split(',');
  while (performance.now() < until && server.process.isRunning) {
    const name = random.pick(names);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    const rawSocket = openTcp(server);
    try {
      const socket = await openTls(server, rawSocket, random.pick(protocols));
      await DISRUPTIONS[name]?.({ socket, rawSocket, random, token: TOKEN, wait });
      socket.destroy();
    } catch {
      // The server may end a connection at any time.
    }
    rawSocket.destroy();
  }
}

/** The requests of the well-behaved client. */
interface CalmResult {
  slowestMs: number;
  requests: number;
  /** Descriptions of the reads that did not return 200. */
  failures: string[];
}

/** The object that the well-behaved client reads. Its label keeps it when the objects of the chaos clients are deleted. */
const createCalmObject = (client: ApiClient): Promise<unknown> =>
  client.send('POST', CONFIGMAPS, { metadata: { name: 'calm', labels: { large: 'no' } } });

/** A well-behaved client: all of its reads must succeed. Also deletes the objects that the chaos clients created. */
async function runCalmClient(client: ApiClient, isActive: () => boolean, result: CalmResult): Promise<void> {
  for (let reads = 1; isActive(); reads++) {
    const start = performance.now();
    try {
      const { status } = await client.get(`${CONFIGMAPS}/calm`);
      if (status !== 200) result.failures.push(`GET: ${status}`);
      if (reads % READS_PER_CLEANUP === 0) {
        await client.send('DELETE', `${CONFIGMAPS}?labelSelector=!large`);
        await createCalmObject(client);
      }
    } catch (error) {
      result.failures.push(String(error));
    }
    result.requests += 1;
    result.slowestMs = Math.max(result.slowestMs, performance.now() - start);
    await wait(READ_INTERVAL_MS);
  }
}

async function createObjects(client: ApiClient): Promise<void> {
  const data = { text: 'y'.repeat(LARGE_OBJECT_BYTES) };
  for (let n = 0; n < LARGE_OBJECTS; n++) {
    await client.send('POST', CONFIGMAPS, { metadata: { name: `large-${n}`, labels: { large: 'yes' } }, data });
  }
  await createCalmObject(client);
}

/** NaN when the metric is missing. */
async function countOpenConnections(client: ApiClient): Promise<number> {
  const { text } = await client.get('/metrics');
  return Number(/^apiserver_open_connections (\d+)$/m.exec(text)?.[1] ?? NaN);
}

/**
 * Runs the chaos clients for the time of --minutes and then waits until the server must have closed their connections.
 * Resolves with whether the server passed.
 */
async function misuseConnections(server: ApiServer, client: ApiClient): Promise<boolean> {
  const start = performance.now();
  const counts = new Map<string, number>();
  const calm: CalmResult = { slowestMs: 0, requests: 0, failures: [] };
  const report = async (): Promise<void> => {
    const opened = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const minutes = ((performance.now() - start) / MINUTE_MS).toFixed(1);
    const megabytes = Math.round(anonymousMegabytes(server.process.pid));
    console.log(
      `${minutes} min: ${opened} connections, ${await countOpenConnections(client)} open, ${megabytes} MB, ` +
        `${calm.requests} calm requests, slowest ${Math.round(calm.slowestMs)} ms, ${calm.failures.length} failed`,
    );
  };
  const reporter = setInterval(() => void report().catch((error: unknown) => console.log(String(error))), MINUTE_MS);
  let isObserving = true;
  const calmClient = runCalmClient(client, () => isObserving && server.process.isRunning, calm);

  const until = start + Number(option('minutes', '60')) * MINUTE_MS;
  const seed = Number(option('seed', '1'));
  const laneNumbers = Array.from({ length: Number(option('lanes', '30')) }, (_, lane) => lane);
  await Promise.all(laneNumbers.map((lane) => runLane(server, createSeededRandom(seed * 1_000 + lane), until, counts)));
  clearInterval(reporter);

  const { isRunning } = server.process;
  if (isRunning) await wait(DRAIN_MS);
  const remaining = isRunning ? await countOpenConnections(client) : NaN;
  if (isRunning) await report();
  isObserving = false;
  await calmClient;
  console.log(`${JSON.stringify(Object.fromEntries(counts))}\n${calm.failures.slice(0, 10).join('\n')}`);
  const hasPassed = isRunning && calm.failures.length === 0 && remaining <= CALM_CONNECTIONS;
  console.log(hasPassed ? 'passed' : `FAILED: ${remaining} connections open`);
  return hasPassed;
}

async function main(): Promise<void> {
  const folder = temporaryFolder('chaos');
  writeFileSync(`${folder}/tokens.csv`, `${TOKEN},chaos,1,system:masters\n`);
  const server = await startApiServer({ folder, securePort: await freePort(), args: [`--token-auth-file=${folder}/tokens.csv`] });
  process.once('exit', () => server.process.child.kill('SIGKILL'));
  void server.process.exited.then(({ code, signal }) =>
    console.log(`the server ended: ${code} ${signal}\n${server.process.output.slice(-3_000)}`),
  );
  const client = new ApiClient(server.address, server.certificates, CALM_CONNECTIONS);
  await createObjects(client);
  process.exitCode = (await misuseConnections(server, client)) ? 0 : 1;
  client.close();
  if (option('keep', '') === '') {
    await server.process.stop();
    removeFolder(folder);
  } else {
    console.log(`server ${server.process.pid} at ${server.address}, folder ${folder}`);
    await server.process.exited;
  }
}

void main();
