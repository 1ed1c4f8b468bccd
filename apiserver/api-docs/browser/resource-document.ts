/**
 * Reduces an OpenAPI document to the operations of one resource, in JSON where they have it: Redoc expands all
 * operations of a document at once, which takes gigabytes for the documents of large groups. Pure functions, which also
 * run in Node.
 */
import { isObject, objectAt, stringAt, type JsonObject, type JsonValue } from '../../../shared/values/json';

/** Stands for the paths that belong to no resource, such as the list of resources. */
export const OTHER_PATHS = '(other paths)';

/** The members of an OpenAPI path item that are operations. */
const METHODS: readonly string[] = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
/**
 * A path with its resource as group: `pods` in `/api/v1/namespaces/{namespace}/pods/{name}`,
 * `/apis/<group>/<version>/pods` and `/api/v1/watch/pods`.
 */
const RESOURCE_PATH = /^\/(?:api\/[^/]+|apis\/[^/]+\/[^/]+)\/(?:watch\/)?(?:namespaces\/\{namespace\}\/)?([^/]+)/;
const JSON_TYPE = 'application/json';

/** Each resource of the document with its number of operations, sorted by name. */
export function countOperations(document: JsonObject): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [path, item] of pathsOf(document)) {
    const resource = resourceOf(path);
    counts.set(resource, (counts.get(resource) ?? 0) + METHODS.filter((method) => Object.hasOwn(item, method)).length);
  }
  return new Map([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The document with the operations of one resource and its subresources only. Does not change `document`. */
export function selectResource(document: JsonObject, resource: string): JsonObject {
  const selected = pathsOf(document).filter(([path]) => resourceOf(path) === resource);
  return { ...document, paths: Object.fromEntries(selected.map(([path, item]) => [path, reducePath(item)])) };
}

/** The paths with their path items. */
function pathsOf(document: JsonObject): readonly (readonly [string, JsonObject])[] {
  const paths = Object.entries(objectAt(document, 'paths') ?? {});
  return paths.flatMap(([path, item]) => (isObject(item) ? [[path, item] as const] : []));
}

const resourceOf = (path: string): string => RESOURCE_PATH.exec(path)?.[1] ?? OTHER_PATHS;

/** Reduces the operations of a path item; its other members, such as `parameters`, stay. */
function reducePath(item: JsonObject): JsonObject {
  const members = Object.entries(item).map(([name, value]): [string, JsonValue] => [
    name,
    METHODS.includes(name) && isObject(value) ? reduceOperation(value) : value,
  ]);
  return Object.fromEntries(members);
}

/**
 * Drops the tags, so that the menu shows all operations in one list. Makes the description the `summary`, which is the
 * heading; without one the heading would be the identifier of the operation.
 */
function reduceOperation(operation: JsonObject): JsonObject {
  const { description: _description, tags: _tags, ...otherMembers } = operation;
  const reduced: JsonObject = otherMembers;
  const text = stringAt(operation, 'description');
  if (text !== undefined) reduced['summary'] = stringAt(operation, 'summary') ?? text.replace(/\.$/, '');
  const body = objectAt(operation, 'requestBody');
  if (body !== undefined) reduced['requestBody'] = reduceContent(body);
  const responses = objectAt(operation, 'responses');
  if (responses !== undefined) {
    const entries = Object.entries(responses);
    reduced['responses'] = Object.fromEntries(entries.map(([code, value]) => [code, isObject(value) ? reduceContent(value) : value]));
  }
  return reduced;
}

/** Keeps only JSON where it is one of the media types, which then have the same schema. */
function reduceContent(message: JsonObject): JsonObject {
  const json = objectAt(objectAt(message, 'content'), JSON_TYPE);
  return json === undefined ? message : { ...message, content: { [JSON_TYPE]: json } };
}
