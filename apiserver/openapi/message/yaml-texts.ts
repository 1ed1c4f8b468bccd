/**
 * Values of any type as YAML text, the form in which the protobuf documents have them. Documents contain the same few
 * short values thousands of times, so their text is cached, within a limit.
 */
import { stringifyYaml } from '../../../shared/serialization/yaml/yaml-output';
import type { JsonObject, JsonValue } from '../../../shared/values/json';
import type { JsonIndex } from '../../../shared/values/json-index';

/** Longer values are not cached. */
const MAX_CACHED_LENGTH = 64;
/** When this many texts are cached, all are evicted. */
const MAX_CACHED_TEXTS = 2048;
/** By the JSON of the value. */
const yamlBySpelling = new Map<string, string>();
/** Objects that occur repeatedly: rendered operations of one path share them. */
const yamlByObject = new WeakMap<JsonObject | JsonValue[], string>();

/** The YAML text of a value. The texts of objects and lists are cached by identity, so these must not be changed later. */
export function yamlOf(value: JsonValue): string {
  if (typeof value === 'string') {
    return value.length > MAX_CACHED_LENGTH ? stringifyYaml(value) : cachedYaml(JSON.stringify(value), () => value);
  }
  if (typeof value !== 'object' || value === null) return stringifyYaml(value);
  const existing = yamlByObject.get(value);
  if (existing !== undefined) return existing;
  const text = stringifyYaml(value);
  yamlByObject.set(value, text);
  return text;
}

/** The YAML text of the value at an index of a JSON text. */
export function yamlAt(json: JsonIndex, index: number): string {
  if (json.end(index) - json.start(index) > MAX_CACHED_LENGTH) return stringifyYaml(json.toJson(index));
  return cachedYaml(json.spelling(index), () => json.toJson(index));
}

/** The text of a value with this JSON; `value` is called when it is not cached. */
function cachedYaml(spelling: string, value: () => JsonValue): string {
  const existing = yamlBySpelling.get(spelling);
  if (existing !== undefined) return existing;
  const text = stringifyYaml(value());
  if (yamlBySpelling.size >= MAX_CACHED_TEXTS) yamlBySpelling.clear();
  yamlBySpelling.set(spelling, text);
  return text;
}
