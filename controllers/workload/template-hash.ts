/**
 * The hash of a pod template, for the `pod-template-hash` label and the names of ReplicaSets and ControllerRevisions.
 * Equal in every process.
 */
import { createHash } from 'node:crypto';
import { isObject, setMember, stringifyJson, type JsonObject, type JsonValue } from '../../shared/values/json';

/** Upstream's safe characters: no vowels, which could form words, and no characters that are easily confused. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const LENGTH = 10;

/** A label value. `collisionCount`: how often the name with this hash belonged to another object. */
export function templateHash(template: JsonObject, collisionCount = 0): string {
  const digest = createHash('sha256').update(stringifyJson(withoutNulls(template), 'sorted'));
  if (collisionCount > 0) digest.update(`\n${collisionCount}`);
  let rest = digest.digest().readBigUInt64BE();
  let text = '';
  for (; text.length < LENGTH; rest /= BigInt(ALPHABET.length)) text += ALPHABET[Number(rest % BigInt(ALPHABET.length))];
  return text;
}

/** A copy without members that are null, which mean the same as absent ones. */
export function withoutNulls(value: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const [member, item] of Object.entries(value)) if (item !== null) setMember(copy, member, stripped(item));
  return copy;
}

function stripped(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(stripped);
  return isObject(value) ? withoutNulls(value) : value;
}
