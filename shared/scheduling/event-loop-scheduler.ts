/**
 * Schedules the work of requests on the one event loop that serves all of them. Work acquires a slot before it starts, and requeues where the turn of the event loop
 * is over and more is left to do. Never counts or limits requests: flow control has admitted those that wait here.
 *
 * Fairness rules:
 * - One turn of the event loop has half a millisecond of work. Until that is spent, arrivals start at once; later ones wait for a following turn, so that the event loop
 *   gets back to its I/O: new connections, short requests, responses of the store.
 * - Of nine admissions six go to `urgent` work, two to `usual` and one to `bulk`, so that no priority starves. A priority without waiting work is skipped.
 *   Arrivals do not overtake: `usual` and `bulk` work starts at once only where nothing waits, `urgent` work where no other urgent work waits.
 * - Within a priority the flows (users) take turns, however much work one of them has waiting.
 * - Work that requeues lets the rest of the turn go to others, and waits at priority `bulk` from the next turn on.
 * - After a turn of five milliseconds or more, `bulk` work waits for three cooldown turns, in which a request that arrived meanwhile gets through: its
 *   connection is read, it is admitted, it is answered. Ten long computations so delay a short request by no more than one of them does.
 *
 * Example: A lists 50,000 pods (`bulk`, 200 ms of work). Then B updates a ConfigMap (`usual`), and a kubelet renews its Lease (`urgent`), 0.1 ms of work each.
 * 1. Nothing waits, so the list starts at once. After 0.5 ms the turn is over and the list requeues. B's request and then the kubelet's arrive: both wait.
 * 2. The next turn admits the kubelet's request, then B's, and in the 0.3 ms that are left the list.
 * 3. No other work waits in the following turns, so the list has all of them, half a millisecond each.
 * Should one of its items take 20 ms, the list is not admitted in the three turns that follow.
 */
import type { Clock } from '../runtime/clock';

/** `urgent`: keeps the cluster alive, or takes no time. `bulk`: may take long; work that requeues belongs here as well. */
export const PRIORITIES = ['urgent', 'usual', 'bulk'] as const;
export type Priority = (typeof PRIORITIES)[number];

/** Work of one turn, in milliseconds. Nothing is known of a request that arrives meanwhile until the turn ends. */
const TURN_MS = 0.5;
/** A turn of so many milliseconds is followed by cooldown turns. */
const LONG_TURN_MS = 5;
/** Turns that a request needs which arrived in a long one: its connection is read, it is admitted, and it is answered. */
const TURNS_PER_REQUEST = 4;
/** Order of admission. Where no work of a priority waits, the next one is asked. */
const ADMISSION_ORDER: readonly Priority[] = ['urgent', 'urgent', 'urgent', 'usual', 'urgent', 'urgent', 'urgent', 'usual', 'bulk'];
/** Priorities with waiting work that a request of the given priority must not overtake. */
const MUST_NOT_OVERTAKE: Readonly<Record<Priority, readonly Priority[]>> = { urgent: ['urgent'], usual: PRIORITIES, bulk: PRIORITIES };

type Resume = () => void;

interface Requeued {
  readonly flow: string;
  readonly resume: Resume;
}

/** Waiting work of one priority. The flows take turns. */
class FairQueue {
  private readonly flows = new Map<string, Set<Resume>>();
  length = 0;

  add(flow: string, resume: Resume): void {
    const waiting = this.flows.get(flow);
    if (waiting === undefined) this.flows.set(flow, new Set([resume]));
    else waiting.add(resume);
    this.length += 1;
  }

  dequeue(): Resume | undefined {
    for (const [flow, waiting] of this.flows) {
      this.flows.delete(flow);
      for (const resume of waiting) {
        waiting.delete(resume);
        this.length -= 1;
        if (waiting.size > 0) this.flows.set(flow, waiting);
        return resume;
      }
    }
    return undefined;
  }
}

/** The parts of the event loop that the scheduler uses; a test has its own. */
export interface EventLoop {
  inNextTurn(run: () => void): void;
  /** Runs `run` in this turn, after everything that the work admitted last does without waiting. */
  afterMicrotasks(run: () => void): void;
}

const NODE_EVENT_LOOP: EventLoop = {
  inNextTurn: (run) => void setImmediate(run),
  // Ticks come before promises, but only when the promises that are due have run.
  afterMicrotasks: (run) => queueMicrotask(() => process.nextTick(run)),
};

export class EventLoopScheduler {
  private readonly queues: Readonly<Record<Priority, FairQueue>> = {
    urgent: new FairQueue(),
    usual: new FairQueue(),
    bulk: new FairQueue(),
  };
  /** Work that was requeued in this turn. It joins the queue `bulk` in the next one. */
  private requeued: Requeued[] = [];
  /** Clock.monotonic when this turn's work began; undefined before that. */
  private turnStartedAt: number | undefined;
  private cooldownTurns = 0;
  /** How many places of the admission order have been asked. */
  private admissionCursor = 0;

  constructor(
    private readonly clock: Clock,
    private readonly eventLoop: EventLoop = NODE_EVENT_LOOP,
  ) {}

  waitingCount(priority: Priority): number {
    return this.queues[priority].length + (priority === 'bulk' ? this.requeued.length : 0);
  }

  /** `undefined` when the work may start at once; otherwise resolves when it may. */
  acquire(priority: Priority, flow: string): Promise<void> | undefined {
    if (this.turnStartedAt === undefined) this.beginTurn();
    if (this.canStart(priority) && !this.isTurnOver()) return undefined;
    return new Promise((resolve) => this.queues[priority].add(flow, resolve));
  }

  /** For work that has had a slot and is not done. The rest of this turn goes to others. Resolves with the next slot. */
  requeue(flow: string): Promise<void> {
    if (this.turnStartedAt === undefined) this.beginTurn();
    return new Promise((resolve) => this.requeued.push({ flow, resume: resolve }));
  }

  /** Whether this turn has had its share of work. */
  isTurnOver(): boolean {
    if (this.turnStartedAt === undefined) this.beginTurn();
    return this.turnMs() >= TURN_MS;
  }

  private canStart(priority: Priority): boolean {
    return this.isOpen(priority) && !MUST_NOT_OVERTAKE[priority].some(this.canAdmit);
  }

  private isOpen(priority: Priority): boolean {
    return priority !== 'bulk' || this.cooldownTurns === 0;
  }

  private readonly canAdmit = (priority: Priority): boolean => this.queues[priority].length > 0 && this.isOpen(priority);

  private beginTurn(): void {
    this.turnStartedAt = this.clock.monotonic();
    this.eventLoop.inNextTurn(() => this.runTurn());
  }

  /** Milliseconds of work in this turn. */
  private turnMs(): number {
    return this.turnStartedAt === undefined ? 0 : this.clock.monotonic() - this.turnStartedAt;
  }

  private runTurn(): void {
    const { queues } = this;
    for (const { flow, resume } of this.requeued) queues.bulk.add(flow, resume);
    this.requeued = [];
    if (this.cooldownTurns > 0) this.cooldownTurns -= 1;
    else if (this.turnMs() >= LONG_TURN_MS) this.cooldownTurns = TURNS_PER_REQUEST - 1;
    if (queues.urgent.length + queues.usual.length + queues.bulk.length === 0) {
      this.turnStartedAt = undefined;
      return;
    }
    this.beginTurn();
    this.admitNext();
  }

  /** Admits waiting work, one after the other, until the turn is over. What each does without waiting is done before the next is admitted. */
  private admitNext(): void {
    this.next()?.();
    this.eventLoop.afterMicrotasks(() => {
      if (PRIORITIES.some(this.canAdmit) && !this.isTurnOver()) this.admitNext();
    });
  }

  private next(): Resume | undefined {
    for (let tries = 0; tries < ADMISSION_ORDER.length; tries += 1) {
      const priority = ADMISSION_ORDER[this.admissionCursor % ADMISSION_ORDER.length] ?? 'usual';
      this.admissionCursor += 1;
      if (this.canAdmit(priority)) return this.queues[priority].dequeue();
    }
    return undefined;
  }
}
