/** The writes of one durable transaction. They are put to the tables at once; the environment commits or aborts them. */
import type { Revision } from '../store';
import { encodeHistoryRecord, encodeLatestRecord, encodeLogEntry, encodeNumber, historyKey, type KeyChange } from './record';
import { counterKeys, lastWriteIdKey, probeKey, type Counter, type StoreTables } from './tables';

/** Size of the value that a health probe writes; it needs new pages, so a full disk is noticed. */
const PROBE_BYTES = 16 << 10;

/** The writes of one transaction. Must be used only while the environment runs the transaction. */
export class WriteBatch {
  /** The revision appended last. */
  revision: Revision | undefined;

  constructor(private readonly tables: StoreTables) {}

  /** Sets a counter; the revision is set by `finish`. */
  setCounter(counter: Exclude<Counter, 'revision'>, value: number): void {
    void this.tables.counters.put(counterKeys[counter], encodeNumber(value));
  }

  /** Writes a value that is never read, to check that the disk accepts writes. */
  writeProbe(): void {
    void this.tables.counters.put(probeKey, Buffer.alloc(PROBE_BYTES));
  }

  /** Appends one revision to `log` and updates `latest` and `history`. */
  append(revision: Revision, changes: readonly KeyChange[]): void {
    this.revision = revision;
    void this.tables.log.put(encodeNumber(revision), encodeLogEntry(changes));
    for (const change of changes) {
      const key = Buffer.from(change.key);
      if (change.deleted) {
        void this.tables.latest.remove(key);
        void this.tables.history.put(historyKey(key, revision), encodeHistoryRecord(undefined));
      } else {
        const { createRevision, version, lease } = change;
        void this.tables.latest.put(key, encodeLatestRecord({ modRevision: revision, createRevision, version, lease }));
        void this.tables.history.put(historyKey(key, revision), encodeHistoryRecord({ createRevision, version }));
      }
    }
  }

  /** Records the identity of this write and the last appended revision. Must be called last. */
  finish(writeId: Buffer): void {
    void this.tables.counters.put(lastWriteIdKey, writeId);
    if (this.revision !== undefined) void this.tables.counters.put(counterKeys.revision, encodeNumber(this.revision));
  }

  /** Keeps only `changes` in the log entry of an old revision; removes the entry when there are none. */
  replaceLogEntry(revision: Revision, changes: readonly KeyChange[]): void {
    const key = encodeNumber(revision);
    void (changes.length === 0 ? this.tables.log.remove(key) : this.tables.log.put(key, encodeLogEntry(changes)));
  }

  /** Removes the record of one change of `key` from `history`. */
  removeHistory(key: string, revision: Revision): void {
    void this.tables.history.remove(historyKey(Buffer.from(key), revision));
  }

  /** Stores a lease with its full TTL; its expiry is not stored. */
  putLease(lease: number, ttlSeconds: number): void {
    void this.tables.leases.put(encodeNumber(lease), encodeNumber(ttlSeconds));
  }

  /** Removes a lease; its keys are deleted by an append. */
  removeLease(lease: number): void {
    void this.tables.leases.remove(encodeNumber(lease));
  }
}
