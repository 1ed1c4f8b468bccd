/**
 * Restores records into an empty store, each at a revision of its own. Until all records are written, the format
 * marker states that the data are incomplete: servers do not start on them, and they cannot be backed up. Existing
 * keys are never overwritten.
 */
import type { Clock } from '../../shared/runtime/clock';
import { commit } from '../storage/commit';
import {
  encodeFormatMarker,
  DATA_FORMAT,
  DATA_FORMAT_VERSION,
  formatMarkerKey,
  parseFormatMarker,
  type FormatMarker,
  RESTORED_FORMAT_VERSION,
} from '../storage/format-marker';
import { prefixRange, StoreError, type KeyValue, type Revision, type Store } from '../storage/store';
import type { BackupHeader, BackupRecord } from './backup-format';

/** The target cannot be restored to; the message states the reason and the remedy. */
export class RestoreTargetError extends Error {
  override readonly name = 'RestoreTargetError';
}

/** The store and prefix into which a backup is restored. */
export interface RestoreTarget {
  /** The store itself, without the revision shift of its format marker. */
  readonly store: Store;
  /** Without a trailing slash. */
  readonly prefix: string;
  readonly clock: Clock;
}

/** The target, and how the restore proceeds. */
export interface RestoreOptions extends RestoreTarget {
  /** The name of the backup, for messages. */
  readonly name: string;
  /** The restored records get revisions above the sum of the backup's revision and this number. */
  readonly bumpRevision: number;
  /** Called with the number of records written so far. */
  readonly onProgress: (count: number) => void;
  /** Called before the data are marked as complete; a rejection fails the restore. */
  readonly confirm?: () => Promise<void>;
}

/** The result of a complete restore. */
export interface RestoreResult {
  readonly records: number;
  /**
   * Everything is readable from this revision on. The records have lower revisions, above all that clients have seen if
   * `bumpRevision` exceeds the number of writes since the backup.
   */
  readonly firstRevision: Revision;
}

/** Limits of the transactions in flight: their number and the bytes of their values. */
const MAX_CONCURRENT_WRITES = 64;
const MAX_PENDING_BYTES = 8 * 1024 * 1024;
/** Revisions that other programs may add to the store between the last read of its revision and the end. */
const REVISION_MARGIN = 1_000;
/** Keys per transaction when a prefix is cleared; below the smallest limit of a store (128 with etcd's default). */
const DELETE_BATCH = 100;

/** Rejects with {@link RestoreTargetError} unless the prefix is empty. */
export async function checkEmpty({ store, prefix }: RestoreTarget): Promise<void> {
  const { kvs } = await store.range({ ...prefixRange(`${prefix}/`), limit: 1, keysOnly: true });
  const [existingKey] = kvs;
  if (existingKey === undefined) return;
  const unfinished = await findUnfinishedRestore(store, prefix);
  if (unfinished !== undefined) {
    throw new RestoreTargetError(
      `restoring ${unfinished.name} has not finished, or is still running: --discard-unfinished deletes its keys and starts again`,
    );
  }
  throw new RestoreTargetError(
    `there are already keys under ${prefix}/ (such as ${existingKey.key}): restore into an empty store, an empty folder, or another --etcd-prefix`,
  );
}

/**
 * Deletes the keys of an unfinished restore, if there is one. Resolves with the number of deleted keys, the format
 * marker included; rejects with {@link RestoreTargetError} when another program changes the marker meanwhile.
 */
export async function discardUnfinished({ store, prefix, clock }: RestoreTarget): Promise<number> {
  const unfinished = await findUnfinishedRestore(store, prefix);
  if (unfinished === undefined) return 0;
  const { marker } = unfinished;
  for (let deleted = 0; ;) {
    const { kvs } = await store.range({ ...prefixRange(`${prefix}/`), limit: DELETE_BATCH + 1, keysOnly: true });
    const objects = kvs.filter(({ key }) => key !== marker.key);
    const isLastBatch = objects.length === kvs.length - 1 && kvs.length <= DELETE_BATCH;
    const keys = isLastBatch ? [...objects, marker] : objects.slice(0, DELETE_BATCH);
    // The marker is deleted last, so that a partial deletion can still be recognized.
    const operations = keys.map(({ key }) => ({ type: 'delete', key }) as const);
    const result = await commit(store, { compare: [marker], operations }, { clock });
    if (!result.committed) throw concurrentWriteError(marker.key);
    deleted += keys.length;
    if (isLastBatch) return deleted;
  }
}

/**
 * Writes all records of a backup to the target. Rejects with {@link RestoreTargetError} or StoreError, or as `records`
 * and `confirm` do; data that were written by then stay marked as incomplete.
 *
 * Clients may have seen revisions of the original store later than the backup's. So the restored data start at a much
 * higher revision, independent of the new store's own counter (see storage/shifted-store.ts), and everything before is
 * compacted: a client that resumes from an earlier revision must list again.
 */
export async function restore(header: BackupHeader, records: AsyncIterable<BackupRecord>, options: RestoreOptions): Promise<RestoreResult> {
  const { store } = options;
  if (header.dataVersion !== DATA_FORMAT_VERSION) {
    throw new RestoreTargetError(
      `the backup has data of format ${header.dataVersion}, and this release reads ${DATA_FORMAT_VERSION}: use a newer one`,
    );
  }
  await checkEmpty(options);
  const { naming } = header;
  const startRevision = await putMarker(options, { naming, restoring: `${options.name} of ${header.time}` }, 0);
  const count = await putRecords(records, options);
  await confirmOnlyRecords(options, count);
  await options.confirm?.();
  const revision = await store.revision();
  await store.compact(revision);
  // Clients see a revision r of the store as r - m + firstRevision, where m is the revision of the final marker: at least
  // `revision` + 1. So the first record, at startRevision + 1, becomes bumpedRevision + 1, which is higher than any
  // revision that its object had before. The margin keeps the shift from being negative when other programs write.
  const bumpedRevision = header.revision + options.bumpRevision;
  const firstRevision = Math.max(bumpedRevision + 1 + revision - startRevision, revision + REVISION_MARGIN);
  const endRevision = await putMarker(options, { naming, firstRevision }, startRevision);
  return { records: count, firstRevision: Math.max(firstRevision, endRevision) };
}

/** Writes the format marker if its mod revision is the given one, 0 for none. Resolves with the revision of the write. */
async function putMarker(
  { store, prefix, clock }: RestoreTarget,
  members: Pick<FormatMarker, 'naming' | 'restoring' | 'firstRevision'>,
  modRevision: Revision,
): Promise<Revision> {
  const key = formatMarkerKey(prefix);
  const value = encodeFormatMarker({ format: DATA_FORMAT, version: RESTORED_FORMAT_VERSION, ...members });
  const operation = { type: 'put', key, value } as const;
  const result = await commit(store, { compare: [{ key, modRevision }], operations: [operation] }, { clock });
  if (!result.committed) throw concurrentWriteError(key);
  return result.revision;
}

/** Rejects unless the prefix contains nothing but the records and the format marker. */
async function confirmOnlyRecords({ store, prefix }: RestoreTarget, recordCount: number): Promise<void> {
  const { count } = await store.count(prefixRange(`${prefix}/`));
  const otherKeys = count - recordCount - 1;
  if (otherKeys !== 0)
    throw new RestoreTargetError(`${otherKeys} keys under ${prefix}/ are not from the backup: another program writes there`);
}

/** Writes records concurrently, because the store commits concurrent writes in groups. Resolves with their number. */
async function putRecords(records: AsyncIterable<BackupRecord>, options: RestoreOptions): Promise<number> {
  const pendingWrites = new Set<Promise<void>>();
  let bytes = 0;
  let count = 0;
  let failure: { readonly error: unknown } | undefined;
  try {
    for await (const record of records) {
      const size = record.value.length;
      const writing: Promise<void> = putRecord(record, options)
        .then(() => options.onProgress(++count))
        .catch((error: unknown) => void (failure ??= { error }))
        .finally(() => {
          pendingWrites.delete(writing);
          bytes -= size;
        });
      pendingWrites.add(writing);
      bytes += size;
      while (pendingWrites.size >= MAX_CONCURRENT_WRITES || bytes > MAX_PENDING_BYTES) await Promise.race(pendingWrites);
      if (failure !== undefined) break;
    }
  } finally {
    await Promise.all(pendingWrites);
  }
  if (failure !== undefined) throw failure.error;
  return count;
}

/** Writes one record, with a key that must not exist. */
async function putRecord({ key: relativeKey, value }: BackupRecord, { store, prefix, clock }: RestoreOptions): Promise<void> {
  const key = `${prefix}/${relativeKey}`;
  const operation = { type: 'put', key, value } as const;
  try {
    const result = await commit(store, { compare: [{ key, modRevision: 0 }], operations: [operation] }, { clock });
    if (!result.committed) throw concurrentWriteError(key);
  } catch (error) {
    if (!(error instanceof StoreError) || error.failure !== 'too-large') throw error;
    throw new RestoreTargetError(`the store rejects ${key} of ${value.length} bytes: run etcd with --max-request-bytes=3145728`);
  }
}

/** A restore that is running, or that has ended before all records were written. */
interface UnfinishedRestore {
  /** The name and the time of the backup. */
  readonly name: string;
  /** The format marker. */
  readonly marker: KeyValue;
}

async function findUnfinishedRestore(store: Store, prefix: string): Promise<UnfinishedRestore | undefined> {
  const { kv: marker } = await store.get(formatMarkerKey(prefix));
  const name = marker && parseFormatMarker(marker.value)?.restoring;
  return marker === undefined || name === undefined ? undefined : { name, marker };
}

function concurrentWriteError(key: string): RestoreTargetError {
  return new RestoreTargetError(`another program wrote ${key} during the restore: stop all writers of the store`);
}
