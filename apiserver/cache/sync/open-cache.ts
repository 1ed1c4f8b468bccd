/**
 * Opens the cache: one watch over the whole key prefix, one clock, every type's state. Puts its parts together, starts and closes them, and runs what
 * is done at intervals. Reads are answered in cache-reader.ts, watches in open-watches.ts; the clock moves in event-stream.ts.
 */
import type { Timer } from '../../../shared/runtime/clock';
import type { Revision } from '../../storage/store';
import { unreadableReason } from '../../storage/unreadable';
import type { CacheWatch, ChangeSink, Entry, RefusedKey, Snapshot, SnapshotRequest, StoredType, Waited, WatchRequest } from '../cache';
import type { KeyListener } from '../key-listeners';
import type { CacheStatistics } from '../statistics';
import { CacheReader } from './cache-reader';
import { Checker } from './checker';
import { Compaction } from './compaction';
import { compareWithStore } from './comparison';
import { ConsistentReads } from './consistent-reads';
import { EventStream } from './event-stream';
import { OpenWatches } from './open-watches';
import type { CacheOptions, OpenedCache } from './options';
import { ReplicatedState } from './replicated-state';

const MINUTE = 60_000;
const TRIM_MS = 1_000;

export type { CacheOptions, OpenedCache } from './options';

/** Loading begins at once; the cache is usable when `ready`. The store stays its owner's. */
export function openCache(options: CacheOptions): OpenedCache {
  const cache = new KeyspaceCache(options);
  void cache.begin();
  return cache;
}

class KeyspaceCache implements OpenedCache {
  readonly statistics: CacheStatistics;
  ready = false;

  private readonly replica: ReplicatedState;
  private readonly reader: CacheReader;
  private readonly stream: EventStream;
  private readonly watches: OpenWatches;
  private readonly consistentReads: ConsistentReads;
  private readonly checker: Checker;
  private readonly compaction: Compaction;
  private trimmer: Timer | undefined;
  private readonly ending = new AbortController();
  private announceReady: () => void = () => undefined;
  private readonly becameReady = new Promise<void>((resolve) => {
    this.announceReady = resolve;
  });

  constructor(options: CacheOptions) {
    this.replica = new ReplicatedState(options);
    this.statistics = this.replica.statistics;
    this.reader = new CacheReader(this.replica);
    this.stream = new EventStream(this.replica, options.replayRevisions, this.ending.signal);
    this.watches = new OpenWatches(this.replica, () => this.stream.tick());
    this.consistentReads = new ConsistentReads(this.replica, this.stream.stall);
    this.checker = new Checker(this.replica, options.checkMs ?? 5 * MINUTE);
    this.compaction = new Compaction({
      store: options.store,
      clock: options.clock,
      logger: options.logger,
      key: this.replica.compactionKey,
      intervalMs: options.compactionMs ?? 5 * MINUTE,
      compacted: () => void (this.statistics.compactions += 1),
    });
  }

  get revision(): Revision {
    return this.replica.revision;
  }

  get compactedRevision(): Revision {
    return this.replica.compactedRevision;
  }

  get connected(): boolean {
    return this.stream.connected;
  }

  // Start and end.

  async begin(): Promise<void> {
    await this.stream.begin();
    if (this.ending.signal.aborted) return;
    this.ready = true;
    this.announceReady();
    this.checker.start();
    this.compaction.start();
    this.trimLater();
  }

  whenReady(): Promise<void> {
    return this.becameReady;
  }

  async close(): Promise<void> {
    this.ending.abort();
    this.ready = false;
    this.stream.close();
    this.checker.close();
    this.compaction.close();
    this.trimmer?.cancel();
    this.replica.waiters.close();
    this.replica.past.clear();
    this.watches.close();
    this.announceReady();
  }

  private trimLater(): void {
    this.trimmer = this.replica.clock.after(TRIM_MS, () => {
      this.replica.trim();
      this.watches.endWhere((watcher) => watcher.farBehind);
      this.trimLater();
    });
  }

  // Reads and watches.

  waitFor(revision: Revision, options: Waited): Promise<boolean> {
    return this.reader.waitFor(revision, options);
  }

  mostRecent(options: Waited): Promise<Revision> {
    return this.consistentReads.mostRecent(options);
  }

  get(type: StoredType, key: string): Entry | undefined {
    return this.reader.get(type, key);
  }

  refusal(type: StoredType, key: string): string | undefined {
    return this.reader.refusal(type, key);
  }

  firstRefusal(type: StoredType, start?: string, end?: string): RefusedKey | undefined {
    return this.reader.firstRefusal(type, start, end);
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

  read(type: StoredType, key: string, options: Waited): Promise<{ readonly revision: Revision; readonly entry: Entry | undefined }> {
    return this.reader.read(type, key, options);
  }

  entryOf(type: StoredType, key: string, revision: Revision, value: Buffer): Entry {
    return this.reader.entryOf(type, key, revision, value);
  }

  watch(type: StoredType, request: WatchRequest, sink: ChangeSink): CacheWatch {
    return this.watches.start(type, request, sink);
  }

  endWatches(type: StoredType): void {
    this.watches.endOf(type);
  }

  // Maintenance.

  check(): Promise<void> {
    return this.checker.pass();
  }

  async readAgain(): Promise<void> {
    const { replica } = this;
    const at = replica.revision;
    for (const state of replica.keys.states) {
      if (state.refused.size === 0) continue;
      const { changed, removed } = await compareWithStore(replica, state, state.snapshot(at).range(), at, true);
      const readable = changed.filter(({ value }) => unreadableReason(value) === undefined);
      replica.objects.repair(state, { changed: readable, removed }, at, replica.revision);
    }
  }

  compactionRound(): Promise<void> {
    return this.compaction.round();
  }

  storedTypes(): readonly StoredType[] {
    return this.replica.keys.states.map(({ type }) => type);
  }

  forget(type: StoredType): void {
    const state = this.replica.keys.forget(type);
    if (state !== undefined) this.replica.objects.forget(state);
  }

  onKey(keyPrefix: string, listener: KeyListener): void {
    this.replica.listeners.add(keyPrefix, listener);
  }

  problems(): readonly string[] {
    const problems: string[] = [];
    if (!this.ready) problems.push('the state has not been loaded');
    else if (!this.connected) problems.push('the stream to the store is disconnected');
    for (const { type, refused, differingPasses } of this.replica.keys.states) {
      if (refused.size > 0) problems.push(`${type.name}: ${refused.size} stored values cannot be read`);
      if (differingPasses > 1) problems.push(`${type.name}: differs from the store again and again`);
    }
    return problems;
  }
}
