/**
 * How much of the past is replayed at a start, so that clients of a server that was away for some seconds go on where they were. Whoever has been away for longer
 * has it read for himself (replay.ts), or lists again.
 */
import type { Revision, Store } from '../../storage/store';

/** What is written in the seconds in which a server starts anew. */
const MOST_REVISIONS = 5_000;
/** A few hundred large objects would otherwise take longer than the whole state. */
const MOST_BYTES = 16 * 1024 * 1024;

/** In revisions; the store's files hold those from `compacted` to `now`. */
export async function pastToReplay(store: Pick<Store, 'revisionsWithin' | 'status'>, compacted: Revision, now: Revision): Promise<number> {
  const known = await store.revisionsWithin?.(MOST_BYTES, MOST_REVISIONS);
  return known ?? replayedRevisions((await store.status()).size, compacted, now);
}

/**
 * For a store that cannot say which revisions hold how much: about, by what its files hold of each on the mean.
 * @param size bytes of the files, which hold the revisions `compacted` to `now`
 */
export function replayedRevisions(size: number, compacted: number, now: number): number {
  const mean = size / Math.max(1, now - compacted);
  return Math.min(MOST_REVISIONS, Math.ceil(MOST_BYTES / Math.max(1, mean)));
}
