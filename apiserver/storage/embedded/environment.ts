/**
 * The LMDB environment of the embedded store: opens its files, starts reads at one snapshot, and commits durable
 * batches of writes. Transactions, watches and leases are left to its callers.
 *
 * A batch becomes visible to readers only after its pages and then its meta page are on disk (LMDB without overlapping
 * sync), so everything a snapshot shows is durable.
 */
import { open, type RootDatabase } from 'lmdb';
import type { Revision } from '../store';
import { prepareToRead, prepareToWrite, type RunIfUnlocked } from './database-files';
import { PRIVATE_FILE_MODE } from '../../../shared/runtime/files/folder-lock';
import { ReadTransaction } from './read-transaction';
import { decodeNumber, encodeNumber } from './record';
import type { StoreGate } from './store-gate';
import { counterKeys, lastWriteIdKey, openExistingTables, openTables, type StoreTables } from './tables';
import { WriteBatch } from './write-batch';

/** Version of the layout that record.ts and tables.ts define. */
const FORMAT_VERSION = 2;
/** The format before value compression. Such files need no conversion: opening them for writing raises the number. */
const UNCOMPRESSED_FORMAT_VERSION = 1;

/** The revision of a store without writes, as in etcd: the first write takes 2. */
const EMPTY_REVISION = 1;

/** A history key (record.ts) adds 9 bytes to a key, and this build of LMDB takes keys of at most 1,978 bytes. */
export const MAX_KEY_BYTES = 1_900;

/** Another process has written to the files since this one opened them, so the state in memory is stale. */
export class ConcurrentWriterError extends Error {
  override readonly name = 'ConcurrentWriterError';
}

/** The files opened for reading, at one snapshot. */
export interface ReadOnlyEnvironment {
  readonly snapshot: ReadTransaction;
  /** Ends the snapshot and closes the files. */
  close(): Promise<void>;
}

interface OpenFiles {
  readonly root: RootDatabase<Buffer, Buffer>;
  readonly tables: StoreTables;
  /** The folder of the files. */
  readonly directory: string;
  /** An ID of this process that no other process uses. */
  readonly owner: string;
  readonly gate: StoreGate;
}

/** The files opened for writing, by one process at a time. */
export class Environment {
  readonly directory: string;
  private readonly root: RootDatabase<Buffer, Buffer>;
  private readonly tables: StoreTables;
  private readonly owner: string;
  private readonly gate: StoreGate;
  /** The ID of the last write in the files, as far as this process knows. Each write of this process has a new ID. */
  private lastWriteId: Buffer | undefined;
  /** The last revision in the files, as far as this process knows. */
  private revision: Revision;
  private writeCount = 0;
  /** Resolves when the last requested write has ended, successfully or not. */
  private lastWrite: Promise<unknown> = Promise.resolve();

  private constructor({ root, tables, directory, owner, gate }: OpenFiles, lastWriteId: Buffer | undefined, revision: Revision) {
    this.root = root;
    this.tables = tables;
    this.directory = directory;
    this.owner = owner;
    this.gate = gate;
    this.lastWriteId = lastWriteId;
    this.revision = revision;
  }

  /**
   * Opens or creates the files in `directory`; the caller holds its folder lock. Rejects when they have another
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
    return new Environment({ root, tables, directory, owner, gate }, tables.counters.get(lastWriteIdKey), revision);
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

  /** A consistent snapshot of the newest committed state; call {@link ReadTransaction.end} when finished. */
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
      // lmdb-js keeps a read transaction for the rest of the event-loop turn. Reads after this write, the one of
      // `isLastWrite` among them, must not use it.
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

  /** Closes the files. No snapshot may be open, and no write may be pending. */
  async close(): Promise<void> {
    await this.root.close();
  }
}

function unsupportedFormatError(directory: string, format: Buffer | undefined): Error {
  const actual = format === undefined ? 'no format yet' : `format ${decodeNumber(format)}`;
  return new Error(`the data in ${directory} has ${actual}; this version reads format ${FORMAT_VERSION}: use the version that wrote it`);
}

/** The cause of a failed commit. lmdb-js throws another error; its member `commitError` is a promise rejected with the cause. */
async function commitCauseOf(error: unknown): Promise<unknown> {
  if (typeof error !== 'object' || error === null || !('commitError' in error)) return error;
  try {
    await error.commitError;
    return error;
  } catch (cause) {
    return cause;
  }
}
