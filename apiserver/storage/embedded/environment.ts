/**
 * The database files of the embedded store: which tables there are, reading them at one snapshot, writing one batch
 * durably. It knows nothing of transactions, watches or leases.
 *
 * A batch becomes visible to readers only after its pages and then its meta page are on disk (lmdb without overlapping
 * synchronisation), so whatever a snapshot shows is durable.
 */
import { open, type Database, type RangeOptions, type RootDatabase, type Transaction as LmdbTransaction } from 'lmdb';
import type { Revision } from '../store';
import { prepareToRead, prepareToWrite, type WhileAlone } from './files';
import { PRIVATE_FILE } from './folder-lock';
import type { StoreGate } from './gate';
import {
  decodeEntry,
  decodeLatest,
  decodeNumber,
  decodePast,
  encodeEntry,
  encodeLatest,
  encodeNumber,
  encodePast,
  historyKey,
  keysOfEntry,
  splitHistoryKey,
  valueInEntry,
  weightOfEntry,
  type KeyChange,
  type Latest,
  type Past,
} from './record';

type Table = Database<Buffer, Buffer>;

/** lmdb's read into one shared buffer: what it returns is overwritten by the next read. Its types lack the options. */
interface SharedRead {
  getBinaryFast(key: Buffer, options: { readonly transaction: LmdbTransaction }): Buffer | undefined;
}

interface Tables {
  /** revision → the changes of that revision, with their values. */
  readonly log: Table;
  /** key → revisions of the live value. */
  readonly latest: Table;
  /** key, revision → what happened then, without the value. */
  readonly history: Table;
  /** lease → time to live in seconds. */
  readonly leases: Table;
  /** The counters named in {@link counters}. */
  readonly counters: Table;
}

const counters = {
  format: Buffer.from('format'),
  revision: Buffer.from('revision'),
  compacted: Buffer.from('compacted'),
  purged: Buffer.from('purged'),
  lastLease: Buffer.from('last-lease'),
};
export type Counter = Exclude<keyof typeof counters, 'format'>;

/** Further keys of the same table: who wrote last, and what is written only to see whether anything can be. */
const markKey = Buffer.from('mark');
const probeKey = Buffer.from('probe');
const PROBE_BYTES = 16 << 10;

const TABLE = { keyEncoding: 'binary', encoding: 'binary' } as const;

const FORMAT_VERSION = 2;
/** Without packed values; otherwise the same. */
const PLAIN_FORMAT = 1;

/** The revision of a store that was never written, as etcd counts: the first write takes 2. */
const EMPTY_REVISION = 1;

/** Every key is also part of a history key, and lmdb's longest key has 1,978 bytes. */
export const LONGEST_KEY = 1_900;

/** Another process has written to the files since this one opened them: what this one knows of them is of no use any more. */
export class StoreTaken extends Error {
  override readonly name = 'StoreTaken';
}

export interface EnvironmentView {
  readonly state: ReadTransaction;
  close(): Promise<void>;
}

export class Environment {
  private writes = 0;
  /** Ends with the last write that was asked for, however that ends. */
  private written: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly root: RootDatabase<Buffer, Buffer>,
    private readonly tables: Tables,
    private readonly directory: string,
    private readonly owner: string,
    private readonly gate: StoreGate,
    /** The mark and the last revision that the files hold, as far as this process knows; each of its writes leaves a new mark. */
    private mark: Buffer | undefined,
    private revision: Revision,
  ) {}

  /**
   * Opens or creates the files in `directory`, whose lock the caller has. Throws when they were written in another format. As closing, behind `gate`.
   * @param owner a text that no other process uses.
   */
  static async open(directory: string, owner: string, gate: StoreGate): Promise<Environment> {
    prepareToWrite(directory);
    // lmdb's types lack the mode. Its batching by turns makes a promise that nobody can reach, whose rejection would end the process when a commit
    // fails; writes come in batches as it is.
    const options = { permissionsMode: PRIVATE_FILE, noSubdir: false, overlappingSync: false, eventTurnBatching: false, cache: false };
    const root = open<Buffer, Buffer>({ path: directory, maxDbs: 8, ...options });
    const tables = tablesOf(root);
    const format = tables.counters.get(counters.format);
    if (format === undefined) {
      await root.batch(() => {
        void tables.counters.put(counters.format, encodeNumber(FORMAT_VERSION));
        void tables.counters.put(counters.revision, encodeNumber(EMPTY_REVISION));
      });
    } else if (decodeNumber(format) === PLAIN_FORMAT) {
      await tables.counters.put(counters.format, encodeNumber(FORMAT_VERSION));
    } else if (decodeNumber(format) !== FORMAT_VERSION) {
      await root.close();
      throw otherFormat(directory, format);
    }
    const revision = decodeNumber(tables.counters.get(counters.revision) ?? encodeNumber(EMPTY_REVISION));
    return new Environment(root, tables, directory, owner, gate, tables.counters.get(markKey), revision);
  }

  /**
   * The newest committed state of files that another process may be writing to, until `close`: the files grow meanwhile, for what it shows is kept. Writes
   * nothing. Rejects when the files were written in another format, or hold nothing yet; they are closed by then. As closing, behind the {@link StoreGate}.
   */
  static async view(directory: string, whileAlone: WhileAlone): Promise<EnvironmentView> {
    prepareToRead(directory, whileAlone);
    const root = open<Buffer, Buffer>({ path: directory, maxDbs: 8, readOnly: true, noSubdir: false, cache: false });
    try {
      const tables = viewedTables(root);
      const format = tables?.counters.get(counters.format);
      if (tables === undefined || format === undefined || ![PLAIN_FORMAT, FORMAT_VERSION].includes(decodeNumber(format))) {
        throw otherFormat(directory, format);
      }
      const state = new ReadTransaction(tables, root.useReadTransaction());
      return {
        state,
        close: () => {
          state.done();
          return root.close();
        },
      };
    } catch (error) {
      await root.close();
      throw error;
    }
  }

  /** A consistent view of the newest committed state; call {@link ReadTransaction.done} when finished. */
  snapshot(): ReadTransaction {
    return new ReadTransaction(this.tables, this.root.useReadTransaction());
  }

  /**
   * Does all writes of `action` in one durable step; rejects when nothing of it was done, with {@link StoreTaken} when this process is no longer
   * the only one that writes here.
   */
  write(action: (batch: WriteBatch) => void): Promise<void> {
    // One after the other: each is to find what the one before it left.
    const writing = this.written.then(() => this.writeNext(action));
    this.written = writing.catch(() => undefined);
    return writing;
  }

  private async writeNext(action: (batch: WriteBatch) => void): Promise<void> {
    const batch = new WriteBatch(this.tables);
    const mark = Buffer.from(`${this.owner} ${++this.writes}`);
    try {
      await this.gate.write(() =>
        this.root.childTransaction(() => {
          this.checkUntouched();
          action(batch);
          batch.finish(mark);
        }),
      );
    } catch (error) {
      // lmdb keeps a read transaction for the rest of the turn; it must not answer for what came after it.
      this.root.resetReadTxn();
      if (!this.isMarked(mark)) throw await causeOf(error);
    } finally {
      this.root.resetReadTxn();
    }
    this.mark = mark;
    this.revision = batch.revision ?? this.revision;
  }

  /** Throws {@link StoreTaken} unless the files are as this process left them. Looks into the write transaction in which it is called. */
  private checkUntouched(): void {
    const { counters: table } = this.tables;
    const revision = decodeNumber(table.get(counters.revision) ?? encodeNumber(EMPTY_REVISION));
    const mark = table.get(markKey);
    const isSame = mark === undefined ? this.mark === undefined : this.mark?.equals(mark) === true;
    if (isSame && revision === this.revision) return;
    const revisions = `its last revision is ${revision}, the last one known here is ${this.revision}`;
    throw new StoreTaken(`another process has written to the data in ${this.directory} (${revisions}); this one has stopped using it`);
  }

  /** Whether a batch whose write reported an error is in the database all the same. */
  private isMarked(mark: Buffer): boolean {
    const snapshot = this.snapshot();
    try {
      return snapshot.mark()?.equals(mark) === true;
    } finally {
      snapshot.done();
    }
  }

  async close(): Promise<void> {
    await this.root.close();
  }
}

function tablesOf(root: RootDatabase<Buffer, Buffer>): Tables {
  const table = (name: string): Table => root.openDB<Buffer, Buffer>({ name, ...TABLE });
  return { log: table('log'), latest: table('latest'), history: table('history'), leases: table('leases'), counters: table('counters') };
}

/** lmdb's types do not say that there may be none where nothing may be made. */
interface ViewedRoot {
  openDB(options: typeof TABLE & { readonly name: string }): Table | undefined;
}

/** Undefined while whoever makes the files has not got so far. */
function viewedTables(root: ViewedRoot): Tables | undefined {
  const table = (name: string): Table | undefined => root.openDB({ name, ...TABLE });
  const [log, latest, history, leases, numbers] = [table('log'), table('latest'), table('history'), table('leases'), table('counters')];
  if (!log || !latest || !history || !leases || !numbers) return undefined;
  return { log, latest, history, leases, counters: numbers };
}

function otherFormat(directory: string, format: Buffer | undefined): Error {
  const found = format === undefined ? 'no format yet' : `format ${decodeNumber(format)}`;
  return new Error(`the data in ${directory} has ${found}; this version reads format ${FORMAT_VERSION}: use the version that wrote it`);
}

/** The reason of a failed commit, which lmdb hides behind another error. */
async function causeOf(error: unknown): Promise<unknown> {
  if (typeof error !== 'object' || error === null || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}

/** The writes of one durable step. */
export class WriteBatch {
  /** The last one that was appended. */
  revision: Revision | undefined;

  constructor(private readonly tables: Tables) {}

  setCounter(counter: Exclude<Counter, 'revision'>, value: number): void {
    void this.tables.counters.put(counters[counter], encodeNumber(value));
  }

  /** Writes what nobody reads. */
  probe(): void {
    void this.tables.counters.put(probeKey, Buffer.alloc(PROBE_BYTES));
  }

  /** Appends one revision and brings `latest` and `history` up to it. */
  append(revision: Revision, changes: readonly KeyChange[]): void {
    this.revision = revision;
    void this.tables.log.put(encodeNumber(revision), encodeEntry(changes));
    for (const change of changes) {
      const key = Buffer.from(change.key);
      if (change.deleted) {
        void this.tables.latest.remove(key);
        void this.tables.history.put(historyKey(key, revision), encodePast(undefined));
      } else {
        const { createRevision, version, lease } = change;
        void this.tables.latest.put(key, encodeLatest({ modRevision: revision, createRevision, version, lease }));
        void this.tables.history.put(historyKey(key, revision), encodePast({ createRevision, version }));
      }
    }
  }

  /** To be called last. */
  finish(mark: Buffer): void {
    void this.tables.counters.put(markKey, mark);
    if (this.revision !== undefined) void this.tables.counters.put(counters.revision, encodeNumber(this.revision));
  }

  /** Keeps only `changes` of an old revision; with none the entry goes. */
  rewrite(revision: Revision, changes: readonly KeyChange[]): void {
    const key = encodeNumber(revision);
    void (changes.length === 0 ? this.tables.log.remove(key) : this.tables.log.put(key, encodeEntry(changes)));
  }

  forget(key: string, revision: Revision): void {
    void this.tables.history.remove(historyKey(Buffer.from(key), revision));
  }

  putLease(lease: number, ttlSeconds: number): void {
    void this.tables.leases.put(encodeNumber(lease), encodeNumber(ttlSeconds));
  }

  removeLease(lease: number): void {
    void this.tables.leases.remove(encodeNumber(lease));
  }
}

/** The state after one batch. Everything it returns is the caller's own memory. */
export class ReadTransaction {
  constructor(
    private readonly tables: Tables,
    private readonly transaction: LmdbTransaction,
  ) {}

  done(): void {
    this.transaction.done();
  }

  counter(counter: Counter): number {
    const bytes = this.tables.counters.get(counters[counter], { transaction: this.transaction });
    return bytes === undefined ? 0 : decodeNumber(bytes);
  }

  /** What the last write left as its sign. */
  mark(): Buffer | undefined {
    return this.tables.counters.get(markKey, { transaction: this.transaction });
  }

  latest(key: string): Latest | undefined {
    const bytes = this.read(this.tables.latest, Buffer.from(key));
    return bytes && decodeLatest(bytes);
  }

  /** The newest state of `key` at `revision`: when it was written and what, undefined when it does not exist then. */
  at(key: string, revision: Revision): (Past & { readonly modRevision: Revision }) | undefined {
    const bytes = Buffer.from(key);
    const entry = this.first(this.tables.history, {
      start: historyKey(bytes, revision),
      end: historyKey(bytes, 0),
      reverse: true,
    });
    const past = entry && decodePast(entry.value);
    return entry && past && { ...past, modRevision: splitHistoryKey(entry.key).revision };
  }

  /** The revision of the last change of `key` before `revision`, undefined when history holds none. */
  before(key: string, revision: Revision): Revision | undefined {
    const bytes = Buffer.from(key);
    const start = historyKey(bytes, revision - 1);
    const entry = this.first(this.tables.history, { start, end: historyKey(bytes, 0), reverse: true });
    return entry && splitHistoryKey(entry.key).revision;
  }

  /** The bytes that `key` was given at `revision`, which must be in the log. */
  value(key: Buffer, revision: Revision): Buffer {
    const entry = this.read(this.tables.log, encodeNumber(revision));
    const value = entry && valueInEntry(entry, key);
    if (value === undefined) throw new Error(`the log lacks ${key.toString()} at revision ${revision}`);
    return value;
  }

  entry(revision: Revision): KeyChange[] | undefined {
    const bytes = this.read(this.tables.log, encodeNumber(revision));
    return bytes && decodeEntry(bytes);
  }

  /** The keys that `revision` changed, as far as they were not purged. */
  changedKeys(revision: Revision): ReturnType<typeof keysOfEntry> {
    const bytes = this.read(this.tables.log, encodeNumber(revision));
    return bytes === undefined ? [] : keysOfEntry(bytes);
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

  /** The newest `limit` revisions in the log, the newest first, and the bytes of the values that they wrote. */
  *newest(limit: number): Generator<{ readonly revision: Revision; readonly weight: number }> {
    for (const { key, value } of this.tables.log.getRange({ reverse: true, limit, transaction: this.transaction })) {
      yield { revision: decodeNumber(key), weight: weightOfEntry(value) };
    }
  }

  /** Live keys in `[start, end)`, at most `limit`. */
  *live(start: Buffer, end: Buffer, limit: number): Generator<{ readonly key: Buffer; readonly latest: Latest }> {
    if (start.compare(end) >= 0) return;
    for (const { key, value } of this.tables.latest.getRange({ start, end, limit, transaction: this.transaction })) {
      yield { key, latest: decodeLatest(value) };
    }
  }

  countLive(start: Buffer, end: Buffer): number {
    return start.compare(end) >= 0 ? 0 : this.tables.latest.getKeysCount({ start, end, transaction: this.transaction });
  }

  /** Raw history between two places (see `historyBound`), at most `limit` entries. */
  *history(
    start: Buffer,
    end: Buffer,
    limit: number,
  ): Generator<{ readonly at: Buffer; readonly key: Buffer; readonly revision: Revision; readonly past: Past | undefined }> {
    if (start.compare(end) >= 0) return;
    for (const { key: at, value } of this.tables.history.getRange({ start, end, limit, transaction: this.transaction })) {
      yield { at, ...splitHistoryKey(at), past: decodePast(value) };
    }
  }

  *leases(): Generator<{ readonly lease: number; readonly ttlSeconds: number }> {
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
