/** Duplicate owner references: removal, and upstream's warning about them. */
import { isObject, ownMember, stringAt, type JsonObject, type JsonValue } from '../../values/json';

/** The members of a decoded reference. */
const MEMBERS = ['uid', 'name', 'kind', 'apiVersion', 'controller', 'blockOwnerDeletion'];

/**
 * Removes duplicate owner references in place. Returns upstream's warning; `undefined` when there are no duplicates.
 * `when` is inserted in the warning after "duplicate entries", for example ` after mutating admission happens`.
 */
export function dedupOwnerReferences(metadata: JsonObject, when = ''): string | undefined {
  const references = ownMember(metadata, 'ownerReferences');
  if (!Array.isArray(references) || references.length < 2) return undefined;
  const distinct = new Map<string, JsonValue>();
  const duplicates = new Set<string>();
  for (const reference of references) {
    const key = isObject(reference) ? JSON.stringify(MEMBERS.map((member) => ownMember(reference, member))) : '';
    if (!distinct.has(key)) distinct.set(key, reference);
    else duplicates.add(isObject(reference) ? (stringAt(reference, 'uid') ?? '') : '');
  }
  if (duplicates.size === 0) return undefined;
  metadata['ownerReferences'] = [...distinct.values()];
  return (
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early ` +
    `as 1.24; please fix your requests; duplicate UID(s) observed: ${[...duplicates].join(', ')}`
  );
}
