/**
 * A store over another one: whoever changes something of it says so, and everything else goes on as it is – the ways to ask that a store need not have, too. Keeps nothing.
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

export abstract class StoreLayer implements Store {
  readonly maxOperations: number;
  readonly outdated?: NonNullable<Store['outdated']>;
  readonly revisionNow?: NonNullable<Store['revisionNow']>;
  readonly revisionsWithin?: NonNullable<Store['revisionsWithin']>;

  constructor(protected readonly store: Store) {
    this.maxOperations = store.maxOperations;
    const revisionNow = store.revisionNow?.bind(store);
    if (revisionNow !== undefined) this.revisionNow = (options) => this.outer(revisionNow(options));
    if (store.revisionsWithin !== undefined) this.revisionsWithin = store.revisionsWithin.bind(store);
    if (store.outdated !== undefined) this.outdated = (key, options) => this.below(store, key, options);
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

  /** A revision of the store below, as this layer shows it. */
  protected outer(revision: Revision): Revision {
    return revision;
  }

  /** What the store below knows to be outdated, as this layer shows it. */
  protected async below(store: Store, key: string, options?: StoreCallOptions): Promise<KeyValue | undefined> {
    return store.outdated?.(key, options);
  }
}
