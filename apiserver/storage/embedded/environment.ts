/**
 * The LMDB environment of the embedded store: its databases (tables), reads at one snapshot, and durable batches of
 * writes. Transactions, watches and leases are left to its callers.
 *
 * A batch becomes visible to readers only after its pages and then its meta page are on disk (LMDB without overlapping
 * sync), so everything a snapshot shows is durable.
 */
import { open, type Database, type RangeOptions, type RootDatabase, type Transaction as LmdbTransaction } from 'lmdb';
import type { Revision } from '../store';
import { MissingRecordError, prepareToRead, prepareToWrite, type RunIfUnlocked } from './database-files';
import { PRIVATE_FILE_MODE } from '../../../shared/runtime/files/folder-lock';
import type { StoreGate } from './store-gate';
import {
  decodeLogEntry,
  decodeLatestRecord,
  decodeNumber,
  decodeHistoryRecord,
  encodeLogEntry,
  encodeLatestRecord,
  encodeNumber,
  encodeHistoryRecord,
  historyKey,
  keysOfLogEntry,
  splitHistoryKey,
  valueInLogEntry,
  valueBytesOfLogEntry,
  type KeyChange,
  type LatestRecord,
  type HistoryRecord,
} from './record';

type Table = Database<Buffer, Buffer>;

/**
 * Reads into lmdb-js's shared buffer: the result is overwritten by the next read. The types of lmdb lack the options.
 */
interface SharedRead {
  getBinaryFast(key: Buffer, options: { readonly transaction: LmdbTransaction }): Buffer | undefined;
}

interface Tables {
  /** revision → the changes of that revision, with their values */
  readonly log: Table;
  /** key → revisions, version and lease of the live value */
  readonly latest: Table;
  /** key, revision → create revision and version, or a deletion; without the value */
  readonly history: Table;
  /** lease → TTL in seconds */
  readonly leases: Table;
  /** The counters named in {@link counterKeys}. */
  readonly counters: Table;
}

const counterKeys = {
  format: Buffer.from('format'),
  revision: Buffer.from('revision'),
  compacted: Buffer.from('compacted'),
  purged: Buffer.from('purged'),
  lastLease: Buffer.from('last-lease'),
};
export type Counter = Exclude<keyof typeof counterKeys, 'format'>;

/** Further keys of the `counters` table: the identity of the last write, and the value written by health probes. */
const lastWriteIdKey = Buffer.from('mark');
const probeKey = Buffer.from('probe');
const PROBE_BYTES = 16 << 10;

const TABLE = { keyEncoding: 'binary', encoding: 'binary' } as const;

const FORMAT_VERSION = 2;
/** Format before value compression; otherwise the same as the current one. */
const UNCOMPRESSED_FORMAT_VERSION = 1;

/** The revision of a store without writes, as in etcd: the first write takes 2. */
const EMPTY_REVISION = 1;

/** Every key is part of a history key, and LMDB's longest key here has 1,978 bytes. */
export const MAX_KEY_BYTES = 1_900;

/** Another process has written to the files since this one opened them, so the state in memory is stale. */
export class ConcurrentWriterError extends Error {
  override readonly name = 'ConcurrentWriterError';
}

export interface ReadOnlyEnvironment {
  readonly snapshot: ReadTransaction;
  close(): Promise<void>;
}

export class Environment {
  private writeCount = 0;
  /** Resolves when the last requested write has ended, successfully or not. */
  private lastWrite: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly root: RootDatabase<Buffer, Buffer>,
    private readonly tables: Tables,
    readonly directory: string,
    private readonly owner: string,
    private readonly gate: StoreGate,
    /**
     * The id of the last write and the last revision in the files, as far as this process knows. Each write of this
     * process has a new id.
     */
    private lastWriteId: Buffer | undefined,
    private revision: Revision,
  ) {}

  /**
   * Opens or creates the files in `directory`; the caller holds its folder lock. Throws when they have another
   * format. Must run inside `gate`, as must {@link close}.
   * @param owner an id that no other process uses.
   */
  static async open(directory: string, owner: string, gate: StoreGate): Promise<Environment> {
    prepareToWrite(directory);
    // The types of lmdb lack the mode. Its event-turn batching creates a promise that cannot be handled, and its
    // rejection would end the process when a commit fails; writes are batched here already.
    const options = { permissionsMode: PRIVATE_FILE_MODE, noSubdir: false, overlappingSync: false, eventTurnBatching: false, cache: false };
    const root = open<Buffer, Buffer>({ path: directory, maxDbs: 8, ...options });
    const tables = openTables(root);
    const format = tables.counters.get(counterKeys.format);
    if (format === undefined) {
      await root.batch(() => {
        void tables.counters.put(counterKeys.format, encodeNumber(FORMAT_VERSION));
        void tables.counters.put(counterKeys.revision, encodeNumber(EMPTY_REVISION));
      });
    } else if (decodeNumber(format) === UNCOMPRESSED_FORMAT_VERSION) {
      await tables.counters.put(counterKeys.format, encodeNumber(FORMAT_VERSION));
    } else if (decodeNumber(format) !== FORMAT_VERSION) {
      await root.close();
      throw unsupportedFormatError(directory, format);
    }
    const revision = decodeNumber(tables.counters.get(counterKeys.revision) ?? encodeNumber(EMPTY_REVISION));
    return new Environment(root, tables, directory, owner, gate, tables.counters.get(lastWriteIdKey), revision);
  }

  /**
   * Opens a snapshot of the newest committed state of files that another process may be writing to. Writes nothing.
   * While it is open the files only grow, because LMDB cannot reuse the pages that the snapshot reads. Rejects, with
   * the files closed, when they have another format or hold no data yet. Must run inside the {@link StoreGate}, as must
   * closing.
   */
  static async openReadOnly(directory: string, runIfUnlocked: RunIfUnlocked): Promise<ReadOnlyEnvironment> {
    prepareToRead(directory, runIfUnlocked);
    const root = open<Buffer, Buffer>({ path: directory, maxDbs: 8, readOnly: true, noSubdir: false, cache: false });
    try {
      const tables = openExistingTables(root);
      const format = tables?.counters.get(counterKeys.format);
      if (tables === undefined || format === undefined || ![UNCOMPRESSED_FORMAT_VERSION, FORMAT_VERSION].includes(decodeNumber(format))) {
        throw unsupportedFormatError(directory, format);
      }
      const snapshot = new ReadTransaction(tables, root.useReadTransaction());
      return {
        snapshot,
        close: () => {
          snapshot.end();
          return root.close();
        },
      };
    } catch (error) {
      await root.close();
      throw error;
    }
  }

  /** A consistent snapshot of the newest committed state; call {@link ReadTransaction.done} when finished. */
  snapshot(): ReadTransaction {
    return new ReadTransaction(this.tables, this.root.useReadTransaction());
  }

  /**
   * Applies all writes of `action` in one durable transaction. Rejects when nothing was written: with {@link
   * ConcurrentWriterError} when another process has written to the files.
   */
  write(action: (batch: WriteBatch) => void): Promise<void> {
    // One at a time: each write checks the state that the previous one left.
    const writing = this.lastWrite.then(() => this.writeNext(action));
    this.lastWrite = writing.catch(() => undefined);
    return writing;
  }

  private async writeNext(action: (batch: WriteBatch) => void): Promise<void> {
    const batch = new WriteBatch(this.tables);
    const writeId = Buffer.from(`${this.owner} ${++this.writeCount}`);
    try {
      await this.gate.runWrite(() =>
        this.root.childTransaction(() => {
          this.checkSoleWriter();
          action(batch);
          batch.finish(writeId);
        }),
      );
    } catch (error) {
      // lmdb-js keeps a read transaction for the rest of the event-loop turn; it must not serve reads after this write.
      this.root.resetReadTxn();
      if (!this.isLastWrite(writeId)) throw await commitCauseOf(error);
    } finally {
      this.root.resetReadTxn();
    }
    this.lastWriteId = writeId;
    this.revision = batch.revision ?? this.revision;
  }

  /**
   * Throws {@link ConcurrentWriterError} unless the files are as this process left them. Reads in the current write
   * transaction.
   */
  private checkSoleWriter(): void {
    const { counters: table } = this.tables;
    const revision = decodeNumber(table.get(counterKeys.revision) ?? encodeNumber(EMPTY_REVISION));
    const lastWriteId = table.get(lastWriteIdKey);
    const isSame = lastWriteId === undefined ? this.lastWriteId === undefined : this.lastWriteId?.equals(lastWriteId) === true;
    if (isSame && revision === this.revision) return;
    const revisions = `its last revision is ${revision}, and the last one known here is ${this.revision}`;
    throw new ConcurrentWriterError(
      `another process has written to the data in ${this.directory} (${revisions}); this one has stopped using it`,
    );
  }

  /** Whether a batch was committed although its commit reported an error. */
  private isLastWrite(writeId: Buffer): boolean {
    const snapshot = this.snapshot();
    try {
      return snapshot.lastWriteId()?.equals(writeId) === true;
    } finally {
      snapshot.end();
    }
  }

  async close(): Promise<void> {
    await this.root.close();
  }
}

function openTables(root: RootDatabase<Buffer, Buffer>): Tables {
  const table = (name: string): Table => root.openDB<Buffer, Buffer>({ name, ...TABLE });
  return { log: table('log'), latest: table('latest'), history: table('history'), leases: table('leases'), counters: table('counters') };
}

/** In a read-only environment `openDB` returns undefined for a missing database; the types of lmdb lack this. */
interface ReadOnlyRoot {
  openDB(options: typeof TABLE & { readonly name: string }): Table | undefined;
}

/** Undefined while the writer has not created all tables yet. */
function openExistingTables(root: ReadOnlyRoot): Tables | undefined {
  const table = (name: string): Table | undefined => root.openDB({ name, ...TABLE });
  const log = table('log');
  const latest = table('latest');
  const history = table('history');
  const leases = table('leases');
  const counters = table('counters');
  if (!log || !latest || !history || !leases || !counters) return undefined;
  return { log, latest, history, leases, counters };
}

function unsupportedFormatError(directory: string, format: Buffer | undefined): Error {
  const actual = format === undefined ? 'no format yet' : `format ${decodeNumber(format)}`;
  return new Error(`the data in ${directory} has ${actual}; this version reads format ${FORMAT_VERSION}: use the version that wrote it`);
}

/** The cause of a failed commit, which lmdb-js wraps in another error. */
async function commitCauseOf(error: unknown): Promise<unknown> {
  if (typeof error !== 'object' || error === null || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}

/** The writes of one durable transaction. */
export class WriteBatch {
  /** The revision appended last. */
  revision: Revision | undefined;

  constructor(private readonly tables: Tables) {}

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

  /** Must be called last. */
  finish(writeId: Buffer): void {
    void this.tables.counters.put(lastWriteIdKey, writeId);
    if (this.revision !== undefined) void this.tables.counters.put(counterKeys.revision, encodeNumber(this.revision));
  }

  /** Keeps only `changes` in the log entry of an old revision; removes the entry when there are none. */
  replaceLogEntry(revision: Revision, changes: readonly KeyChange[]): void {
    const key = encodeNumber(revision);
    void (changes.length === 0 ? this.tables.log.remove(key) : this.tables.log.put(key, encodeLogEntry(changes)));
  }

  removeHistory(key: string, revision: Revision): void {
    void this.tables.history.remove(historyKey(Buffer.from(key), revision));
  }

  putLease(lease: number, ttlSeconds: number): void {
    void this.tables.leases.put(encodeNumber(lease), encodeNumber(ttlSeconds));
  }

  removeLease(lease: number): void {
    void this.tables.leases.remove(encodeNumber(lease));
  }
}

/** The state after one batch. Returned values are copies that the caller owns. */
export class ReadTransaction {
  constructor(
    private readonly tables: Tables,
    private readonly transaction: LmdbTransaction,
  ) {}

  end(): void {
    this.transaction.done();
  }

  counter(counter: Counter): number {
    const bytes = this.tables.counters.get(counterKeys[counter], { transaction: this.transaction });
    return bytes === undefined ? 0 : decodeNumber(bytes);
  }

  /** The id of the last committed write. */
  lastWriteId(): Buffer | undefined {
    return this.tables.counters.get(lastWriteIdKey, { transaction: this.transaction });
  }

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
    return entry && record && { ...record, modRevision: splitHistoryKey(entry.key).revision };
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

  countLiveKeys(start: Buffer, end: Buffer): number {
    return start.compare(end) >= 0 ? 0 : this.tables.latest.getKeysCount({ start, end, transaction: this.transaction });
  }

  /** Raw history between two positions (see `historyBound`), at most `limit` entries. */
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
