/**
 * What differs between two objects of a shape, as sets of fields. A value that is there as null is present. Judges nothing.
 */
import { appendToKey } from '../../values/append';
import { equalJson, isEmptyObject, isObject, own, sortedKeys, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { runStepsSync, type Steps } from '../../scheduling/steps';
import { MEMBER, openNode, SetBuilder, type FieldSet, type PathElement } from './field-set';
import { itemElement, memberElement, memberShape, partition, shapeFor, type ItemShape, type Shape } from './merge-shape';

export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** A field that was added or removed is named with everything below it. */
export function compare(shape: Shape, before: JsonObject, after: JsonObject): Comparison {
  return runStepsSync(comparing(shape, before, after));
}

/** The same in steps. */
export function* comparing(shape: Shape, before: JsonObject, after: JsonObject): Steps<Comparison> {
  const walker = new Walker();
  walker.members(shape, before, after);
  // What is filled in may hold more of the kind: the list grows on the way.
  for (const filling of walker.late) yield* filling;
  return { added: walker.added.set, modified: walker.modified.set, removed: walker.removed.set };
}

const NOTHING: JsonObject = Object.freeze({});
const NO_ITEMS: JsonArray = [];

class Walker {
  readonly added = new SetBuilder();
  readonly modified = new SetBuilder();
  readonly removed = new SetBuilder();
  /** What has yet to be put into nodes that are in the sets already. */
  readonly late: Steps<void>[] = [];
  private readonly path: PathElement[] = [];

  members(shape: Shape, before: JsonObject, after: JsonObject): void {
    for (const name of Object.keys(before)) {
      const [was, is] = [before[name], own(after, name)];
      if (was !== is) this.child(memberShape(shape, name), memberElement(shape, name), was, is);
    }
    for (const name of Object.keys(after)) {
      if (own(before, name) === undefined) this.child(memberShape(shape, name), memberElement(shape, name), undefined, after[name]);
    }
  }

  private child(shape: Shape | undefined, element: PathElement, before: JsonValue | undefined, after: JsonValue | undefined): void {
    if (before === after) return;
    this.path.push(element);
    if (before === undefined) this.added.insert(this.path, wholeNode(shape, after, this.late));
    else if (after === undefined) this.removed.insert(this.path, wholeNode(shape, before, this.late));
    else if (shape !== undefined) this.value(shape, before, after);
    this.path.pop();
  }

  private value(declared: Shape, before: JsonValue | undefined, after: JsonValue | undefined): void {
    const shape = shapeFor(declared, before, after);
    if (shape.kind === 'free' && declared.kind === 'deduced' && (isObject(before) || isObject(after))) {
      // It is an object at one time and a field at the other: what it has as an object comes or goes, and it changes itself.
      this.members(declared.members, isObject(before) ? before : NOTHING, isObject(after) ? after : NOTHING);
    }
    switch (partition(shape)) {
      case 'leaf':
        return this.leaf(before, after);
      case 'members': {
        const [old, now] = [isObject(before) ? before : NOTHING, isObject(after) ? after : NOTHING];
        // Two empty values are one field, because null and {} differ.
        if (isEmptyObject(old) && isEmptyObject(now)) return this.leaf(before, after);
        return this.members(shape, old, now);
      }
      case 'items': {
        const [old, now] = [Array.isArray(before) ? before : NO_ITEMS, Array.isArray(after) ? after : NO_ITEMS];
        if (old.length === 0 && now.length === 0) return this.leaf(before, after);
        if (shape.kind === 'set' || shape.kind === 'keyed') this.items(shape, old, now);
      }
    }
  }

  private leaf(before: JsonValue | undefined, after: JsonValue | undefined): void {
    if (before !== undefined && after !== undefined && !equalJson(before, after)) this.modified.insert(this.path);
  }

  /** Items are found by what identifies them; their order does not count. Repeated items are compared together. */
  private items(shape: ItemShape, before: JsonArray, after: JsonArray): void {
    const elements = sharedElements(shape, before, after);
    if (elements !== undefined) return elements.forEach((element, index) => this.child(shape.of, element, before[index], after[index]));
    const old = byElement(shape, before);
    const now = byElement(shape, after);
    for (const [element, was] of old) this.item(shape, element, was, now.get(element) ?? NO_ITEMS);
    for (const [element, is] of now) if (!old.has(element)) this.item(shape, element, NO_ITEMS, is);
  }

  private item(shape: ItemShape, element: PathElement, was: JsonArray, is: JsonArray): void {
    if (was.length < 2 && is.length < 2) return this.child(shape.of, element, was[0], is[0]);
    this.path.push(element);
    if (was.length === 0) this.added.insert(this.path);
    else if (is.length === 0) this.removed.insert(this.path);
    else if (!equalJson(was, is)) this.modified.insert(this.path);
    this.path.pop();
  }
}

/** Longer maps and lists are gathered later, in steps of as many. */
const WIDE = 2048;

/**
 * The node of a field that was not there before, or is not there any more: with everything below it. Names stand in canonical order. `late` = for what
 * is long: it is put into the node by steps that are added there.
 */
function wholeNode(declared: Shape | undefined, value: JsonValue | undefined, late: Steps<void>[]): FieldSet {
  if (declared === undefined || typeof value !== 'object' || value === null) return MEMBER;
  const shape = shapeFor(declared, value);
  switch (partition(shape)) {
    case 'leaf':
      return MEMBER;
    case 'members':
      return Array.isArray(value) ? MEMBER : wholeMembers(shape, value, late);
    case 'items':
      return Array.isArray(value) && (shape.kind === 'set' || shape.kind === 'keyed') ? wholeItems(shape, value, late) : MEMBER;
  }
}

function wholeMembers(shape: Shape, object: JsonObject, late: Steps<void>[]): FieldSet {
  const names = sortedKeys(object);
  if (names.length === 0) return MEMBER;
  const node = openNode(true);
  filled(names, late, (name) => (node[memberElement(shape, name)] = wholeNode(memberShape(shape, name), object[name], late)));
  return node;
}

/** Of repeated items nothing is told but that they are there. */
function wholeItems(shape: ItemShape, items: JsonArray, late: Steps<void>[]): FieldSet {
  if (items.length === 0) return MEMBER;
  const node = openNode(true);
  filled(items, late, (item) => {
    const element = itemElement(shape, item);
    node[element] = node[element] === undefined ? wholeNode(shape.of, item, late) : MEMBER;
  });
  return node;
}

function filled<T>(parts: readonly T[], late: Steps<void>[], put: (part: T) => void): void {
  if (parts.length <= WIDE) parts.forEach(put);
  else late.push(inPieces(parts, put));
}

function* inPieces<T>(parts: readonly T[], put: (part: T) => void): Steps<void> {
  for (let start = 0; start < parts.length; start += WIDE) {
    yield;
    parts.slice(start, start + WIDE).forEach(put);
  }
}

/** The elements of two lists that have the same ones in the same order, each once: the way of nearly all lists. */
function sharedElements(shape: ItemShape, before: JsonArray, after: JsonArray): PathElement[] | undefined {
  if (before.length !== after.length) return undefined;
  const elements: PathElement[] = [];
  for (let index = 0; index < before.length; index += 1) {
    const element = itemElement(shape, before[index] ?? null);
    if (itemElement(shape, after[index] ?? null) !== element) return undefined;
    elements.push(element);
  }
  return new Set(elements).size === elements.length ? elements : undefined;
}

function byElement(shape: ItemShape, items: JsonArray): Map<PathElement, JsonArray> {
  const found = new Map<PathElement, JsonArray>();
  for (const item of items) appendToKey(found, itemElement(shape, item), item);
  return found;
}
