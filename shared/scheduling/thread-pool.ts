/**
 * A pool of worker threads for computations that are too long for the event loop, one job at a time each. Waiting jobs are run for each flow in turn, as
 * event-loop-scheduler.ts admits requests. A job that takes too long, or too much memory, ends its thread and no other. Knows nothing of what the jobs are.
 */
import type { MessagePort } from 'node:worker_threads';
import type { Clock, Timer } from '../runtime/clock';

/** What goes to another thread as it is, without a copy: here it is gone. */
export type Moved = ArrayBuffer | MessagePort;

/** A thread of node:worker_threads. */
export interface Thread<J, A> {
  postMessage(job: J, moved?: readonly Moved[]): void;
  on(event: 'message', listener: (answer: A) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Whether the process waits for it. */
  ref(): void;
  unref(): void;
  terminate(): unknown;
}

export interface ThreadLimits {
  readonly threads: number;
  /** Of one job. */
  readonly timeMs: number;
  /** Of all jobs that wait. */
  readonly waiting: number;
  /** A thread that nobody asks for so long ends; absent = it stays. */
  readonly idleMs?: number;
  /** Another thread joins those that work when jobs have waited so long, since each is slow until it has been compiled; absent = at once. */
  readonly patienceMs?: number;
}

/** The thread that was at a job is gone. */
export class ThreadLost extends Error {
  constructor(readonly why: 'fault' | 'memory' | 'time') {
    super(REASONS[why]);
  }
}

const REASONS = { time: 'it takes too long', memory: 'it takes too much memory', fault: 'its thread has failed' } as const;

/** Too much waits already. */
export class ThreadsBusy extends Error {}

export interface Load {
  /** In which the time of the job is measured. */
  readonly clock: Pick<Clock, 'after'>;
  /** How much of what may wait it is. */
  readonly weight: number;
  /** Whose job it is. */
  readonly flow?: string;
  readonly moved?: readonly Moved[];
}

interface Waiting<J, A> extends Load {
  readonly job: J;
  readonly resolve: (answer: A) => void;
  readonly reject: (error: Error) => void;
}

interface Member<J, A> {
  readonly thread: Thread<J, A>;
  /** What it works at. */
  at: Waiting<J, A> | undefined;
  timer: Timer | undefined;
}

export class ThreadPool<J, A> {
  private readonly members = new Set<Member<J, A>>();
  /** By flow; the one that is asked next stands first. */
  private readonly lines = new Map<string, Waiting<J, A>[]>();
  private weight = 0;
  /** Ends the patience of the jobs that wait. */
  private reinforcing: Timer | undefined;

  constructor(
    private readonly start: () => Thread<J, A>,
    private readonly limits: ThreadLimits,
  ) {}

  /** Somebody is about to ask for as much as so many threads can do. */
  warm(clock: Pick<Clock, 'after'>, threads: number): void {
    while (this.members.size < threads) {
      const member = this.join();
      if (member === undefined) return;
      this.idle(member, clock);
    }
  }

  /** Rejects with {@link ThreadsBusy} or {@link ThreadLost}. */
  run(job: J, load: Load): Promise<A> {
    return new Promise((resolve, reject) => {
      if (this.weight + load.weight > this.limits.waiting) return reject(new ThreadsBusy('too much waits for a thread'));
      this.weight += load.weight;
      const waiting: Waiting<J, A> = { ...load, job, resolve, reject };
      const { flow = '' } = load;
      const line = this.lines.get(flow);
      if (line === undefined) this.lines.set(flow, [waiting]);
      else line.push(waiting);
      this.assign();
    });
  }

  private assign(): void {
    while (this.lines.size > 0) {
      const member = [...this.members].find(({ at }) => at === undefined) ?? this.joinInTime();
      const next = member === undefined ? undefined : this.next();
      if (member === undefined || next === undefined) return;
      this.weight -= next.weight;
      member.timer?.cancel();
      member.at = next;
      member.timer = next.clock.after(this.limits.timeMs, () => this.lose(member, 'time'));
      member.thread.ref();
      member.thread.postMessage(next.job, next.moved);
    }
    this.reinforcing?.cancel();
    this.reinforcing = undefined;
  }

  private next(): Waiting<J, A> | undefined {
    for (const [flow, line] of this.lines) {
      this.lines.delete(flow);
      const next = line.shift();
      if (line.length > 0) this.lines.set(flow, line);
      if (next !== undefined) return next;
    }
    return undefined;
  }

  /** Undefined = those that wait have to be patient, or there are as many threads as there may be. */
  private joinInTime(): Member<J, A> | undefined {
    const { patienceMs = 0, threads } = this.limits;
    if (patienceMs === 0 || this.members.size === 0) return this.join();
    const [first] = [...this.lines.values()][0] ?? [];
    if (first === undefined || this.members.size >= threads) return undefined;
    this.reinforcing ??= first.clock.after(patienceMs, () => {
      this.reinforcing = undefined;
      if (this.lines.size > 0 && this.join() !== undefined) this.assign();
    });
    return undefined;
  }

  /** Undefined when there are as many as there may be. */
  private join(): Member<J, A> | undefined {
    if (this.members.size >= this.limits.threads) return undefined;
    const member: Member<J, A> = { thread: this.start(), at: undefined, timer: undefined };
    member.thread.on('message', (answer) => {
      const done = this.release(member);
      done?.resolve(answer);
      this.assign();
      if (member.at === undefined && done !== undefined) this.idle(member, done.clock);
    });
    member.thread.on('error', (error) => this.lose(member, isOutOfMemory(error) ? 'memory' : 'fault'));
    this.members.add(member);
    return member;
  }

  /** The thread ends when no job comes within `idleMs`. */
  private idle(member: Member<J, A>, clock: Pick<Clock, 'after'>): void {
    const { idleMs } = this.limits;
    member.thread.unref();
    if (idleMs !== undefined) member.timer = clock.after(idleMs, () => this.lose(member, 'time'));
  }

  private release(member: Member<J, A>): Waiting<J, A> | undefined {
    const { at } = member;
    member.timer?.cancel();
    member.at = undefined;
    member.thread.unref();
    return at;
  }

  private lose(member: Member<J, A>, why: ThreadLost['why']): void {
    this.members.delete(member);
    this.release(member)?.reject(new ThreadLost(why));
    void member.thread.terminate();
    this.assign();
  }
}

const isOutOfMemory = (error: Error): boolean => 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
