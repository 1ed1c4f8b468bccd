/**
 * A store in memory with full history, for tests that need to hold, cut and compact the stream by hand.
 * Everything is answered in a microtask and events are delivered inside the write; nothing is durable.
 */
import { compareBytes } from '../../shared/values/json';
import {
  StoreError,
  type CallOptions,
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
  type WatchEvent,
  type WatchSink,
} from '../../apiserver/storage/store';

interface Version {
  readonly revision: Revision;
  readonly kv: KeyValue | undefined;
}

class MemoryWatch implements Watch {
  closed = false;
  paused = false;
  private connected = true;

  constructor(
    private readonly store: MemoryStore,
    readonly range: KeyRange,
    private next: Revision,
    private readonly sink: WatchSink,
  ) {}

  /** Delivers what is due, unless the stream is held, cut or paused. */
  pump(): void {
    if (this.closed || this.paused || this.store.held) return;
    if (this.connected === this.store.cut) {
      this.connected = !this.store.cut;
      this.sink.connection(this.connected ? 'connected' : 'disconnected');
    }
    if (this.store.cut) return;
    if (this.next < this.store.compactRevision) {
      this.closed = true;
      this.sink.compacted(this.store.compactRevision);
      return;
    }
    // All that is due in one call, as a real store delivers a backlog.
    const due: WatchEvent[] = [];
    for (; this.next <= this.store.current; this.next += 1) {
      due.push(...this.store.eventsAt(this.next).filter((event) => inRange(this.range, event.key)));
    }
    if (due.length > 0) this.sink.events(due, this.next - 1);
  }

  requestProgress(): boolean {
    if (!this.store.answersProgress) return false;
    queueMicrotask(() => {
      this.pump();
      if (!this.closed && !this.paused && !this.store.held && !this.store.cut) this.sink.progress(this.next - 1);
    });
    return true;
  }

  reopen(): void {
    this.store.reopened += 1;
    if (this.store.reopenHelps) this.store.held = false;
    queueMicrotask(() => this.store.pump());
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
    queueMicrotask(() => this.pump());
  }

  close(): void {
    this.closed = true;
  }

  connect(): void {
    if (!this.store.cut) this.sink.connection('connected');
    else this.connected = false;
    this.pump();
  }
}

export class MemoryStore implements Store {
  readonly maxOperations = 128;
  current: Revision = 1;
  compactRevision: Revision = 0;
  /** The stream delivers nothing although it looks connected. */
  held = false;
  /** The stream is disconnected. */
  cut = false;
  answersProgress = true;
  reopenHelps = true;
  /** Makes every call but the stream fail. */
  failure: StoreError | undefined;
  /** Awaited by every revision lookup. */
  lookupGate: Promise<void> | undefined;
  reopened = 0;
  readonly calls = { get: 0, range: 0, transact: 0, revision: 0 };
  lookupsInFlight = 0;
  mostLookupsInFlight = 0;
  private readonly leases = new Map<LeaseId, Set<string>>();
  private granted = 0;
  private readonly versions = new Map<string, Version[]>();
  private readonly history: WatchEvent[][] = [];
  private readonly watches = new Set<MemoryWatch>();

  /** One write of one key, outside of any protocol. */
  put(key: string, value: Buffer): Revision {
    return this.commit([{ type: 'put', key, value }]);
  }

  remove(key: string): Revision {
    return this.commit([{ type: 'delete', key }]);
  }

  /** Changes a value without a revision or an event: damage that only a comparison can find. */
  corrupt(key: string, modRevision: Revision): void {
    const versions = this.versions.get(key) ?? [];
    const last = versions.at(-1);
    if (last?.kv === undefined) throw new Error(`${key} does not exist`);
    versions[versions.length - 1] = { revision: last.revision, kv: { ...last.kv, modRevision } };
  }

  get openWatches(): number {
    return [...this.watches].filter((watch) => !watch.closed).length;
  }

  pump(): void {
    for (const watch of this.watches) watch.pump();
  }

  eventsAt(revision: Revision): readonly WatchEvent[] {
    return this.history[revision] ?? [];
  }

  async get(
    key: string,
    options?: CallOptions & { readonly revision?: Revision },
  ): Promise<{ revision: Revision; kv: KeyValue | undefined }> {
    this.calls.get += 1;
    this.check(options?.revision);
    return { revision: this.current, kv: this.at(key, options?.revision ?? this.current) };
  }

  async range(request: RangeRequest): Promise<RangeResult> {
    this.calls.range += 1;
    this.check(request.revision);
    const revision = request.revision ?? this.current;
    const keys = [...this.versions.keys()].filter((key) => inRange(request, key)).sort(compareBytes);
    const found = keys.map((key) => this.at(key, revision)).filter((kv): kv is KeyValue => kv !== undefined);
    const limit = request.limit === undefined || request.limit === 0 ? found.length : request.limit;
    const kvs = found.slice(0, limit).map((kv) => (request.keysOnly === true ? { ...kv, value: Buffer.alloc(0) } : kv));
    return { revision: this.current, kvs, more: found.length > limit, count: found.length };
  }

  async count(range: KeyRange): Promise<{ revision: Revision; count: number }> {
    const { revision, count } = await this.range({ ...range, limit: 1 });
    return { revision, count };
  }

  async transact(transaction: Transaction): Promise<TransactionResult> {
    this.calls.transact += 1;
    this.check(undefined);
    const current = transaction.compare.map(({ key }) => this.at(key, this.current));
    const holds = transaction.compare.every((compare, index) =>
      'exists' in compare ? current[index] !== undefined : (current[index]?.modRevision ?? 0) === compare.modRevision,
    );
    if (!holds) return { committed: false, revision: this.current, current };
    return { committed: true, revision: this.commit(transaction.operations) };
  }

  watch(range: KeyRange, from: Revision, sink: WatchSink): Watch {
    const watch = new MemoryWatch(this, range, from, sink);
    this.watches.add(watch);
    queueMicrotask(() => watch.connect());
    return watch;
  }

  async revision(): Promise<Revision> {
    this.calls.revision += 1;
    this.lookupsInFlight += 1;
    this.mostLookupsInFlight = Math.max(this.mostLookupsInFlight, this.lookupsInFlight);
    try {
      await this.lookupGate;
      this.check(undefined);
      return this.current;
    } finally {
      this.lookupsInFlight -= 1;
    }
  }

  async compact(revision: Revision): Promise<void> {
    this.check(undefined);
    this.compactRevision = Math.max(this.compactRevision, revision);
  }

  grantLease(): Promise<LeaseId> {
    this.granted += 1;
    this.leases.set(String(this.granted), new Set());
    return Promise.resolve(String(this.granted));
  }

  keepLeaseAlive(lease: LeaseId): Promise<void> {
    const known = this.leases.has(lease);
    return known ? Promise.resolve() : Promise.reject(new StoreError('lease-not-found', `there is no lease ${lease}`));
  }

  /** Also what the passing of its time does: leases end here by hand only. */
  revokeLease(lease: LeaseId): Promise<void> {
    for (const key of this.leases.get(lease) ?? []) this.remove(key);
    this.leases.delete(lease);
    return Promise.resolve();
  }

  async status(): Promise<StoreStatus> {
    return { version: 'memory', revision: this.current, size: 0 };
  }

  async health(): Promise<void> {
    await this.revision();
  }

  async close(): Promise<void> {
    for (const watch of this.watches) watch.close();
  }

  private commit(operations: Transaction['operations']): Revision {
    const revision = this.current + 1;
    const events: WatchEvent[] = [];
    for (const operation of operations) {
      const before = this.at(operation.key, this.current);
      const versions = this.versions.get(operation.key) ?? [];
      this.versions.set(operation.key, versions);
      for (const keys of this.leases.values()) keys.delete(operation.key);
      if (operation.type === 'put') {
        if (operation.lease !== undefined) this.leases.get(operation.lease)?.add(operation.key);
        const { key, value } = operation;
        const createRevision = before?.createRevision ?? revision;
        versions.push({ revision, kv: { key, value, createRevision, modRevision: revision, version: (before?.version ?? 0) + 1 } });
        events.push({ type: 'put', key, value, revision, created: before === undefined });
      } else if (before !== undefined) {
        versions.push({ revision, kv: undefined });
        events.push({ type: 'delete', key: operation.key, revision });
      }
    }
    if (events.length === 0) return this.current;
    this.current = revision;
    this.history[revision] = events;
    this.pump();
    return revision;
  }

  private at(key: string, revision: Revision): KeyValue | undefined {
    return this.versions.get(key)?.findLast((version) => version.revision <= revision)?.kv;
  }

  private check(revision: Revision | undefined): void {
    if (this.failure !== undefined) throw this.failure;
    if (revision === undefined) return;
    if (revision < this.compactRevision) throw new StoreError('compacted', `compacted at ${this.compactRevision}`, this.compactRevision);
    if (revision > this.current) throw new StoreError('future-revision', `the store is at ${this.current}`);
  }
}

function inRange(range: KeyRange, key: string): boolean {
  return compareBytes(key, range.start) >= 0 && compareBytes(key, range.end) < 0;
}
