/**
 * Parses YAML documents in up to two worker threads, with a time limit and a bounded queue. A document that exceeds the
 * limits of a thread is rejected with a ParseError. Parsing is in yaml-worker.ts.
 */
import { tooManyRequests } from '../../api/errors/status';
import type { Clock } from '../../runtime/clock';
import { ThreadLost, ThreadPool, ThreadPoolFull, type WorkerThread } from '../../scheduling/thread-pool';
import type { JsonValue } from '../../values/json';
import { ParseError } from '../json/parse-error';
import type { YamlDocument } from './yaml-document';

const LIMITS = {
  threads: 2,
  jobTimeoutMs: 5000,
  /** In characters: sixteen documents of 3 MiB, the limit of a request body. */
  maxWaitingWeight: 16 * 3 * 1024 * 1024,
};

/**
 * The result of a worker thread. `json` is the value of the document as JSON text: receiving and parsing it costs a
 * third of receiving an object.
 */
export type YamlWorkerResult = { document: YamlDocument } | { json: string; duplicates: string[] } | { error: string };

const parseText: (text: string) => JsonValue = JSON.parse;

const ERRORS: Readonly<Record<ThreadLost['reason'], string>> = {
  time: 'the document takes too long to parse',
  memory: 'the document takes too much memory to parse',
  error: 'the document cannot be parsed',
};

/** One per process. Threads are started on demand. */
export class YamlPool {
  private readonly pool: ThreadPool<string, YamlWorkerResult>;

  constructor(start: () => WorkerThread<string, YamlWorkerResult>) {
    this.pool = new ThreadPool(start, LIMITS);
  }

  /** Rejects with ParseError, or with a StatusError 429 when the queue is full. */
  async parse(text: string, clock: Clock): Promise<YamlDocument> {
    const result = await this.runInWorker(text, clock);
    if ('error' in result) throw new ParseError(result.error);
    return 'json' in result ? { value: parseText(result.json), duplicates: result.duplicates } : result.document;
  }

  private async runInWorker(text: string, clock: Clock): Promise<YamlWorkerResult> {
    try {
      return await this.pool.run(text, { clock, weight: text.length });
    } catch (error) {
      if (error instanceof ThreadPoolFull) throw tooManyRequests('too many large YAML documents at once, please try again later', 1);
      throw error instanceof ThreadLost ? new ParseError(`yaml: ${ERRORS[error.reason]}`) : error;
    }
  }
}
