/**
 * Builds parts of documents in worker threads: one, or two under load, which end when idle. A part that exceeds its
 * time or memory limit terminates its thread and fails alone.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../../shared/runtime/clock';
import { transferableBuffers, startThread } from '../../../shared/scheduling/worker-thread';
import { ThreadPool } from '../../../shared/scheduling/thread-pool';
import { readDescriptions } from '../documents/descriptions';
import { PartBuilder, type DigestJob, type Digests, type BuiltPart, type PartJob, type RemoteJob, type RemoteParts } from './part-job';

/** A job for a thread. */
export type ThreadJob = DigestJob | PartJob | RemoteJob;

/** The response of a thread; its form depends on the type of the job, except for an error. */
export type PartResponse =
  | { readonly built: BuiltPart }
  | { readonly remote: RemoteParts }
  | { readonly digests: Digests }
  | { readonly error: string };

/** Exists only in the built program; when run from sources (tests), parts are built inline. */
const WORKER_FILE = join(__dirname, 'part-worker.js');
/** Heap limit of a thread, which holds one document at a time. */
const MEMORY_MB = 256;
/** Maximum number of threads; `warm('all')` starts as many. */
const THREADS = 2;
const LIMITS = { threads: THREADS, jobTimeoutMs: 20_000, idleTimeoutMs: 5_000, scaleUpDelayMs: 300, maxWaitingWeight: Infinity };

/** Starts threads on demand; without the built worker, builds inline. */
export class PartThreads {
  private readonly pool = new ThreadPool<ThreadJob, PartResponse>(() => startThread(WORKER_FILE, MEMORY_MB), LIMITS);
  private readonly hasThreads = existsSync(WORKER_FILE);
  private inline: PartBuilder | undefined;

  constructor(private readonly clock: Pick<Clock, 'after'>) {}

  /** Starts threads ahead of jobs, for one part or for all of them. */
  warm(scale: 'some' | 'all'): void {
    if (this.hasThreads) this.pool.prestart(this.clock, scale === 'all' ? THREADS : 1);
  }

  /** Executes a job. Like the other methods, rejects when the job fails or exceeds a limit. */
  async build(job: PartJob): Promise<BuiltPart> {
    if (!this.hasThreads) return this.builder.build(job);
    const response = await this.run(job, job.type === 'custom' ? transferableBuffers([job.schema]) : []);
    if ('built' in response) return response.built;
    throw unexpectedResponse();
  }

  /** Computes the digests of a job. */
  async digests(job: DigestJob): Promise<Digests> {
    if (!this.hasThreads) return this.builder.digests(job);
    const response = await this.run(job);
    if ('digests' in response) return response.digests;
    throw unexpectedResponse();
  }

  /** Builds the parts of aggregated API servers. */
  async remote(job: RemoteJob): Promise<RemoteParts> {
    if (!this.hasThreads) return this.builder.remote(job);
    const response = await this.run(job);
    if ('remote' in response) return response.remote;
    throw unexpectedResponse();
  }

  /** Executes the jobs when there are no threads. */
  private get builder(): PartBuilder {
    return (this.inline ??= new PartBuilder(readDescriptions()));
  }

  private async run(job: ThreadJob, transferList: readonly ArrayBuffer[] = []): Promise<PartResponse> {
    const response = await this.pool.run(job, { clock: this.clock, weight: 1, transferList });
    if ('error' in response) throw new Error(response.error);
    return response;
  }
}

const unexpectedResponse = (): Error => new Error('a worker thread returned an unexpected response');
