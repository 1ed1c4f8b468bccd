/**
 * Measures the waits of a client while a whole cluster is busy: short reads on a kept connection, and on a new
 * connection each, beside a load of other processes (`cluster-load.ts`). Works against any server, so that two can be
 * compared on one machine.
 */
import { fork } from 'node:child_process';
import { Agent, type AgentOptions } from 'node:https';
import path from 'node:path';
import { sendOnce } from '../../support/http/send-once';
import type { ClusterLoad } from './cluster-load';
import { pause } from './timing';

interface LoadMessage {
  readonly moving?: true;
  readonly done?: true;
  /** A watch ended and was resumed. */
  readonly again?: true;
  readonly failed?: string;
}

export interface ClusterWaits {
  /** Milliseconds, ascending. */
  readonly kept: readonly number[];
  readonly fresh: readonly number[];
  /** From the creation of the first Pod until all run. */
  readonly seconds: number;
  /** The number of watches that ended and were resumed. */
  readonly rewatched: number;
}

/** The time between reads over one kept connection, and between reads with a connection of their own. */
const KEPT_EVERY_MS = 25;
const FRESH_EVERY_MS = 200;

/**
 * Starts the load in a process of its own and reads until all of its Pods run. Rejects with the first failure of the
 * load.
 */
export async function measureClusterWaits(load: ClusterLoad): Promise<ClusterWaits> {
  const child = fork(path.join(__dirname, 'cluster-load.js'), { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const waitForMessage = (wanted: keyof LoadMessage): Promise<void> =>
    new Promise((resolve, reject) => {
      child.on('message', (message: LoadMessage) => {
        if (message.failed !== undefined) reject(new Error(message.failed));
        else if (message[wanted] === true) resolve();
      });
    });
  let rewatched = 0;
  child.on('message', (message: LoadMessage) => (rewatched += message.again === true ? 1 : 0));
  const moving = waitForMessage('moving');
  child.send(load);
  await moving;
  const done = waitForMessage('done');
  const startedAt = performance.now();
  const kept = startReadLoop(load, KEPT_EVERY_MS);
  const fresh = startReadLoop(load, FRESH_EVERY_MS, { keepAlive: false, maxCachedSessions: 0 });
  await done;
  const seconds = (performance.now() - startedAt) / 1000;
  const waits = { kept: await kept.stop(), fresh: await fresh.stop(), seconds, rewatched };
  child.kill();
  return waits;
}

/** Reads a namespace repeatedly, one request at a time; `stop` returns the duration of each, ascending. */
export function startReadLoop(
  load: Pick<ClusterLoad, 'origin' | 'token'>,
  everyMs: number,
  options: AgentOptions = { keepAlive: true, maxSockets: 1 },
): { stop(): Promise<readonly number[]> } {
  const agent = new Agent({ rejectUnauthorized: false, ...options });
  const { hostname, port } = new URL(load.origin);
  const read = { hostname, port, path: '/api/v1/namespaces/default', agent, headers: { authorization: `Bearer ${load.token}` } };
  const waits: number[] = [];
  let isStopped = false;
  const run = (async () => {
    while (!isStopped) {
      const startedAt = performance.now();
      await sendOnce(read);
      waits.push(performance.now() - startedAt);
      await pause(everyMs);
    }
  })();
  const stop = async (): Promise<readonly number[]> => {
    isStopped = true;
    await run;
    agent.destroy();
    return waits.sort((a, b) => a - b);
  };
  return { stop };
}
