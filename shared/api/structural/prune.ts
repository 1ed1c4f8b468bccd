/**
 * Takes out of a custom resource what its schema does not know. Looks at no types: a value of the wrong type is pruned as if it were right, and
 * refused later (validate.ts). Never touches the object's own apiVersion, kind and metadata, nor those of embedded resources (embedded.ts).
 */
import { compareBytes, isObject, type JsonObject, type JsonValue } from '../../values/json';
import type { SchemaNode } from './schema-node';

/** Upstream names all of them; nobody reads more than this many, or more than this much text. */
const MOST_PATHS = 1000;
const MOST_TEXT = 1 << 18;

const TYPE_META: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** In place. The paths of what was taken out (`spec.list[0].x`), sorted. */
export function pruneUnknown(node: SchemaNode, object: JsonObject): string[] {
  const found = new Paths();
  memberPruner(node, true)(object, found);
  return found.texts.sort(compareBytes);
}

class Paths {
  readonly texts: string[] = [];
  /** Members and indexes from the top to the value that is being pruned. */
  readonly path: (string | number)[] = [];
  private left = MOST_TEXT;

  add(member: string): void {
    if (this.texts.length >= MOST_PATHS || this.left <= 0) return;
    let text = '';
    for (const step of this.path) text += typeof step === 'number' ? `[${step}]` : `${text === '' ? '' : '.'}${step}`;
    text += `${text === '' ? '' : '.'}${member}`;
    this.left -= text.length;
    this.texts.push(text);
  }
}

type Pruner = (value: JsonValue, found: Paths) => void;

/** By node; undefined = nothing is known below it. */
const pruners = new WeakMap<SchemaNode, Pruner>();

function prunerOf(node: SchemaNode | undefined): Pruner {
  if (node === undefined) return pruneAll;
  let pruner = pruners.get(node);
  if (pruner === undefined) pruners.set(node, (pruner = compile(node)));
  return pruner;
}

function compile(node: SchemaNode): Pruner {
  const members = memberPruner(node, node.embeddedResource);
  const each = node.preservesUnknownFields ? undefined : prunerOf(node.items);
  return (value, found) => {
    if (isObject(value)) members(value, found);
    else if (Array.isArray(value) && each !== undefined) pruneItems(each, value, found);
  };
}

/** Nothing below the value is known, so no member of any object stays. */
function pruneAll(value: JsonValue, found: Paths): void {
  if (Array.isArray(value)) return pruneItems(pruneAll, value, found);
  if (!isObject(value)) return;
  for (const name of Object.keys(value)) {
    found.add(name);
    delete value[name];
  }
}

function pruneItems(each: Pruner, items: readonly JsonValue[], found: Paths): void {
  items.forEach((item, index) => {
    if (typeof item !== 'object' || item === null) return;
    found.path.push(index);
    each(item, found);
    found.path.pop();
  });
}

function memberPruner(node: SchemaNode, isResource: boolean): (object: JsonObject, found: Paths) => void {
  const { additionalProperties, preservesUnknownFields } = node;
  const properties = new Map([...node.properties].map(([name, member]) => [name, prunerOf(member)]));
  const others =
    additionalProperties === undefined ? undefined : prunerOf(typeof additionalProperties === 'boolean' ? undefined : additionalProperties);
  return (object, found) => {
    for (const name of Object.keys(object)) {
      if (isResource && TYPE_META.has(name)) continue;
      const prune = properties.get(name) ?? others;
      if (prune === undefined) {
        if (preservesUnknownFields) continue;
        found.add(name);
        delete object[name];
        continue;
      }
      const value = object[name];
      if (typeof value !== 'object' || value === null) continue;
      found.path.push(name);
      prune(value, found);
      found.path.pop();
    }
  };
}
