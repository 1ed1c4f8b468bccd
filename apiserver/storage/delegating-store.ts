/**
 * Base class of stores that wrap another one: forwards every call, including the optional methods that the wrapped
 * store has. Subclasses override what they change. Holds no state of its own.
 */
import type {
  KeyRange,
  KeyValue,
  LeaseId,
  RangeRequest,
  RangeResult,
  Revision,
  Store,
  StoreCallOptions,
  StoreStatus,
  Transaction,
  TransactionResult,
  Watch,
  WatchSink,
} from './store';

/** Closing it closes the wrapped store. */
export abstract class DelegatingStore implements Store {
  readonly maxOperations: number;
  readonly getStale?: NonNullable<Store['getStale']>;
  readonly revisionSync?: NonNullable<Store['revisionSync']>;
  readonly revisionsWithin?: NonNullable<Store['revisionsWithin']>;

  constructor(protected readonly store: Store) {
    this.maxOperations = store.maxOperations;
    const revisionSync = store.revisionSync?.bind(store);
    if (revisionSync !== undefined) this.revisionSync = (options) => this.toOuterRevision(revisionSync(options));
    if (store.revisionsWithin !== undefined) this.revisionsWithin = store.revisionsWithin.bind(store);
    if (store.getStale !== undefined) this.getStale = (key, options) => this.getStaleFrom(store, key, options);
  }

  get(
    key: string,
    options?: StoreCallOptions & { readonly revision?: Revision },
  ): Promise<{ readonly revision: Revision; readonly kv: KeyValue | undefined }> {
    return this.store.get(key, options);
  }

  range(request: RangeRequest, options?: StoreCallOptions): Promise<RangeResult> {
    return this.store.range(request, options);
  }

  count(range: KeyRange, options?: StoreCallOptions): Promise<{ readonly revision: Revision; readonly count: number }> {
    return this.store.count(range, options);
  }

  transact(transaction: Transaction, options?: StoreCallOptions): Promise<TransactionResult> {
    return this.store.transact(transaction, options);
  }

  watch(range: KeyRange, from: Revision, sink: WatchSink): Watch {
    return this.store.watch(range, from, sink);
  }

  revision(options?: StoreCallOptions): Promise<Revision> {
    return this.store.revision(options);
  }

  compact(revision: Revision, options?: StoreCallOptions): Promise<void> {
    return this.store.compact(revision, options);
  }

  grantLease(ttlSeconds: number, options?: StoreCallOptions): Promise<LeaseId> {
    return this.store.grantLease(ttlSeconds, options);
  }

  keepLeaseAlive(lease: LeaseId, options?: StoreCallOptions): Promise<void> {
    return this.store.keepLeaseAlive(lease, options);
  }

  revokeLease(lease: LeaseId, options?: StoreCallOptions): Promise<void> {
    return this.store.revokeLease(lease, options);
  }

  status(options?: StoreCallOptions): Promise<StoreStatus> {
    return this.store.status(options);
  }

  health(options?: StoreCallOptions): Promise<void> {
    return this.store.health(options);
  }

  close(): Promise<void> {
    return this.store.close();
  }

  /** Converts a revision of the wrapped store to a revision of this one. */
  protected toOuterRevision(revision: Revision): Revision {
    return revision;
  }

  /** Implements `getStale` on top of the wrapped store. */
  protected async getStaleFrom(store: Store, key: string, options?: StoreCallOptions): Promise<KeyValue | undefined> {
    return store.getStale?.(key, options);
  }
}
