/**
 * The worker threads for offloaded writes, two at most, which end when nobody has asked for a while. Each user's writes have their turn. One that takes too
 * long or too much memory costs its thread and is refused.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { requestTooLarge, timeout, tooManyRequests } from '../../../shared/api/errors/status';
import type { Clock } from '../../../shared/runtime/clock';
import type { Entry, StoredType } from '../../cache/cache';
import type { Kept } from '../../endpoints/representation/encoding-cache';
import type { EncoderForm, Showing, ShownHeavy } from '../../endpoints/representation/showing';
import type {
  OffloadedWrite,
  OffloadResult,
  OffloadThreads,
  StepQuestion,
  RemoteSteps,
} from '../../registry/write/executor/offload/messages';
import { hasManyValues, OFFLOAD_LIMITS } from '../../registry/write/executor/offload/rule';
import { bufferOf, bytesOf, sentEntry, sentResource } from '../../registry/write/executor/offload/transfer';
import { movable, startThread } from '../../../shared/scheduling/thread';
import { ThreadLost, ThreadPool, ThreadsBusy, type Moved, type Thread } from '../../../shared/scheduling/thread-pool';
import type { WriteAnswer, WriteJob, WriteSetting } from './worker-messages';

/** Only the built program has it; run from sources (tests) no write is offloaded. */
const WORKER_FILE = join(__dirname, 'write-worker.js');
const MEMORY_MB = 512;
const LIMITS = {
  threads: 2,
  timeMs: 20_000,
  /** Each holds some 40 MB; whoever comes later waits a little longer, until its code has been compiled again. */
  idleMs: 8_000,
  patienceMs: 100,
  /** Bytes of bodies and stored objects. */
  waiting: 48 * 1024 * 1024,
};

/** Whoever is shown an object need not know where others of its kind are stored. */
const NOWHERE: StoredType = { name: '', segment: '', namespaced: false };

export class WriteThreads implements OffloadThreads, Showing {
  readonly limits = OFFLOAD_LIMITS;
  private readonly pool: ThreadPool<WriteJob, WriteAnswer>;

  constructor(
    private readonly clock: Pick<Clock, 'after'>,
    private readonly setting: WriteSetting,
    start: () => Thread<WriteJob, WriteAnswer>,
  ) {
    this.pool = new ThreadPool(start, LIMITS);
  }

  /** The questions of the worker come through a channel of their own. */
  async run(write: OffloadedWrite, remote: RemoteSteps): Promise<OffloadResult> {
    const { port1: questions, port2: server } = new MessageChannel();
    questions.on('message', (question: StepQuestion) => {
      void remote.ask(question).then((answer) => questions.postMessage(answer));
    });
    try {
      const answer = await this.answer({ ...write, server }, bytesOf(write.what)?.length ?? 0);
      if ('result' in answer) return answer.result;
      throw unexpected(answer);
    } finally {
      questions.close();
    }
  }

  isHeavy(bytes: Uint8Array): boolean {
    return hasManyValues(bytes, this.limits);
  }

  async show({ row, ...form }: EncoderForm, entry: Entry, as: 'item' | 'object'): Promise<ShownHeavy> {
    const resource = sentResource({ row, stored: NOWHERE });
    const answer = await this.answer({ type: 'show', ...form, resource, entry: sentEntry(entry), as }, 0);
    if (!('shown' in answer)) throw unexpected(answer);
    const { shown } = answer;
    if ('body' in shown) return { body: bufferOf(shown.body) };
    return {
      kept: new Map([...shown.kept].map(([key, { bytes, ...cells }]): [string, Kept] => [key, { ...cells, bytes: bufferOf(bytes) }])),
    };
  }

  /** `sent` = bytes. */
  private async answer(work: WriteJob['work'], sent: number): Promise<WriteAnswer> {
    const weight = sent + (work.entry?.bytes.length ?? 0);
    try {
      return await this.pool.run(
        { setting: this.setting, work },
        { clock: this.clock, weight, flow: work.type === 'show' ? '' : work.user.name, moved: movedWith(work) },
      );
    } catch (error) {
      if (error instanceof ThreadsBusy) throw tooManyRequests('too many large objects at once, please try again later', 1);
      if (error instanceof ThreadLost && error.why === 'memory') throw requestTooLarge('the object takes too much memory');
      if (error instanceof ThreadLost && error.why === 'time') throw timeout('the object takes too long to be worked out');
      throw error;
    }
  }
}

/** Copies, made for this. */
function movedWith(work: WriteJob['work']): readonly Moved[] {
  const { resource, entry } = work;
  const schemas = resource.type === 'custom' ? resource.versions.map(({ schema }) => schema) : [];
  if (work.type === 'show') return movable([entry?.bytes, ...schemas]);
  return [...movable([entry?.bytes, bytesOf(work.what), ...schemas]), work.server];
}

const unexpected = (answer: WriteAnswer): Error => new Error('fault' in answer ? answer.fault : 'a thread answered something else');

/** Undefined where there is no built program. */
export function openWriteThreads(clock: Pick<Clock, 'after'>, setting: WriteSetting): WriteThreads | undefined {
  if (!existsSync(WORKER_FILE)) return undefined;
  return new WriteThreads(clock, setting, () => startThread(WORKER_FILE, MEMORY_MB));
}
