/** Removes owner references that say the same twice, and says which owners were named twice. Never refuses anything. */
import { isObject, own, stringAt, type JsonObject, type JsonValue } from '../../values/json';

/** All that a decoded reference may have. */
const MEMBERS = ['uid', 'name', 'kind', 'apiVersion', 'controller', 'blockOwnerDeletion'];

/** Upstream's warning for duplicate owner references; undefined when `metadata` has none. Removes them in place. `when` = how late they were found. */
export function duplicateFree(metadata: JsonObject, when = ''): string | undefined {
  const references = own(metadata, 'ownerReferences');
  if (!Array.isArray(references) || references.length < 2) return undefined;
  const kept = new Map<string, JsonValue>();
  const duplicates = new Set<string>();
  for (const reference of references) {
    const said = isObject(reference) ? JSON.stringify(MEMBERS.map((member) => own(reference, member))) : '';
    if (!kept.has(said)) kept.set(said, reference);
    else duplicates.add(isObject(reference) ? (stringAt(reference, 'uid') ?? '') : '');
  }
  if (duplicates.size === 0) return undefined;
  metadata['ownerReferences'] = [...kept.values()];
  return (
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early ` +
    `as 1.24; please fix your requests; duplicate UID(s) observed: ${[...duplicates].join(', ')}`
  );
}
