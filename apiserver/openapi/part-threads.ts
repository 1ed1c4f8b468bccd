/**
 * Parts of documents are made beside the event loop: in a thread, or two where there is much to do, which end when nobody has asked for a while. A part that takes
 * too long or too much memory costs its thread and nothing else.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../shared/runtime/clock';
import { transferableBuffers, startThread } from '../../shared/scheduling/worker-thread';
import { ThreadPool } from '../../shared/scheduling/thread-pool';
import { readDescriptions } from './descriptions';
import { PartMaker, type DigestJob, type Digests, type MadePart, type PartJob, type RemoteJob, type RemoteParts } from './part-job';

/** What a thread is asked. */
export type ThreadJob = DigestJob | PartJob | RemoteJob;

export type PartAnswer =
  | { readonly made: MadePart }
  | { readonly remote: RemoteParts }
  | { readonly digests: Digests }
  | { readonly fault: string };

/** Only the built program has it; run from sources (tests) parts are made inline. */
const WORKER_FILE = join(__dirname, 'part-worker.js');
const MEMORY_MB = 256;
const THREADS = 2;
const LIMITS = { threads: THREADS, jobTimeoutMs: 20_000, idleTimeoutMs: 5_000, scaleUpDelayMs: 300, maxWaitingWeight: Infinity };

export class PartThreads {
  private readonly pool = new ThreadPool<ThreadJob, PartAnswer>(() => startThread(WORKER_FILE, MEMORY_MB), LIMITS);
  private readonly hasThreads = existsSync(WORKER_FILE);
  private inline: PartMaker | undefined;

  constructor(private readonly clock: Pick<Clock, 'after'>) {}

  /** Somebody is about to ask, for a part or for all of them. */
  warm(forWhat: 'some' | 'all'): void {
    if (this.hasThreads) this.pool.prestart(this.clock, forWhat === 'all' ? THREADS : 1);
  }

  /** Rejects when the part cannot be made. */
  async make(job: PartJob): Promise<MadePart> {
    if (!this.hasThreads) return this.maker.make(job);
    const answer = await this.answer(job, job.type === 'custom' ? transferableBuffers([job.schema]) : []);
    if ('made' in answer) return answer.made;
    throw unexpected();
  }

  async digests(job: DigestJob): Promise<Digests> {
    if (!this.hasThreads) return this.maker.digests(job);
    const answer = await this.answer(job);
    if ('digests' in answer) return answer.digests;
    throw unexpected();
  }

  async remote(job: RemoteJob): Promise<RemoteParts> {
    if (!this.hasThreads) return this.maker.remote(job);
    const answer = await this.answer(job);
    if ('remote' in answer) return answer.remote;
    throw unexpected();
  }

  /** Without threads. */
  private get maker(): PartMaker {
    return (this.inline ??= new PartMaker(readDescriptions()));
  }

  private async answer(job: ThreadJob, transferList: readonly ArrayBuffer[] = []): Promise<PartAnswer> {
    const answer = await this.pool.run(job, { clock: this.clock, weight: 1, transferList });
    if ('fault' in answer) throw new Error(answer.fault);
    return answer;
  }
}

const unexpected = (): Error => new Error('a thread answered something else');
