/** Removes owner references that say the same twice, and says which owners were named twice. Never refuses anything. */
import { equalJson, isObject, own, stringAt, type JsonArray, type JsonObject } from '../../values/json';

/** Upstream's warning for duplicate owner references; undefined when `metadata` has none. Removes them in place. `when` = how late they were found. */
export function duplicateFree(metadata: JsonObject, when = ''): string | undefined {
  const references = own(metadata, 'ownerReferences');
  if (!Array.isArray(references) || references.length < 2) return undefined;
  const kept: JsonArray = [];
  const seen = new Set<string>();
  const duplicates = new Set<string>();
  for (const reference of references) {
    const uid = isObject(reference) ? (stringAt(reference, 'uid') ?? '') : '';
    if (seen.has(uid) && kept.some((other) => equalJson(other, reference))) {
      duplicates.add(uid);
      continue;
    }
    seen.add(uid);
    kept.push(reference);
  }
  if (duplicates.size === 0) return undefined;
  metadata['ownerReferences'] = kept;
  return (
    `.metadata.ownerReferences contains duplicate entries${when}; API server dedups owner references in 1.20+, and may reject such requests as early ` +
    `as 1.24; please fix your requests; duplicate UID(s) observed: ${[...duplicates].join(', ')}`
  );
}
