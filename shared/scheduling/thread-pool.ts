/**
 * A pool of worker threads for computations that are too long for the event loop, one job at a time each. Waiting jobs are run for each flow in turn, as
 * event-loop-scheduler.ts admits requests. A job that takes too long, or too much memory, ends its thread and no other. Knows nothing of what the jobs are.
 */
import type { MessagePort } from 'node:worker_threads';
import type { Clock, Timer } from '../runtime/clock';

/** What goes to another thread as it is, without a copy: here it is gone. */
export type TransferItem = ArrayBuffer | MessagePort;

/** A thread of node:worker_threads. */
export interface WorkerThread<J, A> {
  postMessage(job: J, transferList?: readonly TransferItem[]): void;
  on(event: 'message', listener: (answer: A) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Whether the process waits for it. */
  ref(): void;
  unref(): void;
  terminate(): unknown;
}

export interface ThreadPoolLimits {
  readonly threads: number;
  /** Of one job. */
  readonly jobTimeoutMs: number;
  /** Of all jobs that wait. */
  readonly maxWaitingWeight: number;
  /** A thread that nobody asks for so long ends; absent = it stays. */
  readonly idleTimeoutMs?: number;
  /** Another thread joins those that work when jobs have waited so long, since each is slow until it has been compiled; absent = at once. */
  readonly scaleUpDelayMs?: number;
}

/** The thread that was at a job is gone. */
export class ThreadLost extends Error {
  constructor(readonly reason: 'fault' | 'memory' | 'time') {
    super(MESSAGES[reason]);
  }
}

const MESSAGES = { time: 'it takes too long', memory: 'it takes too much memory', fault: 'its thread has failed' } as const;

/** Too much waits already. */
export class ThreadPoolFull extends Error {}

export interface JobOptions {
  /** In which the time of the job is measured. */
  readonly clock: Pick<Clock, 'after'>;
  /** How much of what may wait it is. */
  readonly weight: number;
  /** Whose job it is. */
  readonly flow?: string;
  readonly transferList?: readonly TransferItem[];
}

interface Job<J, A> extends JobOptions {
  readonly message: J;
  readonly resolve: (answer: A) => void;
  readonly reject: (error: Error) => void;
}

interface PoolMember<J, A> {
  readonly thread: WorkerThread<J, A>;
  /** What it works at. */
  job: Job<J, A> | undefined;
  timer: Timer | undefined;
}

export class ThreadPool<J, A> {
  private readonly members = new Set<PoolMember<J, A>>();
  /** By flow; the one that is asked next stands first. */
  private readonly queues = new Map<string, Job<J, A>[]>();
  private waitingWeight = 0;
  /** Ends the patience of the jobs that wait. */
  private scaleUpTimer: Timer | undefined;

  constructor(
    private readonly startThread: () => WorkerThread<J, A>,
    private readonly limits: ThreadPoolLimits,
  ) {}

  /** Somebody is about to ask for as much as so many threads can do. */
  prestart(clock: Pick<Clock, 'after'>, threads: number): void {
    while (this.members.size < threads) {
      const member = this.addMember();
      if (member === undefined) return;
      this.startIdleTimeout(member, clock);
    }
  }

  /** Rejects with {@link ThreadPoolFull} or {@link ThreadLost}. */
  run(message: J, options: JobOptions): Promise<A> {
    return new Promise((resolve, reject) => {
      if (this.waitingWeight + options.weight > this.limits.maxWaitingWeight)
        return reject(new ThreadPoolFull('too much waits for a thread'));
      this.waitingWeight += options.weight;
      const job: Job<J, A> = { ...options, message, resolve, reject };
      const { flow = '' } = options;
      const queue = this.queues.get(flow);
      if (queue === undefined) this.queues.set(flow, [job]);
      else queue.push(job);
      this.assignJobs();
    });
  }

  private assignJobs(): void {
    while (this.queues.size > 0) {
      const member = [...this.members].find(({ job }) => job === undefined) ?? this.addMemberWhenDue();
      const next = member === undefined ? undefined : this.dequeue();
      if (member === undefined || next === undefined) return;
      this.waitingWeight -= next.weight;
      member.timer?.cancel();
      member.job = next;
      member.timer = next.clock.after(this.limits.jobTimeoutMs, () => this.removeMember(member, 'time'));
      member.thread.ref();
      member.thread.postMessage(next.message, next.transferList);
    }
    this.scaleUpTimer?.cancel();
    this.scaleUpTimer = undefined;
  }

  private dequeue(): Job<J, A> | undefined {
    for (const [flow, queue] of this.queues) {
      this.queues.delete(flow);
      const next = queue.shift();
      if (queue.length > 0) this.queues.set(flow, queue);
      if (next !== undefined) return next;
    }
    return undefined;
  }

  /** Undefined = those that wait have to be patient, or there are as many threads as there may be. */
  private addMemberWhenDue(): PoolMember<J, A> | undefined {
    const { scaleUpDelayMs = 0, threads } = this.limits;
    if (scaleUpDelayMs === 0 || this.members.size === 0) return this.addMember();
    const [first] = [...this.queues.values()][0] ?? [];
    if (first === undefined || this.members.size >= threads) return undefined;
    this.scaleUpTimer ??= first.clock.after(scaleUpDelayMs, () => {
      this.scaleUpTimer = undefined;
      if (this.queues.size > 0 && this.addMember() !== undefined) this.assignJobs();
    });
    return undefined;
  }

  /** Undefined when there are as many as there may be. */
  private addMember(): PoolMember<J, A> | undefined {
    if (this.members.size >= this.limits.threads) return undefined;
    const member: PoolMember<J, A> = { thread: this.startThread(), job: undefined, timer: undefined };
    member.thread.on('message', (answer) => {
      const done = this.release(member);
      done?.resolve(answer);
      this.assignJobs();
      if (member.job === undefined && done !== undefined) this.startIdleTimeout(member, done.clock);
    });
    member.thread.on('error', (error) => this.removeMember(member, isOutOfMemory(error) ? 'memory' : 'fault'));
    this.members.add(member);
    return member;
  }

  /** The thread ends when no job comes within `idleMs`. */
  private startIdleTimeout(member: PoolMember<J, A>, clock: Pick<Clock, 'after'>): void {
    const { idleTimeoutMs } = this.limits;
    member.thread.unref();
    if (idleTimeoutMs !== undefined) member.timer = clock.after(idleTimeoutMs, () => this.removeMember(member, 'time'));
  }

  private release(member: PoolMember<J, A>): Job<J, A> | undefined {
    const { job } = member;
    member.timer?.cancel();
    member.job = undefined;
    member.thread.unref();
    return job;
  }

  private removeMember(member: PoolMember<J, A>, reason: ThreadLost['reason']): void {
    this.members.delete(member);
    this.release(member)?.reject(new ThreadLost(reason));
    void member.thread.terminate();
    this.assignJobs();
  }
}

const isOutOfMemory = (error: Error): boolean => 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
