/**
 * The hash of a pod template, for the `pod-template-hash` label and the names of ReplicaSets and ControllerRevisions.
 * Equal in every process.
 */
import { createHash } from 'node:crypto';
import { isObject, setMember, stringifyJson, type JsonObject, type JsonValue } from '../../shared/values/json';

/** Upstream's safe characters: no vowels, which could form words, and no characters that are easily confused. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
/** The length of upstream's longest hashes, which are 32-bit integers in decimal digits. */
const LENGTH = 10;

/** A label value of 10 characters. `collisionCount`: how often the name with this hash belonged to another object. */
export function templateHash(template: JsonObject, collisionCount = 0): string {
  const digest = createHash('sha256').update(stringifyJson(withoutNulls(template), 'sorted'));
  if (collisionCount > 0) digest.update(`\n${collisionCount}`);
  // The first eight bytes as a number, of which the last ten digits in base 27 are taken.
  let remainder = digest.digest().readBigUInt64BE();
  let text = '';
  const base = BigInt(ALPHABET.length);
  while (text.length < LENGTH) {
    text += ALPHABET[Number(remainder % base)];
    remainder /= base;
  }
  return text;
}

/** A copy without members that are null, which mean the same as absent ones. */
export function withoutNulls(value: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const [member, item] of Object.entries(value)) if (item !== null) setMember(copy, member, withoutNullsInside(item));
  return copy;
}

function withoutNullsInside(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(withoutNullsInside);
  return isObject(value) ? withoutNulls(value) : value;
}
