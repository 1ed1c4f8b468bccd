/**
 * Objects with a merge shape (merge-shape.ts): validates an applied configuration, with upstream's messages, and
 * collects the fields of an object as a field set. Corresponds to the package `typed` of structured-merge-diff.
 */
import { formatGoSyntax } from '../../values/go-syntax';
import { isEmptyObject, isObject, ownMember, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import {
  elementsOf,
  isEmptySet,
  isMember,
  NODE_WITHOUT_DESCENDANTS,
  nodeAt,
  openMember,
  openNode,
  formatElementPath,
  type FieldSet,
  type PathElement,
} from './field-set';
import {
  isMapKey,
  itemElement,
  memberElement,
  memberShape,
  MissingListKeyError,
  partitionOf,
  resolveShape,
  type ItemShape,
  type MergeShape,
} from './merge-shape';

const MAX_ERRORS = 100;

/**
 * The errors of an object, each with its path: `.spec.foo: field not declared in schema`. In order of appearance, at
 * most 100.
 */
export function shapeErrors(shape: MergeShape, object: JsonObject): string[] {
  const errors = new ShapeErrors();
  checkValue(shape, object, errors);
  return errors.texts;
}

class ShapeErrors {
  readonly texts: string[] = [];
  /** The path of the value that is being checked. */
  readonly path: PathElement[] = [];

  add(text: string): void {
    if (this.texts.length < MAX_ERRORS) this.texts.push(`${formatElementPath(this.path)}: ${text}`);
  }
}

function checkValue(shape: MergeShape, value: JsonValue, errors: ShapeErrors): void {
  if (value === null || errors.texts.length >= MAX_ERRORS) return;
  switch (shape.kind) {
    case 'free':
      return;
    case 'deduced':
      return checkValue(resolveShape(shape, value), value, errors);
    case 'scalar':
      return checkScalar(shape.scalar, value, errors);
    case 'struct':
    case 'map':
      if (!isObject(value)) return errors.add(`expected map, got &{${formatPlain(value)}}`);
      for (const name of Object.keys(value)) {
        const member = memberShape(shape, name);
        errors.path.push(memberElement(shape, name));
        if (member === undefined) errors.add('field not declared in schema');
        else checkValue(member, ownMember(value, name) ?? null, errors);
        errors.path.pop();
      }
      return;
    case 'list':
    case 'set':
    case 'keyed':
      if (!Array.isArray(value)) return errors.add(`expected list, got &{${formatPlain(value)}}`);
      return checkItems(shape, value, errors);
  }
}

function checkScalar(scalar: 'string' | 'number' | 'boolean' | 'any', value: JsonValue, errors: ShapeErrors): void {
  switch (scalar) {
    case 'string':
      if (typeof value !== 'string') errors.add(`expected string, got &value.valueUnstructured{Value:${formatGoSyntax(value)}}`);
      return;
    case 'number':
      if (typeof value !== 'number' && typeof value !== 'bigint') errors.add(`expected numeric (int or float), got ${goTypeName(value)}`);
      return;
    case 'boolean':
      if (typeof value !== 'boolean') errors.add(`expected boolean, got &{${formatPlain(value)}}`);
      return;
    case 'any':
      if (typeof value === 'object') errors.add(`expected any scalar, got ${goTypeName(value)}`);
  }
}

function checkItems(shape: Extract<MergeShape, { kind: 'list' | 'set' | 'keyed' }>, items: JsonArray, errors: ShapeErrors): void {
  const seen = new Set<PathElement>();
  items.forEach((item, index) => {
    let element: PathElement = `i:${index}`; // Items of an atomic list have no identity but their index.
    if (shape.kind !== 'list') {
      const text = itemError(shape, item);
      if (text !== undefined) return errors.add(`element ${index}: ${text}`);
      element = itemElement(shape, item);
      if (seen.has(element)) errors.add(`duplicate entries for key ${formatElementPath([element])}`);
      seen.add(element);
    }
    errors.path.push(element);
    checkValue(shape.element, item, errors);
    errors.path.pop();
  });
}

/** The error of an item that cannot be identified in an associative list; `undefined` when it can. */
function itemError(shape: ItemShape, item: JsonValue): string | undefined {
  if (shape.kind === 'keyed') {
    if (item === null) return 'associative list with keys may not have a null element';
    if (!isObject(item)) return 'associative list with keys may not have non-map elements';
    const missing = shape.keys.find(({ name, defaultValue }) => (ownMember(item, name) ?? defaultValue) === undefined);
    return missing === undefined ? undefined : new MissingListKeyError(missing.name).message;
  }
  if (item === null) return "associative list without keys has an element that's an explicit null";
  if (typeof item !== 'object') return undefined;
  return isObject(item)
    ? "associative list without keys has an element that's a map type"
    : 'not supported: associative list with lists as elements';
}

/** The Go type of a value, as upstream's messages name it. All numbers are called int64. */
function goTypeName(value: JsonValue): string {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  if (Array.isArray(value)) return '[]interface {}';
  return isObject(value) ? 'map[string]interface {}' : 'int64';
}

/** A value as Go's `%v` prints it: `map[a:1 b:[x <nil>]]`. */
function formatPlain(value: JsonValue): string {
  if (value === null) return '<nil>';
  if (Array.isArray(value)) return `[${formatItems(value)}]`;
  return isObject(value) ? `map[${formatMembers(value)}]` : String(value);
}

/**
 * Appends to one string instead of joining an array, which would copy the text of a deep value once per level. The index
 * decides about the separator, because the text of an item may be empty.
 */
function formatItems(items: JsonArray): string {
  let text = '';
  for (let index = 0; index < items.length; index += 1) text += `${index === 0 ? '' : ' '}${formatPlain(items[index] ?? null)}`;
  return text;
}

function formatMembers(object: JsonObject): string {
  let text = '';
  for (const name of Object.keys(object).sort()) text += `${text === '' ? '' : ' '}${name}:${formatPlain(object[name] ?? null)}`;
  return text;
}

/**
 * The fields of an object, not in canonical order. An associative list is not a field itself, only its items are, so an
 * empty one leaves no trace in the set. (An empty list is a field where it is the value of a map key.)
 */
export function fieldSetOf(shape: MergeShape, object: JsonObject): FieldSet {
  return collectFields(shape, object, 'omit');
}

/** {@link fieldSetOf} with every empty associative list as a field too. */
export function fieldsAndEmptyLists(shape: MergeShape, object: JsonObject): FieldSet {
  return collectFields(shape, object, 'include');
}

/** Whether empty associative lists are fields. */
type EmptyLists = 'include' | 'omit';

function collectFields(shape: MergeShape, object: JsonObject, emptyLists: EmptyLists): FieldSet {
  const set: FieldSet = {};
  collectValue(shape, object, set, emptyLists);
  return set;
}

/** Adds the fields below a value to its node `into`. Returns false when there are none. */
function collectValue(declared: MergeShape, value: JsonValue, into: FieldSet, emptyLists: EmptyLists): boolean {
  const shape = resolveShape(declared, value);
  switch (partitionOf(shape)) {
    case 'leaf':
      return false;
    case 'members':
      return isObject(value) && collectMembers(shape, value, into, emptyLists);
    case 'items':
      return Array.isArray(value) && (shape.kind === 'set' || shape.kind === 'keyed') && collectItems(shape, value, into, emptyLists);
  }
}

function collectMembers(shape: MergeShape, value: JsonObject, into: FieldSet, emptyLists: EmptyLists): boolean {
  let hasFields = false;
  for (const name of Object.keys(value)) {
    const member = memberShape(shape, name);
    const memberValue = ownMember(value, name) ?? null;
    const isLeaf = member !== undefined && partitionOf(resolveShape(member, memberValue)) === 'leaf';
    // A map key is a field in any case; a struct member only when no fields stand below it.
    const isField = isLeaf || memberValue === null || isMapKey(shape, name) || isEmptyValue(memberValue, emptyLists);
    const node = isLeaf || member === undefined ? undefined : openNode(isField);
    const hasFieldsBelow = node !== undefined && member !== undefined && collectValue(member, memberValue, node, emptyLists);
    if (!hasFieldsBelow && !isField) continue;
    into[memberElement(shape, name)] = hasFieldsBelow ? node : NODE_WITHOUT_DESCENDANTS;
    hasFields = true;
  }
  return hasFields;
}

/** Whether a value is an empty object, or an empty list where these are fields. */
function isEmptyValue(value: JsonValue, emptyLists: EmptyLists): boolean {
  if (isObject(value)) return isEmptyObject(value);
  return emptyLists === 'include' && Array.isArray(value) && value.length === 0;
}

/** Adds a node for each item; items with the same identity share one. Returns false when there are no items. */
function collectItems(shape: ItemShape, items: JsonArray, into: FieldSet, emptyLists: EmptyLists): boolean {
  for (const item of items) {
    const element = itemElement(shape, item);
    const known = nodeAt(into, element) ?? NODE_WITHOUT_DESCENDANTS;
    const node = known === NODE_WITHOUT_DESCENDANTS ? openMember() : known;
    const hasFieldsBelow = collectValue(shape.element, item, node, emptyLists);
    into[element] = hasFieldsBelow || known !== NODE_WITHOUT_DESCENDANTS ? node : NODE_WITHOUT_DESCENDANTS;
  }
  return items.length > 0;
}

/**
 * The set with each struct member that leads to a field added as a field: for `.spec.replicas` also `.spec`.
 */
export function withStructMembers(shape: MergeShape, set: FieldSet): FieldSet {
  return fillStructMembers(shape, set, {});
}

function fillStructMembers(shape: MergeShape | undefined, set: FieldSet, into: FieldSet): FieldSet {
  for (const element of elementsOf(set)) {
    const node = nodeAt(set, element);
    if (node === undefined) continue;
    if (isEmptySet(node)) {
      into[element] = node;
      continue;
    }
    const name = element.startsWith('f:') ? element.slice(2) : undefined;
    const resolved = shape?.kind === 'deduced' ? shape.members : shape;
    const declared = resolved?.kind === 'struct' && name !== undefined ? resolved.member(name) : undefined;
    const shapeBelow = shape === undefined ? undefined : childShape(shape, name);
    into[element] = fillStructMembers(shapeBelow, node, openNode(declared !== undefined || isMember(node)));
  }
  return into;
}

/** The shape of a member, or that of the items of a list when `name` is `undefined`. */
function childShape(shape: MergeShape, name: string | undefined): MergeShape | undefined {
  if (name !== undefined) return memberShape(shape, name);
  return shape.kind === 'set' || shape.kind === 'keyed' || shape.kind === 'list' ? shape.element : undefined;
}
