/**
 * Loaded into a server (`--require`): tells its parent on request for how long at most its event loop was held up since it was asked last. Costs the server a timer that
 * goes off every few milliseconds. As a module, how a parent starts such a server and asks it.
 */
import type { ChildProcess } from 'node:child_process';

const REQUEST = 'loop-delay';
const INTERVAL_MS = 5;

/** Starts something with this file loaded. */
export async function withLoopDelay<T>(start: () => Promise<T>): Promise<T> {
  const before = process.env['NODE_OPTIONS'];
  process.env['NODE_OPTIONS'] = `${before ?? ''} --require=${__filename}`;
  try {
    return await start();
  } finally {
    if (before === undefined) delete process.env['NODE_OPTIONS'];
    else process.env['NODE_OPTIONS'] = before;
  }
}

/** The longest delay in milliseconds since it was asked last. */
export function longestDelay(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    // Servers have something to tell as well.
    const onMessage = (message: unknown): void => {
      if (typeof message !== 'number') return;
      child.off('message', onMessage);
      resolve(message);
    };
    child.on('message', onMessage);
    child.send(REQUEST);
  });
}

// A parent imports it, and is not started with it.
if (process.env['NODE_OPTIONS']?.includes(__filename) === true && process.send !== undefined) {
  let [last, longest] = [performance.now(), 0];
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
