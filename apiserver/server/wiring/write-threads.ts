/**
 * The pool of worker threads for offloaded writes and encodings: at most two, which end when idle. Writes are
 * scheduled fairly by user. A job that exceeds its time or memory ends its thread, and its request is refused.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { requestTooLarge, timeout, tooManyRequests } from '../../../shared/api/errors/status';
import type { Clock } from '../../../shared/runtime/clock';
import type { Entry, StoredType } from '../../cache/cache';
import type { CachedEncoding } from '../../endpoints/representation/encoding-cache';
import type { EncoderForm, EncodingOffload, OffloadedEncoding } from '../../endpoints/representation/encoding-offload';
import type { OffloadedWrite, OffloadResult, OffloadThreads, StepCall, ServerSteps } from '../../registry/write/executor/offload/messages';
import { hasManyValues, OFFLOAD_LIMITS } from '../../registry/write/executor/offload/should-offload';
import { toBuffer, payloadBytes, transferEntry, transferResource } from '../../registry/write/executor/offload/transfer';
import { transferableBuffers, startThread } from '../../../shared/scheduling/worker-thread';
import { ThreadLost, ThreadPool, ThreadPoolFull, type TransferItem, type WorkerThread } from '../../../shared/scheduling/thread-pool';
import type { WorkerResult, WorkerJob, WorkerSettings } from './worker-messages';

/** Exists in the built program only; when run from sources (tests) nothing is offloaded. */
const WORKER_FILE = join(__dirname, 'write-worker.js');
/** Heap limit of a worker thread, which processes one write at a time. */
const MEMORY_MB = 512;
const LIMITS = {
  threads: 2,
  jobTimeoutMs: 20_000,
  /** Short, because an idle thread holds some 40 MB. A job that needs a new thread waits until it has compiled its code. */
  idleTimeoutMs: 8_000,
  /** How long a job waits for a busy thread before a second one is started. */
  scaleUpDelayMs: 100,
  /** Bytes of the request bodies and stored objects of all waiting jobs. */
  maxWaitingWeight: 48 * 1024 * 1024,
};

/** Sent with an object that is only encoded, because an encoding does not depend on where the object is stored. */
const NO_STORED_TYPE: StoredType = { name: '', segment: '', namespaced: false };

/** The threads of a server for writes that would block it. */
export class WriteThreads implements OffloadThreads, EncodingOffload {
  readonly limits = OFFLOAD_LIMITS;
  private readonly pool: ThreadPool<WorkerJob, WorkerResult>;

  constructor(
    private readonly clock: Pick<Clock, 'after'>,
    private readonly settings: WorkerSettings,
    start: () => WorkerThread<WorkerJob, WorkerResult>,
  ) {
    this.pool = new ThreadPool(start, LIMITS);
  }

  /** Runs a write in a worker thread. Its calls of steps in this thread use a message channel of their own. */
  async run(write: OffloadedWrite, remote: ServerSteps): Promise<OffloadResult> {
    const { port1: stepCalls, port2: server } = new MessageChannel();
    stepCalls.on('message', (call: StepCall) => {
      void remote.callStep(call).then((reply) => stepCalls.postMessage(reply));
    });
    try {
      const result = await this.runJob({ ...write, server }, payloadBytes(write.payload)?.length ?? 0);
      if ('result' in result) return result.result;
      throw unexpectedResult(result);
    } finally {
      stepCalls.close();
    }
  }

  /**
   * Whether a stored object, or the part of it that is parsed, has so many values that parsing it would block the
   * server.
   */
  needsOffload(bytes: Uint8Array): boolean {
    return hasManyValues(bytes, this.limits);
  }

  /** Encodes an object in a worker thread. */
  async encode({ row, ...form }: EncoderForm, entry: Entry, as: 'item' | 'object'): Promise<OffloadedEncoding> {
    const resource = transferResource({ row, stored: NO_STORED_TYPE });
    const result = await this.runJob({ type: 'encode', ...form, resource, entry: transferEntry(entry), as }, 0);
    if (!('encoding' in result)) throw unexpectedResult(result);
    const { encoding } = result;
    if ('body' in encoding) return { body: toBuffer(encoding.body) };
    return {
      encodings: new Map(
        [...encoding.encodings].map(([key, { bytes, ...cells }]): [string, CachedEncoding] => [key, { ...cells, bytes: toBuffer(bytes) }]),
      ),
    };
  }

  /** `sentBytes`: the length of the request body. */
  private async runJob(task: WorkerJob['task'], sentBytes: number): Promise<WorkerResult> {
    const weight = sentBytes + (task.entry?.bytes.length ?? 0);
    try {
      return await this.pool.run(
        { settings: this.settings, task },
        { clock: this.clock, weight, flow: task.type === 'encode' ? '' : task.user.name, transferList: transferList(task) },
      );
    } catch (error) {
      if (error instanceof ThreadPoolFull) throw tooManyRequests('too many large objects at once, please try again later', 1);
      if (error instanceof ThreadLost && error.reason === 'memory') throw requestTooLarge('the object takes too much memory');
      if (error instanceof ThreadLost && error.reason === 'time') throw timeout('processing the object takes too long');
      throw error;
    }
  }
}

/** The buffers that are transferred instead of copied; they were made for this job. */
function transferList(task: WorkerJob['task']): readonly TransferItem[] {
  const { resource, entry } = task;
  const schemas = resource.type === 'custom' ? resource.versions.map(({ schema }) => schema) : [];
  if (task.type === 'encode') return transferableBuffers([entry?.bytes, ...schemas]);
  return [...transferableBuffers([entry?.bytes, payloadBytes(task.payload), ...schemas]), task.server];
}

const unexpectedResult = (result: WorkerResult): Error =>
  new Error('error' in result ? result.error : 'a worker thread returned an unexpected response');

/** Opens the pool; threads start with the first job. `undefined` when there is no built program. */
export function openWriteThreads(clock: Pick<Clock, 'after'>, settings: WorkerSettings): WriteThreads | undefined {
  if (!existsSync(WORKER_FILE)) return undefined;
  return new WriteThreads(clock, settings, () => startThread(WORKER_FILE, MEMORY_MB));
}
