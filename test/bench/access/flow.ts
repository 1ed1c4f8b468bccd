/**
 * What flow control costs: for a seat, and for a get. And the waits of a calm user while another one floods the server
 * with lists (flooder.ts).
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { FlowControl } from '../../../apiserver/flow-control/flow-control';
import { readFlowSchema } from '../../../apiserver/flow-control/flow-schema';
import { readPriorityLevel } from '../../../apiserver/flow-control/priority-level';
import { MANDATORY_FLOW_SCHEMAS, MANDATORY_PRIORITY_LEVELS } from '../../../apiserver/kinds/flowcontrol/mandatory-objects';
import { FlowControlMetrics } from '../../../apiserver/metrics/requests/flow-control-metrics';
import { SUGGESTED_PRIORITY_LEVELS, suggestedFlowSchemas } from '../../../apiserver/reconcilers/flow-control/suggested-configuration';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { systemClock } from '../../../shared/runtime/clock';
import { freePort } from '../../support/ports';
import { removeFolder, startApiServer, temporaryFolder, type ApiServer } from '../../support/programs';
import { printRow } from '../harness/bench-server';
import { BenchClient } from '../harness/client';
import type { Cost } from '../harness/measure';
import { canSeparateProcessors, separateProcessors, shareProcessors } from '../harness/processors';
import { seconds, TOKEN } from '../harness/settings';
import { formatQuantiles } from '../harness/statistics';
import { pause } from '../harness/timing';
import type { FloodCounts } from './flooder';
import { ACCESS_CONFIG_MAPS, ACCESS_OBJECTS, measureGet, prepareAccess } from './readers';

/** Repetitions of each comparison: the load of a machine varies. */
const ROUNDS = 3;
/** How long the flooder needs to open all of its connections. */
const OPENING_MS = 2_000;
/** Connections of the flooding user, each with one list in flight. */
const CONNECTIONS = 200;
/** The time between two reads of the calm user. */
const PAUSE_MS = 5;

interface FloodOrigin {
  readonly name: string;
  /** The niceness of the flooding process: 19 leaves the processors to all others, as if it ran on a machine of its own. */
  readonly niceness: number;
  /** Whether the server has processors of its own. */
  readonly isSeparate: boolean;
}

const FLOOD_ORIGINS: readonly FloodOrigin[] = [
  { name: 'on the same processors', niceness: 0, isSeparate: false },
  { name: 'on what they leave', niceness: 19, isSeparate: false },
  { name: 'on others than the server', niceness: 19, isSeparate: true },
];

/** The costs of a seat and of gets with and without flow control, which alternate; then the floods. */
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

interface FloodServer {
  readonly calm: BenchClient;
  /** The token of the flooding user. */
  readonly flooderToken: string;
  readonly folder: string;
  readonly server: ApiServer;
}

/**
 * Starts a server with {@link ACCESS_OBJECTS} ConfigMaps. It has few seats, so that a flood fills them. Both users match the flow
 * schema for users that no other schema matches.
 */
async function openFloodServer(flags: readonly string[]): Promise<FloodServer> {
  const folder = temporaryFolder('bench-flow');
  const users = path.join(folder, 'users.csv');
  writeFileSync(users, `${TOKEN},bench,bench,"system:masters"\ncalm,calm,1,"devs"\nflood,flood,2,"devs"\n`, { mode: 0o600 });
  const securePort = await freePort();
  const seats = ['--max-requests-inflight=40', '--max-mutating-requests-inflight=20'];
  const args = [`--token-auth-file=${users}`, '--authorization-mode=AlwaysAllow', ...seats, ...flags];
  const server = await startApiServer({ folder, securePort, args });
  const admin = new BenchClient(securePort, TOKEN);
  await prepareAccess({ client: admin });
  admin.close();
  return { folder, server, calm: new BenchClient(securePort, 'calm'), flooderToken: 'flood' };
}

const costOfGet = ({ calm, server }: FloodServer): Promise<Cost> => measureGet({ client: calm, pid: server.process.pid }, seconds);

/** The waits of the calm user without a flood, and in one that has started {@link OPENING_MS} earlier. */
async function printFlood(target: FloodServer, { name, niceness, isSeparate }: FloodOrigin): Promise<void> {
  if (isSeparate && !canSeparateProcessors()) {
    console.log(`no flood ${name}: it takes two processors and taskset`);
    return;
  }
  const { pid } = target.server.process;
  if (isSeparate) separateProcessors(pid);
  const idle = await measureCalmUser(target.calm);
  const args = [target.calm.port, target.flooderToken, `${ACCESS_CONFIG_MAPS}?limit=500`, CONNECTIONS, niceness].map(String);
  const flooder = fork(path.join(__dirname, 'flooder.js'), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await pause(OPENING_MS);
  const flooded = await measureCalmUser(target.calm);
  flooder.send('end');
  const [{ served, refused, cut }] = (await once(flooder, 'message')) as [FloodCounts];
  if (isSeparate) shareProcessors(pid);
  const [idleTimes, floodedTimes] = [idle, flooded].map((waits) => formatQuantiles(waits, [0.5, 0.99], 1));
  console.log(
    `calm user p50 / p99 ${idleTimes} ms, in a flood from ${name} ${floodedTimes} ms (${served} lists served, ${refused} refused, ${cut} cut)`,
  );
}

/** Milliseconds of each read of the calm user, one at a time for `--seconds`; ascending. */
async function measureCalmUser(calm: BenchClient): Promise<readonly number[]> {
  const waits: number[] = [];
  const end = performance.now() + seconds * 1000;
  for (let index = 0; performance.now() < end; index += 1) {
    const begin = performance.now();
    await calm.send('GET', `${ACCESS_CONFIG_MAPS}/o-${index % ACCESS_OBJECTS}`);
    waits.push(performance.now() - begin);
    await pause(PAUSE_MS);
  }
  return waits.sort((a, b) => a - b);
}

/** So many that the measurement takes about a second. */
const ACQUISITIONS = 1_000_000;
/** The priority levels share the sum of the default limits of requests in flight, 400 read-only and 200 mutating. */
const SEATS = 600;
/** A quarter of the default request timeout, which is the longest that a request queues. */
const MAX_WAIT_MS = 15_000;

/**
 * Microseconds to acquire and release a seat without queuing. The user matches the last of the suggested flow schemas.
 */
function seatMicros(): number {
  const metrics = new FlowControlMetrics();
  const control = new FlowControl({
    clock: systemClock,
    seats: SEATS,
    maxWaitMs: MAX_WAIT_MS,
    meterFor: (schema, level) => metrics.meterOf(schema, level),
  });
  const names = GENERATED_NAMES.platform;
  for (const [name, spec] of [...MANDATORY_PRIORITY_LEVELS, ...SUGGESTED_PRIORITY_LEVELS])
    control.setLevel(name, readPriorityLevel({ metadata: { name }, spec }));
  for (const [name, spec] of [...MANDATORY_FLOW_SCHEMAS, ...suggestedFlowSchemas(names)]) {
    control.setSchema(name, readFlowSchema({ metadata: { name }, spec }, names));
  }
  const user = { name: 'u', groups: ['devs', 'system:authenticated'] };
  const attributes = { kind: 'resource', verb: 'get', group: '', resource: 'pods', subresource: '', namespace: 'ns' } as const;
  const request = { user, attributes, seats: () => 1, deadline: Infinity };
  const acquireOnce = (): void => {
    const admitted = control.startRequest(request);
    if (admitted === undefined || !('done' in admitted)) throw new Error('the request got no seat at once');
    admitted.done();
  };
  for (let count = 0; count < ACQUISITIONS / 10; count += 1) acquireOnce();
  const start = performance.now();
  for (let count = 0; count < ACQUISITIONS; count += 1) acquireOnce();
  const elapsedMs = performance.now() - start;
  control.stop();
  return (elapsedMs * 1000) / ACQUISITIONS;
}
