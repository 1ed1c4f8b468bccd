/**
 * Removes compacted revisions from the log and the history, in small durable steps that can be interrupted anywhere and
 * repeated. Never touches a revision after the compacted one.
 */
import type { Revision } from '../store';
import type { Environment } from './environment';
import type { ReadTransaction } from './read-transaction';
import type { KeyChange } from './record';

const CHUNK_REVISIONS = 128;

/**
 * Makes one step towards `compacted`. Resolves with true when nothing is left to remove.
 *
 * A change is removed when a later one at or before `compacted` replaces it; a deletion before `compacted` is removed
 * together with the value it deleted. A deletion at `compacted` itself stays until the next compaction, because a watch
 * may start there.
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
        const replaced = snapshot.lastChangeBefore(key, revision);
        if (replaced !== undefined) addDropped(dropped, key, replaced);
        if (deleted && revision < compacted) addDropped(dropped, key, revision);
      }
    }
    for (const [revision, keys] of dropped) rewritten.set(revision, remainingChanges(snapshot, revision, keys));
  } finally {
    snapshot.end();
  }
  await environment.write((batch) => {
    for (const [revision, keys] of dropped) for (const key of keys) batch.removeHistory(key, revision);
    for (const [revision, changes] of rewritten) batch.replaceLogEntry(revision, changes);
    batch.setCounter('purged', through);
  });
  return through === compacted;
}

function addDropped(dropped: Map<Revision, Set<string>>, key: string, revision: Revision): void {
  const keys = dropped.get(revision);
  if (keys === undefined) dropped.set(revision, new Set([key]));
  else keys.add(key);
}

/** The changes that a log entry keeps without `keys`. Most entries change one key and need not be decoded. */
function remainingChanges(snapshot: ReadTransaction, revision: Revision, keys: ReadonlySet<string>): readonly KeyChange[] {
  if (snapshot.changedKeys(revision).every(({ key }) => keys.has(key))) return [];
  return (snapshot.logEntry(revision) ?? []).filter(({ key }) => !keys.has(key));
}
