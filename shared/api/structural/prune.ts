/**
 * Removes fields that the schema of a custom resource does not specify. Keeps apiVersion, kind and metadata of the object
 * itself and of embedded resources (embedded.ts) in any case. Ignores types: validation/validate.ts reports a value of
 * the wrong type later.
 */
import { compareBytes, isObject, type JsonObject, type JsonValue } from '../../values/json';
import { formatFieldPath } from './field-path';
import type { SchemaNode } from './schema-node';

/** Limits of the paths that are returned and become warnings. Upstream returns all. */
const MAX_PATHS = 1000;
/** Of all paths together: no path is added once this number is reached. */
const MAX_PATH_CHARACTERS = 256 * 1024;

const RESOURCE_MEMBERS: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** Prunes in place. Returns the paths of removed fields (`spec.list[0].x`), sorted and limited in number and length. */
export function pruneUnknown(node: SchemaNode, object: JsonObject): string[] {
  const pruned = new PrunedPaths();
  memberPruner(node, { isResource: true })(object, pruned);
  return pruned.texts.sort(compareBytes);
}

/** The state of pruning one object: where the walk is, and the paths of the removed fields. */
class PrunedPaths {
  readonly texts: string[] = [];
  /** Members and indexes from the root to the value that is being pruned. */
  readonly path: (string | number)[] = [];
  private remainingCharacters = MAX_PATH_CHARACTERS;

  /** Adds the path of a member of the value that is being pruned. */
  add(member: string): void {
    if (this.texts.length >= MAX_PATHS || this.remainingCharacters <= 0) return;
    const text = formatFieldPath([...this.path, member]);
    this.remainingCharacters -= text.length;
    this.texts.push(text);
  }
}

type Pruner = (value: JsonValue, pruned: PrunedPaths) => void;

/** The compiled pruners of schema nodes. */
const pruners = new WeakMap<SchemaNode, Pruner>();

/** `undefined` stands for a value that the schema does not specify. */
function prunerOf(node: SchemaNode | undefined): Pruner {
  if (node === undefined) return pruneAll;
  let pruner = pruners.get(node);
  if (pruner === undefined) pruners.set(node, (pruner = compilePruner(node)));
  return pruner;
}

function compilePruner(node: SchemaNode): Pruner {
  const pruneMembers = memberPruner(node, { isResource: node.embeddedResource });
  const pruneItem = node.preservesUnknownFields ? undefined : prunerOf(node.items);
  return (value, pruned) => {
    if (isObject(value)) pruneMembers(value, pruned);
    else if (Array.isArray(value) && pruneItem !== undefined) pruneItems(pruneItem, value, pruned);
  };
}

/** The schema specifies nothing below the value, so every member of every object is removed. */
function pruneAll(value: JsonValue, pruned: PrunedPaths): void {
  if (Array.isArray(value)) return pruneItems(pruneAll, value, pruned);
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    pruned.add(name);
    delete value[name];
  }
}

function pruneItems(pruneItem: Pruner, items: readonly JsonValue[], pruned: PrunedPaths): void {
  items.forEach((item, index) => {
    if (typeof item !== 'object' || item === null) return;
    pruned.path.push(index);
    pruneItem(item, pruned);
    pruned.path.pop();
  });
}

/**
 * Returns a function that prunes the members of an object and what is below them. With `isResource` the object keeps its
 * apiVersion, kind and metadata, whether or not the schema specifies them.
 */
function memberPruner(
  node: SchemaNode,
  { isResource }: { readonly isResource: boolean },
): (object: JsonObject, pruned: PrunedPaths) => void {
  const { additionalProperties, preservesUnknownFields } = node;
  const properties = new Map([...node.properties].map(([name, member]) => [name, prunerOf(member)]));
  const others =
    additionalProperties === undefined ? undefined : prunerOf(typeof additionalProperties === 'boolean' ? undefined : additionalProperties);
  return (object, pruned) => {
    for (const name of Object.keys(object)) {
      if (isResource && RESOURCE_MEMBERS.has(name)) continue;
      const prune = properties.get(name) ?? others;
      if (prune === undefined) {
        if (preservesUnknownFields) continue;
        pruned.add(name);
        delete object[name];
        continue;
      }
      const value = object[name];
      if (typeof value !== 'object' || value === null) continue;
      pruned.path.push(name);
      prune(value, pruned);
      pruned.path.pop();
    }
  };
}
