/**
 * Answers that cost time: they count for a while, equal questions that come meanwhile wait for one answer, and only so many questions are under way at a
 * time. Knows neither questions nor answers.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from './clock';
import type { MaybePromise } from './maybe-promise';

export interface ResponseCacheOptions {
  readonly clock: Clock;
  /** Answers that are kept, and what they cost together, as their askers say. */
  readonly maxEntries: number;
  readonly maxBytes: number;
  /** Questions under way. */
  readonly maxConcurrent: number;
}

export interface CacheableResponse<T> {
  readonly response: T;
  /** How long it counts; 0 = it is forgotten at once. */
  readonly ttlMs: number;
  readonly bytes: number;
}

export class ResponseCache<T extends object> {
  private readonly entries: LRUCache<string, { readonly response: T; readonly expiresAt: number; readonly bytes: number }>;
  private readonly inFlight = new Map<string, Promise<T>>();

  constructor(private readonly options: ResponseCacheOptions) {
    this.entries = new LRUCache({ max: options.maxEntries, maxSize: options.maxBytes, sizeCalculation: ({ bytes }) => bytes });
  }

  /** `ask` is called where nothing is known and nobody asks the same; undefined = too many are being asked. */
  getOrFetch(key: string, fetch: () => Promise<CacheableResponse<T>>): MaybePromise<T> | undefined {
    const cached = this.entries.get(key);
    if (cached !== undefined && this.options.clock.monotonic() < cached.expiresAt) return cached.response;
    const running = this.inFlight.get(key);
    if (running !== undefined) return running;
    if (this.inFlight.size >= this.options.maxConcurrent) return undefined;
    const pending = this.fetchAndStore(key, fetch).finally(() => this.inFlight.delete(key));
    this.inFlight.set(key, pending);
    return pending;
  }

  private async fetchAndStore(key: string, fetch: () => Promise<CacheableResponse<T>>): Promise<T> {
    const { response, ttlMs, bytes } = await fetch();
    if (ttlMs > 0) this.entries.set(key, { response, expiresAt: this.options.clock.monotonic() + ttlMs, bytes });
    return response;
  }
}
