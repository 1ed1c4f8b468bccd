/**
 * Fixture of tests that use a watch cache directly: stored types with values, and a sink that records changes and lets
 * a test wait for them.
 */
import type { BookmarkType, Change, ChangeSink, Entry, StoredType, WatchEnd, WatchEventType } from '../../../apiserver/cache/cache';
import { encodeStoredValue } from '../../../apiserver/cache/store/stored-value';
import type { Revision, Store } from '../../../apiserver/storage/store';
import { put, remove } from './store-helpers';

export const storePrefix = '/registry';
export const configMaps: StoredType = { name: 'configmaps', segment: 'configmaps', namespaced: true };
export const services: StoredType = { name: 'services', segment: 'services/specs', namespaced: true };
export const nodes: StoredType = { name: 'nodes', segment: 'minions', namespaced: false };
export const storedTypes = [configMaps, services, nodes];
/** Custom resources; caches of tests do not know these types at first. */
export const widgets: StoredType = { name: 'widgets.example.com', segment: 'example.com/widgets', namespaced: true };
export const gadgets: StoredType = { name: 'gadgets.example.com', segment: 'example.com/gadgets', namespaced: false };

/** The parts of a stored value that a test may choose. */
export interface ValueOptions {
  readonly data?: string;
  readonly labels?: Record<string, string>;
  readonly fields?: Record<string, string>;
}

/** A stored value with `data` in its body. */
export function storedValue(options: ValueOptions = {}): Buffer {
  const head = '{"metadata":{"name":"x",';
  return encodeStoredValue({
    body: `${head}"uid":"u"},"data":${JSON.stringify(options.data ?? '')}}`,
    versionOffset: Buffer.byteLength(head),
    labels: options.labels,
    fields: options.fields,
    isDialectSensitive: false,
  });
}

/** The key in the store; `key` is the part after the type, such as `namespace/name`. */
export function keyOf(type: StoredType, key: string): string {
  return `${storePrefix}/${type.segment}/${key}`;
}

/** The `data` that `storedValue` put into the body. */
export function dataOf(entry: Entry): string {
  const object: unknown = JSON.parse(entry.bytes.toString());
  if (typeof object !== 'object' || object === null || !('data' in object) || typeof object.data !== 'string') throw new Error('no data');
  return object.data;
}

/** Writes around the cache, as another replica does. */
export const putObject = (store: Store, type: StoredType, key: string, options: ValueOptions = {}): Promise<Revision> =>
  put(store, keyOf(type, key), storedValue(options));

/** Deletes around the cache, as another replica does. */
export const removeObject = (store: Store, type: StoredType, key: string): Promise<Revision> => remove(store, keyOf(type, key));

export interface RecordedEvent {
  readonly type: WatchEventType;
  /** The part of the key after the type, such as `namespace/name`. */
  readonly key: string;
  /** The revision of the change. */
  readonly revision: Revision;
  readonly entry: Entry;
  readonly change: Change;
}

export interface RecordedBookmark {
  readonly revision: Revision;
  readonly type: BookmarkType;
  /** The number of events before the bookmark. */
  readonly after: number;
}

/** A sink that consumes and records everything at once. */
export class ChangeRecorder implements ChangeSink {
  readonly events: RecordedEvent[] = [];
  readonly bookmarks: RecordedBookmark[] = [];
  /** `undefined` while the watch is open. */
  ended: WatchEnd | undefined;
  private waiters: (() => void)[] = [];

  event(type: WatchEventType, entry: Entry, change: Change): void {
    this.events.push({ type, key: entry.key, revision: change.revision, entry, change });
    this.notifyWaiters();
  }

  bookmark(revision: Revision, type: BookmarkType): void {
    this.bookmarks.push({ revision, type, after: this.events.length });
    this.notifyWaiters();
  }

  end(reason: WatchEnd): void {
    this.ended = reason;
    this.notifyWaiters();
  }

  /** `ADDED ns/a@5` per event. */
  get lines(): string[] {
    return this.events.map(({ type, key, revision }) => `${type} ${key}@${revision}`);
  }

  /** Resolves as soon as the condition holds; only the time limit of the test bounds the wait. */
  async until(condition: (recorder: this) => boolean): Promise<void> {
    while (!condition(this)) await new Promise<void>((resolve) => this.waiters.push(resolve));
  }

  private notifyWaiters(): void {
    const waiters = this.waiters;
    this.waiters = [];
    for (const resolve of waiters) resolve();
  }
}
