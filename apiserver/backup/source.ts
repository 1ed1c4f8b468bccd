/**
 * What is backed up: everything below a prefix of a store at one revision, as records, with what the header says of it. It writes nothing, and reads no values.
 */
import type { Clock } from '../../shared/runtime/clock';
import { pages } from '../cache/pages';
import { FORMAT, FORMAT_VERSION, markKey, parseMark, RESTORED_VERSION, revisionShift } from '../storage/data-mark';
import type { StoreView } from '../storage/embedded/view';
import { prefixRange, StoreError, type KeyRange, type KeyValue, type Revision, type Store } from '../storage/store';
import type { BackupHeader, BackupRecord } from './format';
import { isKept } from './keys';

/** What is there cannot be backed up; the message says what was found and what to do. */
export class SourceFault extends Error {
  override readonly name = 'SourceFault';
}

export interface BackupSource {
  readonly header: BackupHeader;
  /** Rejects with {@link SourceFault} where the store does not keep the revision long enough. */
  records(): AsyncGenerator<BackupRecord, void, undefined>;
  /** Rejects with {@link SourceFault} when something has been stored since. */
  confirmUnchanged(): Promise<void>;
}

export interface SourceOptions {
  /** Without a slash at its end. */
  readonly prefix: string;
  readonly clock: Clock;
}

/** The store that a view shows. Throws {@link SourceFault} when its data are not this system's, or not whole. */
export function embeddedSource(view: StoreView, options: SourceOptions): BackupSource {
  const mark = view.get(markKey(options.prefix));
  return sourceOf('embedded', view.revision, mark, options, {
    entries: (range) => view.entries(range),
    // Whoever cares has locked the folder.
    confirmUnchanged: () => Promise.resolve(),
  });
}

/** The store as it is now. Rejects with {@link SourceFault} when its data are not this system's, or not whole. */
export async function etcdSource(store: Store, options: SourceOptions): Promise<BackupSource> {
  const { revision, kv: mark } = await store.get(markKey(options.prefix));
  return sourceOf('etcd', revision, mark, options, {
    entries: (range) => entriesAt(store, range, revision),
    confirmUnchanged: () => confirmUnchanged(store, options.prefix, revision),
  });
}

/** Rejects with {@link SourceFault} while a server is alive that writes there. */
export async function confirmIdle(store: Store, prefix: string): Promise<void> {
  const { count } = await store.count(prefixRange(`${prefix}/replicas/`));
  if (count > 0) throw new SourceFault(`${count} API servers use the store: stop them first (one that was killed counts for 15 seconds)`);
}

interface Contents {
  entries(range: KeyRange): AsyncIterable<KeyValue>;
  confirmUnchanged(): Promise<void>;
}

function sourceOf(
  source: BackupHeader['source'],
  revision: Revision,
  mark: KeyValue | undefined,
  { prefix, clock }: SourceOptions,
  contents: Contents,
): BackupSource {
  const naming = namingOf(mark, prefix);
  const shift = revisionShift(mark);
  const root = `${prefix}/`;
  return {
    header: {
      source,
      revision: revision + shift,
      prefix,
      naming,
      dataVersion: FORMAT_VERSION,
      time: new Date(clock.now()).toISOString(),
    },
    async *records() {
      for await (const { key: whole, value, createRevision, modRevision, version } of contents.entries(prefixRange(root))) {
        const key = whole.slice(root.length);
        if (isKept(key)) yield { key, value, createRevision: createRevision + shift, modRevision: modRevision + shift, version };
      }
    },
    confirmUnchanged: () => contents.confirmUnchanged(),
  };
}

function namingOf(kv: KeyValue | undefined, prefix: string): string {
  const mark = kv && parseMark(kv.value);
  if (mark?.format !== FORMAT) throw new SourceFault(`there are no data of this system under ${prefix}/`);
  if (mark.version !== FORMAT_VERSION && mark.version !== RESTORED_VERSION) {
    throw new SourceFault(
      `the data under ${prefix}/ have format version ${mark.version}, which this release does not know: use a newer one`,
    );
  }
  if (mark.restoring !== undefined) {
    throw new SourceFault(`the data under ${prefix}/ are not whole: restoring ${mark.restoring} has not finished`);
  }
  return mark.naming;
}

async function* entriesAt(store: Store, range: KeyRange, revision: Revision): AsyncGenerator<KeyValue, void, undefined> {
  try {
    for await (const { kvs } of pages(store, range, { revision })) yield* kvs;
  } catch (error) {
    if (!(error instanceof StoreError) || error.failure !== 'compacted') throw error;
    throw new SourceFault(
      `the store has forgotten revision ${revision} before all of it was read: give the API servers a longer --etcd-compaction-interval and try again`,
    );
  }
}

/** Nothing that is kept has been written or deleted since `revision`. */
async function confirmUnchanged(store: Store, prefix: string, revision: Revision): Promise<void> {
  const root = `${prefix}/`;
  let now = 0;
  for await (const { kvs } of pages(store, prefixRange(root), { keysOnly: true })) {
    for (const { key, modRevision } of kvs) {
      if (!isKept(key.slice(root.length))) continue;
      if (modRevision > revision)
        throw new SourceFault(`${key} was written meanwhile: stop everything that writes to the store, and try again`);
      now++;
    }
  }
  let then = 0;
  for await (const { kvs } of pages(store, prefixRange(root), { keysOnly: true, revision })) {
    then += kvs.filter(({ key }) => isKept(key.slice(root.length))).length;
  }
  if (now !== then)
    throw new SourceFault(`${then - now} keys were deleted meanwhile: stop everything that writes to the store, and try again`);
}
