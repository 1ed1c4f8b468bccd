/**
 * Parts of documents are made beside the event loop: in two threads at most, which end when nobody has asked for a while. A part that takes too long or too
 * much memory costs its thread and nothing else.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Clock, Timer } from '../../shared/runtime/clock';
import { readDescriptions } from './descriptions';
import { digestsOf, makePart, type DigestJob, type Digests, type MadePart, type PartJob } from './part-job';

export type PartAnswer = { readonly made: MadePart } | { readonly digests: Digests } | { readonly fault: string };

/** Only the built program has it; run from sources (tests) parts are made inline. */
const WORKER_FILE = join(__dirname, 'part-worker.js');
const MOST_THREADS = 2;
const MEMORY_MB = 256;
/** What one part is made of dies young; less would copy most of it twice first. */
const YOUNG_MEMORY_MB = 48;
const TIME_LIMIT_MS = 20_000;
const IDLE_MS = 5_000;

interface Waiting {
  readonly job: DigestJob | PartJob;
  readonly resolve: (answer: PartAnswer) => void;
  readonly reject: (error: Error) => void;
}

interface Member {
  readonly thread: Worker;
  /** What it works at. */
  at: Waiting | undefined;
  timer: Timer | undefined;
}

export class PartThreads {
  private readonly members = new Set<Member>();
  private readonly waiting: Waiting[] = [];
  private readonly hasThreads = existsSync(WORKER_FILE);

  constructor(private readonly clock: Pick<Clock, 'after'>) {}

  /** Somebody is about to ask. */
  warm(): void {
    if (!this.hasThreads) return;
    for (let member = this.join(); member !== undefined; member = this.join()) this.rest(member);
  }

  /** Rejects when the part cannot be made. */
  async make(job: PartJob): Promise<MadePart> {
    if (!this.hasThreads) return makePart(job, readDescriptions());
    const answer = await this.answer(job);
    if ('made' in answer) return answer.made;
    throw unexpected();
  }

  async digests(job: DigestJob): Promise<Digests> {
    if (!this.hasThreads) return digestsOf(job, readDescriptions());
    const answer = await this.answer(job);
    if ('digests' in answer) return answer.digests;
    throw unexpected();
  }

  private answer(job: DigestJob | PartJob): Promise<PartAnswer> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ job, resolve, reject });
      this.assign();
    });
  }

  private assign(): void {
    while (this.waiting.length > 0) {
      const member = [...this.members].find(({ at }) => at === undefined) ?? this.join();
      const next = member === undefined ? undefined : this.waiting.shift();
      if (member === undefined || next === undefined) return;
      member.timer?.cancel();
      member.at = next;
      member.timer = this.clock.after(TIME_LIMIT_MS, () => this.lose(member, 'it takes too long'));
      member.thread.ref();
      member.thread.postMessage(next.job);
    }
  }

  /** Undefined when there are as many as there may be. */
  private join(): Member | undefined {
    if (this.members.size >= MOST_THREADS) return undefined;
    const thread = new Worker(WORKER_FILE, {
      resourceLimits: { maxOldGenerationSizeMb: MEMORY_MB, maxYoungGenerationSizeMb: YOUNG_MEMORY_MB },
    });
    const member: Member = { thread, at: undefined, timer: undefined };
    thread.on('message', (answer: PartAnswer) => {
      const done = this.release(member);
      if ('fault' in answer) done?.reject(new Error(answer.fault));
      else done?.resolve(answer);
      this.assign();
      if (member.at === undefined) this.rest(member);
    });
    thread.on('error', ({ message }) => this.lose(member, message));
    this.members.add(member);
    return member;
  }

  /** It ends when nobody asks. */
  private rest(member: Member): void {
    member.thread.unref();
    member.timer = this.clock.after(IDLE_MS, () => this.lose(member, 'nobody asked'));
  }

  private release(member: Member): Waiting | undefined {
    const { at } = member;
    member.timer?.cancel();
    member.at = undefined;
    member.thread.unref();
    return at;
  }

  private lose(member: Member, why: string): void {
    this.members.delete(member);
    this.release(member)?.reject(new Error(why));
    void member.thread.terminate();
    this.assign();
  }
}

const unexpected = (): Error => new Error('a thread answered something else');
