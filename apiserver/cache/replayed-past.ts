/**
 * How much of the past is replayed at a start, so that clients of a server that was away for some seconds go on where they were. Whoever has been away for longer
 * has it read for himself (replay.ts), or lists again. Pure.
 */

/** What is written in the seconds in which a server starts anew. */
const MOST_REVISIONS = 5_000;
/** About, by what the store's files hold of each revision on the mean. A few hundred large objects would otherwise take longer than the whole state. */
const MOST_BYTES = 16 * 1024 * 1024;

/** @param size bytes of the store's files, which hold the revisions `compacted` to `now` */
export function replayedRevisions(size: number, compacted: number, now: number): number {
  const mean = size / Math.max(1, now - compacted);
  return Math.min(MOST_REVISIONS, Math.ceil(MOST_BYTES / Math.max(1, mean)));
}
