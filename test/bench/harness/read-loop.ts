/** One short read after the other, and how long each took. */
import { Agent, type AgentOptions } from 'node:https';
import { sendOnce } from '../../support/http/send-once';
import { pause } from './timing';

/** A server and the bearer token of its administrator. */
export interface ReadTarget {
  readonly origin: string;
  readonly token: string;
}

/**
 * Reads a namespace repeatedly, one request at a time, with `pauseMs` after each response. `stop` resolves with the
 * milliseconds of each read, ascending. By default all use one connection.
 */
export function startReadLoop(
  target: ReadTarget,
  pauseMs: number,
  options: AgentOptions = { keepAlive: true, maxSockets: 1 },
): { stop(): Promise<readonly number[]> } {
  const agent = new Agent({ rejectUnauthorized: false, ...options });
  const { hostname, port } = new URL(target.origin);
  const read = { hostname, port, path: '/api/v1/namespaces/default', agent, headers: { authorization: `Bearer ${target.token}` } };
  const waits: number[] = [];
  let isStopped = false;
  const run = (async () => {
    while (!isStopped) {
      const startedAt = performance.now();
      await sendOnce(read);
      waits.push(performance.now() - startedAt);
      await pause(pauseMs);
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
