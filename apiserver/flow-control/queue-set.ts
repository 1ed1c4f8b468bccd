/**
 * The queues of one priority level. A request within the level's seats executes at once unless others wait; the rest
 * wait and are dispatched fairly:
 *
 * - Each queue accumulates the work done for it, in seat milliseconds. The next request is taken from the queue that
 *   would have the least total after that request.
 * - A queue that becomes active starts at the least total of the active queues, so idle time earns no credit.
 * - A flow is dealt a few queues, and each of its requests joins the least loaded of them (shuffle sharding). A flooding
 *   flow therefore fills its own queues only.
 *
 * Independent of users and of the content of requests.
 */
import { dealHand } from './shuffle-shard';

/** How requests beyond the limit are queued. */
export interface Queuing {
  readonly queues: number;
  /** The number of queues that a flow may use: each of its requests joins the least loaded one. */
  readonly handSize: number;
  /** Maximum number of requests in one queue. */
  readonly lengthLimit: number;
}

/** Reasons in the terms of upstream's metrics. */
export type RejectReason = 'queue-full' | 'time-out' | 'cancelled' | 'concurrency-limit';

/** A request to enqueue. */
export interface QueuedRequest {
  /** The seats that the request occupies while it executes. */
  readonly seats: number;
  /** Called at most once. */
  readonly onDecision: (outcome: 'dispatched' | 'cancelled' | 'time-out') => void;
}

interface QueueEntry extends QueuedRequest {
  readonly queue: Queue;
  isRemoved: boolean;
}

class Queue {
  /** In order of arrival, with removed entries among them. */
  entries: QueueEntry[] = [];
  /** Position of the first entry that may still wait; the entries before it are consumed. */
  head = 0;
  /** Numbers of the requests of this queue and of their seats. */
  waiting = 0;
  waitingSeats = 0;
  executing = 0;
  executingSeats = 0;
  /**
   * Accumulated work in seat milliseconds. Executing requests count with {@link ESTIMATED_MS}. Starts at the least total
   * of the active queues, not at 0, when the queue becomes active.
   */
  virtualWork = 0;

  constructor(readonly index: number) {}

  get isActive(): boolean {
    return this.waiting > 0 || this.executing > 0;
  }
}

/** Assumed duration of a request, in milliseconds, until it has ended and its real one is known. */
const ESTIMATED_MS = 3;
/** Number of consumed entries beyond which a queue's array is copied without them. */
const COMPACT_AFTER = 64;

/** Releases the seats of a request; `ms` is how long they were used. Must be called once. */
export type ReleaseSeats = (ms: number) => void;

/** Removes a waiting request. No effect after its decision. */
export type StopWaiting = (outcome: 'cancelled' | 'time-out') => void;

/** A request that was added to a queue. */
export interface Enqueued {
  readonly stopWaiting: StopWaiting;
  /** The length of the queue, including this request. */
  readonly queueLength: number;
  /** Releases the seats after `dispatched`. */
  readonly releaseSeats: ReleaseSeats;
}

/** The seats and queues of one level. */
export class QueueSet {
  /** Numbers of requests and of their seats, including requests that bypassed the queues. Written only by this class. */
  executing = 0;
  executingSeats = 0;
  waiting = 0;
  waitingSeats = 0;
  private limit = 0;
  /** The queues that are active, by their index. */
  private readonly queues = new Map<number, Queue>();
  private queuing: Queuing | undefined;

  /** `onChange` is called after every change of the numbers. */
  constructor(private readonly onChange: () => void) {}

  /**
   * Changes how requests beyond the limit are queued; with `undefined` they are rejected. Requests that already wait
   * stay in their queues.
   */
  configure(queuing: Queuing | undefined): void {
    this.queuing = queuing;
  }

  get seats(): number {
    return this.limit;
  }

  /** Sets the number of seats. Executing requests keep theirs, even above a lower limit. */
  setLimit(seats: number): void {
    this.limit = seats;
    this.dispatch();
  }

  /** Takes seats for a request without a queue. Returns `undefined` when it must be enqueued; see {@link enqueue}. */
  tryAcquire(seats: number): ReleaseSeats | undefined {
    if (this.waiting > 0 || !this.canExecute(seats)) return undefined;
    this.acquireSeats(seats, undefined);
    return (ms) => this.releaseSeats(seats, undefined, ms);
  }

  /**
   * Adds a request to a queue of its flow and dispatches the requests that may execute now, so `onDecision` may be called before this returns.
   * Returns the reason of a rejection when the queue is full or the level has no queues.
   */
  enqueue(flow: string, { seats, onDecision }: QueuedRequest): Enqueued | 'queue-full' | 'concurrency-limit' {
    const { queuing } = this;
    if (queuing === undefined) return 'concurrency-limit';
    const queue = this.leastLoadedQueue(flow, queuing);
    if (queue.waiting >= queuing.lengthLimit) return 'queue-full';
    if (!queue.isActive) queue.virtualWork = this.leastActiveWork();
    const entry: QueueEntry = { seats, onDecision, queue, isRemoved: false };
    queue.entries.push(entry);
    this.countWaiting(entry, 1);
    const queueLength = queue.waiting;
    this.dispatch();
    return {
      stopWaiting: (outcome) => this.stopWaiting(entry, outcome),
      queueLength,
      releaseSeats: (ms) => this.releaseSeats(seats, queue, ms),
    };
  }

  /** Number of queues with waiting or executing requests. */
  get activeQueueCount(): number {
    let active = 0;
    for (const queue of this.queues.values()) if (queue.isActive) active += 1;
    return active;
  }

  /** Whether a request with so many seats may execute now. One that needs more seats than the limit executes alone. */
  private canExecute(seats: number): boolean {
    return this.executingSeats === 0 ? this.limit > 0 : this.executingSeats + seats <= this.limit;
  }

  private acquireSeats(seats: number, queue: Queue | undefined): void {
    this.executing += 1;
    this.executingSeats += seats;
    if (queue !== undefined) {
      queue.executing += 1;
      queue.executingSeats += seats;
      queue.virtualWork += seats * ESTIMATED_MS;
    }
    this.onChange();
  }

  private releaseSeats(seats: number, queue: Queue | undefined, ms: number): void {
    this.executing -= 1;
    this.executingSeats -= seats;
    if (queue !== undefined) {
      queue.executing -= 1;
      queue.executingSeats -= seats;
      queue.virtualWork += seats * (ms - ESTIMATED_MS);
      this.deleteIfIdle(queue);
    }
    this.onChange();
    if (this.waiting > 0) this.dispatch();
  }

  private countWaiting({ seats, queue }: QueueEntry, count: 1 | -1): void {
    this.waiting += count;
    this.waitingSeats += count * seats;
    queue.waiting += count;
    queue.waitingSeats += count * seats;
    this.onChange();
  }

  private stopWaiting(entry: QueueEntry, outcome: 'cancelled' | 'time-out'): void {
    if (entry.isRemoved) return;
    entry.isRemoved = true;
    this.countWaiting(entry, -1);
    this.deleteIfIdle(entry.queue);
    entry.onDecision(outcome);
    this.dispatch();
  }

  /** Starts waiting requests in the fair order until the next one does not fit. */
  private dispatch(): void {
    while (this.waiting > 0) {
      const queue = this.nextQueue();
      const entry = queue === undefined ? undefined : firstEntry(queue);
      if (queue === undefined || entry === undefined || !this.canExecute(entry.seats)) return;
      entry.isRemoved = true;
      queue.head += 1;
      this.countWaiting(entry, -1);
      this.acquireSeats(entry.seats, queue);
      entry.onDecision('dispatched');
    }
  }

  /**
   * The queue that would have the least total after its first waiting request; `undefined` when nothing waits. Of two
   * queues with equal totals it is the one with the smaller request. Otherwise a small request would wait behind a large
   * one, which itself waits until many seats are free.
   */
  private nextQueue(): Queue | undefined {
    let next: Queue | undefined;
    let least = Infinity;
    for (const queue of this.queues.values()) {
      const seats = queue.waiting > 0 ? firstEntry(queue)?.seats : undefined;
      if (seats === undefined || queue.virtualWork + seats * ESTIMATED_MS >= least) continue;
      next = queue;
      least = queue.virtualWork + seats * ESTIMATED_MS;
    }
    return next;
  }

  /** The starting total of a queue that becomes active. */
  private leastActiveWork(): number {
    let least = Infinity;
    for (const queue of this.queues.values()) if (queue.isActive && queue.virtualWork < least) least = queue.virtualWork;
    return least === Infinity ? 0 : least;
  }

  /** The queue with the fewest waiting and executing seats among those dealt to the flow. */
  private leastLoadedQueue(flow: string, { queues, handSize }: Queuing): Queue {
    let leastLoadedIndex = 0;
    let leastSeats = Infinity;
    for (const index of dealHand(flow, queues, Math.min(handSize, queues))) {
      const queue = this.queues.get(index);
      const seats = queue === undefined ? 0 : queue.waitingSeats + queue.executingSeats;
      if (seats < leastSeats) {
        leastLoadedIndex = index;
        leastSeats = seats;
      }
    }
    return this.queueAt(leastLoadedIndex);
  }

  private queueAt(index: number): Queue {
    let queue = this.queues.get(index);
    if (queue === undefined) {
      queue = new Queue(index);
      this.queues.set(index, queue);
    }
    return queue;
  }

  /** Idle queues are not kept, because a level may have millions of queues, of which few are in use. */
  private deleteIfIdle(queue: Queue): void {
    if (!queue.isActive) this.queues.delete(queue.index);
  }
}

/** The first entry that still waits. Skips removed entries for good, and shortens the array when many were consumed. */
function firstEntry(queue: Queue): QueueEntry | undefined {
  while (queue.entries[queue.head]?.isRemoved === true) queue.head += 1;
  if (queue.head > COMPACT_AFTER) {
    queue.entries = queue.entries.slice(queue.head);
    queue.head = 0;
  }
  return queue.entries[queue.head];
}
