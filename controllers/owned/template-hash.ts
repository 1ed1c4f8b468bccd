/** A short text for a template that is the same in every process, and another one for another template. Changes nothing. */
import { createHash } from 'node:crypto';
import { isObject, setMember, stringifyJson, type JsonObject, type JsonValue } from '../../shared/values/json';

/** No vowels, so that no words come about, and nothing that is mistaken for something else. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const LENGTH = 10;

/** A label's value. `collisions` = how often the text was taken by something else. */
export function templateHash(template: JsonObject, collisions = 0): string {
  const digest = createHash('sha256').update(stringifyJson(withoutNothing(template), 'sorted'));
  if (collisions > 0) digest.update(`\n${collisions}`);
  let rest = digest.digest().readBigUInt64BE();
  let text = '';
  for (; text.length < LENGTH; rest /= BigInt(ALPHABET.length)) text += ALPHABET[Number(rest % BigInt(ALPHABET.length))];
  return text;
}

/** Without members that are null: they say the same as absent ones. */
export function withoutNothing(value: JsonObject): JsonObject {
  const copy: JsonObject = {};
  for (const [member, item] of Object.entries(value)) if (item !== null) setMember(copy, member, stripped(item));
  return copy;
}

function stripped(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(stripped);
  return isObject(value) ? withoutNothing(value) : value;
}
