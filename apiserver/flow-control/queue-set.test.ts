/**
 * Fair queuing of one priority level, with a manual clock: dispatch order, limits, and by a property that no seat is
 * lost.
 */
import { assert, commands, constantFrom, integer, modelRun, property, type Command } from 'fast-check';
import { QueueSet, type ReleaseSeats, type StopWaiting } from './queue-set';

const QUEUING = { queues: 64, handSize: 4, lengthLimit: 50 };
/** Each flow has one queue. */
const ONE_QUEUE_PER_FLOW = { ...QUEUING, handSize: 1 };

/**
 * Returns a queue set with a limit in seats, and `enqueue`, which returns the reason of a rejection or the function that
 * stops waiting. `order` has the names of the requests in the order of their decisions, with the outcome unless they were
 * dispatched. `releases` has the function that ends each request after the given milliseconds.
 */
function startQueueSet(limit: number, queuing: typeof QUEUING | 'none' = QUEUING) {
  const set = new QueueSet(() => undefined);
  set.configure(queuing === 'none' ? undefined : queuing);
  set.setLimit(limit);
  const order: string[] = [];
  const releases = new Map<string, ReleaseSeats>();
  const enqueue = (flow: string, name: string, seats = 1): string | StopWaiting => {
    const enqueued = set.enqueue(flow, {
      seats,
      onDecision: (outcome) => order.push(outcome === 'dispatched' ? name : `${name} ${outcome}`),
    });
    if (typeof enqueued === 'string') return enqueued;
    releases.set(name, enqueued.releaseSeats);
    return enqueued.stopWaiting;
  };
  return { set, order, releases, enqueue };
}

it('QueueSet admits requests up to its seats', () => {
  const { set } = startQueueSet(3);
  expect(set.tryAcquire(2)).toBeDefined();
  expect(set.tryAcquire(2)).toBeUndefined();
  expect(set.tryAcquire(1)).toBeDefined();
});

it('QueueSet admits a request with more seats than the limit alone', () => {
  const { set } = startQueueSet(3);
  const releaseLarge = set.tryAcquire(10);
  expect(releaseLarge).toBeDefined();
  expect(set.tryAcquire(1)).toBeUndefined();
  releaseLarge?.(5);
  expect(set.tryAcquire(1)).toBeDefined();
});

it('QueueSet serves flows in turn when one of them has many queued requests', () => {
  const { set, order, releases, enqueue } = startQueueSet(1);
  const running = set.tryAcquire(1);
  for (let count = 0; count < 40; count += 1) enqueue('busy', `b${count}`);
  enqueue('quiet', 'q0');
  enqueue('quiet', 'q1');
  running?.(1);
  // Until six requests were dispatched, the last one ends after 10 ms.
  while (order.length < 6) releases.get(order.at(-1) ?? '')?.(10);
  expect(order.filter((name) => name.startsWith('q'))).toEqual(['q0', 'q1']);
});

it('QueueSet dispatches a small request before a large one of an equally served flow', () => {
  const { set, order, enqueue } = startQueueSet(5, ONE_QUEUE_PER_FLOW);
  const running = set.tryAcquire(5);
  enqueue('busy', 'large', 5);
  enqueue('quiet', 'small');
  running?.(10);
  expect(order).toEqual(['small']);
});

it('QueueSet dispatches more requests of a flow with short requests', () => {
  const { set, order, releases, enqueue } = startQueueSet(1, ONE_QUEUE_PER_FLOW);
  const running = set.tryAcquire(1);
  for (let count = 0; count < 9; count += 1) {
    enqueue('long', `l${count}`);
    enqueue('short', `s${count}`);
  }
  running?.(1);
  while (order.length < 10) {
    const name = order.at(-1) ?? '';
    releases.get(name)?.(name.startsWith('l') ? 100 : 20);
  }
  // A short request is a fifth of the work of a long one, so at least seven of ten are short.
  expect(order.filter((name) => name.startsWith('s')).length).toBeGreaterThanOrEqual(7);
});

it('QueueSet rejects a request when its queue is full', () => {
  const { set, enqueue } = startQueueSet(1, { queues: 1, handSize: 1, lengthLimit: 2 });
  set.tryAcquire(1);
  enqueue('a', 'a0');
  enqueue('a', 'a1');
  expect(enqueue('b', 'b0')).toBe('queue-full');
});

it('QueueSet accepts a request in a full queue after another one has stopped waiting', () => {
  const { set, order, enqueue } = startQueueSet(1, { queues: 1, handSize: 1, lengthLimit: 1 });
  const running = set.tryAcquire(1);
  const stopWaiting = enqueue('a', 'a0');
  if (typeof stopWaiting === 'function') stopWaiting('time-out');
  expect(typeof enqueue('b', 'b0')).toBe('function');
  running?.(1);
  expect(order).toEqual(['a0 time-out', 'b0']);
});

it('QueueSet without queues rejects requests beyond its seats', () => {
  const { set, enqueue } = startQueueSet(1, 'none');
  set.tryAcquire(1);
  expect(enqueue('a', 'a')).toBe('concurrency-limit');
});

it('QueueSet dispatches queued requests when its limit rises', () => {
  const { set, order, enqueue } = startQueueSet(1);
  set.tryAcquire(1);
  enqueue('a', 'a0');
  enqueue('b', 'b0');
  set.setLimit(3);
  expect(order.sort()).toEqual(['a0', 'b0']);
});

/** The requests that the property test expects in the queue set after each command. */
interface Model {
  /** Ends each executing request, in the order of their start. */
  readonly running: ReleaseSeats[];
  readonly waiting: Set<StopWaiting>;
}

/** Acquires seats for a request, or enqueues it. */
class StartRequest implements Command<Model, QueueSet> {
  constructor(
    readonly flow: string,
    readonly seats: number,
  ) {}
  check(): boolean {
    return true;
  }
  run(model: Model, set: QueueSet): void {
    const release = set.tryAcquire(this.seats);
    if (release !== undefined) {
      model.running.push(release);
      return;
    }
    let isDispatched = false;
    let releaseSeats: ReleaseSeats = () => undefined;
    let stopWaiting: StopWaiting = () => undefined;
    const enqueued = set.enqueue(this.flow, {
      seats: this.seats,
      onDecision: (outcome) => {
        model.waiting.delete(stopWaiting);
        isDispatched = outcome === 'dispatched';
        if (isDispatched) model.running.push((ms) => releaseSeats(ms));
      },
    });
    if (typeof enqueued === 'string') return;
    ({ releaseSeats, stopWaiting } = enqueued);
    if (!isDispatched) model.waiting.add(stopWaiting);
  }
  toString(): string {
    return `a request of flow ${this.flow} needs ${this.seats} seats`;
  }
}

/** Ends the request that has executed for the longest time. */
class FinishRequest implements Command<Model, QueueSet> {
  constructor(readonly ms: number) {}
  check({ running }: Model): boolean {
    return running.length > 0;
  }
  run({ running }: Model): void {
    running.shift()?.(this.ms);
  }
  toString(): string {
    return `a request ends after ${this.ms} ms`;
  }
}

/** Cancels the request that has waited for the longest time. */
class CancelRequest implements Command<Model, QueueSet> {
  check({ waiting }: Model): boolean {
    return waiting.size > 0;
  }
  run({ waiting }: Model): void {
    const [stopWaiting] = waiting;
    stopWaiting?.('cancelled');
  }
  toString(): string {
    return 'a waiting request is cancelled';
  }
}

it('QueueSet never exceeds its seats except for one large request, and loses no request and no seat', () => {
  const limit = 5;
  const anyStart = constantFrom('a', 'b', 'c').chain((flow) => integer({ min: 1, max: 8 }).map((seats) => new StartRequest(flow, seats)));
  const anyFinish = integer({ min: 0, max: 100 }).map((ms) => new FinishRequest(ms));
  assert(
    property(commands([anyStart, anyFinish, constantFrom(new CancelRequest())]), (steps) => {
      const { set } = startQueueSet(limit, { queues: 8, handSize: 2, lengthLimit: 5 });
      const model: Model = { running: [], waiting: new Set() };
      modelRun(() => ({ model, real: set }), steps);
      expect(set).toMatchObject({ executing: model.running.length, waiting: model.waiting.size });
      expect(set.executingSeats <= limit || set.executing === 1).toBe(true);
      // A request waits only while another one executes.
      if (set.executing === 0) expect(set.waiting).toBe(0);
      while (model.running.length > 0) model.running.shift()?.(1);
      expect(set).toMatchObject({ executing: 0, executingSeats: 0, waiting: 0, activeQueueCount: 0 });
    }),
  );
});
