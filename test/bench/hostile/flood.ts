/**
 * Measures flow control: the cost of a seat, and the waits of a calm user while another one floods the server with
 * lists.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { FlowControl } from '../../../apiserver/flow-control/flow-control';
import { readFlowSchema } from '../../../apiserver/flow-control/flow-schema';
import { readPriorityLevel } from '../../../apiserver/flow-control/priority-level';
import { MANDATORY_FLOW_SCHEMAS, MANDATORY_PRIORITY_LEVELS } from '../../../apiserver/kinds/flowcontrol/mandatory-objects';
import { FlowControlMetrics } from '../../../apiserver/metrics/requests/flow-control-metrics';
import { SUGGESTED_PRIORITY_LEVELS, suggestedFlowSchemas } from '../../../apiserver/reconcilers/flow-control/suggested-configuration';
import { GENERATED_NAMES } from '../../../shared/names/dialect';
import { systemClock } from '../../../shared/runtime/clock';
import type { BenchClient } from '../harness/client';
import { pause } from '../harness/timing';

/** Enough for a measurement of about a second. */
const ACQUISITIONS = 1_000_000;

/**
 * Microseconds to acquire and release a seat without queuing. The user matches the last of the suggested flow schemas.
 */
export function seatMicros(): number {
  const metrics = new FlowControlMetrics();
  const control = new FlowControl({
    clock: systemClock,
    seats: 600,
    maxWaitMs: 15_000,
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
    const entered = control.startRequest(request);
    if (entered !== undefined && 'done' in entered) entered.done();
  };
  for (let count = 0; count < ACQUISITIONS / 10; count += 1) acquireOnce();
  const start = performance.now();
  for (let count = 0; count < ACQUISITIONS; count += 1) acquireOnce();
  control.stop();
  return ((performance.now() - start) * 1000) / ACQUISITIONS;
}

export interface FloodTarget {
  readonly calm: BenchClient;
  /** The token of the flooding user. */
  readonly flooder: string;
}

/** How long the flooder needs to open all of its connections. */
const OPENING_MS = 2_000;
const OBJECTS = '/api/v1/namespaces/access/configmaps';
/** Connections of the flooding user, each with one list in flight. */
const CONNECTIONS = 200;
/** The time between two reads of the calm user. */
const PAUSE_MS = 5;

/** Milliseconds of each read of the calm user during `seconds`, ascending. */
async function measureCalmUser({ calm }: FloodTarget, seconds: number): Promise<readonly number[]> {
  const waits: number[] = [];
  const end = performance.now() + seconds * 1000;
  for (let index = 0; performance.now() < end; index += 1) {
    const begin = performance.now();
    await calm.send('GET', `${OBJECTS}/o-${index % 1000}`);
    waits.push(performance.now() - begin);
    await pause(PAUSE_MS);
  }
  return waits.sort((a, b) => a - b);
}

interface FloodCounts {
  readonly served: number;
  readonly refused: number;
  /** The number of connections that broke. */
  readonly cut: number;
}

export interface FloodResult extends FloodCounts {
  readonly idle: readonly number[];
  readonly flooded: readonly number[];
}

/**
 * `niceness` is that of the flooding process: a client on a machine of its own would take no processor from the server.
 */
export async function measureFlood(
  target: FloodTarget,
  { seconds, niceness }: { readonly seconds: number; readonly niceness: number },
): Promise<FloodResult> {
  const idle = await measureCalmUser(target, seconds);
  const words = [target.calm.port, target.flooder, `${OBJECTS}?limit=500`, CONNECTIONS, niceness].map(String);
  const sender = fork(path.join(__dirname, 'flooder.js'), words, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await pause(OPENING_MS);
  const flooded = await measureCalmUser(target, seconds);
  sender.send('end');
  const [counts] = (await once(sender, 'message')) as [FloodCounts];
  return { idle, flooded, ...counts };
}
