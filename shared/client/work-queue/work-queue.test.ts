/** The work queue: its guarantees for any sequence of calls by a model, then delays, back-off and closing. */
import fc from 'fast-check';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { silentLogger } from '../../runtime/logger';
import { ItemRateLimiter } from '../rate-limiter';
import { runWorkers, type WorkOutcome } from './workers';
import { WorkQueue } from './work-queue';

function setUp(options: { readonly initialMs?: number } = {}) {
  const clock = new ManualClock();
  return { clock, queue: new WorkQueue({ clock, limit: new ItemRateLimiter({ clock, initialMs: 10, maxMs: 1_000, ...options }) }) };
}

test('WorkQueue returns an item once, however often it is added', async () => {
  const { queue } = setUp();
  queue.add('a');
  queue.add('a');
  queue.add('b');
  expect(await queue.get()).toBe('a');
  expect(await queue.get()).toBe('b');
  expect(queue.length).toBe(0);
});

test('WorkQueue returns an item that is added while it is processed again only after done', async () => {
  const { queue } = setUp();
  queue.add('a');
  await queue.get();
  queue.add('a');
  expect(queue.length).toBe(0);
  queue.done('a');
  expect(await queue.get()).toBe('a');
  queue.done('a');
  expect(queue.length).toBe(0);
});

test('addAfter uses the earliest time of an item that is added several times', async () => {
  const { clock, queue } = setUp();
  queue.addAfter('a', 300);
  queue.addAfter('a', 100);
  queue.addAfter('a', 200);
  clock.advance(100);
  expect(await queue.get()).toBe('a');
  queue.done('a');
  clock.advance(1_000);
  expect(queue.length).toBe(0);
});

test('get waits for an item, and returns undefined when the queue is closed', async () => {
  const { queue } = setUp();
  const first = queue.get();
  const second = queue.get();
  queue.add('a');
  expect(await first).toBe('a');
  void queue.close();
  expect(await second).toBeUndefined();
  queue.add('b');
  expect(await queue.get()).toBeUndefined();
});

test('close resolves when the item being processed is done', async () => {
  const { queue } = setUp();
  queue.add('a');
  await queue.get();
  let isClosed = false;
  const closing = queue.close().then(() => (isClosed = true));
  await flushPromises();
  expect(isClosed).toBe(false);
  queue.done('a');
  await closing;
  expect(isClosed).toBe(true);
});

test('addRateLimited doubles the delay of an item with each failure, and addAfter keeps its delay', async () => {
  const { clock, queue } = setUp();
  queue.addAfter('later', 100);
  queue.addRateLimited('a');
  clock.advance(9);
  expect(queue.length).toBe(0);
  clock.advance(1);
  expect(await queue.get()).toBe('a');
  queue.done('a');
  queue.addRateLimited('a');
  clock.advance(19);
  expect(queue.length).toBe(0);
  clock.advance(1);
  expect(await queue.get()).toBe('a');
  queue.done('a');
  queue.forget('a');
  expect(queue.failures('a')).toBe(0);
  queue.addRateLimited('a');
  clock.advance(10);
  expect(await queue.get()).toBe('a');
  clock.advance(60);
  expect(await queue.get()).toBe('later');
});

test('ItemRateLimiter limits the total rate of failing items with a token bucket', () => {
  const clock = new ManualClock();
  const limit = new ItemRateLimiter({ clock, initialMs: 1, perSecond: 10, burst: 2 });
  expect(limit.nextDelayMs('a')).toBe(1);
  expect(limit.nextDelayMs('b')).toBe(1);
  // The burst is used up: one more item in 100 ms.
  expect(limit.nextDelayMs('c')).toBe(100);
  expect(limit.nextDelayMs('d')).toBe(200);
  clock.advance(10_000);
  expect(limit.nextDelayMs('e')).toBe(1);
});

test('WorkQueue loses no item and returns none that is being processed, whatever the sequence of calls', async () => {
  const step = fc.oneof(
    fc.record({ type: fc.constant('add' as const), item: fc.constantFrom('a', 'b', 'c', 'd') }),
    fc.record({ type: fc.constant('after' as const), item: fc.constantFrom('a', 'b', 'c', 'd'), ms: fc.integer({ min: 0, max: 50 }) }),
    fc.record({ type: fc.constant('get' as const) }),
    fc.record({ type: fc.constant('done' as const), index: fc.nat(5) }),
    fc.record({ type: fc.constant('time' as const), ms: fc.integer({ min: 0, max: 30 }) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const { clock, queue } = setUp();
      const processing: string[] = [];
      /** Items that were added and not returned since. */
      const dirty = new Set<string>();
      /** The earliest time of each delayed item. */
      const dueTimes = new Map<string, number>();
      const addDueItems = (): void => {
        for (const [item, dueTime] of dueTimes) {
          if (dueTime > clock.monotonic()) continue;
          dirty.add(item);
          dueTimes.delete(item);
        }
      };
      for (const action of steps) {
        switch (action.type) {
          case 'add':
            queue.add(action.item);
            dirty.add(action.item);
            break;
          case 'after':
            queue.addAfter(action.item, action.ms);
            if (action.ms === 0) dirty.add(action.item);
            else dueTimes.set(action.item, Math.min(clock.monotonic() + action.ms, dueTimes.get(action.item) ?? Infinity));
            break;
          case 'get': {
            if (queue.length === 0) break;
            const item = await queue.get();
            expect(item).toBeDefined();
            expect(processing).not.toContain(item);
            processing.push(item!);
            dirty.delete(item!);
            break;
          }
          case 'done': {
            const [item] = processing.splice(action.index % Math.max(1, processing.length), 1);
            if (item !== undefined) queue.done(item);
            break;
          }
          case 'time':
            clock.advance(action.ms);
            break;
        }
        addDueItems();
        expect(queue.length).toBe([...dirty].filter((item) => !processing.includes(item)).length);
      }
      clock.advance(100);
      addDueItems();
      for (const item of processing) queue.done(item);
      const remaining = new Set<string>();
      while (queue.length > 0) remaining.add((await queue.get())!);
      expect(remaining).toEqual(dirty);
    }),
    { numRuns: 300 },
  );
});

describe('runWorkers', () => {
  function start(work: (item: string) => Promise<WorkOutcome>, concurrency = 2) {
    const { clock, queue } = setUp();
    const stop = new AbortController();
    const run = runWorkers({ queue, concurrency, logger: silentLogger, signal: stop.signal, work });
    return { clock, queue, stop, run };
  }

  test('retries a failed item after its back-off until it succeeds', async () => {
    const attempts: number[] = [];
    const { clock, queue, stop, run } = start(async () => {
      attempts.push(clock.monotonic());
      if (attempts.length < 4) throw new Error('not yet');
      return { type: 'done' };
    });
    queue.add('a');
    await clock.advanceAsync(1_000);
    // The back-off is 10, 20 and 40 ms.
    expect(attempts).toEqual([0, 10, 30, 70]);
    expect(queue.failures('a')).toBe(0);
    stop.abort();
    await run;
  });

  test('requeues an item after the delay of its outcome', async () => {
    const seen: [string, number][] = [];
    const { clock, queue, stop, run } = start(async (item) => {
      seen.push([item, clock.monotonic()]);
      if (seen.length > 2) return { type: 'done' };
      return item === 'again' ? { type: 'again', afterMs: 500 } : { type: 'wait' };
    });
    queue.add('again');
    queue.add('wait');
    await clock.advanceAsync(1_000);
    expect(seen).toEqual([
      ['again', 0],
      ['wait', 0],
      ['wait', 10],
      ['again', 500],
    ]);
    stop.abort();
    await run;
  });

  test('waits for work in progress when it is stopped, and starts no more', async () => {
    let finish = (): void => undefined;
    const started: string[] = [];
    const { queue, stop, run } = start((item) => {
      started.push(item);
      return new Promise((resolve) => (finish = () => resolve({ type: 'done' })));
    }, 1);
    queue.add('a');
    queue.add('b');
    await flushPromises();
    stop.abort();
    let hasEnded = false;
    void run.then(() => (hasEnded = true));
    await flushPromises();
    expect(started).toEqual(['a']);
    expect(hasEnded).toBe(false);
    finish();
    await run;
    expect(started).toEqual(['a']);
  });
});
