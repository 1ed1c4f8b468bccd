/**
 * Reads of the tables at one snapshot, which later writes do not change. Decoding is left to record.ts. An open
 * transaction keeps LMDB from reusing pages, so callers end it promptly.
 */
import type { RangeOptions, Transaction as LmdbTransaction } from 'lmdb';
import type { Revision } from '../store';
import { MissingRecordError } from './database-files';
import {
  decodeHistoryRecord,
  decodeLatestRecord,
  decodeLogEntry,
  decodeNumber,
  encodeNumber,
  historyKey,
  keysOfLogEntry,
  splitHistoryKey,
  valueBytesOfLogEntry,
  valueInLogEntry,
  type HistoryRecord,
  type KeyChange,
  type LatestRecord,
} from './record';
import { counterKeys, lastWriteIdKey, type Counter, type Table, type StoreTables } from './tables';

/**
 * A read into lmdb-js's shared buffer: the next read overwrites the result, so it is decoded at once. The types of lmdb
 * lack the options of this method.
 */
interface SharedRead {
  getBinaryFast(key: Buffer, options: { readonly transaction: LmdbTransaction }): Buffer | undefined;
}

/** The state after one batch. Returned values are copies that the caller owns. */
export class ReadTransaction {
  constructor(
    private readonly tables: StoreTables,
    private readonly transaction: LmdbTransaction,
  ) {}

  /** Must be called exactly once; no read may follow. */
  end(): void {
    this.transaction.done();
  }

  /** The value of a counter; 0 when it has never been written. */
  counter(counter: Counter): number {
    const bytes = this.tables.counters.get(counterKeys[counter], { transaction: this.transaction });
    return bytes === undefined ? 0 : decodeNumber(bytes);
  }

  /** The id of the last committed write. */
  lastWriteId(): Buffer | undefined {
    return this.tables.counters.get(lastWriteIdKey, { transaction: this.transaction });
  }

  /** The live state of a key, without its value; undefined when the key does not exist. */
  latest(key: string): LatestRecord | undefined {
    const bytes = this.read(this.tables.latest, Buffer.from(key));
    return bytes && decodeLatestRecord(bytes);
  }

  /** The state of `key` at `revision`; undefined when the key did not exist then. */
  stateAt(key: string, revision: Revision): (HistoryRecord & { readonly modRevision: Revision }) | undefined {
    const bytes = Buffer.from(key);
    const entry = this.first(this.tables.history, {
      start: historyKey(bytes, revision),
      end: historyKey(bytes, 0),
      reverse: true,
    });
    const record = entry && decodeHistoryRecord(entry.value);
    return entry && record && { modRevision: splitHistoryKey(entry.key).revision, ...record };
  }

  /** The revision of the last change of `key` before `revision`; undefined when the history has none. */
  lastChangeBefore(key: string, revision: Revision): Revision | undefined {
    const bytes = Buffer.from(key);
    const start = historyKey(bytes, revision - 1);
    const entry = this.first(this.tables.history, { start, end: historyKey(bytes, 0), reverse: true });
    return entry && splitHistoryKey(entry.key).revision;
  }

  /** The value that `key` got at `revision`, which must be in the log. */
  valueAt(key: Buffer, revision: Revision): Buffer {
    const entry = this.read(this.tables.log, encodeNumber(revision));
    const value = entry && valueInLogEntry(entry, key);
    if (value === undefined) throw new MissingRecordError(`the log lacks ${key.toString()} at revision ${revision}`);
    return value;
  }

  /** All changes of a revision with their values; undefined when the log does not contain it. */
  logEntry(revision: Revision): KeyChange[] | undefined {
    const bytes = this.read(this.tables.log, encodeNumber(revision));
    return bytes && decodeLogEntry(bytes);
  }

  /** The keys that `revision` changed, except purged changes. */
  changedKeys(revision: Revision): ReturnType<typeof keysOfLogEntry> {
    const bytes = this.read(this.tables.log, encodeNumber(revision));
    return bytes === undefined ? [] : keysOfLogEntry(bytes);
  }

  /** Revisions in the log from `from` to `through`, ascending, at most `limit`. */
  revisions(from: Revision, through: Revision, limit: number): Revision[] {
    const keys = this.tables.log.getKeys({
      start: encodeNumber(from),
      end: encodeNumber(through + 1),
      limit,
      transaction: this.transaction,
    });
    return [...keys].map((key) => decodeNumber(key));
  }

  /** The newest `limit` revisions in the log, in descending order, with the bytes of their values. */
  *newestRevisions(limit: number): Generator<{ readonly revision: Revision; readonly valueBytes: number }> {
    for (const { key, value } of this.tables.log.getRange({ reverse: true, limit, transaction: this.transaction })) {
      yield { revision: decodeNumber(key), valueBytes: valueBytesOfLogEntry(value) };
    }
  }

  /** Live keys in `[start, end)`, at most `limit`. */
  *liveKeys(start: Buffer, end: Buffer, limit: number): Generator<{ readonly key: Buffer; readonly latest: LatestRecord }> {
    if (start.compare(end) >= 0) return;
    for (const { key, value } of this.tables.latest.getRange({ start, end, limit, transaction: this.transaction })) {
      yield { key, latest: decodeLatestRecord(value) };
    }
  }

  /** Number of live keys in `[start, end)`. */
  countLiveKeys(start: Buffer, end: Buffer): number {
    return start.compare(end) >= 0 ? 0 : this.tables.latest.getKeysCount({ start, end, transaction: this.transaction });
  }

  /** Entries of `history` between two positions (see `historyBound` of record.ts), deletions included, at most `limit`. */
  *historyEntries(
    start: Buffer,
    end: Buffer,
    limit: number,
  ): Generator<{ readonly position: Buffer; readonly key: Buffer; readonly revision: Revision; readonly past: HistoryRecord | undefined }> {
    if (start.compare(end) >= 0) return;
    for (const { key: position, value } of this.tables.history.getRange({ start, end, limit, transaction: this.transaction })) {
      yield { position, ...splitHistoryKey(position), past: decodeHistoryRecord(value) };
    }
  }

  /** The leases on disk, in the order of their IDs. */
  *storedLeases(): Generator<{ readonly lease: number; readonly ttlSeconds: number }> {
    for (const { key, value } of this.tables.leases.getRange({ transaction: this.transaction })) {
      yield { lease: decodeNumber(key), ttlSeconds: decodeNumber(value) };
    }
  }

  private read(table: SharedRead, key: Buffer): Buffer | undefined {
    return table.getBinaryFast(key, { transaction: this.transaction });
  }

  private first(table: Table, range: RangeOptions): { readonly key: Buffer; readonly value: Buffer } | undefined {
    for (const entry of table.getRange({ ...range, limit: 1, transaction: this.transaction })) return entry;
    return undefined;
  }
}
