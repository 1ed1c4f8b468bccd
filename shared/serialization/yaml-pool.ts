/**
 * Two threads at most that parse YAML; a bounded number of documents waits for them. What a thread answers becomes a document here, and what it fails at a
 * fault of the document. Knows nothing of YAML.
 */
import { tooManyRequests } from '../api/errors/status';
import type { Clock } from '../runtime/clock';
import { ThreadLost, ThreadPool, ThreadsBusy, type Thread } from '../scheduling/thread-pool';
import type { JsonValue } from '../values/json';
import { SyntaxFault } from './syntax-fault';
import type { YamlDocument } from './yaml-document';

const LIMITS = {
  threads: 2,
  timeMs: 5000,
  /** Characters: sixteen of the longest documents. */
  waiting: 16 * 3 * 1024 * 1024,
};

/** What a thread answers; `json` = the document's value as a text, which costs the one who receives it a third of what an object does. */
export type ThreadAnswer = { document: YamlDocument } | { json: string; duplicates: string[] } | { fault: string };

const parseText: (text: string) => JsonValue = JSON.parse;

export class YamlPool {
  private readonly pool: ThreadPool<string, ThreadAnswer>;

  constructor(start: () => Thread<string, ThreadAnswer>) {
    this.pool = new ThreadPool(start, LIMITS);
  }

  /** Rejects with SyntaxFault, or with a 429 when too many wait already. */
  async parse(text: string, clock: Clock): Promise<YamlDocument> {
    const answer = await this.answer(text, clock);
    if ('fault' in answer) throw new SyntaxFault(answer.fault);
    return 'json' in answer ? { value: parseText(answer.json), duplicates: answer.duplicates } : answer.document;
  }

  private async answer(text: string, clock: Clock): Promise<ThreadAnswer> {
    try {
      return await this.pool.run(text, { clock, weight: text.length });
    } catch (error) {
      if (error instanceof ThreadsBusy) throw tooManyRequests('too many large YAML documents at once, please try again later', 1);
      throw error instanceof ThreadLost ? new SyntaxFault(`yaml: ${FAULTS[error.why]}`) : error;
    }
  }
}

const FAULTS: Readonly<Record<ThreadLost['why'], string>> = {
  time: 'the document takes too long to parse',
  memory: 'the document takes too much memory to parse',
  fault: 'the document cannot be parsed',
};
