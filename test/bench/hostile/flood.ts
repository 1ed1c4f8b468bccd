/** Measures the waits of a calm user while another one floods the server with lists. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { ACCESS_CONFIG_MAPS, ACCESS_OBJECTS } from '../access';
import type { BenchClient } from '../harness/client';
import { pause } from '../harness/timing';

export interface FloodTarget {
  readonly calm: BenchClient;
  /** The token of the flooding user. */
  readonly flooderToken: string;
}

/** How long the flooder needs to open all of its connections. */
const OPENING_MS = 2_000;
/** Connections of the flooding user, each with one list in flight. */
const CONNECTIONS = 200;
/** The time between two reads of the calm user. */
const PAUSE_MS = 5;

/** Milliseconds of each read of the calm user, one at a time during `seconds`; ascending. */
async function measureCalmUser({ calm }: FloodTarget, seconds: number): Promise<readonly number[]> {
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

/** The numbers of lists of the flooding user, by outcome. */
export interface FloodCounts {
  /** With status 200. */
  readonly served: number;
  /** With another status. */
  readonly refused: number;
  /** Those that failed without a complete response. */
  readonly cut: number;
}

export interface FloodResult extends FloodCounts {
  /** Milliseconds of each read of the calm user before the flood, ascending. */
  readonly idleWaitsMs: readonly number[];
  /** The same during the flood. */
  readonly floodedWaitsMs: readonly number[];
}

/**
 * Measures the reads of the calm user for `seconds` without and for `seconds` with the flood, which has started
 * {@link OPENING_MS} earlier. `prepareAccess` must have created the ConfigMaps. `niceness` is that of the flooding
 * process: a client on a machine of its own would take no processor from the server.
 */
export async function measureFlood(
  target: FloodTarget,
  { seconds, niceness }: { readonly seconds: number; readonly niceness: number },
): Promise<FloodResult> {
  const idleWaitsMs = await measureCalmUser(target, seconds);
  const args = [target.calm.port, target.flooderToken, `${ACCESS_CONFIG_MAPS}?limit=500`, CONNECTIONS, niceness].map(String);
  const sender = fork(path.join(__dirname, 'flooder.js'), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  await pause(OPENING_MS);
  const floodedWaitsMs = await measureCalmUser(target, seconds);
  sender.send('end');
  const [counts] = (await once(sender, 'message')) as [FloodCounts];
  return { idleWaitsMs, floodedWaitsMs, ...counts };
}
