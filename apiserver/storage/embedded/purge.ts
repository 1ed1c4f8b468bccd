/**
 * Removes from the log and the history what a compaction made unreadable. It works in small durable steps that can be
 * interrupted anywhere and repeated, and never touches a revision after the compacted one.
 */
import type { Revision } from '../store';
import type { Environment, ReadTransaction } from './environment';
import type { KeyChange } from './record';

const CHUNK_REVISIONS = 128;

/**
 * One step towards `compacted`. Resolves with true when there is nothing left to do.
 *
 * A change goes when a later one at or before `compacted` replaces it; a deletion before `compacted` goes with what it
 * deleted. A deletion at `compacted` itself stays until the next time, because a watch may start there.
 */
export async function purgeStep(environment: Environment, compacted: Revision): Promise<boolean> {
  const snapshot = environment.snapshot();
  const dropped = new Map<Revision, Set<string>>();
  const rewritten = new Map<Revision, readonly KeyChange[]>();
  let through = compacted;
  try {
    const from = snapshot.counter('purged');
    if (from >= compacted) return true;
    const revisions = snapshot.revisions(from, compacted, CHUNK_REVISIONS);
    const last = revisions[CHUNK_REVISIONS - 1];
    if (last !== undefined) through = last;
    for (const revision of revisions) {
      for (const { key, deleted } of snapshot.changedKeys(revision)) {
        const replaced = snapshot.before(key, revision);
        if (replaced !== undefined) drop(dropped, key, replaced);
        if (deleted && revision < compacted) drop(dropped, key, revision);
      }
    }
    for (const [revision, keys] of dropped) rewritten.set(revision, remaining(snapshot, revision, keys));
  } finally {
    snapshot.done();
  }
  await environment.write((batch) => {
    for (const [revision, keys] of dropped) for (const key of keys) batch.forget(key, revision);
    for (const [revision, changes] of rewritten) batch.rewrite(revision, changes);
    batch.setCounter('purged', through);
  });
  return through === compacted;
}

function drop(dropped: Map<Revision, Set<string>>, key: string, revision: Revision): void {
  const keys = dropped.get(revision);
  if (keys === undefined) dropped.set(revision, new Set([key]));
  else keys.add(key);
}

/** What a log entry still holds without `keys`; most entries change one key and need not be decoded. */
function remaining(snapshot: ReadTransaction, revision: Revision, keys: ReadonlySet<string>): readonly KeyChange[] {
  if (snapshot.changedKeys(revision).every(({ key }) => keys.has(key))) return [];
  return (snapshot.entry(revision) ?? []).filter(({ key }) => !keys.has(key));
}
