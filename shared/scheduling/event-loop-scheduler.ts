/**
 * Schedules the work of requests on the event loop that serves all of them. Work acquires a slot before it starts, and
 * requeues when the turn of the event loop is over before it is done. Does not limit the number of requests: flow
 * control has admitted them before.
 */
import type { Clock } from '../runtime/clock';
import { FairQueue } from './fair-queue';

/**
 * `urgent`: keeps the cluster alive (Leases, token and access reviews), or is very short. `bulk`: may take long;
 * requeued work has this priority too.
 */
export const PRIORITIES = ['urgent', 'usual', 'bulk'] as const;
/** One of {@link PRIORITIES}. */
export type Priority = (typeof PRIORITIES)[number];

/** Work per turn. A request that arrives during a turn is not read before the turn ends. */
const TURN_MS = 0.5;
/** Maximum work per turn while `urgent` or `usual` work waits and the I/O of a turn takes long. */
const MAX_TURN_MS = 10;
/** A turn of at least this length is followed by cooldown turns. */
const LONG_TURN_MS = 5;
/**
 * Turns without `bulk` work after a long one. A request that arrived during the long turn needs them until its response:
 * its connection is read, it is admitted, its response is written.
 */
const COOLDOWN_TURNS = 3;
/** Cyclic order of admission. Priorities without waiting work are skipped. */
const ADMISSION_ORDER: readonly Priority[] = ['urgent', 'urgent', 'urgent', 'usual', 'urgent', 'urgent', 'urgent', 'usual', 'bulk'];
/** Priorities with waiting work that a request of the given priority must not overtake. */
const MUST_NOT_OVERTAKE: Readonly<Record<Priority, readonly Priority[]>> = { urgent: ['urgent'], usual: PRIORITIES, bulk: PRIORITIES };

type Resume = () => void;

interface Requeued {
  readonly flow: string;
  readonly resume: Resume;
}

/** The parts of the event loop that the scheduler uses; a test has its own. */
export interface EventLoop {
  /** Runs `run` in the next turn, after the I/O of this one. */
  inNextTurn(run: () => void): void;
  /** Runs `run` in this turn, after the synchronous steps that are running and all microtasks that follow from them. */
  afterMicrotasks(run: () => void): void;
}

const NODE_EVENT_LOOP: EventLoop = {
  inNextTurn: (run) => void setImmediate(run),
  // Node runs `nextTick` callbacks before promise callbacks, but only after the pending promise callbacks have run.
  afterMicrotasks: (run) => queueMicrotask(() => process.nextTick(run)),
};

/**
 * Fairness rules:
 * - One turn of the event loop has half a millisecond of work. Until that is spent, new work starts at once; later work
 *   waits for a following turn, so that the event loop returns to its I/O: new connections, short requests, responses
 *   of the store.
 * - While `urgent` or `usual` work waits, a turn has as much work as the previous turn had I/O, up to ten milliseconds.
 *   Otherwise turns with much I/O, as with 10,000 connections, would leave less than half of the time to requests. Work
 *   that started at once counts as I/O here. A turn with `bulk` work has no more than half a millisecond of work.
 * - Of nine admissions six go to `urgent` work, two to `usual` and one to `bulk`, so that no priority starves. A
 *   priority without waiting work is skipped. New work does not overtake waiting work: `usual` and `bulk` work starts
 *   at once only when no work waits, except `bulk` work in a cooldown; `urgent` work when no urgent work waits.
 * - Within a priority the flows (users) take turns, however much work one of them has waiting.
 * - Work that requeues lets the rest of the turn go to others, and waits at priority `bulk` from the next turn on.
 * - After a turn of five milliseconds or more, `bulk` work waits for three cooldown turns, in which a request that
 *   arrived during the long turn is completed. So ten long computations delay a short request no more than one of them
 *   does.
 *
 * Example: A lists 50,000 pods (`bulk`, 200 ms of work). Then B updates a ConfigMap (`usual`), and a kubelet renews its
 * Lease (`urgent`), 0.1 ms of work each.
 * 1. Nothing waits, so the list starts at once. After 0.5 ms the turn is over and the list requeues. B's request and
 *    then the kubelet's arrive: both wait.
 * 2. The next turn admits the kubelet's request, then B's, and in the 0.3 ms that are left the list.
 * 3. No other work waits in the following turns, so the list has all of them, half a millisecond each. If one of its
 *    items takes 20 ms, the list is not admitted in the following three turns.
 */
export class EventLoopScheduler {
  private readonly queues: Readonly<Record<Priority, FairQueue<Resume>>> = {
    urgent: new FairQueue<Resume>(),
    usual: new FairQueue<Resume>(),
    bulk: new FairQueue<Resume>(),
  };
  /** Work that was requeued in this turn. It joins the `bulk` queue in the next turn. */
  private requeued: Requeued[] = [];
  /** Clock.monotonic at the start of this turn's work; `undefined` when no turn has started. */
  private turnStartedAt: number | undefined;
  /** Milliseconds of work that this turn may have. */
  private limitMs = TURN_MS;
  /** Milliseconds of this turn's work that waited for the turn. */
  private admittedMs = 0;
  private remainingCooldownTurns = 0;
  /** Counts positions in {@link ADMISSION_ORDER}, and continues beyond its end. */
  private admissionCursor = 0;

  constructor(
    private readonly clock: Clock,
    private readonly eventLoop: EventLoop = NODE_EVENT_LOOP,
  ) {}

  /** The work of a priority that waits for a slot, for metrics. */
  waitingCount(priority: Priority): number {
    return this.queues[priority].size + (priority === 'bulk' ? this.requeued.length : 0);
  }

  /** Whether `urgent` or `usual` work waits for a slot. */
  get hasWaitingRequests(): boolean {
    return this.queues.urgent.size + this.queues.usual.size > 0;
  }

  /**
   * Acquires a slot. Returns `undefined` when the work may start at once, otherwise a promise that resolves when it may.
   *
   * @param flow the user, for fairness within the priority
   */
  acquire(priority: Priority, flow: string): Promise<void> | undefined {
    if (this.turnStartedAt === undefined) this.beginTurn();
    if (this.canStart(priority) && !this.isTurnOver()) {
      this.shortenTurnFor(priority);
      return undefined;
    }
    return new Promise((resolve) => this.queues[priority].add(flow, resolve));
  }

  /**
   * For work that has had a slot and is not done. It runs no earlier than in the next turn. Resolves with the next
   * slot.
   */
  requeue(flow: string): Promise<void> {
    if (this.turnStartedAt === undefined) this.beginTurn();
    return new Promise((resolve) => this.requeued.push({ flow, resume: resolve }));
  }

  /** Whether the time of this turn is used up. */
  isTurnOver(): boolean {
    if (this.turnStartedAt === undefined) this.beginTurn();
    return this.turnMs() >= this.limitMs;
  }

  /** `bulk` work may not use the time by which a turn is longer because `urgent` or `usual` work waited. */
  private shortenTurnFor(priority: Priority): void {
    if (priority === 'bulk') this.limitMs = TURN_MS;
  }

  private canStart(priority: Priority): boolean {
    return this.isOpen(priority) && !MUST_NOT_OVERTAKE[priority].some(this.canAdmit);
  }

  /** Whether work of the priority may be admitted in this turn. */
  private isOpen(priority: Priority): boolean {
    return priority !== 'bulk' || this.remainingCooldownTurns === 0;
  }

  private readonly canAdmit = (priority: Priority): boolean => this.queues[priority].size > 0 && this.isOpen(priority);

  private beginTurn(): void {
    this.turnStartedAt = this.clock.monotonic();
    this.limitMs = TURN_MS;
    this.admittedMs = 0;
    this.eventLoop.inNextTurn(() => this.runTurn());
  }

  /** Milliseconds of work in this turn. */
  private turnMs(): number {
    return this.turnStartedAt === undefined ? 0 : this.clock.monotonic() - this.turnStartedAt;
  }

  /** Begins the next turn and admits waiting work in it. Without waiting work no turn begins until work arrives. */
  private runTurn(): void {
    const { queues } = this;
    for (const { flow, resume } of this.requeued) queues.bulk.add(flow, resume);
    this.requeued = [];
    if (this.remainingCooldownTurns > 0) this.remainingCooldownTurns -= 1;
    else if (this.turnMs() >= LONG_TURN_MS) this.remainingCooldownTurns = COOLDOWN_TURNS;
    const ioMs = this.turnMs() - this.admittedMs;
    if (queues.urgent.size + queues.usual.size + queues.bulk.size === 0) {
      this.turnStartedAt = undefined;
      return;
    }
    this.beginTurn();
    if (this.hasWaitingRequests) this.limitMs = Math.min(Math.max(ioMs, TURN_MS), MAX_TURN_MS);
    this.admitNext();
  }

  /**
   * Admits waiting work until the turn is over: one request at a time, and the next one after all synchronous steps and
   * microtasks of the previous one.
   */
  private admitNext(): void {
    const resume = this.dequeueNext();
    resume?.();
    this.eventLoop.afterMicrotasks(() => {
      this.admittedMs = this.turnMs();
      if (PRIORITIES.some(this.canAdmit) && !this.isTurnOver()) this.admitNext();
    });
  }

  private dequeueNext(): Resume | undefined {
    for (let tries = 0; tries < ADMISSION_ORDER.length; tries += 1) {
      const priority = ADMISSION_ORDER[this.admissionCursor % ADMISSION_ORDER.length] ?? 'usual';
      this.admissionCursor += 1;
      if (!this.canAdmit(priority)) continue;
      this.shortenTurnFor(priority);
      return this.queues[priority].dequeue();
    }
    return undefined;
  }
}
