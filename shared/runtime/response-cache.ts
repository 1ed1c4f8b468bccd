/**
 * Answers that cost time: they count for a while, equal questions that come meanwhile wait for one answer, and only so many questions are under way at a
 * time. Knows neither questions nor answers.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from './clock';
import type { Eventually } from './maybe-promise';

export interface KeptAnswersOptions {
  readonly clock: Clock;
  /** Answers that are kept, and what they cost together, as their askers say. */
  readonly most: number;
  readonly mostBytes: number;
  /** Questions under way. */
  readonly atOnce: number;
}

export interface Answered<T> {
  readonly answer: T;
  /** How long it counts; 0 = it is forgotten at once. */
  readonly keptMs: number;
  readonly bytes: number;
}

export class KeptAnswers<T extends object> {
  private readonly known: LRUCache<string, { readonly answer: T; readonly until: number; readonly bytes: number }>;
  private readonly underWay = new Map<string, Promise<T>>();

  constructor(private readonly options: KeptAnswersOptions) {
    this.known = new LRUCache({ max: options.most, maxSize: options.mostBytes, sizeCalculation: ({ bytes }) => bytes });
  }

  /** `ask` is called where nothing is known and nobody asks the same; undefined = too many are being asked. */
  find(question: string, ask: () => Promise<Answered<T>>): Eventually<T> | undefined {
    const found = this.known.get(question);
    if (found !== undefined && this.options.clock.monotonic() < found.until) return found.answer;
    const running = this.underWay.get(question);
    if (running !== undefined) return running;
    if (this.underWay.size >= this.options.atOnce) return undefined;
    const asked = this.keep(question, ask).finally(() => this.underWay.delete(question));
    this.underWay.set(question, asked);
    return asked;
  }

  private async keep(question: string, ask: () => Promise<Answered<T>>): Promise<T> {
    const { answer, keptMs, bytes } = await ask();
    if (keptMs > 0) this.known.set(question, { answer, until: this.options.clock.monotonic() + keptMs, bytes });
    return answer;
  }
}
