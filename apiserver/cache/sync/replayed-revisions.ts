/**
 * Chooses how many revisions are replayed at the start, so that clients can resume their watches after a restart of
 * some seconds. Watches from earlier revisions are replayed from the store (replay-changes.ts), or their clients list again.
 */
import type { Revision, Store } from '../../storage/store';

/** About the number of writes during a restart. */
const MAX_REVISIONS = 5_000;
/** Replaying a few hundred large objects would otherwise take longer than loading the whole state. */
const MAX_BYTES = 16 * 1024 * 1024;

/** In revisions; the store's files hold those from `compacted` to `now`. */
export async function revisionsToReplay(
  store: Pick<Store, 'revisionsWithin' | 'status'>,
  compacted: Revision,
  now: Revision,
): Promise<number> {
  const revisions = await store.revisionsWithin?.(MAX_BYTES, MAX_REVISIONS);
  return revisions ?? estimateReplayedRevisions((await store.status()).size, compacted, now);
}

/**
 * An estimate from the average size of a revision, for a store that does not know the sizes.
 * @param size bytes of the files, which hold the revisions `compacted` to `now`
 */
export function estimateReplayedRevisions(size: number, compacted: number, now: number): number {
  const average = size / Math.max(1, now - compacted);
  return Math.min(MAX_REVISIONS, Math.ceil(MAX_BYTES / Math.max(1, average)));
}
