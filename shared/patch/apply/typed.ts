/**
 * An applied configuration held against its shape: is everything in it known and of the right type (the texts are upstream's), and which fields
 * does it hold. Changes nothing.
 */
import { formatGoSyntax } from '../../values/go-syntax';
import { isEmptyObject, isObject, own, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { elementsOf, isEmptySet, isMember, MEMBER, nodeAt, openNode, pathText, type FieldSet, type PathElement } from './field-set';
import { isKey, itemElement, memberElement, memberShape, MissingKey, partition, shapeFor, type ItemShape, type Shape } from './merge-shape';

const MOST_FAULTS = 100;

/** What is wrong, each with its path: `.spec.foo: field not declared in schema`. In the order of appearance, at most 100. */
export function shapeFaults(shape: Shape, object: JsonObject): string[] {
  const faults = new Faults();
  check(shape, object, faults);
  return faults.texts;
}

class Faults {
  readonly texts: string[] = [];
  readonly path: PathElement[] = [];

  add(text: string): void {
    this.texts.push(`${pathText(this.path)}: ${text}`);
  }
}

function check(shape: Shape, value: JsonValue, faults: Faults): void {
  if (value === null || faults.texts.length >= MOST_FAULTS) return;
  switch (shape.kind) {
    case 'free':
      return;
    case 'deduced':
      return check(shapeFor(shape, value), value, faults);
    case 'scalar':
      return checkScalar(shape.of, value, faults);
    case 'struct':
    case 'map':
      if (!isObject(value)) return faults.add(`expected map, got &{${plain(value)}}`);
      for (const name of Object.keys(value)) {
        const member = memberShape(shape, name);
        faults.path.push(memberElement(shape, name));
        if (member === undefined) faults.add('field not declared in schema');
        else check(member, own(value, name) ?? null, faults);
        faults.path.pop();
      }
      return;
    case 'list':
    case 'set':
    case 'keyed':
      if (!Array.isArray(value)) return faults.add(`expected list, got &{${plain(value)}}`);
      return checkItems(shape, value, faults);
  }
}

function checkScalar(of: 'string' | 'number' | 'boolean' | 'any', value: JsonValue, faults: Faults): void {
  switch (of) {
    case 'string':
      if (typeof value !== 'string') faults.add(`expected string, got &value.valueUnstructured{Value:${formatGoSyntax(value)}}`);
      return;
    case 'number':
      if (typeof value !== 'number' && typeof value !== 'bigint') faults.add(`expected numeric (int or float), got ${goType(value)}`);
      return;
    case 'boolean':
      if (typeof value !== 'boolean') faults.add(`expected boolean, got &{${plain(value)}}`);
      return;
    case 'any':
      if (typeof value === 'object') faults.add(`expected any scalar, got ${goType(value)}`);
  }
}

function checkItems(shape: Extract<Shape, { kind: 'list' | 'set' | 'keyed' }>, items: JsonArray, faults: Faults): void {
  const seen = new Set<PathElement>();
  items.forEach((item, index) => {
    let element: PathElement = `i:${index}`;
    if (shape.kind !== 'list') {
      const text = itemFault(shape, item);
      if (text !== undefined) return faults.add(`element ${index}: ${text}`);
      element = itemElement(shape, item);
      if (seen.has(element)) faults.add(`duplicate entries for key ${pathText([element])}`);
      seen.add(element);
    }
    faults.path.push(element);
    check(shape.of, item, faults);
    faults.path.pop();
  });
}

function itemFault(shape: ItemShape, item: JsonValue): string | undefined {
  if (shape.kind === 'keyed') {
    if (item === null) return 'associative list with keys may not have a null element';
    if (!isObject(item)) return 'associative list with keys may not have non-map elements';
    const missing = shape.keys.find(({ name, absent }) => (own(item, name) ?? absent) === undefined);
    return missing === undefined ? undefined : new MissingKey(missing.name).message;
  }
  if (item === null) return "associative list without keys has an element that's an explicit null";
  if (typeof item !== 'object') return undefined;
  return isObject(item)
    ? "associative list without keys has an element that's a map type"
    : 'not supported: associative list with lists as elements';
}

function goType(value: JsonValue): string {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  if (Array.isArray(value)) return '[]interface {}';
  return isObject(value) ? 'map[string]interface {}' : 'int64';
}

function plain(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${plainItems(value)}]`;
  return isObject(value) ? `map[${plainMembers(value)}]` : String(value);
}

/** Concatenated: a join copies its texts, once for each level of a deep value. An item may have no text. */
function plainItems(items: JsonArray): string {
  let text = '';
  for (let index = 0; index < items.length; index += 1) text += `${index === 0 ? '' : ' '}${plain(items[index] ?? null)}`;
  return text;
}

function plainMembers(object: JsonObject): string {
  let text = '';
  for (const name of Object.keys(object).sort()) text += `${text === '' ? '' : ' '}${name}:${plain(object[name] ?? null)}`;
  return text;
}

/** The fields of an object, not in canonical order. A list whose items are fields is not a field itself, so an empty one is not in the set. */
export function fieldSetOf(shape: Shape, object: JsonObject): FieldSet {
  return collectFields(shape, object, false);
}

/** The fields of an object and its empty lists, not in canonical order. */
export function fieldsAndEmptyLists(shape: Shape, object: JsonObject): FieldSet {
  return collectFields(shape, object, true);
}

function collectFields(shape: Shape, object: JsonObject, emptyLists: boolean): FieldSet {
  const set: FieldSet = {};
  gather(shape, object, set, emptyLists);
  return set;
}

/** Adds the fields of a value to its node. Returns false when there are none. */
function gather(declared: Shape, value: JsonValue, into: FieldSet, emptyLists: boolean): boolean {
  const shape = shapeFor(declared, value);
  switch (partition(shape)) {
    case 'leaf':
      return false;
    case 'members':
      return isObject(value) && gatherMembers(shape, value, into, emptyLists);
    case 'items':
      return Array.isArray(value) && (shape.kind === 'set' || shape.kind === 'keyed') && gatherItems(shape, value, into, emptyLists);
  }
}

function gatherMembers(shape: Shape, value: JsonObject, into: FieldSet, emptyLists: boolean): boolean {
  let any = false;
  for (const name of Object.keys(value)) {
    const member = memberShape(shape, name);
    const found = own(value, name) ?? null;
    const isLeaf = member !== undefined && partition(shapeFor(member, found)) === 'leaf';
    // A key of a map is a field of its own; a member of a struct is one where there is nothing below it.
    const isEmpty = isObject(found) ? isEmptyObject(found) : emptyLists && Array.isArray(found) && found.length === 0;
    const isField = isLeaf || found === null || isKey(shape, name) || isEmpty;
    const node = isLeaf || member === undefined ? MEMBER : openNode(isField);
    const holds = node !== MEMBER && member !== undefined && gather(member, found, node, emptyLists);
    if (!holds && !isField) continue;
    into[memberElement(shape, name)] = holds ? node : MEMBER;
    any = true;
  }
  return any;
}

/** Items that cannot be told apart are one. */
function gatherItems(shape: ItemShape, items: JsonArray, into: FieldSet, emptyLists: boolean): boolean {
  for (const item of items) {
    const element = itemElement(shape, item);
    const known = nodeAt(into, element) ?? MEMBER;
    const node = known === MEMBER ? openNode(true) : known;
    const holds = gather(shape.of, item, node, emptyLists);
    into[element] = holds || known !== MEMBER ? node : MEMBER;
  }
  return items.length > 0;
}

/** The set with every member of a struct that leads to a field made a field itself. */
export function withStructMembers(shape: Shape, set: FieldSet): FieldSet {
  return fill(shape, set, {});
}

function fill(shape: Shape | undefined, set: FieldSet, into: FieldSet): FieldSet {
  for (const element of elementsOf(set)) {
    const node = nodeAt(set, element);
    if (node === undefined) continue;
    if (isEmptySet(node)) {
      into[element] = node;
      continue;
    }
    const name = element.startsWith('f:') ? element.slice(2) : undefined;
    const open = shape?.kind === 'deduced' ? shape.members : shape;
    const declared = open?.kind === 'struct' && name !== undefined ? open.member(name) : undefined;
    const below = name === undefined ? itemShape(shape) : shape === undefined ? undefined : memberShape(shape, name);
    into[element] = fill(below, node, openNode(declared !== undefined || isMember(node)));
  }
  return into;
}

function itemShape(shape: Shape | undefined): Shape | undefined {
  return shape?.kind === 'set' || shape?.kind === 'keyed' || shape?.kind === 'list' ? shape.of : undefined;
}
