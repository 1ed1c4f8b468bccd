/**
 * Reads the content of a backup from a store: everything below a prefix at one revision, as records, and the header that
 * describes them. Writes nothing to the store and does not interpret values; encoding is left to backup-format.ts.
 */
import type { Clock } from '../../shared/runtime/clock';
import { readPages } from '../cache/read-pages';
import {
  DATA_FORMAT,
  DATA_FORMAT_VERSION,
  formatMarkerKey,
  parseFormatMarker,
  RESTORED_FORMAT_VERSION,
  revisionShift,
} from '../storage/format-marker';
import type { StoreView } from '../storage/embedded/store-view';
import { prefixRange, StoreError, type KeyRange, type KeyValue, type Revision, type Store } from '../storage/store';
import type { BackupHeader, BackupRecord } from './backup-format';
import { isIncludedKey } from './excluded-keys';

/** The store cannot be backed up; the message states the reason and the remedy. */
export class BackupSourceError extends Error {
  override readonly name = 'BackupSourceError';
}

/** A consistent state of a store, read record by record. */
export interface BackupSource {
  readonly header: BackupHeader;
  /** Throws {@link BackupSourceError} when the store compacts the revision before all records are read. */
  records(): AsyncGenerator<BackupRecord, void, undefined>;
  /** Rejects with {@link BackupSourceError} when an included key has changed since. */
  confirmUnchanged(): Promise<void>;
}

/** Which data are backed up. */
export interface SourceOptions {
  /** Without a trailing slash. */
  readonly prefix: string;
  readonly clock: Clock;
}

/**
 * A source that reads an embedded store. Throws {@link BackupSourceError} when its data belong to another program or
 * are incomplete.
 */
export function createEmbeddedSource(view: StoreView, options: SourceOptions): BackupSource {
  const marker = view.get(formatMarkerKey(options.prefix));
  return createSource({ source: 'embedded', revision: view.revision, marker }, options, {
    entries: (range) => view.entries(range),
    // Not checked: callers that need it have locked the folder.
    confirmUnchanged: () => Promise.resolve(),
  });
}

/**
 * A source that reads etcd at the current revision. Rejects with {@link BackupSourceError} when the data belong to
 * another program or are incomplete.
 */
export async function createEtcdSource(store: Store, options: SourceOptions): Promise<BackupSource> {
  const { revision, kv: marker } = await store.get(formatMarkerKey(options.prefix));
  return createSource({ source: 'etcd', revision, marker }, options, {
    entries: (range) => entriesAt(store, range, revision),
    confirmUnchanged: () => confirmUnchanged(store, options.prefix, revision),
  });
}

/** Rejects with {@link BackupSourceError} while API servers use the store. */
export async function confirmIdle(store: Store, prefix: string): Promise<void> {
  const { count } = await store.count(prefixRange(`${prefix}/replicas/`));
  if (count > 0)
    throw new BackupSourceError(`${count} API servers use the store: stop them first (after a crash, a server counts for 15 more seconds)`);
}

/** How records are read from one kind of store. */
interface StoreContents {
  entries(range: KeyRange): AsyncIterable<KeyValue>;
  confirmUnchanged(): Promise<void>;
}

/** The state of the store that is backed up. */
interface SourceState {
  readonly source: BackupHeader['source'];
  /** As the store counts, without the shift of the marker. */
  readonly revision: Revision;
  /** The format marker; `undefined` when there is none. */
  readonly marker: KeyValue | undefined;
}

function createSource({ source, revision, marker }: SourceState, { prefix, clock }: SourceOptions, contents: StoreContents): BackupSource {
  const naming = namingOf(marker, prefix);
  const shift = revisionShift(marker);
  const root = `${prefix}/`;
  return {
    header: {
      source,
      revision: revision + shift,
      prefix,
      naming,
      dataVersion: DATA_FORMAT_VERSION,
      time: new Date(clock.now()).toISOString(),
    },
    async *records() {
      for await (const entry of contents.entries(prefixRange(root))) {
        const { value, createRevision, modRevision, version } = entry;
        const key = entry.key.slice(root.length);
        if (isIncludedKey(key)) yield { key, value, createRevision: createRevision + shift, modRevision: modRevision + shift, version };
      }
    },
    confirmUnchanged: () => contents.confirmUnchanged(),
  };
}

/** The naming in the format marker. Throws {@link BackupSourceError} unless the marker shows complete data of this program. */
function namingOf(kv: KeyValue | undefined, prefix: string): string {
  const marker = kv && parseFormatMarker(kv.value);
  if (marker?.format !== DATA_FORMAT) throw new BackupSourceError(`there is no data of this program under ${prefix}/`);
  if (marker.version !== DATA_FORMAT_VERSION && marker.version !== RESTORED_FORMAT_VERSION) {
    throw new BackupSourceError(
      `the data under ${prefix}/ has format version ${marker.version}, which this release does not read: use a newer one`,
    );
  }
  if (marker.restoring !== undefined) {
    throw new BackupSourceError(`the data under ${prefix}/ is incomplete: restoring ${marker.restoring} has not finished`);
  }
  return marker.naming;
}

/** All entries in the range at the revision. */
async function* entriesAt(store: Store, range: KeyRange, revision: Revision): AsyncGenerator<KeyValue, void, undefined> {
  try {
    for await (const { kvs } of readPages(store, range, { revision })) yield* kvs;
  } catch (error) {
    if (!(error instanceof StoreError) || error.failure !== 'compacted') throw error;
    throw new BackupSourceError(
      `revision ${revision} was compacted before it was completely read: set a longer --etcd-compaction-interval on the API servers and try again`,
    );
  }
}

/** Rejects unless no included key has been written or deleted since `revision`. */
async function confirmUnchanged(store: Store, prefix: string, revision: Revision): Promise<void> {
  const root = `${prefix}/`;
  let currentCount = 0;
  for await (const { kvs } of readPages(store, prefixRange(root), { keysOnly: true })) {
    for (const { key, modRevision } of kvs) {
      if (!isIncludedKey(key.slice(root.length))) continue;
      if (modRevision > revision)
        throw new BackupSourceError(`${key} was written during the backup: stop all writers of the store, and try again`);
      currentCount++;
    }
  }
  let previousCount = 0;
  for await (const { kvs } of readPages(store, prefixRange(root), { keysOnly: true, revision })) {
    previousCount += kvs.filter(({ key }) => isIncludedKey(key.slice(root.length))).length;
  }
  if (currentCount !== previousCount)
    throw new BackupSourceError(
      `${previousCount - currentCount} keys were deleted during the backup: stop all writers of the store, and try again`,
    );
}
