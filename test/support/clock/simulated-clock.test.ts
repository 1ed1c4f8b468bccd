/** SimulatedClock skips waits and stands still during I/O: timers of an hour beside real files and HTTP requests. */
import { createServer, get } from 'node:http';
import { readFile } from 'node:fs/promises';
import { closeServer, listen } from '../servers/listen';
import { SimulatedClock } from './simulated-clock';

const HOUR_MS = 3_600_000;

/** Runs `check` with a clock that advances while it waits. */
async function withRunningClock<T>(check: (clock: SimulatedClock) => Promise<T>): Promise<T> {
  const clock = new SimulatedClock();
  const end = clock.run();
  try {
    return await check(clock);
  } finally {
    await end();
  }
}

/** Runs `work` the given number of times beside a timer of an hour, and returns how far the clock advanced meanwhile. */
const movedDuring = (work: () => Promise<unknown>, times = 20): Promise<number> =>
  withRunningClock(async (clock) => {
    clock.after(HOUR_MS, () => undefined);
    for (let left = times; left > 0; left -= 1) await work();
    return clock.monotonic();
  });

describe('a simulated clock', () => {
  it('passes an hour of sleep in less than a real second', () =>
    withRunningClock(async (clock) => {
      const before = performance.now();
      await clock.sleep(HOUR_MS);
      expect(clock.monotonic()).toBe(HOUR_MS);
      expect(performance.now() - before).toBeLessThan(1_000);
    }));

  it('runs timers in the order of their times, also those that other timers set', () =>
    withRunningClock(async (clock) => {
      const order: number[] = [];
      clock.after(300, () => order.push(clock.monotonic()));
      clock.after(100, () => clock.after(100, () => order.push(clock.monotonic())));
      await clock.sleep(1_000);
      expect(order).toEqual([200, 300]);
    }));

  it('stands still while requests are in progress over a local connection', async () => {
    const server = createServer((_, response) => setImmediate(() => response.end('body')));
    const port = await listen(server);
    const sendRequest = (): Promise<void> =>
      new Promise((resolve) => get({ host: '127.0.0.1', port, agent: false }, (response) => response.resume().once('end', resolve)));
    expect(await movedDuring(sendRequest)).toBe(0);
    await closeServer(server);
  });

  it('stands still while files are read', async () => {
    expect(await movedDuring(() => readFile(__filename))).toBe(0);
  });

  it('stands still while immediates follow one another', async () => {
    expect(await movedDuring(() => new Promise((resolve) => setImmediate(resolve)), 200)).toBe(0);
  });

  it('goes on when a timer is set after all others have run', () =>
    withRunningClock(async (clock) => {
      await clock.sleep(10);
      await new Promise((resolve) => setTimeout(resolve, 20));
      await clock.sleep(10);
      expect(clock.monotonic()).toBe(20);
    }));
});
