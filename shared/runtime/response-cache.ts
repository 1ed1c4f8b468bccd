/**
 * Caches responses of remote calls by key, each with its own TTL. Concurrent calls with the same key share one request,
 * and the number of requests in flight is bounded.
 */
import { LRUCache } from 'lru-cache';
import type { Clock } from './clock';
import type { MaybePromise } from './maybe-promise';

/** The bounds of a cache. The least recently used responses are dropped first. */
export interface ResponseCacheOptions {
  readonly clock: Clock;
  readonly maxEntries: number;
  readonly maxBytes: number;
  /** Requests in flight. */
  readonly maxConcurrent: number;
}

/** A response of a remote server, and for how long it may be used again. */
export interface CacheableResponse<T> {
  readonly response: T;
  /** 0 for a response that is not cached. */
  readonly ttlMs: number;
  /** The estimate of the caller, which counts towards {@link ResponseCacheOptions.maxBytes}. */
  readonly bytes: number;
}

/** Responses by key, with requests in flight shared by concurrent callers. */
export class ResponseCache<T extends object> {
  private readonly entries: LRUCache<string, { readonly response: T; readonly expiresAt: number; readonly bytes: number }>;
  private readonly inFlight = new Map<string, Promise<T>>();

  constructor(private readonly options: ResponseCacheOptions) {
    this.entries = new LRUCache({ max: options.maxEntries, maxSize: options.maxBytes, sizeCalculation: ({ bytes }) => bytes });
  }

  /**
   * Calls `fetch` when no response is cached and no request with the key is in flight. Returns `undefined`, without a
   * call, when too many requests are in flight. An error of `fetch` rejects the promise of each waiting caller and is
   * not cached.
   */
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
