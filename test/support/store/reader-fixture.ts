/**
 * A reader over the cache of an in-memory store, with a manual clock, and short functions to call it. The store has
 * ConfigMaps with labels `parity`; revisions: a/c1 = 101, a/c2 = 102, a/c3 = 103, b/c1 = 104. A write of another type
 * moves the store to 105.
 */
import type { CacheWatch, ChangeSink } from '../../../apiserver/cache/cache';
import type { CacheOptions, OpenedCache } from '../../../apiserver/cache/sync/open-cache';
import { NO_CONVERSIONS } from '../../../apiserver/registry/conversions';
import { createReader } from '../../../apiserver/registry/read/reader';
import { EVERYTHING, selectionFor } from '../../../apiserver/registry/read/selection';
import type { ListOptions, ListPage, Reader, RequestContext, Resource, WatchOptions } from '../../../apiserver/registry/verbs';
import type { Revision } from '../../../apiserver/storage/store';
import { StatusError } from '../../../shared/api/errors/status';
import { STORED_KINDS } from '../../../shared/api/kinds';
import { ManualClock } from '../clock/manual-clock';
import { storedValue, type ValueOptions } from './cache-fixture';
import { MemoryStore } from './memory-store';
import { openTestCache } from './test-cache';

function resourceOf(kind: string): Resource {
  const row = STORED_KINDS.find((candidate) => candidate.kind === kind);
  if (row === undefined) throw new Error(`no row for ${kind}`);
  return { row, hub: row, stored: { name: row.resource, segment: row.resource, namespaced: row.namespaced } };
}

export const configMaps = resourceOf('ConfigMap');
export const namespaces = resourceOf('Namespace');
export const events = resourceOf('Event');
export const pods = resourceOf('Pod');

/** Discards all events. */
const SINK: ChangeSink = { event: () => undefined, bookmark: () => undefined, end: () => undefined };

export interface ListRequest extends Partial<ListOptions> {
  /** A label selector; everything by default. */
  readonly labels?: string;
  /** A field selector; everything by default. */
  readonly fields?: string;
}

export class ReaderFixture {
  readonly clock = new ManualClock();
  readonly store = new MemoryStore();
  /** Whether the feature gate WatchList is on. */
  isWatchListEnabled = false;
  context: RequestContext = { user: { name: 'someone', groups: [] }, deadline: this.clock.monotonic() + 60_000, warn: () => undefined };
  cache: OpenedCache;
  reader: Reader;

  private constructor() {
    this.store.currentRevision = 100;
    this.store.reopenReleases = false;
    this.put('a/c1', { labels: { parity: 'odd' } });
    this.put('a/c2', { labels: { parity: 'even' } });
    this.put('a/c3', { labels: { parity: 'odd' } });
    this.put('b/c1', { labels: { parity: 'odd' } });
    this.tick();
    this.cache = this.startCache();
    this.reader = this.startReader();
  }

  static async open(): Promise<ReaderFixture> {
    const fixture = new ReaderFixture();
    await fixture.cache.whenReady();
    return fixture;
  }

  /** Replaces the cache by a new one, which begins to load. */
  async reopen(options: Partial<CacheOptions> = {}): Promise<void> {
    await this.cache.close();
    this.cache = this.startCache(options);
    this.reader = this.startReader();
  }

  close(): Promise<void> {
    return this.cache.close();
  }

  /** Writes an object, by default a ConfigMap; `key` is `namespace/name`. */
  put(key: string, options: ValueOptions = {}, resource = configMaps): Revision {
    return this.store.put(`/registry/${resource.stored.segment}/${key}`, storedValue(options));
  }

  /** Removes a ConfigMap. */
  remove(key: string): Revision {
    return this.store.remove(`/registry/${configMaps.stored.segment}/${key}`);
  }

  /** Increments the store revision as a write of another type does. */
  tick(): void {
    this.store.put('/registry/elsewhere', Buffer.alloc(0));
  }

  /** Writes the key by which the cache learns that the store was compacted at `revision`. The store keeps its history. */
  compact(revision: Revision): void {
    this.store.put('/registry/compaction', Buffer.from(String(revision)));
  }

  /** The cache receives no more events, so the store gets ahead of it. */
  hold(): void {
    this.store.isHeld = true;
  }

  /** Ends {@link hold}. */
  catchUp(): void {
    this.store.isHeld = false;
    this.store.deliver();
  }

  /** How often the cache has asked the store for its revision. */
  lookups(): number {
    return this.cache.statistics.revisionLookups;
  }

  /** Lists objects, by default all ConfigMaps in the namespace `a`. */
  list({ labels = '', fields = '', ...options }: ListRequest = {}, namespace = 'a', resource = configMaps): Promise<ListPage> {
    return this.reader.list(this.context, resource, namespace, { selection: selectionFor(resource.row, labels, fields), ...options });
  }

  /** Starts a watch, by default of all ConfigMaps in the namespace `a`, of which the events are discarded. */
  watch(options: Partial<WatchOptions>, namespace = 'a', resource = configMaps): Promise<CacheWatch> {
    return this.reader.watch(this.context, resource, namespace, { selection: EVERYTHING, bookmarks: false, ...options }, SINK);
  }

  /** Advances the clock by `ms` while the promise is pending, and then awaits it. */
  async after<T>(ms: number, promise: Promise<T>): Promise<T> {
    promise.catch(() => undefined);
    await this.clock.advanceAsync(ms);
    return promise;
  }

  private startCache(options: Partial<CacheOptions> = {}): OpenedCache {
    const { store, clock } = this;
    const types = [configMaps, namespaces, events, pods].map(({ stored }) => stored);
    return openTestCache({ store, types, clock, ...options });
  }

  private startReader(): Reader {
    const { cache, store, clock } = this;
    const gates = { isEnabled: (name: string): boolean => name === 'WatchList' && this.isWatchListEnabled };
    return createReader({ cache, store, clock, gates, conversions: NO_CONVERSIONS });
  }
}

/** `namespace/name` of the entries of a page. */
export const keysOf = (page: ListPage): string[] => [...page.entries].map(({ key }) => key);

/** The StatusError with which the promise rejects. */
export async function failureOf(promise: Promise<unknown>): Promise<StatusError> {
  const error: unknown = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof StatusError)) throw new Error(`expected a StatusError, not ${String(error)}`);
  return error;
}

/** Matches the error of a read at a revision that the cache does not reach. */
export const tooLargeResourceVersion = (requested: number, current: number): object => ({
  code: 504,
  status: expect.objectContaining({
    message: `Timeout: Too large resource version: ${requested}, current: ${current}`,
    reason: 'Timeout',
    details: { causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }], retryAfterSeconds: 1 },
  }),
});

/** The continue token of a page; empty on the last one. */
export const tokenOf = (page: ListPage): string => page.continue ?? '';

/** A continue token as clients send it. */
export const continueToken = (rv: number, start: string): string =>
  Buffer.from(JSON.stringify({ v: 'meta.platform.io/v1', rv, start })).toString('base64url');
