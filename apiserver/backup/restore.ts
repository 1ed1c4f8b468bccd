/**
 * Puts records into an empty store, each at a revision of its own, so that servers can go on from there. Until the last one is in, the mark of the data says that
 * they are not whole: no server begins, and no backup is made of them. It never writes over what is there.
 *
 * Clients have seen revisions of the store from which the records came, also later ones than the backup's. So the restored data begin at a revision far above,
 * whatever the new store's own counter says (see storage/shifted-store.ts), and everything before is compacted: whoever goes on from an old one is told to list anew.
 */
import type { Clock } from '../../shared/runtime/clock';
import { commit } from '../storage/commit';
import { encodeMark, FORMAT, FORMAT_VERSION, markKey, parseMark, RESTORED_VERSION } from '../storage/data-mark';
import { prefixRange, StoreError, type KeyValue, type Revision, type Store } from '../storage/store';
import type { BackupHeader, BackupRecord } from './format';

/** Records cannot be put there; the message says what was found and what to do. */
export class TargetFault extends Error {
  override readonly name = 'TargetFault';
}

export interface RestoreTarget {
  /** As it is, not as its mark wants it to be seen. */
  readonly store: Store;
  /** Without a slash at its end. */
  readonly prefix: string;
  readonly clock: Clock;
}

export interface RestoreOptions extends RestoreTarget {
  /** What is restored, for people. */
  readonly name: string;
  /** How far above the backup's revision the new ones begin. */
  readonly bumpRevision: number;
  /** Hears how many records are stored. */
  readonly told: (count: number) => void;
  /** Asked before the data are said to be whole. */
  readonly confirm?: () => Promise<void>;
}

export interface Restored {
  readonly records: number;
  /** From it on everything can be read; the records' own are below, and above all that were seen before. */
  readonly firstRevision: Revision;
}

const AT_ONCE = 64;
const BYTES_AT_ONCE = 8 << 20;
/** Revisions that others may add to the store between the last look at its counter and the end. */
const MARGIN = 1_000;
const DELETED_AT_ONCE = 100;

/** Rejects with {@link TargetFault} unless nothing lies under the prefix. */
export async function checkEmpty({ store, prefix }: RestoreTarget): Promise<void> {
  const { kvs } = await store.range({ ...prefixRange(`${prefix}/`), limit: 1, keysOnly: true });
  const [found] = kvs;
  if (found === undefined) return;
  const restoring = await unfinished(store, prefix);
  if (restoring !== undefined) {
    throw new TargetFault(
      `restoring ${restoring.what} there has not finished, or is still under way: --discard-unfinished deletes what it left and begins anew`,
    );
  }
  throw new TargetFault(
    `there are keys under ${prefix}/ already (such as ${found.key}): restore into an empty store, an empty folder, or another --etcd-prefix`,
  );
}

/** Deletes what a restore has left that did not finish; nothing where there is none. Returns how many keys. */
export async function discardUnfinished({ store, prefix, clock }: RestoreTarget): Promise<number> {
  const found = await unfinished(store, prefix);
  if (found === undefined) return 0;
  const { mark } = found;
  for (let deleted = 0; ;) {
    const { kvs } = await store.range({ ...prefixRange(`${prefix}/`), limit: DELETED_AT_ONCE + 1, keysOnly: true });
    const others = kvs.filter(({ key }) => key !== mark.key);
    const all = others.length === kvs.length - 1 && kvs.length <= DELETED_AT_ONCE;
    const keys = all ? [...others, mark] : others.slice(0, DELETED_AT_ONCE);
    // The mark goes last, so that what is half deleted is known for that.
    const operations = keys.map(({ key }) => ({ type: 'delete', key }) as const);
    const result = await commit(store, { compare: [mark], operations }, { clock });
    if (!result.committed) throw meddled(mark.key);
    deleted += keys.length;
    if (all) return deleted;
  }
}

/** Rejects with {@link TargetFault}, with StoreError, or as `records` and `confirm` do; then the data stay marked as not whole. */
export async function restore(header: BackupHeader, records: AsyncIterable<BackupRecord>, options: RestoreOptions): Promise<Restored> {
  const { store, prefix, clock } = options;
  if (header.dataVersion !== FORMAT_VERSION) {
    throw new TargetFault(`the backup holds data of format ${header.dataVersion}, this release knows ${FORMAT_VERSION}: use a newer one`);
  }
  await checkEmpty(options);
  const key = markKey(prefix);
  const { naming } = header;
  const begun = encodeMark({ format: FORMAT, version: RESTORED_VERSION, naming, restoring: `${options.name} of ${header.time}` });
  const marked = await commit(store, { compare: [{ key, modRevision: 0 }], operations: [{ type: 'put', key, value: begun }] }, { clock });
  if (!marked.committed) throw meddled(key);
  const count = await putAll(records, options);
  const range = prefixRange(`${prefix}/`);
  const { count: found } = await store.count(range);
  if (found !== count + 1)
    throw new TargetFault(`${found - count - 1} keys under ${prefix}/ are not from the backup: somebody else writes there`);
  await options.confirm?.();
  const revision = await store.revision();
  await store.compact(revision);
  // The oldest record's revision is the first that counts, so that none of them is one that its object had before.
  const begin = header.revision + options.bumpRevision;
  const firstRevision = Math.max(begin + 1 + revision - marked.revision, revision + MARGIN);
  const value = encodeMark({ format: FORMAT, version: RESTORED_VERSION, naming, firstRevision });
  const finished = await commit(
    store,
    { compare: [{ key, modRevision: marked.revision }], operations: [{ type: 'put', key, value }] },
    { clock },
  );
  if (!finished.committed) throw meddled(key);
  return { records: count, firstRevision: Math.max(firstRevision, finished.revision) };
}

/** Many at a time, because a store takes many writes for the price of one. Returns how many there were. */
async function putAll(records: AsyncIterable<BackupRecord>, options: RestoreOptions): Promise<number> {
  const underWay = new Set<Promise<void>>();
  let bytes = 0;
  let count = 0;
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const record of records) {
      const size = record.value.length;
      const writing: Promise<void> = put(record, options)
        .then(() => options.told(++count))
        .catch((error: unknown) => void (failure ??= { error }))
        .finally(() => {
          underWay.delete(writing);
          bytes -= size;
        });
      underWay.add(writing);
      bytes += size;
      while (underWay.size >= AT_ONCE || bytes > BYTES_AT_ONCE) await Promise.race(underWay);
      if (failure !== undefined) break;
    }
  } finally {
    await Promise.all(underWay);
  }
  if (failure !== undefined) throw failure.error;
  return count;
}

async function put({ key: relative, value }: BackupRecord, { store, prefix, clock }: RestoreOptions): Promise<void> {
  const key = `${prefix}/${relative}`;
  const operation = { type: 'put', key, value } as const;
  try {
    const result = await commit(store, { compare: [{ key, modRevision: 0 }], operations: [operation] }, { clock });
    if (!result.committed) throw meddled(key);
  } catch (error) {
    if (!(error instanceof StoreError) || error.failure !== 'too-large') throw error;
    throw new TargetFault(`the store does not take ${key} of ${value.length} bytes: run etcd with --max-request-bytes=3145728`);
  }
}

interface Unfinished {
  readonly what: string;
  readonly mark: KeyValue;
}

async function unfinished(store: Store, prefix: string): Promise<Unfinished | undefined> {
  const { kv: mark } = await store.get(markKey(prefix));
  const what = mark && parseMark(mark.value)?.restoring;
  return mark === undefined || what === undefined ? undefined : { what, mark };
}

function meddled(key: string): TargetFault {
  return new TargetFault(`somebody else has written ${key} meanwhile: nothing may use the store while it is restored`);
}
