/** Values as YAML texts. Documents say the same few short values thousands of times, so those are written once; bounded, and nothing depends on it. */
import { stringifyYaml } from '../../shared/serialization/yaml-output';
import type { JsonObject, JsonValue } from '../../shared/values/json';
import type { JsonIndex } from '../../shared/values/json-index';

const SHORT = 64;
const MOST = 2048;
const bySpelling = new Map<string, string>();
/** Objects that are used again: rendered operations of one path share them. */
const byObject = new WeakMap<JsonObject | JsonValue[], string>();

export function yamlOf(value: JsonValue): string {
  if (typeof value === 'string') return value.length > SHORT ? stringifyYaml(value) : ofSpelling(JSON.stringify(value), () => value);
  if (typeof value !== 'object' || value === null) return stringifyYaml(value);
  let text = byObject.get(value);
  if (text === undefined) byObject.set(value, (text = stringifyYaml(value)));
  return text;
}

export function yamlAt(places: JsonIndex, place: number): string {
  if (places.end(place) - places.start(place) > SHORT) return stringifyYaml(places.toJson(place));
  return ofSpelling(places.spelling(place), () => places.toJson(place));
}

function ofSpelling(spelling: string, value: () => JsonValue): string {
  let text = bySpelling.get(spelling);
  if (text !== undefined) return text;
  text = stringifyYaml(value());
  if (bySpelling.size >= MOST) bySpelling.clear();
  bySpelling.set(spelling, text);
  return text;
}
