import { ManualClock } from '../../test/support/clock/manual-clock';
import { EventLoopScheduler, type EventLoop, type Priority } from './event-loop-scheduler';

/** An event loop that a test drives by hand. */
class ManualLoop implements EventLoop {
  private next: (() => void)[] = [];
  private afterwards: (() => void)[] = [];

  inNextTurn(run: () => void): void {
    this.next.push(run);
  }

  afterMicrotasks(run: () => void): void {
    this.afterwards.push(run);
  }

  /** Runs one turn, in which no more than 100 pieces of work are admitted. */
  async turn(): Promise<void> {
    const due = this.next;
    this.next = [];
    for (const run of due) run();
    for (let runs = 0; runs < 100; runs += 1) {
      // The microtasks of admitted work: its promise, and the continuation of an async function that awaits it.
      await Promise.resolve();
      await Promise.resolve();
      const run = this.afterwards.shift();
      if (run === undefined) return;
      run();
    }
  }
}

const setUp = () => {
  const clock = new ManualClock();
  const loop = new ManualLoop();
  const done: string[] = [];
  const scheduler = new EventLoopScheduler(clock, loop);
  /** A request that works for `costMs` once it has a slot. A turn of 0.5 ms has time for four of the default cost. */
  const arrive = (name: string, priority: Priority, flow = 'one', costMs = 0.125): void => {
    const work = (): void => {
      clock.advance(costMs);
      done.push(name);
    };
    const slot = scheduler.acquire(priority, flow);
    if (slot === undefined) work();
    else void slot.then(work);
  };
  return { clock, loop, done, scheduler, arrive };
};

it('EventLoopScheduler starts work at once until the turn is over, and admits the rest half a millisecond a turn', async () => {
  const { loop, done, arrive, scheduler } = setUp();
  for (let index = 0; index < 12; index += 1) arrive(String(index), 'usual');
  expect(done).toEqual(['0', '1', '2', '3']);
  expect(scheduler.waitingCount('usual')).toBe(8);
  await loop.turn();
  expect(done).toHaveLength(8);
  await loop.turn();
  expect(done).toEqual(Array.from({ length: 12 }, (_, index) => String(index)));
  await loop.turn();
  arrive('later', 'bulk');
  expect(done).toHaveLength(13);
});

it('EventLoopScheduler admits usual work for as long as the I/O of the previous turn took, up to ten milliseconds', async () => {
  const { loop, done, arrive, clock } = setUp();
  for (let index = 0; index < 150; index += 1) arrive(String(index), 'usual');
  expect(done).toHaveLength(4);
  clock.advance(1);
  await loop.turn();
  // 1.5 ms since the first turn began: its work did not wait, so it counts as I/O.
  expect(done).toHaveLength(4 + 12);
  await loop.turn();
  expect(done).toHaveLength(4 + 12 + 4);
  clock.advance(20);
  await loop.turn();
  expect(done).toHaveLength(4 + 12 + 4 + 80);
});

it('EventLoopScheduler admits half a millisecond of work in a turn with bulk work, however long the I/O of a turn takes', async () => {
  const { loop, done, arrive, clock } = setUp();
  for (let index = 0; index < 20; index += 1) arrive('bulk', 'bulk');
  clock.advance(2);
  await loop.turn();
  expect(done).toHaveLength(4 + 4);
  arrive('usual', 'usual');
  clock.advance(2);
  await loop.turn();
  expect(done.slice(8)).toEqual(['usual', 'bulk', 'bulk', 'bulk']);
});

it('EventLoopScheduler admits urgent work first without starving the other priorities', async () => {
  const { loop, done, arrive } = setUp();
  arrive('first', 'usual', 'one', 0.5);
  for (let index = 0; index < 20; index += 1) {
    arrive('bulk', 'bulk');
    arrive('usual', 'usual');
    arrive('urgent', 'urgent');
  }
  for (let turn = 0; turn < 3; turn += 1) await loop.turn();
  const count = (name: string): number => done.filter((other) => other === name).length;
  expect(done.slice(1, 4)).toEqual(['urgent', 'urgent', 'urgent']);
  expect(count('urgent')).toBe(9);
  expect(count('usual')).toBe(2);
  expect(count('bulk')).toBe(1);
});

it('EventLoopScheduler does not let a new request overtake waiting ones of its priority', async () => {
  const { loop, done, arrive, clock } = setUp();
  arrive('first', 'usual', 'one', 1);
  arrive('second', 'usual');
  await loop.turn();
  clock.advance(1);
  arrive('third', 'usual');
  arrive('fourth', 'usual');
  expect(done).toEqual(['first', 'second']);
  await loop.turn();
  expect(done).toEqual(['first', 'second', 'third', 'fourth']);
});

it('EventLoopScheduler admits each flow in turn, however many requests of another one wait', async () => {
  const { loop, done, arrive } = setUp();
  arrive('first', 'usual', 'greedy', 1);
  for (let index = 0; index < 100; index += 1) arrive('greedy', 'usual', 'greedy');
  arrive('modest', 'usual', 'modest');
  await loop.turn();
  expect(done).toContain('modest');
});

it('EventLoopScheduler admits new requests before requeued work', async () => {
  const { loop, done, arrive, scheduler, clock } = setUp();
  const list = async (): Promise<void> => {
    for (let slice = 0; slice < 3; slice += 1) {
      clock.advance(2);
      done.push(`slice ${slice}`);
      await scheduler.requeue('list');
    }
  };
  void list();
  arrive('short', 'urgent');
  await loop.turn();
  await loop.turn();
  expect(done).toEqual(['slice 0', 'short', 'slice 1', 'slice 2']);
});

it('EventLoopScheduler keeps requeued work waiting until the next turn, behind work that arrives before', async () => {
  const { loop, done, arrive, scheduler, clock } = setUp();
  const write = async (): Promise<void> => {
    for (let requeues = 0; requeues < 3; requeues += 1) {
      clock.advance(2);
      await scheduler.requeue('writer');
    }
    done.push('written');
  };
  void write();
  expect(scheduler.waitingCount('bulk')).toBe(1);
  await loop.turn();
  arrive('comes in the first turn', 'usual');
  await loop.turn();
  arrive('comes in the second', 'usual');
  await loop.turn();
  expect(done.at(-1)).toBe('written');
  expect(done).toHaveLength(3);
});

/** A computation in pieces of 20 ms. */
const computeInPieces = (
  { scheduler, clock, done }: Pick<ReturnType<typeof setUp>, 'clock' | 'done' | 'scheduler'>,
  flow: string,
  pieces: number,
): void => {
  void (async () => {
    for (let piece = 0; piece < pieces; piece += 1) {
      await scheduler.requeue(flow);
      clock.advance(20);
      done.push('piece');
    }
  })();
};

it('EventLoopScheduler serves whole requests between two long pieces of work, however many flows have such work', async () => {
  const fixture = setUp();
  const { loop, clock, arrive } = fixture;
  for (let index = 0; index < 10; index += 1) computeInPieces(fixture, `flow ${index}`, 3);
  const waits: number[] = [];
  for (let request = 0; request < 10; request += 1) {
    const began = clock.monotonic();
    for (let turn = 0; turn < 4; turn += 1) {
      arrive('part of a request', 'usual');
      await loop.turn();
    }
    waits.push(clock.monotonic() - began);
  }
  expect(Math.max(...waits)).toBeLessThan(25);
});

it('EventLoopScheduler finishes long work although short requests arrive all the time', async () => {
  const fixture = setUp();
  const { loop, done, arrive } = fixture;
  for (let index = 0; index < 10; index += 1) computeInPieces(fixture, 'one', 3);
  for (let turn = 0; turn < 130; turn += 1) {
    for (let index = 0; index < 20; index += 1) arrive('short', 'usual');
    await loop.turn();
  }
  expect(done.filter((name) => name === 'piece')).toHaveLength(30);
});

it('EventLoopScheduler starts no bulk work in the cooldown turns after a long one', async () => {
  const fixture = setUp();
  const { loop, done, arrive } = fixture;
  computeInPieces(fixture, 'one', 1);
  await loop.turn();
  await loop.turn();
  arrive('list', 'bulk');
  arrive('short', 'usual');
  expect(done).toEqual(['piece', 'short']);
  for (let turn = 0; turn < 4; turn += 1) await loop.turn();
  expect(done).toEqual(['piece', 'short', 'list']);
});

it('EventLoopScheduler schedules the three requests of the example: the Lease, then the ConfigMap, then the list with the time that is left', async () => {
  const { loop, done, arrive, scheduler, clock } = setUp();
  const list = async (): Promise<void> => {
    for (let item = 0; item < 8; item += 1) {
      clock.advance(0.25);
      done.push('item');
      if (scheduler.isTurnOver()) await scheduler.requeue('A');
    }
  };
  expect(scheduler.acquire('bulk', 'A')).toBeUndefined();
  void list();
  arrive('ConfigMap', 'usual', 'B', 0.1);
  arrive('Lease', 'urgent', 'kubelet', 0.1);
  expect(done).toEqual(['item', 'item']);
  await loop.turn();
  expect(done.slice(2)).toEqual(['Lease', 'ConfigMap', 'item', 'item']);
  await loop.turn();
  expect(done.slice(6)).toEqual(['item', 'item']);
});
