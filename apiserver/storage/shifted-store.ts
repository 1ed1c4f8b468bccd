/**
 * A store whose revisions begin higher than those of the store behind it, by one number for good: what has been restored must not meet clients again at
 * revisions that they know from before, and etcd's own counter cannot be set. It changes numbers only, and keeps nothing.
 *
 * What lies before the shift has been compacted by the restore, so a question about it goes to the store as one about its beginning and is refused there.
 */
import { markKey, revisionShift } from './data-mark';
import {
  StoreError,
  type Compare,
  type KeyRange,
  type KeyValue,
  type RangeRequest,
  type RangeResult,
  type Revision,
  type Store,
  type StoreCallOptions,
  type StoreStatus,
  type Transaction,
  type TransactionResult,
  type Watch,
  type WatchSink,
} from './store';
import { StoreLayer } from './store-layer';

/** The store as the mark under `prefix` wants it to be seen. */
export async function seenAsMarked(store: Store, prefix: string, options?: StoreCallOptions): Promise<Store> {
  const { kv } = await store.get(markKey(prefix), options);
  return shiftedStore(store, revisionShift(kv));
}

/** `shift` = how much higher the revisions are than the store's own. */
export function shiftedStore(store: Store, shift: number): Store {
  return shift === 0 ? store : new ShiftedStore(store, shift);
}

/** Before every revision that can be read: the first write of a new store takes 2. */
const BEGINNING = 1;

class ShiftedStore extends StoreLayer {
  constructor(
    store: Store,
    private readonly shift: number,
  ) {
    super(store);
  }

  override async get(
    key: string,
    { revision, ...options }: StoreCallOptions & { readonly revision?: Revision } = {},
  ): Promise<{ readonly revision: Revision; readonly kv: KeyValue | undefined }> {
    const found = await this.told(this.store.get(key, { ...options, ...(revision !== undefined && { revision: this.inner(revision) }) }));
    return { revision: this.outer(found.revision), kv: found.kv && this.outerKey(found.kv) };
  }

  override async range({ revision, ...request }: RangeRequest, options?: StoreCallOptions): Promise<RangeResult> {
    const inner = { ...request, ...(revision !== undefined && { revision: this.inner(revision) }) };
    const found = await this.told(this.store.range(inner, options));
    return { ...found, revision: this.outer(found.revision), kvs: found.kvs.map((kv) => this.outerKey(kv)) };
  }

  override async count(range: KeyRange, options?: StoreCallOptions): Promise<{ readonly revision: Revision; readonly count: number }> {
    const { revision, count } = await this.store.count(range, options);
    return { revision: this.outer(revision), count };
  }

  override async transact({ compare, operations }: Transaction, options?: StoreCallOptions): Promise<TransactionResult> {
    const result = await this.store.transact({ compare: compare.map((condition) => this.innerCompare(condition)), operations }, options);
    const revision = this.outer(result.revision);
    return result.committed
      ? { committed: true, revision }
      : { committed: false, revision, current: result.current.map((kv) => kv && this.outerKey(kv)) };
  }

  override watch(range: KeyRange, from: Revision, sink: WatchSink): Watch {
    if (!Number.isSafeInteger(from) || from < 1) throw new StoreError('internal', `a watch starts at revision 1 or later, not ${from}`);
    return this.store.watch(range, this.inner(from), {
      events: (events, through) =>
        sink.events(
          events.map((event) => ({ ...event, revision: this.outer(event.revision) })),
          this.outer(through),
        ),
      progress: (revision) => sink.progress(this.outer(revision)),
      compacted: (revision) => sink.compacted(this.outer(revision)),
      connection: (state) => sink.connection(state),
    });
  }

  override async revision(options?: StoreCallOptions): Promise<Revision> {
    return this.outer(await this.store.revision(options));
  }

  override async compact(revision: Revision, options?: StoreCallOptions): Promise<void> {
    if (revision > this.shift) await this.store.compact(revision - this.shift, options);
  }

  override async status(options?: StoreCallOptions): Promise<StoreStatus> {
    const status = await this.store.status(options);
    return { ...status, revision: this.outer(status.revision) };
  }

  protected override async below(store: Store, key: string, options?: StoreCallOptions): Promise<KeyValue | undefined> {
    const kv = await super.below(store, key, options);
    return kv && this.outerKey(kv);
  }

  protected override outer(revision: Revision): Revision {
    return revision + this.shift;
  }

  private inner(revision: Revision): Revision {
    return Math.max(BEGINNING, revision - this.shift);
  }

  private outerKey(kv: KeyValue): KeyValue {
    return { ...kv, createRevision: this.outer(kv.createRevision), modRevision: this.outer(kv.modRevision) };
  }

  /** 0 says that the key must not exist, in every count; no key was written at the beginning, so what is older than the shift never holds. */
  private innerCompare(condition: Compare): Compare {
    if ('exists' in condition || condition.modRevision === 0) return condition;
    return { key: condition.key, modRevision: this.inner(condition.modRevision) };
  }

  /** A refusal that names the oldest readable revision names it in this store's count. */
  private async told<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof StoreError) || error.compactRevision === undefined) throw error;
      throw new StoreError(error.failure, error.message, this.outer(error.compactRevision));
    }
  }
}
