/**
 * Removes compacted revisions from the log and the history, in small durable steps that can be interrupted anywhere and
 * repeated. Never touches a revision after the compacted one.
 */
import type { Revision } from '../store';
import type { Environment } from './environment';
import type { ReadTransaction } from './read-transaction';
import type { KeyChange } from './record';

/** The most revisions that one step examines. */
const CHUNK_REVISIONS = 128;

/** The keys to remove from the changes of revisions. */
type RemovedKeys = Map<Revision, Set<string>>;

/**
 * Makes one step towards `compacted` and records in the counter `purged` (tables.ts) how far it came. Resolves with
 * true when nothing is left to remove.
 *
 * A change is removed when a later one at or before `compacted` replaces it; a deletion before `compacted` is removed
 * together with the value it deleted. A deletion at `compacted` itself stays until the next compaction, because a watch
 * may start there.
 */
export async function purgeStep(environment: Environment, compacted: Revision): Promise<boolean> {
  const snapshot = environment.snapshot();
  const removedKeys: RemovedKeys = new Map();
  const remaining = new Map<Revision, readonly KeyChange[]>();
  let purgedThrough = compacted;
  try {
    const purgedBefore = snapshot.counter('purged');
    if (purgedBefore >= compacted) return true;
    // Includes the revision of the previous compaction, where deletions were kept.
    const revisions = snapshot.revisions(purgedBefore, compacted, CHUNK_REVISIONS);
    // A full chunk ends this step at its last revision, because later ones may follow.
    const lastOfFullChunk = revisions[CHUNK_REVISIONS - 1];
    if (lastOfFullChunk !== undefined) purgedThrough = lastOfFullChunk;
    for (const revision of revisions) {
      for (const { key, deleted } of snapshot.changedKeys(revision)) {
        const replaced = snapshot.lastChangeBefore(key, revision);
        if (replaced !== undefined) addKey(removedKeys, replaced, key);
        if (deleted && revision < compacted) addKey(removedKeys, revision, key);
      }
    }
    for (const [revision, keys] of removedKeys) remaining.set(revision, remainingChanges(snapshot, revision, keys));
  } finally {
    snapshot.end();
  }
  await environment.write((batch) => {
    for (const [revision, keys] of removedKeys) for (const key of keys) batch.removeHistory(key, revision);
    for (const [revision, changes] of remaining) batch.replaceLogEntry(revision, changes);
    batch.setCounter('purged', purgedThrough);
  });
  return purgedThrough === compacted;
}

function addKey(removedKeys: RemovedKeys, revision: Revision, key: string): void {
  const keys = removedKeys.get(revision);
  if (keys === undefined) removedKeys.set(revision, new Set([key]));
  else keys.add(key);
}

/** The changes that a log entry keeps without `keys`. Most entries change one key and need not be decoded. */
function remainingChanges(snapshot: ReadTransaction, revision: Revision, keys: ReadonlySet<string>): readonly KeyChange[] {
  if (snapshot.changedKeys(revision).every(({ key }) => keys.has(key))) return [];
  return (snapshot.logEntry(revision) ?? []).filter(({ key }) => !keys.has(key));
}
