/**
 * Two threads at most that parse YAML, one document each at a time; a bounded number of documents waits for them. A document that takes too long loses its
 * thread. Knows nothing of YAML.
 */
import { tooManyRequests } from '../api/errors/status';
import type { Clock, Timer } from '../runtime/clock';
import type { JsonValue } from '../values/json';
import { SyntaxFault } from './syntax-fault';
import type { YamlDocument } from './yaml-document';

const MOST_THREADS = 2;
/** Characters of documents that wait: sixteen of the longest. */
const MOST_WAITING = 16 * 3 * 1024 * 1024;
const TIME_LIMIT_MS = 5000;

/** What a thread answers; `json` = the document's value as a text, which costs the one who receives it a third of what an object does. */
export type ThreadAnswer = { document: YamlDocument } | { json: string; duplicates: string[] } | { fault: string };

/** A thread of node:worker_threads. */
export interface Thread {
  postMessage(text: string): void;
  on(event: 'message', listener: (answer: ThreadAnswer) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  /** Whether the process waits for it. */
  ref(): void;
  unref(): void;
  terminate(): unknown;
}

const parseText: (text: string) => JsonValue = JSON.parse;

interface Job {
  readonly text: string;
  readonly clock: Clock;
  readonly resolve: (document: YamlDocument) => void;
  readonly reject: (error: Error) => void;
}

interface Member {
  readonly thread: Thread;
  /** What it works at. */
  job: Job | undefined;
  timer: Timer | undefined;
}

export class YamlPool {
  private readonly members = new Set<Member>();
  private readonly waiting: Job[] = [];
  /** Characters of their texts. */
  private waitingLength = 0;

  constructor(private readonly start: () => Thread) {}

  /** Rejects with SyntaxFault, or with a 429 when too many wait already. */
  parse(text: string, clock: Clock): Promise<YamlDocument> {
    return new Promise((resolve, reject) => {
      if (this.waitingLength + text.length > MOST_WAITING)
        return reject(tooManyRequests('too many large YAML documents at once, please try again later', 1));
      this.waitingLength += text.length;
      this.waiting.push({ text, clock, resolve, reject });
      this.assign();
    });
  }

  private assign(): void {
    while (this.waiting.length > 0) {
      const member = [...this.members].find(({ job }) => job === undefined) ?? this.join();
      const job = member === undefined ? undefined : this.waiting.shift();
      if (member === undefined || job === undefined) return;
      this.waitingLength -= job.text.length;
      member.job = job;
      member.timer = job.clock.after(TIME_LIMIT_MS, () => this.lose(member, 'the document takes too long to parse'));
      member.thread.ref();
      member.thread.postMessage(job.text);
    }
  }

  /** Undefined when there are as many as there may be. */
  private join(): Member | undefined {
    if (this.members.size >= MOST_THREADS) return undefined;
    const member: Member = { thread: this.start(), job: undefined, timer: undefined };
    member.thread.on('message', (answer) => {
      const job = this.release(member);
      if ('fault' in answer) job?.reject(new SyntaxFault(answer.fault));
      else job?.resolve('json' in answer ? { value: parseText(answer.json), duplicates: answer.duplicates } : answer.document);
      this.assign();
    });
    member.thread.on('error', ({ message }) => this.lose(member, message));
    this.members.add(member);
    return member;
  }

  private release(member: Member): Job | undefined {
    const { job } = member;
    member.timer?.cancel();
    member.job = undefined;
    member.thread.unref();
    return job;
  }

  private lose(member: Member, why: string): void {
    this.members.delete(member);
    this.release(member)?.reject(new SyntaxFault(`yaml: ${why}`));
    void member.thread.terminate();
    this.assign();
  }
}
