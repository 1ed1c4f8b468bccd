/** Parts of the benchmark about authentication, authorization, auditing, admission, tracing and flow control. */
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { removeFolder, startApiServer, temporaryFolder, type ApiServer } from '../../support/programs';
import { freePort } from '../../support/ports';
import { startTraceReceiver } from '../../support/servers/trace-receiver';
import { decisionMicros, measureGet, prepareAccess, seatMicros, writeAuditPolicy, writeTracingFile } from '../access';
import { BenchClient } from '../harness/client';
import { quantile } from '../harness/statistics';
import { measureFlood, type FloodTarget } from '../hostile/flood';
import { measureHostileInputs } from '../hostile/hostile';
import type { Cost } from '../harness/measure';
import { canSeparateProcessors, separateProcessors, shareProcessors } from '../harness/processors';
import { policyMicros, webhookMicros } from '../policies';
import { numberOption, seconds, textOption, TOKEN } from '../harness/settings';
import { withServer, withServers, printRow } from '../harness/bench-server';

/** Repetitions of each comparison: the load of a machine varies. */
const ROUNDS = 3;

/** The servers alternate, because the load of a machine varies. */
export async function access(): Promise<void> {
  console.log();
  printRow('decision, 10,000 rules in 1,000 bindings', { cpuMicros: await decisionMicros() });
  const audited = (...omitted: readonly string[]) => ({ prepare: (folder: string) => writeAuditPolicy(folder, omitted) });
  await withServers([{}, audited(), audited('RequestReceived')], async ([admin, bothStages, endOnly]) => {
    if (admin === undefined || bothStages === undefined || endOnly === undefined) return;
    const account = { ...admin, client: new BenchClient(admin.client.port, await prepareAccess(admin)) };
    for (const watched of [bothStages, endOnly]) await prepareAccess(watched);
    for (let round = 0; round < ROUNDS; round += 1) {
      const floor = await measureGet(admin, seconds);
      printRow('get by an administrator', floor);
      printRow('get by a service account, RBAC', await measureGet(account, seconds), { name: 'administrator', ...floor });
      printRow('get, both stages recorded at Metadata', await measureGet(bothStages, seconds), { name: 'not recorded', ...floor });
      printRow('get, its end recorded at Metadata', await measureGet(endOnly, seconds), { name: 'not recorded', ...floor });
    }
    account.client.close();
  });
}

/** An evaluated policy beside a call of a webhook. */
export async function policies(): Promise<void> {
  console.log();
  printRow('a policy with three expressions', { cpuMicros: policyMicros() });
  const { call, roundTrip } = await webhookMicros();
  printRow('a webhook', { cpuMicros: call });
  printRow('its bare round trip', { cpuMicros: roundTrip });
}

/** Without tracing, with one traced request in a hundred and with all traced, in alternation. */
export async function traces(): Promise<void> {
  console.log();
  const receiver = await startTraceReceiver();
  const traced = (rate: number) => ({
    prepare: (folder: string) => [`--tracing-config-file=${writeTracingFile(folder, { port: receiver.port, rate })}`],
  });
  await withServers([{}, traced(10_000), traced(1_000_000)], async (servers) => {
    const [off, sampled, every] = servers;
    if (off === undefined || sampled === undefined || every === undefined) return;
    for (const server of servers) await prepareAccess(server);
    for (let round = 0; round < ROUNDS; round += 1) {
      const floor = await measureGet(off, seconds);
      printRow('get without traces', floor);
      printRow('get, one in a hundred is traced', await measureGet(sampled, seconds), { name: 'without', ...floor });
      printRow('get, each is traced', await measureGet(every, seconds), { name: 'without', ...floor });
    }
  });
  await receiver.close();
}

interface FloodOrigin {
  readonly name: string;
  /** Of the flooding process: 19 leaves the processors to all others. */
  readonly niceness: number;
  /** Whether the server has processors of its own. */
  readonly isSeparate: boolean;
}

const FLOOD_ORIGINS: readonly FloodOrigin[] = [
  { name: 'on the same processors', niceness: 0, isSeparate: false },
  { name: 'on what they leave', niceness: 19, isSeparate: false },
  { name: 'on others than the server', niceness: 19, isSeparate: true },
];

/** With and without flow control, in alternation. The users match the suggested flow schemas for all others. */
export async function flow(): Promise<void> {
  console.log();
  printRow('a seat acquired and released', { cpuMicros: seatMicros() });
  const servers = [await openFloodServer(['--enable-priority-and-fairness=false']), await openFloodServer([])] as const;
  const [withoutControl, withControl] = servers;
  try {
    for (let round = 0; round < ROUNDS; round += 1) {
      const floor = await costOfGet(withoutControl);
      printRow('get without flow control', floor);
      printRow('get with flow control', await costOfGet(withControl), { name: 'without', ...floor });
    }
    for (const origin of FLOOD_ORIGINS) await printFlood(withControl, origin);
  } finally {
    for (const { folder, server, calm } of servers) {
      calm.close();
      await server.process.stop();
      removeFolder(folder);
    }
  }
}

interface FloodServer extends FloodTarget {
  readonly folder: string;
  readonly server: ApiServer;
}

/** With few seats, so that a flood fills them. */
async function openFloodServer(flags: readonly string[]): Promise<FloodServer> {
  const folder = temporaryFolder('bench-flow');
  const users = path.join(folder, 'users.csv');
  writeFileSync(users, `${TOKEN},bench,bench,"system:masters"\ncalm,calm,1,"devs"\nflood,flood,2,"devs"\n`, { mode: 0o600 });
  const securePort = await freePort();
  const seats = ['--max-requests-inflight=40', '--max-mutating-requests-inflight=20'];
  const args = [`--token-auth-file=${users}`, '--authorization-mode=AlwaysAllow', ...seats, ...flags];
  const server = await startApiServer({ folder, securePort, args });
  const admin = new BenchClient(securePort, TOKEN);
  await prepareAccess({ client: admin, pid: server.process.pid });
  admin.close();
  return { folder, server, calm: new BenchClient(securePort, 'calm'), flooderToken: 'flood' };
}

const costOfGet = ({ calm, server }: FloodServer): Promise<Cost> => measureGet({ client: calm, pid: server.process.pid }, seconds);

async function printFlood(target: FloodServer, { name, niceness, isSeparate }: FloodOrigin): Promise<void> {
  if (isSeparate && !canSeparateProcessors()) {
    console.log(`no flood ${name}: it takes two processors and taskset`);
    return;
  }
  const { pid } = target.server.process;
  if (isSeparate) separateProcessors(pid);
  const { idleWaitsMs, floodedWaitsMs, served, refused, cut } = await measureFlood(target, { seconds, niceness });
  if (isSeparate) shareProcessors(pid);
  const shown = [idleWaitsMs, floodedWaitsMs].map((waits) => [0.5, 0.99].map((part) => quantile(waits, part).toFixed(1)).join(' / '));
  console.log(
    `calm user p50 / p99 ${shown[0]} ms, in a flood from ${name} ${shown[1]} ms (${served} lists served, ${refused} refused, ${cut} cut)`,
  );
}

/** The longest waits of another client while each hostile input is processed. */
export async function hostile(): Promise<void> {
  console.log('\nlongest wait of another client in ms: HTTP/1.1, HTTP/2, both without credentials (responses)');
  await withServer(async ({ client }) => {
    const target = { origin: `https://127.0.0.1:${client.port}`, token: TOKEN };
    const selection = { only: textOption('only') ?? '', copies: numberOption('at-once', 1) };
    for await (const { name, longest, statuses } of measureHostileInputs(target, selection)) {
      const waits = Object.values(longest).map((wait) => wait.toFixed(0).padStart(5));
      console.log(`${name.padEnd(46)} ${waits.join('')}  (${statuses.join(' ')})`);
    }
  });
}
