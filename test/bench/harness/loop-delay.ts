/**
 * Loaded into a server (`--require`): reports the longest delay of its event loop since the previous request to its
 * parent, at the cost of a timer that fires every few milliseconds. As a module it provides how a parent starts such a
 * server and requests the delay.
 */
import type { ChildProcess } from 'node:child_process';
import { isPreloaded, withPreload } from './preload';

const REQUEST = 'loop-delay';
/** The period of the timer. A delay is how much later than this it fires. */
const INTERVAL_MS = 5;

/** Runs `start` so that the processes that it starts load this file. */
export const withLoopDelay = <T>(start: () => Promise<T>): Promise<T> => withPreload(__filename, start);

/** The longest delay in milliseconds since the previous call. */
export function longestDelay(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    // Servers send other messages as well.
    const onMessage = (message: unknown): void => {
      if (typeof message !== 'number') return;
      child.off('message', onMessage);
      resolve(message);
    };
    child.on('message', onMessage);
    child.send(REQUEST);
  });
}

// A parent imports this file without loading it by NODE_OPTIONS.
if (isPreloaded(__filename)) {
  let last = performance.now();
  let longest = 0;
  const sample = (): void => {
    const now = performance.now();
    longest = Math.max(longest, now - last - INTERVAL_MS);
    last = now;
  };
  setInterval(sample, INTERVAL_MS).unref();
  process.on('message', (message) => {
    if (message !== REQUEST) return;
    sample();
    process.send?.(longest);
    longest = 0;
  });
}
