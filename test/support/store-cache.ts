/**
 * A cache that a test lets lag behind its store: what it shows is the state at the last `catchUp`, which `mostRecent` does as the real one would.
 * Watches and earlier states are none of its business.
 */
import type { Cache, CacheWatch, ChangeSink, Entry, Snapshot, StoredType, WatchRequest } from '../../apiserver/cache/cache';
import { makeEntry } from '../../apiserver/cache/entry';
import { compareBytes } from '../../shared/values/json';
import { StoreError, type Revision, type Store } from '../../apiserver/storage/store';

const UNSUPPORTED = 'this cache has no earlier states and no watches';

export class StoreCache implements Cache {
  ready = true;
  revision: Revision = 0;
  readonly compactedRevision = 0;
  /** `mostRecent` was asked so often. */
  lookups = 0;
  /** The cache never catches up by itself, and says so: readers must go to the store. */
  stuck = false;
  private entries = new Map<string, Entry>();

  private readonly bySegment: ReadonlyMap<string, StoredType>;

  constructor(
    private readonly store: Store,
    private readonly prefix: string,
    types: readonly StoredType[],
  ) {
    this.bySegment = new Map(types.map((type) => [type.segment, type]));
  }

  async catchUp(): Promise<void> {
    const page = await this.store.range({ start: `${this.prefix}/`, end: `${this.prefix}0` });
    const entries = new Map<string, Entry>();
    for (const kv of page.kvs) {
      const type = this.typeOf(kv.key);
      if (type === undefined) continue;
      const known = this.entries.get(kv.key);
      const key = kv.key.slice(`${this.prefix}/${type.segment}/`.length);
      entries.set(kv.key, known?.revision === kv.modRevision ? known : makeEntry(type, key, kv.modRevision, kv.value));
    }
    this.revision = Math.max(this.revision, page.revision);
    this.entries = entries;
  }

  /** Segments are one part of a key or more. */
  private typeOf(key: string): StoredType | undefined {
    for (let end = key.indexOf('/', this.prefix.length + 1); end >= 0; end = key.indexOf('/', end + 1)) {
      const type = this.bySegment.get(key.slice(this.prefix.length + 1, end));
      if (type !== undefined) return type;
    }
    return undefined;
  }

  async mostRecent(): Promise<Revision> {
    this.lookups++;
    if (this.stuck) throw new StoreError('deadline', 'the cache did not get there');
    await this.catchUp();
    return this.revision;
  }

  get(type: StoredType, key: string): Entry | undefined {
    return this.entries.get(`${this.prefix}/${type.segment}/${key}`);
  }

  async read(type: StoredType, key: string): Promise<{ revision: Revision; entry: Entry | undefined }> {
    const { revision, kv } = await this.store.get(`${this.prefix}/${type.segment}/${key}`);
    return { revision, entry: kv === undefined ? undefined : makeEntry(type, key, kv.modRevision, kv.value) };
  }

  waitFor(): Promise<boolean> {
    return Promise.resolve(true);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  snapshot(type: StoredType): Snapshot {
    const prefix = `${this.prefix}/${type.segment}/`;
    const keys = [...this.entries.keys()].filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
    const within = (start?: string, end?: string): string[] =>
      keys.sort(compareBytes).filter((key) => (start === undefined || key >= start) && (end === undefined || key < end));
    const get = (key: string): Entry | undefined => this.get(type, key);
    return {
      revision: this.revision,
      size: keys.length,
      get,
      range: (start, end) => within(start, end).flatMap((key) => get(key) ?? []),
      count: (start, end) => within(start, end).length,
    };
  }

  snapshotAt(): Promise<Snapshot> {
    return Promise.reject(new Error(UNSUPPORTED));
  }

  pin(): void {
    throw new Error(UNSUPPORTED);
  }

  watch(_type: StoredType, _request: WatchRequest, _sink: ChangeSink): CacheWatch {
    throw new Error(UNSUPPORTED);
  }
}
