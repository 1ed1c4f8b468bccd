/**
 * Opens a cache: creates its parts, connects, starts and closes them, and drops periodically what is over its limits.
 * The work is left to the parts: event-stream.ts follows the store and advances the revision, cache-reader.ts serves
 * reads, and open-watches.ts serves watches.
 */
import type { Timer } from '../../../shared/runtime/clock';
import type { Revision } from '../../storage/store';
import { unreadableReason } from '../../storage/unreadable-value';
import type {
  CacheWatch,
  ChangeSink,
  Entry,
  UnreadableKey,
  Snapshot,
  SnapshotRequest,
  StoredType,
  WaitOptions,
  WatchRequest,
} from '../cache';
import type { KeyListener } from '../key-listeners';
import type { CacheStatistics } from '../statistics';
import { CacheReader } from './cache-reader';
import { ConsistencyChecker } from './consistency-checker';
import { CompactionLoop } from './compaction-loop';
import { compareWithStore } from './compare-with-store';
import { ConsistentReads } from './consistent-reads';
import { EventStream } from './event-stream';
import { OpenWatches } from './open-watches';
import type { CacheOptions, OpenedCache } from './cache-options';
import { ReplicatedState } from './replicated-state';

const MINUTE = 60_000;
/** Interval at which snapshots and changes over their limits are dropped; the event stream does so too while it is idle. */
const TRIM_MS = 1_000;

export type { CacheOptions, OpenedCache } from './cache-options';

/**
 * Returns a cache that is loading. It can be used when `isReady` is true. The caller closes the store, after the
 * cache.
 */
export function openCache(options: CacheOptions): OpenedCache {
  const cache = new KeyspaceCache(options);
  void cache.start();
  return cache;
}

/** Forwards each call to the part that serves it. */
export class KeyspaceCache implements OpenedCache {
  readonly statistics: CacheStatistics;
  isReady = false;

  private readonly replica: ReplicatedState;
  private readonly reader: CacheReader;
  private readonly stream: EventStream;
  private readonly watches: OpenWatches;
  private readonly consistentReads: ConsistentReads;
  private readonly checker: ConsistencyChecker;
  private readonly compaction: CompactionLoop;
  private trimTimer: Timer | undefined;
  private readonly abortController = new AbortController();
  private resolveReady: () => void = () => undefined;
  private readonly readyPromise = new Promise<void>((resolve) => {
    this.resolveReady = resolve;
  });

  constructor(options: CacheOptions) {
    this.replica = new ReplicatedState(options);
    this.statistics = this.replica.statistics;
    this.reader = new CacheReader(this.replica);
    this.stream = new EventStream(this.replica, options.replayRevisions, this.abortController.signal);
    this.watches = new OpenWatches(this.replica, () => this.stream.tick());
    this.consistentReads = new ConsistentReads(this.replica, this.stream.stall);
    this.checker = new ConsistencyChecker(this.replica, options.checkMs ?? 5 * MINUTE);
    this.compaction = new CompactionLoop({
      store: options.store,
      clock: options.clock,
      logger: options.logger,
      key: this.replica.compactionKey,
      intervalMs: options.compactionMs ?? 5 * MINUTE,
      onCompacted: () => void (this.statistics.compactions += 1),
    });
  }

  get revision(): Revision {
    return this.replica.revision;
  }

  get compactedRevision(): Revision {
    return this.replica.compactedRevision;
  }

  get isConnected(): boolean {
    return this.stream.isConnected;
  }

  // Start and shutdown.

  async start(): Promise<void> {
    await this.stream.start();
    if (this.abortController.signal.aborted) return;
    this.isReady = true;
    this.resolveReady();
    this.checker.start();
    this.compaction.start();
    this.scheduleTrim();
  }

  whenReady(): Promise<void> {
    return this.readyPromise;
  }

  async close(): Promise<void> {
    this.abortController.abort();
    this.isReady = false;
    this.stream.close();
    this.checker.close();
    this.compaction.close();
    this.trimTimer?.cancel();
    this.replica.waiters.close();
    this.replica.pastSnapshots.clear();
    this.watches.close();
    this.resolveReady();
  }

  private scheduleTrim(): void {
    this.trimTimer = this.replica.clock.after(TRIM_MS, () => {
      this.replica.trim();
      this.watches.endFarBehind();
      this.scheduleTrim();
    });
  }

  // Reads and watches.

  waitForRevision(revision: Revision, options: WaitOptions): Promise<boolean> {
    return this.reader.waitForRevision(revision, options);
  }

  waitUntilFresh(options: WaitOptions): Promise<Revision> {
    return this.consistentReads.waitUntilFresh(options);
  }

  get(type: StoredType, key: string): Entry | undefined {
    return this.reader.get(type, key);
  }

  unreadableReason(type: StoredType, key: string): string | undefined {
    return this.reader.unreadableReason(type, key);
  }

  firstUnreadableKey(type: StoredType, start?: string, end?: string): UnreadableKey | undefined {
    return this.reader.firstUnreadableKey(type, start, end);
  }

  snapshot(type: StoredType): Snapshot {
    return this.reader.snapshot(type);
  }

  count(type: StoredType): number {
    return this.reader.count(type);
  }

  snapshotAt(type: StoredType, revision: Revision, request: SnapshotRequest): Promise<Snapshot> {
    return this.reader.snapshotAt(type, revision, request);
  }

  pin(type: StoredType, snapshot: Snapshot): void {
    this.reader.pin(type, snapshot);
  }

  readFromStore(
    type: StoredType,
    key: string,
    options: WaitOptions,
  ): Promise<{ readonly revision: Revision; readonly entry: Entry | undefined }> {
    return this.reader.readFromStore(type, key, options);
  }

  createEntry(type: StoredType, key: string, revision: Revision, value: Buffer): Entry {
    return this.reader.createEntry(type, key, revision, value);
  }

  watch(type: StoredType, request: WatchRequest, sink: ChangeSink): CacheWatch {
    return this.watches.start(type, request, sink);
  }

  endWatches(type: StoredType): void {
    this.watches.endWatchesOf(type);
  }

  // Maintenance.

  checkConsistency(): Promise<void> {
    return this.checker.checkAllTypes();
  }

  async retryUnreadable(): Promise<void> {
    const { replica } = this;
    for (const state of replica.keys.states) {
      if (state.unreadable.size === 0) continue;
      const { revision } = replica;
      const { changed, removed } = await compareWithStore(replica, state, revision, { retriesUnreadable: true });
      const readable = changed.filter(({ value }) => unreadableReason(value) === undefined);
      replica.objects.repair(state, { changed: readable, removed }, { comparedAt: revision, cacheRevision: replica.revision });
    }
  }

  runCompactionRound(): Promise<void> {
    return this.compaction.runRound();
  }

  storedTypes(): readonly StoredType[] {
    return this.replica.keys.states.map(({ type }) => type);
  }

  removeType(type: StoredType): void {
    const state = this.replica.keys.removeType(type);
    if (state !== undefined) this.replica.objects.removeType(state);
  }

  addKeyListener(keyPrefix: string, listener: KeyListener): void {
    this.replica.listeners.add(keyPrefix, listener);
  }

  problems(): readonly string[] {
    const problems: string[] = [];
    if (!this.isReady) problems.push('the state has not been loaded');
    else if (!this.isConnected) problems.push('the stream to the store is disconnected');
    for (const { type, unreadable, consecutiveDifferences } of this.replica.keys.states) {
      if (unreadable.size > 0) problems.push(`${type.name}: ${unreadable.size} stored values cannot be read`);
      if (consecutiveDifferences > 1) problems.push(`${type.name}: differs from the store repeatedly`);
    }
    return problems;
  }
}
