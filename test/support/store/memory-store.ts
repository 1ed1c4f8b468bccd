/**
 * An in-memory store with its full history, for tests that hold, cut and compact the watch stream. Responds within a
 * microtask, unless a test holds lookups, and delivers events within the write. Nothing is durable.
 */
import { checkKey, checkTransaction } from '../../../apiserver/storage/validate';
import { compareBytes } from '../../../shared/values/json';
import type { Clock, Timer } from '../../../shared/runtime/clock';
import { ManualClock } from '../clock/manual-clock';
import {
  StoreError,
  type StoreCallOptions,
  type KeyRange,
  type KeyValue,
  type LeaseId,
  type RangeRequest,
  type RangeResult,
  type Revision,
  type Store,
  type StoreStatus,
  type Transaction,
  type TransactionResult,
  type Watch,
  type StoreEvent,
  type WatchSink,
} from '../../../apiserver/storage/store';

/** A key as of a revision; `kv` is `undefined` when the key was deleted. */
interface Version {
  readonly revision: Revision;
  readonly kv: KeyValue | undefined;
}

interface LeaseRecord {
  readonly ttlMs: number;
  /** The keys that are deleted with the lease. */
  readonly keys: Set<string>;
  expiry: Timer;
}

/** The request limit that deploy/ sets for etcd. */
const MAX_TRANSACTION_BYTES = 3 * 1024 * 1024;

class MemoryWatch implements Watch {
  isClosed = false;
  isPaused = false;
  /** The last reported state of the connection. A cut before the first connection counts as reported. */
  private isReportedConnected = true;

  constructor(
    private readonly store: MemoryStore,
    readonly range: KeyRange,
    private nextRevision: Revision,
    private readonly sink: WatchSink,
  ) {}

  /** Reports a changed connection and delivers due events, unless the stream is held, cut or paused. */
  deliver(): void {
    if (this.isClosed || this.isPaused || this.store.isHeld) return;
    if (this.isReportedConnected === this.store.isCut) {
      this.isReportedConnected = !this.store.isCut;
      this.sink.connection(this.isReportedConnected ? 'connected' : 'disconnected');
    }
    if (this.store.isCut) return;
    if (this.nextRevision < this.store.compactRevision) {
      this.isClosed = true;
      this.sink.compacted(this.store.compactRevision);
      return;
    }
    // Delivers all due events in one call, as a real store delivers a backlog.
    const due: StoreEvent[] = [];
    for (; this.nextRevision <= this.store.currentRevision; this.nextRevision += 1) {
      due.push(...this.store.eventsAt(this.nextRevision).filter((event) => inRange(this.range, event.key)));
    }
    if (due.length > 0) this.sink.events(due, this.nextRevision - 1);
  }

  requestProgress(): boolean {
    if (!this.store.supportsProgress) return false;
    queueMicrotask(() => {
      this.deliver();
      if (!this.isClosed && !this.isPaused && !this.store.isHeld && !this.store.isCut) this.sink.progress(this.nextRevision - 1);
    });
    return true;
  }

  reopen(): void {
    this.store.reopenCount += 1;
    if (this.store.reopenReleases) this.store.isHeld = false;
    queueMicrotask(() => this.store.deliver());
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
    queueMicrotask(() => this.deliver());
  }

  close(): void {
    this.isClosed = true;
  }

  /** Called once, in the microtask after the watch was opened. */
  connect(): void {
    if (!this.store.isCut) this.sink.connection('connected');
    else this.isReportedConnected = false;
    this.deliver();
  }
}

/**
 * Public members are in this order: settings and counters for tests, state that watches read, methods for tests, methods
 * that watches call too, and the members of {@link Store}.
 */
export class MemoryStore implements Store {
  // Settings of tests, which may change at any time.
  /** The most operations of a transaction. */
  maxOperations = 2_048;
  /** The stream looks connected and delivers nothing. Its end reaches watches at the next {@link deliver} or write. */
  isHeld = false;
  /** The stream is disconnected. A change reaches watches at the next {@link deliver} or write. */
  isCut = false;
  /** Whether watches respond to {@link Watch.requestProgress}. */
  supportsProgress = true;
  /** Whether reopening a watch ends {@link isHeld}, as a new stream does when only the old one hung. */
  reopenReleases = true;
  /** Makes every call of a {@link Store} fail except `watch`, `status` and `close`; {@link put} and {@link remove} succeed. */
  failure: StoreError | undefined;
  /** Awaited by every revision lookup, that of `health` included. */
  lookupGate: Promise<void> | undefined;
  /** See {@link enableRevisionSync}. */
  revisionSync?: NonNullable<Store['revisionSync']>;

  // Counters for tests. Those of `range` and `revision` include the calls that `count` and `health` make.
  /** How often a watch was reopened. */
  reopenCount = 0;
  readonly calls = { get: 0, range: 0, transact: 0, revision: 0 };
  lookupsInFlight = 0;
  maxLookupsInFlight = 0;

  // State that watches read. Tests may set it before the first write.
  currentRevision: Revision = 1;
  compactRevision: Revision = 0;

  private isClosed = false;
  private readonly leases = new Map<LeaseId, LeaseRecord>();
  private leaseCount = 0;
  /** The versions of each key, the newest last. */
  private readonly versions = new Map<string, Version[]>();
  /** Events by revision. */
  private readonly history: StoreEvent[][] = [];
  private readonly watches = new Set<MemoryWatch>();

  /** Leases expire and deadlines of calls pass by `clock`, which stands still by default. */
  constructor(private readonly clock: Clock = new ManualClock()) {}

  /** Makes a closed store serve again, like one that is opened on the same data. */
  reopenAfterClose(): void {
    this.isClosed = false;
  }

  /**
   * Writes one key as another client of the store does: not in a transaction, so that {@link calls} does not count it,
   * {@link failure} and limits do not apply, and the write is complete on return.
   */
  put(key: string, value: Buffer): Revision {
    return this.commit([{ type: 'put', key, value }]);
  }

  /** Deletes one key; see {@link put}. */
  remove(key: string): Revision {
    return this.commit([{ type: 'delete', key }]);
  }

  /** Makes the revision available without a lookup. */
  enableRevisionSync(): void {
    this.revisionSync = (options) => {
      this.checkAvailable('deadline', options);
      return this.currentRevision;
    };
  }

  /**
   * Changes the revision at which a key was modified without a new revision of the store or an event: corruption that
   * only a comparison detects. Throws when the key does not exist.
   */
  corrupt(key: string, modRevision: Revision): void {
    const versions = this.versions.get(key) ?? [];
    const last = versions.at(-1);
    if (last?.kv === undefined) throw new Error(`${key} does not exist`);
    versions[versions.length - 1] = { revision: last.revision, kv: { ...last.kv, modRevision } };
  }

  get openWatches(): number {
    return [...this.watches].filter((watch) => !watch.isClosed).length;
  }

  /** Makes all watches notice {@link isHeld} and {@link isCut}, and delivers due events. Every write does so too. */
  deliver(): void {
    for (const watch of this.watches) watch.deliver();
  }

  /** The events of one revision; none when it is in the future. */
  eventsAt(revision: Revision): readonly StoreEvent[] {
    return this.history[revision] ?? [];
  }

  async get(
    key: string,
    options?: StoreCallOptions & { readonly revision?: Revision },
  ): Promise<{ revision: Revision; kv: KeyValue | undefined }> {
    this.calls.get += 1;
    checkKey(key);
    this.checkAvailable('deadline', options);
    this.checkRevision(options?.revision);
    return { revision: this.currentRevision, kv: this.valueAt(key, options?.revision ?? this.currentRevision) };
  }

  async range(request: RangeRequest, options?: StoreCallOptions): Promise<RangeResult> {
    this.calls.range += 1;
    this.checkAvailable('deadline', options);
    this.checkRevision(request.revision);
    const revision = request.revision ?? this.currentRevision;
    const keys = [...this.versions.keys()].filter((key) => inRange(request, key)).sort(compareBytes);
    const matches = keys.map((key) => this.valueAt(key, revision)).filter((kv): kv is KeyValue => kv !== undefined);
    const limit = request.limit === undefined || request.limit === 0 ? matches.length : request.limit;
    const kvs = matches.slice(0, limit).map((kv) => (request.keysOnly === true ? { ...kv, value: Buffer.alloc(0) } : kv));
    return { revision: this.currentRevision, kvs, more: matches.length > limit, count: matches.length };
  }

  async count(range: KeyRange, options?: StoreCallOptions): Promise<{ revision: Revision; count: number }> {
    const { revision, count } = await this.range({ ...range, limit: 1 }, options);
    return { revision, count };
  }

  async transact(transaction: Transaction, options?: StoreCallOptions): Promise<TransactionResult> {
    this.calls.transact += 1;
    this.checkAvailable('unavailable', options);
    checkTransaction(transaction, this.maxOperations);
    this.checkPuts(transaction);
    const current = transaction.compare.map(({ key }) => this.valueAt(key, this.currentRevision));
    const holds = transaction.compare.every((compare, index) =>
      'exists' in compare ? current[index] !== undefined : (current[index]?.modRevision ?? 0) === compare.modRevision,
    );
    if (!holds) return { committed: false, revision: this.currentRevision, current };
    return { committed: true, revision: this.commit(transaction.operations) };
  }

  watch(range: KeyRange, from: Revision, sink: WatchSink): Watch {
    if (this.isClosed) throw new StoreError('closed', 'the store is closed');
    if (from < 1) throw new StoreError('internal', `a watch starts at revision 1 or later, not ${from}`);
    const watch = new MemoryWatch(this, range, from, sink);
    this.watches.add(watch);
    queueMicrotask(() => watch.connect());
    return watch;
  }

  async revision(options?: StoreCallOptions): Promise<Revision> {
    this.calls.revision += 1;
    this.lookupsInFlight += 1;
    this.maxLookupsInFlight = Math.max(this.maxLookupsInFlight, this.lookupsInFlight);
    try {
      await this.lookupGate;
      this.checkAvailable('deadline', options);
      return this.currentRevision;
    } finally {
      this.lookupsInFlight -= 1;
    }
  }

  async compact(revision: Revision, options?: StoreCallOptions): Promise<void> {
    this.checkAvailable('unavailable', options);
    if (revision > this.currentRevision) throw new StoreError('future-revision', `the store is at ${this.currentRevision}`);
    this.compactRevision = Math.max(this.compactRevision, revision);
  }

  async grantLease(ttlSeconds: number, options?: StoreCallOptions): Promise<LeaseId> {
    this.checkAvailable('unavailable', options);
    this.leaseCount += 1;
    const lease = String(this.leaseCount);
    const ttlMs = ttlSeconds * 1_000;
    this.leases.set(lease, { ttlMs, keys: new Set(), expiry: this.clock.after(ttlMs, () => this.endLease(lease)) });
    return lease;
  }

  async keepLeaseAlive(lease: LeaseId, options?: StoreCallOptions): Promise<void> {
    this.checkAvailable('unavailable', options);
    const record = this.requireLease(lease);
    record.expiry.cancel();
    record.expiry = this.clock.after(record.ttlMs, () => this.endLease(lease));
  }

  async revokeLease(lease: LeaseId, options?: StoreCallOptions): Promise<void> {
    this.checkAvailable('unavailable', options);
    this.endLease(lease);
  }

  async status(): Promise<StoreStatus> {
    return { version: 'memory', revision: this.currentRevision, size: 0 };
  }

  async health(options?: StoreCallOptions): Promise<void> {
    await this.revision(options);
  }

  async close(): Promise<void> {
    this.isClosed = true;
    for (const watch of this.watches) watch.close();
  }

  /** Applies all operations at one new revision, unless they change nothing, and delivers the events. */
  private commit(operations: Transaction['operations']): Revision {
    const revision = this.currentRevision + 1;
    const events: StoreEvent[] = [];
    for (const operation of operations) {
      const before = this.valueAt(operation.key, this.currentRevision);
      const versions = this.versions.get(operation.key) ?? [];
      this.versions.set(operation.key, versions);
      for (const { keys } of this.leases.values()) keys.delete(operation.key);
      if (operation.type === 'put') {
        if (operation.lease !== undefined) this.requireLease(operation.lease).keys.add(operation.key);
        const { key, value } = operation;
        const createRevision = before?.createRevision ?? revision;
        versions.push({ revision, kv: { key, value, createRevision, modRevision: revision, version: (before?.version ?? 0) + 1 } });
        events.push({ type: 'put', key, value, revision, created: before === undefined });
      } else if (before !== undefined) {
        versions.push({ revision, kv: undefined });
        events.push({ type: 'delete', key: operation.key, revision });
      }
    }
    if (events.length === 0) return this.currentRevision;
    this.currentRevision = revision;
    this.history[revision] = events;
    this.deliver();
    return revision;
  }

  private valueAt(key: string, revision: Revision): KeyValue | undefined {
    return this.versions.get(key)?.findLast((version) => version.revision <= revision)?.kv;
  }

  private requireLease(lease: LeaseId): LeaseRecord {
    const record = this.leases.get(lease);
    if (record === undefined) throw new StoreError('lease-not-found', `there is no lease ${lease}`);
    return record;
  }

  private endLease(lease: LeaseId): void {
    const { keys, expiry } = this.requireLease(lease);
    expiry.cancel();
    this.leases.delete(lease);
    this.commit([...keys].map((key) => ({ type: 'delete', key })));
  }

  /** Throws the error of a call that cannot be served; `lateFailure` is the one after the deadline. */
  private checkAvailable(lateFailure: 'deadline' | 'unavailable', options?: StoreCallOptions): void {
    if (this.isClosed) throw new StoreError('closed', 'the store is closed');
    if (this.failure !== undefined) throw this.failure;
    if (options?.deadline !== undefined && options.deadline < this.clock.monotonic()) {
      throw new StoreError(lateFailure, 'the deadline passed before the call');
    }
  }

  private checkRevision(revision: Revision | undefined): void {
    if (revision === undefined) return;
    if (revision < this.compactRevision) throw new StoreError('compacted', `compacted at ${this.compactRevision}`, this.compactRevision);
    if (revision > this.currentRevision) throw new StoreError('future-revision', `the store is at ${this.currentRevision}`);
  }

  private checkPuts({ operations }: Transaction): void {
    let bytes = 0;
    for (const operation of operations) {
      if (operation.type === 'delete') continue;
      bytes += operation.value.length;
      if (operation.lease !== undefined) this.requireLease(operation.lease);
    }
    if (bytes > MAX_TRANSACTION_BYTES)
      throw new StoreError('too-large', `a transaction of ${bytes} bytes; the store takes ${MAX_TRANSACTION_BYTES}`);
  }
}

function inRange(range: KeyRange, key: string): boolean {
  return compareBytes(key, range.start) >= 0 && compareBytes(key, range.end) < 0;
}
