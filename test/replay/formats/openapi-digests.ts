/**
 * Short digests of the paths and definitions of OpenAPI documents, so that ours can be compared with recorded ones
 * without storing either. They leave out descriptions, the order of members and parameters, shared parameters (which
 * are inlined), and the other dialect and group versions of a type.
 */
import { createHash } from 'node:crypto';
import { isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../../shared/values/json';

export interface Digests {
  readonly paths: Readonly<Record<string, string>>;
  readonly definitions: Readonly<Record<string, string>>;
}

const KINDS = 'x-kubernetes-group-version-kind';
/** Kinds that belong to every group version, served or not. */
const KINDS_OF_ALL_GROUPS = /\.meta\.v1\.(DeleteOptions|WatchEvent)$/;

/** The digests of a document of either version, by path and by name of the definition. */
export function digestsOf(document: JsonObject): Digests {
  const definitions = objectAt(document, 'definitions') ?? objectAt(objectAt(document, 'components'), 'schemas') ?? {};
  const sharedParameters = objectAt(document, 'parameters') ?? {};
  const comparableDefinitions = Object.entries(definitions).map(([name, definition]): [string, JsonValue] => {
    if (!KINDS_OF_ALL_GROUPS.test(name) || !isObject(definition)) return [name, definition];
    return [name, { ...definition, [KINDS]: null }];
  });
  return {
    paths: digests(Object.entries(objectAt(document, 'paths') ?? {}), sharedParameters),
    definitions: digests(comparableDefinitions, sharedParameters),
  };
}

function digests(entries: readonly (readonly [name: string, value: JsonValue])[], sharedParameters: JsonObject): Record<string, string> {
  return Object.fromEntries(entries.map(([name, value]) => [name, digest(JSON.stringify(normalize(value, sharedParameters)))]));
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 10);

/** A value without what digests leave out, with its members in the order of their names. */
function normalize(value: JsonValue, sharedParameters: JsonObject): JsonValue {
  if (Array.isArray(value)) return value.map((item) => normalize(item, sharedParameters));
  if (!isObject(value)) return value;
  const parameter = stringAt(value, '$ref')?.match(/^#\/parameters\/(.*)$/)?.[1];
  if (parameter !== undefined) return normalize(sharedParameters[parameter] ?? null, sharedParameters);
  const members = Object.entries(value).flatMap(([name, item]): [string, JsonValue][] => {
    if (name === 'description' && typeof item === 'string') return [];
    if (name === KINDS && Array.isArray(item))
      return [[name, sorted(item.filter((kind) => isUpstreamKind(kind)).map((kind) => normalize(kind, sharedParameters)))]];
    if (name === 'parameters' && Array.isArray(item))
      return [[name, sorted(item.map((parameter) => normalize(parameter, sharedParameters)))]];
    // A reference needs this wrapper only when it has a description.
    if (name === 'allOf' && Array.isArray(item) && item.length === 1 && isObject(item[0])) return Object.entries(item[0]);
    return [[name, normalize(item, sharedParameters)]];
  });
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const isUpstreamKind = (kind: JsonValue): boolean => !(isObject(kind) && stringAt(kind, 'group')?.endsWith('.platform.io') === true);

/** The items in the order of their JSON. */
const sorted = (items: JsonValue[]): JsonValue[] =>
  items
    .map((item) => ({ item, text: JSON.stringify(item) }))
    .sort((a, b) => (a.text < b.text ? -1 : 1))
    .map(({ item }) => item);
