/**
 * What an embedded store holds, at one revision, for whoever only reads: a program beside the server that has the store open, which is not held up by it and need not
 * stop. Writes nothing, and sees nothing of what is stored later. Never to be used in the process that has the store open.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyRange, KeyValue, Revision } from '../store';
import { errorMessage } from '../../../shared/runtime/error-message';
import { Environment, type ReadTransaction } from './environment';
import { DATA_FILE, explained, type WhileAlone } from './files';
import { FolderInUse, lockFolder } from './folder-lock';
import { StoreGate } from './gate';
import { keyValue } from './reader';

/** Keys between two looks at whether there is other work. */
const CHUNK = 500;

export interface StoreView {
  readonly revision: Revision;
  get(key: string): KeyValue | undefined;
  /** The keys of `range` in their order. Ends early only by an error. */
  entries(range: KeyRange): AsyncGenerator<KeyValue, void, undefined>;
  close(): Promise<void>;
}

/** Rejects when there is no embedded store in `directory`, or one of another format. */
export function viewEmbeddedStore(directory: string): Promise<StoreView> {
  return viewBehindGate(directory, (gate) => view(directory, gate, (action) => doneAlone(directory, action)));
}

/** As {@link viewEmbeddedStore}, and nobody can write there until it is closed. Rejects with {@link FolderInUse} while somebody can. */
export function holdEmbeddedStore(directory: string): Promise<StoreView> {
  return viewBehindGate(directory, async (gate) => {
    const lock = lockFolder(directory);
    try {
      const held = await view(directory, gate, (action) => action());
      return { ...held, close: () => held.close().finally(() => lock.release()) };
    } catch (error) {
      lock.release();
      throw error;
    }
  });
}

async function viewBehindGate(directory: string, open: (gate: StoreGate) => Promise<StoreView>): Promise<StoreView> {
  // The gate's file makes no store of a folder that is none.
  if (!existsSync(join(directory, DATA_FILE))) throw new Error(`there is no embedded store in ${directory}`);
  const gate = gateOf(directory);
  try {
    return await gate.pass(() => open(gate));
  } catch (error) {
    gate.close();
    throw explained(error);
  }
}

function gateOf(directory: string): StoreGate {
  try {
    return StoreGate.at(directory);
  } catch (error) {
    const reason = `whoever reads a store has to write in its folder, so that what is read stays (${errorMessage(error)})`;
    throw new Error(`${reason}: run this as the user of the server, or on a copy that was made while no server ran`);
  }
}

async function view(directory: string, gate: StoreGate, whileAlone: WhileAlone): Promise<StoreView> {
  const opened = await Environment.view(directory, whileAlone);
  const { state } = opened;
  return {
    revision: state.counter('revision'),
    get: (key) => keyValue(state, key),
    entries: (range) => entries(state, range),
    close: () => gate.passAndClose(() => opened.close()),
  };
}

function doneAlone(directory: string, action: () => void): void {
  let lock;
  try {
    lock = lockFolder(directory);
  } catch (error) {
    if (error instanceof FolderInUse) return;
    throw error;
  }
  try {
    action();
  } finally {
    lock.release();
  }
}

async function* entries(state: ReadTransaction, range: KeyRange): AsyncGenerator<KeyValue, void, undefined> {
  try {
    yield* inChunks(state, range);
  } catch (error) {
    throw explained(error);
  }
}

async function* inChunks(state: ReadTransaction, range: KeyRange): AsyncGenerator<KeyValue, void, undefined> {
  const end = Buffer.from(range.end);
  for (let start: Buffer = Buffer.from(range.start); ;) {
    let last: Buffer | undefined;
    let read = 0;
    for (const { key, latest } of state.live(start, end, CHUNK)) {
      const { modRevision, createRevision, version } = latest;
      yield { key: key.toString(), value: state.value(key, modRevision), createRevision, modRevision, version };
      last = key;
      read++;
    }
    if (read < CHUNK || last === undefined) return;
    start = Buffer.concat([last, Buffer.alloc(1)]);
    await new Promise((resolve) => setImmediate(resolve));
  }
}
