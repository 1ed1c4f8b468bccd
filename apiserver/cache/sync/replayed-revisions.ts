/**
 * Chooses how many revisions are replayed at the start to fill the event window, so that clients can resume their watches
 * after a restart of some seconds. Watches from earlier revisions are replayed from the store (replay-changes.ts); where
 * that was compacted, their clients list again.
 */
import type { Revision, Store } from '../../storage/store';

/** About the number of writes of a busy cluster during a restart. */
const MAX_REVISIONS = 5_000;
/** Without this limit, replaying a few thousand large objects would take longer than loading the whole state. */
const MAX_BYTES = 16 * 1024 * 1024;

/** The revisions that the store holds: those after `compacted` up to `current`. */
export interface StoredRevisions {
  /** 0 when nothing has been compacted. */
  readonly compacted: Revision;
  readonly current: Revision;
}

/** Resolves with the number of revisions before the current one to replay. Rejects with StoreError. */
export async function revisionsToReplay(store: Pick<Store, 'revisionsWithin' | 'status'>, stored: StoredRevisions): Promise<number> {
  const revisions = await store.revisionsWithin?.(MAX_BYTES, MAX_REVISIONS);
  return revisions ?? estimateReplayedRevisions((await store.status()).size, stored);
}

/**
 * An estimate from the average size of a revision, for a store that does not know the sizes of revisions. `storeBytes`:
 * size of the files that hold them.
 */
export function estimateReplayedRevisions(storeBytes: number, { compacted, current }: StoredRevisions): number {
  const averageBytes = storeBytes / Math.max(1, current - compacted);
  return Math.min(MAX_REVISIONS, Math.ceil(MAX_BYTES / Math.max(1, averageBytes)));
}
