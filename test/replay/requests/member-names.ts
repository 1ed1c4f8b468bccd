/** The order of members in a response, which a comparison of parsed objects cannot detect. */
import { isBody, type Json } from '../json-response';

/** The names inside these members are listed too. `x` and `z` are keys of recorded data. */
const LISTED_INSIDE: ReadonlySet<string> = new Set([
  'annotations',
  'data',
  'fieldsV1',
  'items',
  'labels',
  'managedFields',
  'metadata',
  'object',
  'ownerReferences',
  'rows',
  'x',
  'z',
]);

/** The names of the members of an object, or of the objects in a list; '' for any other value. */
function namesIn(value: Json): Json {
  if (Array.isArray(value)) return value.map(namesIn);
  if (!isBody(value)) return '';
  return Object.entries(value).map(([name, member]) => (LISTED_INSIDE.has(name) ? [name, namesIn(member)] : name));
}

/**
 * The member names in their order, at the top level and in the members {@link LISTED_INSIDE}; for YAML those at the top level.
 * Each line of JSON is an element of the result.
 */
export function memberNames(text: string): Json {
  if (!text.startsWith('{')) return text.split('\n').flatMap((line) => /^([A-Za-z_]+):/.exec(line)?.[1] ?? []);
  const lines = text.trim().split('\n');
  return lines.map((line) => namesIn(JSON.parse(line)));
}
