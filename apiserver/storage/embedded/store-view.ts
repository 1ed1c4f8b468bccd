/**
 * Read-only access to an embedded store at one revision, for a program that runs beside the server. The server may
 * continue to write meanwhile; the view does not see those changes. Changes no data. Must not be used in the process
 * that has the store open.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyRange, KeyValue, Revision } from '../store';
import { errorMessage } from '../../../shared/runtime/error-message';
import { Environment } from './environment';
import type { ReadTransaction } from './read-transaction';
import { DATA_FILE, withDamageExplained, type RunIfUnlocked } from './database-files';
import { FolderInUseError, lockFolder } from '../../../shared/runtime/files/folder-lock';
import { StoreGate } from './store-gate';
import { readKeyValue } from './reader';

/** Keys read between yields to the event loop. */
const CHUNK_KEYS = 500;

/** The state of an embedded store at the time when the view was opened. Later writes do not change it. */
export interface StoreView {
  readonly revision: Revision;
  /** The state of a key at {@link StoreView.revision}; `undefined` when it does not exist. */
  get(key: string): KeyValue | undefined;
  /** The keys of `range` in order. Throws when they cannot be read to the end. */
  entries(range: KeyRange): AsyncGenerator<KeyValue, void, undefined>;
  /** Releases the snapshot and the files; the view must not be used afterwards. */
  close(): Promise<void>;
}

/** Rejects when there is no embedded store in `directory`, or one of another format. */
export function openStoreView(directory: string): Promise<StoreView> {
  return openInGate(directory, (gate) => createView(directory, gate, (action) => runUnlessInUse(directory, action)));
}

/**
 * Like {@link openStoreView}, but no process can open the store for writing until the view is closed. Rejects with
 * {@link FolderInUseError} while a process has it open for writing.
 */
export function openLockedStoreView(directory: string): Promise<StoreView> {
  return openInGate(directory, async (gate) => {
    const lock = lockFolder(directory);
    try {
      const storeView = await createView(directory, gate, (action) => action());
      return { ...storeView, close: () => storeView.close().finally(() => lock.release()) };
    } catch (error) {
      lock.release();
      throw error;
    }
  });
}

async function openInGate(directory: string, openView: (gate: StoreGate) => Promise<StoreView>): Promise<StoreView> {
  // Checked first: opening the gate would create its file in a folder that has no store.
  if (!existsSync(join(directory, DATA_FILE))) throw new Error(`there is no embedded store in ${directory}`);
  const gate = openGate(directory);
  try {
    return await gate.runExclusive(() => openView(gate));
  } catch (error) {
    gate.close();
    throw withDamageExplained(error, directory);
  }
}

function openGate(directory: string): StoreGate {
  try {
    return StoreGate.open(directory);
  } catch (error) {
    const reason = `reading a store needs write access to its folder, to keep the snapshot (${errorMessage(error)})`;
    throw new Error(`${reason}: run this as the user of the server, or on a copy made while no server was running`);
  }
}

async function createView(directory: string, gate: StoreGate, runIfUnlocked: RunIfUnlocked): Promise<StoreView> {
  const environment = await Environment.openReadOnly(directory, runIfUnlocked);
  const { snapshot } = environment;
  return {
    revision: snapshot.counter('revision'),
    get: (key) => readKeyValue(snapshot, key),
    entries: (range) => readEntries(snapshot, range, directory),
    close: () => gate.runExclusiveAndClose(() => environment.close()),
  };
}

/** Runs `action` under the folder lock; does nothing when another process holds it. */
function runUnlessInUse(directory: string, action: () => void): void {
  let lock;
  try {
    lock = lockFolder(directory);
  } catch (error) {
    if (error instanceof FolderInUseError) return;
    throw error;
  }
  try {
    action();
  } finally {
    lock.release();
  }
}

async function* readEntries(snapshot: ReadTransaction, range: KeyRange, directory: string): AsyncGenerator<KeyValue, void, undefined> {
  try {
    yield* readInChunks(snapshot, range);
  } catch (error) {
    throw withDamageExplained(error, directory);
  }
}

async function* readInChunks(snapshot: ReadTransaction, range: KeyRange): AsyncGenerator<KeyValue, void, undefined> {
  const end = Buffer.from(range.end);
  for (let start: Buffer = Buffer.from(range.start); ;) {
    let last: Buffer | undefined;
    let read = 0;
    for (const { key, latest } of snapshot.liveKeys(start, end, CHUNK_KEYS)) {
      const { modRevision, createRevision, version } = latest;
      yield { key: key.toString(), value: snapshot.valueAt(key, modRevision), createRevision, modRevision, version };
      last = key;
      read++;
    }
    if (read < CHUNK_KEYS || last === undefined) return;
    // Just after the last key.
    start = Buffer.concat([last, Buffer.alloc(1)]);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
