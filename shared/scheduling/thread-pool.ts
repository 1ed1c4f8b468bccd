/**
 * A pool of worker threads for computations that are too long for the event loop. Each thread runs one job at a time;
 * waiting jobs are dequeued from each flow in turn. A job that takes too long, or too
 * much memory, terminates its thread and fails alone.
 */
import type { MessagePort } from 'node:worker_threads';
import type { Clock, Timer } from '../runtime/clock';
import { FairQueue } from './fair-queue';

/** Moved to the other thread without a copy, and no longer usable in this one. */
export type TransferItem = ArrayBuffer | MessagePort;

/** The part of a Worker of node:worker_threads that the pool uses. `J` is the message of a job, `R` its response. */
export interface WorkerThread<J, R> {
  postMessage(job: J, transferList?: readonly TransferItem[]): void;
  on(event: 'message', listener: (response: R) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** With `ref` the thread keeps the process alive, with `unref` it does not. */
  ref(): void;
  unref(): void;
  terminate(): unknown;
}

/** The size of a pool, and what its jobs may use. */
export interface ThreadPoolLimits {
  readonly threads: number;
  readonly jobTimeoutMs: number;
  /** Bounds the sum of the weights of all waiting jobs. A heavier job is rejected even when a thread is free. */
  readonly maxWaitingWeight: number;
  /** A thread without a job is terminated after this time; absent: never. */
  readonly idleTimeoutMs?: number;
  /**
   * A thread beyond the first is started only after jobs have waited for this time, because a new thread is slow until
   * its code is compiled; absent: at once.
   */
  readonly scaleUpDelayMs?: number;
}

const MESSAGES = { time: 'it takes too long', memory: 'it takes too much memory', error: 'its worker thread failed' } as const;

/** The thread of a job has failed or was terminated. */
export class ThreadLost extends Error {
  constructor(readonly reason: 'error' | 'memory' | 'time') {
    super(MESSAGES[reason]);
  }
}

/** With this job the weight of the waiting jobs would exceed its limit. */
export class ThreadPoolFull extends Error {}

/** How one job is queued and timed. */
export interface JobOptions {
  /** Measures the timeout of the job. */
  readonly clock: Pick<Clock, 'after'>;
  /** Counts towards {@link ThreadPoolLimits.maxWaitingWeight} while the job waits. */
  readonly weight: number;
  /** The key of fair queueing: a user, for example. Jobs without a flow share one. */
  readonly flow?: string;
  readonly transferList?: readonly TransferItem[];
}

interface Job<J, R> extends JobOptions {
  readonly message: J;
  readonly resolve: (response: R) => void;
  readonly reject: (error: Error) => void;
}

interface PoolMember<J, R> {
  readonly thread: WorkerThread<J, R>;
  /** The job in progress. */
  job: Job<J, R> | undefined;
  /** Ends the thread: at the timeout of the job or, without a job, of its idleness. */
  timer: Timer | undefined;
}

/** `startThread` is called for each thread when it is needed; a thread that was lost is replaced for the next job. */
export class ThreadPool<J, R> {
  private readonly members = new Set<PoolMember<J, R>>();
  private readonly waiting = new FairQueue<Job<J, R>>();
  private waitingWeight = 0;
  /** Starts another thread when jobs have waited for `scaleUpDelayMs`. */
  private scaleUpTimer: Timer | undefined;

  constructor(
    private readonly startThread: () => WorkerThread<J, R>,
    private readonly limits: ThreadPoolLimits,
  ) {}

  /** Starts threads, up to the given number, ahead of jobs that are expected. */
  prestart(clock: Pick<Clock, 'after'>, threads: number): void {
    while (this.members.size < threads) {
      const member = this.addMember();
      if (member === undefined) return;
      this.startIdleTimeout(member, clock);
    }
  }

  /** Rejects with {@link ThreadPoolFull} or {@link ThreadLost}. */
  run(message: J, options: JobOptions): Promise<R> {
    return new Promise((resolve, reject) => {
      if (this.waitingWeight + options.weight > this.limits.maxWaitingWeight)
        return reject(new ThreadPoolFull('too many bytes wait for a worker thread'));
      this.waitingWeight += options.weight;
      const job: Job<J, R> = { message, resolve, reject, ...options };
      this.waiting.add(options.flow ?? '', job);
      this.assignJobs();
    });
  }

  /** Gives waiting jobs to idle and new threads, as long as there are both. */
  private assignJobs(): void {
    while (this.waiting.size > 0) {
      const member = [...this.members].find(({ job }) => job === undefined) ?? this.addMemberWhenDue();
      const next = member === undefined ? undefined : this.waiting.dequeue();
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

  /** `undefined` when the jobs have not waited long enough, or the pool has reached its size. */
  private addMemberWhenDue(): PoolMember<J, R> | undefined {
    const { scaleUpDelayMs = 0, threads } = this.limits;
    if (scaleUpDelayMs === 0 || this.members.size === 0) return this.addMember();
    // Any waiting job will do: it has the clock.
    const first = this.waiting.peek();
    if (first === undefined || this.members.size >= threads) return undefined;
    this.scaleUpTimer ??= first.clock.after(scaleUpDelayMs, () => {
      this.scaleUpTimer = undefined;
      if (this.waiting.size > 0 && this.addMember() !== undefined) this.assignJobs();
    });
    return undefined;
  }

  /** `undefined` when the pool has reached its size. */
  private addMember(): PoolMember<J, R> | undefined {
    if (this.members.size >= this.limits.threads) return undefined;
    const member: PoolMember<J, R> = { thread: this.startThread(), job: undefined, timer: undefined };
    member.thread.on('message', (response) => {
      const done = this.release(member);
      done?.resolve(response);
      this.assignJobs();
      if (member.job === undefined && done !== undefined) this.startIdleTimeout(member, done.clock);
    });
    member.thread.on('error', (error) => this.removeMember(member, isOutOfMemory(error) ? 'memory' : 'error'));
    this.members.add(member);
    return member;
  }

  /** Terminates the thread when it gets no job within `idleTimeoutMs`; the reason of the removal is for jobs only. */
  private startIdleTimeout(member: PoolMember<J, R>, clock: Pick<Clock, 'after'>): void {
    const { idleTimeoutMs } = this.limits;
    member.thread.unref();
    if (idleTimeoutMs !== undefined) member.timer = clock.after(idleTimeoutMs, () => this.removeMember(member, 'time'));
  }

  /** Makes the thread idle. Returns the job that it had. */
  private release(member: PoolMember<J, R>): Job<J, R> | undefined {
    const { job } = member;
    member.timer?.cancel();
    member.job = undefined;
    member.thread.unref();
    return job;
  }

  private removeMember(member: PoolMember<J, R>, reason: ThreadLost['reason']): void {
    this.members.delete(member);
    this.release(member)?.reject(new ThreadLost(reason));
    void member.thread.terminate();
    this.assignJobs();
  }
}

const isOutOfMemory = (error: Error): boolean => 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
