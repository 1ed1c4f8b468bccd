/**
 * What an embedded store holds, at one revision, for whoever only reads: a program beside the server that has the store open, which is not held up by it and need not
 * stop. Writes nothing, and sees nothing of what is stored later. Never to be used in the process that has the store open.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { KeyRange, KeyValue, Revision } from '../store';
import { Environment, type ReadTransaction } from './environment';
import { lockFolder } from './folder-lock';
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
export async function viewEmbeddedStore(directory: string): Promise<StoreView> {
  if (!existsSync(join(directory, 'data.mdb'))) throw new Error(`there is no embedded store in ${directory}`);
  const view = await Environment.view(directory);
  const { state } = view;
  return {
    revision: state.counter('revision'),
    get: (key) => keyValue(state, key),
    entries: (range) => entries(state, range),
    close: () => view.close(),
  };
}

/** As {@link viewEmbeddedStore}, and nobody can write there until it is closed. Rejects with {@link FolderInUse} while somebody can. */
export async function holdEmbeddedStore(directory: string): Promise<StoreView> {
  // Locking a folder makes it.
  if (!existsSync(directory)) throw new Error(`there is no embedded store in ${directory}`);
  const lock = lockFolder(directory);
  try {
    const view = await viewEmbeddedStore(directory);
    return { ...view, close: () => view.close().finally(() => lock.release()) };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function* entries(state: ReadTransaction, range: KeyRange): AsyncGenerator<KeyValue, void, undefined> {
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
