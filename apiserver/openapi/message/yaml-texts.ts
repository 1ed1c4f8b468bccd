/**
 * Values as YAML text. Documents contain the same few short values thousands of times, so their text is cached, within
 * a limit.
 */
import { stringifyYaml } from '../../../shared/serialization/yaml/yaml-output';
import type { JsonObject, JsonValue } from '../../../shared/values/json';
import type { JsonIndex } from '../../../shared/values/json-index';

const SHORT_TEXT = 64;
const MAX_CACHED = 2048;
const yamlBySpelling = new Map<string, string>();
/** Objects that occur repeatedly: rendered operations of one path share them. */
const yamlByObject = new WeakMap<JsonObject | JsonValue[], string>();

export function yamlOf(value: JsonValue): string {
  if (typeof value === 'string') return value.length > SHORT_TEXT ? stringifyYaml(value) : cachedYaml(JSON.stringify(value), () => value);
  if (typeof value !== 'object' || value === null) return stringifyYaml(value);
  let text = yamlByObject.get(value);
  if (text === undefined) yamlByObject.set(value, (text = stringifyYaml(value)));
  return text;
}

export function yamlAt(json: JsonIndex, index: number): string {
  if (json.end(index) - json.start(index) > SHORT_TEXT) return stringifyYaml(json.toJson(index));
  return cachedYaml(json.spelling(index), () => json.toJson(index));
}

function cachedYaml(spelling: string, value: () => JsonValue): string {
  let text = yamlBySpelling.get(spelling);
  if (text !== undefined) return text;
  text = stringifyYaml(value());
  if (yamlBySpelling.size >= MAX_CACHED) yamlBySpelling.clear();
  yamlBySpelling.set(spelling, text);
  return text;
}
