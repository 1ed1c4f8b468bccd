import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readFile } from 'node:fs/promises';
import { SimulatedClock } from './simulated-clock';

const HOUR_MS = 3_600_000;
let clock: SimulatedClock;
let end: () => Promise<void>;

beforeEach(() => {
  clock = new SimulatedClock();
  end = clock.run();
});

afterEach(() => end());

/** Runs `work` the given number of times and returns how far the clock advanced meanwhile. */
async function movedDuring(work: () => Promise<unknown>, times = 20): Promise<number> {
  clock.after(HOUR_MS, () => undefined);
  const before = clock.monotonic();
  for (let left = times; left > 0; left -= 1) await work();
  return clock.monotonic() - before;
}

test('a simulated clock passes an hour of sleep in less than a real second', async () => {
  const before = performance.now();
  await clock.sleep(HOUR_MS);
  expect(clock.monotonic()).toBe(HOUR_MS);
  expect(performance.now() - before).toBeLessThan(1_000);
});

test('a simulated clock runs timers in the order of their times, also those that other timers set', async () => {
  const order: number[] = [];
  clock.after(300, () => order.push(clock.monotonic()));
  clock.after(100, () => clock.after(100, () => order.push(clock.monotonic())));
  await clock.sleep(1_000);
  expect(order).toEqual([200, 300]);
});

test('a simulated clock stands still while requests are answered over a local connection', async () => {
  const server = createServer((_, response) => setImmediate(() => response.end('answer')));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const ask = (): Promise<void> =>
    new Promise((resolve) => get({ host: '127.0.0.1', port, agent: false }, (response) => response.resume().once('end', resolve)));
  expect(await movedDuring(ask)).toBe(0);
  await new Promise((resolve) => server.close(resolve));
});

test('a simulated clock stands still while files are read', async () => {
  expect(await movedDuring(() => readFile(__filename))).toBe(0);
});

test('a simulated clock stands still while immediates follow one another', async () => {
  expect(await movedDuring(() => new Promise((resolve) => setImmediate(resolve)), 200)).toBe(0);
});

test('a simulated clock goes on when a timer is set after all others have run', async () => {
  await clock.sleep(10);
  await new Promise((resolve) => setTimeout(resolve, 20));
  await clock.sleep(10);
  expect(clock.monotonic()).toBe(20);
});
