/**
 * `npm run chaos -- [--minutes=60] [--lanes=30] [--seed=1] [--only=<disruption>] [--protocol=h2|http/1.1] [--keep=1]`:
 * starts an API server over the embedded store and misuses its connections at random while a well-behaved client goes
 * on. Prints a line a minute. Exits with 1 when the server ends, a well-behaved read fails, or connections remain open
 * afterwards. With --keep the server keeps running until it is killed.
 */
import { writeFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { systemClock } from '../../../shared/runtime/clock';
import { createSeededRandom, type SeededRandom } from '../../replay/seeded-random';
import { ApiClient } from '../../support/http/api-client';
import { freePort } from '../../support/ports';
import { anonymousMegabytes } from '../../support/process-usage';
import { removeFolder, startApiServer, temporaryFolder, type ApiServer } from '../../support/programs';
import { CONFIGMAPS } from '../hostile/hostile-client';
import { DISRUPTIONS, rawSockets } from './disruptions';

const TOKEN = 'chaos-token';
/** Beyond every time limit for silent and unread connections. */
const DRAIN_MS = 150_000;
const MINUTE_MS = 60_000;
/** The well-behaved client, which sends a request every 100 ms, deletes the objects of the others after as many. */
const ROUNDS_PER_CLEANUP = 600;

const option = (name: string, fallback: string): string =>
  process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3) ?? fallback;
const { sleep: wait } = systemClock;

async function openTls(server: ApiServer, protocol: string): Promise<TLSSocket> {
  const raw = connectTcp(Number(new URL(server.address).port), '127.0.0.1');
  raw.on('error', () => undefined);
  const socket = connectTls({ socket: raw, ALPNProtocols: [protocol], ca: server.certificates.authority, servername: 'localhost' });
  rawSockets.set(socket, raw);
  return new Promise((resolve, reject) => {
    socket.once('secureConnect', () => resolve(socket));
    socket.on('error', reject);
    socket.once('close', () => reject(new Error('the connection ended during the handshake')));
  });
}

/** Opens one misused connection after the other until performance.now() is `until`. */
async function runLane(server: ApiServer, random: SeededRandom, until: number, counts: Map<string, number>): Promise<void> {
  const only = option('only', '');
  const names = Object.keys(DISRUPTIONS).filter((name) => only === '' || name === only);
  const protocols = option('protocol', 'h2,h2,http/1.1').split(',');
  while (performance.now() < until && server.process.isRunning) {
    const name = random.pick(names);
    const protocol = random.pick(protocols);
    counts.set(name, (counts.get(name) ?? 0) + 1);
    let socket: TLSSocket | undefined;
    try {
      socket = await openTls(server, protocol);
      await DISRUPTIONS[name]?.({ socket, random, token: TOKEN, wait });
    } catch {
      // The server may end a connection at any time.
    }
    socket?.destroy();
  }
}

interface CalmResult {
  slowestMs: number;
  requests: number;
  failures: string[];
}

/** The object that the well-behaved client reads. Its label keeps it when the objects of the chaos clients are deleted. */
const createCalmObject = (client: ApiClient): Promise<unknown> =>
  client.send('POST', CONFIGMAPS, { metadata: { name: 'calm', labels: { large: 'no' } } });

/** A well-behaved client: all of its reads must succeed. Also deletes the objects that the chaos clients created. */
async function runCalmClient(client: ApiClient, isActive: () => boolean, calm: CalmResult): Promise<void> {
  for (let round = 0; isActive(); round++) {
    const start = performance.now();
    try {
      const { status } = await client.get(`${CONFIGMAPS}/calm`);
      if (status !== 200) calm.failures.push(`GET: ${status}`);
      if (round % ROUNDS_PER_CLEANUP === ROUNDS_PER_CLEANUP - 1) {
        await client.send('DELETE', `${CONFIGMAPS}?labelSelector=!large`);
        await createCalmObject(client);
      }
    } catch (error) {
      calm.failures.push(String(error));
    }
    calm.requests += 1;
    calm.slowestMs = Math.max(calm.slowestMs, performance.now() - start);
    await wait(100);
  }
}

async function openConnections(client: ApiClient): Promise<number> {
  const { text } = await client.get('/metrics');
  return Number(/^apiserver_open_connections (\d+)$/m.exec(text)?.[1] ?? NaN);
}

async function main(): Promise<void> {
  const folder = temporaryFolder('chaos');
  writeFileSync(`${folder}/tokens.csv`, `${TOKEN},chaos,1,system:masters\n`);
  const server = await startApiServer({ folder, securePort: await freePort(), args: [`--token-auth-file=${folder}/tokens.csv`] });
  process.once('exit', () => server.process.child.kill('SIGKILL'));
  void server.process.exited.then(({ code, signal }) =>
    console.log(`the server ended: ${code} ${signal}\n${server.process.output.slice(-3_000)}`),
  );
  const client = new ApiClient(server.address, server.certificates, 2);
  const labels = { large: 'yes' };
  for (let n = 0; n < 100; n++) {
    await client.send('POST', CONFIGMAPS, { metadata: { name: `large-${n}`, labels }, data: { text: 'y'.repeat(100_000) } });
  }
  await createCalmObject(client);

  const begin = performance.now();
  const until = begin + Number(option('minutes', '60')) * MINUTE_MS;
  const counts = new Map<string, number>();
  const calm: CalmResult = { slowestMs: 0, requests: 0, failures: [] };
  let isObserving = true;
  const calmClient = runCalmClient(client, () => isObserving && server.process.isRunning, calm);
  const report = async (): Promise<void> => {
    const opened = [...counts.values()].reduce((sum, count) => sum + count, 0);
    const minutes = ((performance.now() - begin) / MINUTE_MS).toFixed(1);
    console.log(
      `${minutes} min: ${opened} connections, ${await openConnections(client)} open, ${Math.round(anonymousMegabytes(server.process.pid))} MB, ` +
        `${calm.requests} calm requests, slowest ${Math.round(calm.slowestMs)} ms, ${calm.failures.length} failed`,
    );
  };
  const reporter = setInterval(() => void report().catch((error: unknown) => console.log(String(error))), MINUTE_MS);
  const seed = Number(option('seed', '1'));
  const lanes = Array.from({ length: Number(option('lanes', '30')) }, (_, lane) =>
    runLane(server, createSeededRandom(seed * 1_000 + lane), until, counts),
  );
  await Promise.all(lanes);
  clearInterval(reporter);
  const isRunning = server.process.isRunning;
  if (isRunning) await wait(DRAIN_MS);
  const remaining = isRunning ? await openConnections(client) : NaN;
  if (isRunning) await report();
  isObserving = false;
  await calmClient;
  console.log(`${JSON.stringify(Object.fromEntries(counts))}\n${calm.failures.slice(0, 10).join('\n')}`);
  // The well-behaved client has up to two connections.
  const hasPassed = isRunning && calm.failures.length === 0 && remaining <= 2;
  client.close();
  if (option('keep', '') === '') {
    await server.process.stop();
    removeFolder(folder);
  } else console.log(`server ${server.process.pid} at ${server.address}, folder ${folder}`);
  console.log(hasPassed ? 'passed' : `FAILED: ${remaining} connections open`);
  process.exitCode = hasPassed ? 0 : 1;
  if (option('keep', '') !== '') await server.process.exited;
}

void main();
