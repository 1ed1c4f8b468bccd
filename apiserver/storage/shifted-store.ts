/**
 * Adds a constant to the revisions of the wrapped store. After a restore, clients must not see revisions that they
 * know from before it, and etcd's own counter cannot be set. Only revisions are converted; nothing is stored.
 */
import { formatMarkerKey, revisionShift } from './format-marker';
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
import { DelegatingStore } from './delegating-store';

/** The store with the revision shift that the format marker under `prefix` requires. */
export async function shiftStoreByMarker(store: Store, prefix: string, options?: StoreCallOptions): Promise<Store> {
  const { kv } = await store.get(formatMarkerKey(prefix), options);
  return shiftedStore(store, revisionShift(kv));
}

/** Wraps `store` so that callers see its revisions plus `shift`; with a shift of 0 it is `store` itself. */
export function shiftedStore(store: Store, shift: number): Store {
  return shift === 0 ? store : new ShiftedStore(store, shift);
}

/** The revision of a store without writes; the first write takes 2. A restored store has compacted it. */
const INITIAL_REVISION = 1;

/**
 * Revisions are outer (what callers see) or inner (those of the wrapped store): outer = inner + shift. A restore compacts
 * the store that it has filled. So a request for an outer revision up to the shift is sent as one for
 * {@link INITIAL_REVISION}, which the wrapped store refuses as compacted.
 */
class ShiftedStore extends DelegatingStore {
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
    const result = await this.withShiftedError(
      this.store.get(key, { ...options, ...(revision !== undefined && { revision: this.toInnerRevision(revision) }) }),
    );
    return { revision: this.toOuterRevision(result.revision), kv: result.kv && this.toOuterKeyValue(result.kv) };
  }

  override async range({ revision, ...request }: RangeRequest, options?: StoreCallOptions): Promise<RangeResult> {
    const innerRequest = { ...request, ...(revision !== undefined && { revision: this.toInnerRevision(revision) }) };
    const result = await this.withShiftedError(this.store.range(innerRequest, options));
    return { ...result, revision: this.toOuterRevision(result.revision), kvs: result.kvs.map((kv) => this.toOuterKeyValue(kv)) };
  }

  override async count(range: KeyRange, options?: StoreCallOptions): Promise<{ readonly revision: Revision; readonly count: number }> {
    const { revision, count } = await this.store.count(range, options);
    return { revision: this.toOuterRevision(revision), count };
  }

  override async transact({ compare, operations }: Transaction, options?: StoreCallOptions): Promise<TransactionResult> {
    const result = await this.store.transact({ compare: compare.map((condition) => this.toInnerCompare(condition)), operations }, options);
    const revision = this.toOuterRevision(result.revision);
    return result.committed
      ? { committed: true, revision }
      : { committed: false, revision, current: result.current.map((kv) => kv && this.toOuterKeyValue(kv)) };
  }

  override watch(range: KeyRange, from: Revision, sink: WatchSink): Watch {
    if (!Number.isSafeInteger(from) || from < 1) throw new StoreError('internal', `a watch starts at revision 1 or later, not ${from}`);
    return this.store.watch(range, this.toInnerRevision(from), {
      events: (events, through) =>
        sink.events(
          events.map((event) => ({ ...event, revision: this.toOuterRevision(event.revision) })),
          this.toOuterRevision(through),
        ),
      progress: (revision) => sink.progress(this.toOuterRevision(revision)),
      compacted: (revision) => sink.compacted(this.toOuterRevision(revision)),
      connection: (state) => sink.connection(state),
    });
  }

  override async revision(options?: StoreCallOptions): Promise<Revision> {
    return this.toOuterRevision(await this.store.revision(options));
  }

  override async compact(revision: Revision, options?: StoreCallOptions): Promise<void> {
    if (revision > this.shift) await this.store.compact(revision - this.shift, options);
  }

  override async status(options?: StoreCallOptions): Promise<StoreStatus> {
    const status = await this.store.status(options);
    return { ...status, revision: this.toOuterRevision(status.revision) };
  }

  protected override async getStaleFrom(store: Store, key: string, options?: StoreCallOptions): Promise<KeyValue | undefined> {
    const kv = await super.getStaleFrom(store, key, options);
    return kv && this.toOuterKeyValue(kv);
  }

  protected override toOuterRevision(revision: Revision): Revision {
    return revision + this.shift;
  }

  private toInnerRevision(revision: Revision): Revision {
    return Math.max(INITIAL_REVISION, revision - this.shift);
  }

  private toOuterKeyValue(kv: KeyValue): KeyValue {
    return { ...kv, createRevision: this.toOuterRevision(kv.createRevision), modRevision: this.toOuterRevision(kv.modRevision) };
  }

  /**
   * 0 means that the key must not exist, with and without a shift. No key has mod revision 1, so a comparison with a
   * revision from before the shift never holds.
   */
  private toInnerCompare(condition: Compare): Compare {
    if ('exists' in condition || condition.modRevision === 0) return condition;
    return { key: condition.key, modRevision: this.toInnerRevision(condition.modRevision) };
  }

  /** Shifts the `compactRevision` of a rejected call. */
  private async withShiftedError<T>(call: Promise<T>): Promise<T> {
    try {
      return await call;
    } catch (error) {
      if (!(error instanceof StoreError) || error.compactRevision === undefined) throw error;
      throw new StoreError(error.failure, error.message, this.toOuterRevision(error.compactRevision));
    }
  }
}
