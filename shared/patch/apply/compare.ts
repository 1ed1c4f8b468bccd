/**
 * Compares two objects of a shape (merge-shape.ts) and returns the differences as field sets. Items of associative
 * lists (`set`, `keyed`) are compared by their identity; `partitionOf` decides whether another value is one field
 * (`leaf`) or is compared by its members. A `free` value is one field; a `deduced` one is compared by members when it
 * is an object. A field with the value null is present.
 */
import { appendToKey } from '../../values/append';
import {
  equalJson,
  isEmptyObject,
  isObject,
  ownMember,
  sortedKeys,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../../values/json';
import { runStepsSync, type Steps } from '../../scheduling/steps';
import { NODE_WITHOUT_DESCENDANTS, openMember, FieldSetBuilder, type FieldSet, type PathElement } from './field-set';
import { itemElement, memberElement, memberShape, partitionOf, resolveShape, type ItemShape, type MergeShape } from './merge-shape';

/** The fields that differ between two objects; no field is in two of the sets. */
export interface FieldComparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/** An added or removed field is included with all its descendants. */
export function compareObjects(shape: MergeShape, before: JsonObject, after: JsonObject): FieldComparison {
  return runStepsSync(compareInSteps(shape, before, after));
}

/** {@link compareObjects} in steps, so that the caller can yield between them. */
export function* compareInSteps(shape: MergeShape, before: JsonObject, after: JsonObject): Steps<FieldComparison> {
  const walker = new ComparisonWalker();
  walker.compareMembers(shape, before, after);
  // Filling a large node may add further deferred steps: the list grows while it is iterated.
  for (const fillSteps of walker.deferred) yield* fillSteps;
  return { added: walker.added.set, modified: walker.modified.set, removed: walker.removed.set };
}

const EMPTY_OBJECT: JsonObject = Object.freeze({});
const NO_ITEMS: JsonArray = [];

class ComparisonWalker {
  readonly added = new FieldSetBuilder();
  readonly modified = new FieldSetBuilder();
  readonly removed = new FieldSetBuilder();
  /** Steps that add descendants to nodes that are in the sets already. */
  readonly deferred: Steps<void>[] = [];
  private readonly path: PathElement[] = [];

  compareMembers(shape: MergeShape, before: JsonObject, after: JsonObject): void {
    for (const name of Object.keys(before)) {
      const valueBefore = before[name];
      const valueAfter = ownMember(after, name);
      if (valueBefore !== valueAfter) this.compareChild(memberShape(shape, name), memberElement(shape, name), valueBefore, valueAfter);
    }
    for (const name of Object.keys(after)) {
      if (ownMember(before, name) === undefined)
        this.compareChild(memberShape(shape, name), memberElement(shape, name), undefined, after[name]);
    }
  }

  private compareChild(
    shape: MergeShape | undefined,
    element: PathElement,
    before: JsonValue | undefined,
    after: JsonValue | undefined,
  ): void {
    if (before === after) return;
    this.path.push(element);
    if (before === undefined) this.added.insert(this.path, nodeWithDescendants(shape, after, this.deferred));
    else if (after === undefined) this.removed.insert(this.path, nodeWithDescendants(shape, before, this.deferred));
    else if (shape !== undefined) this.compareValue(shape, before, after);
    this.path.pop();
  }

  private compareValue(declared: MergeShape, before: JsonValue | undefined, after: JsonValue | undefined): void {
    const shape = resolveShape(declared, before, after);
    if (shape.kind === 'free' && declared.kind === 'deduced' && (isObject(before) || isObject(after))) {
      // The value is an object on one side and a leaf on the other: its members are added or removed here, and
      // compareLeaf below adds the field itself to the modified ones.
      this.compareMembers(declared.members, isObject(before) ? before : EMPTY_OBJECT, isObject(after) ? after : EMPTY_OBJECT);
    }
    if (shape.kind === 'set' || shape.kind === 'keyed') {
      const itemsBefore = Array.isArray(before) ? before : NO_ITEMS;
      const itemsAfter = Array.isArray(after) ? after : NO_ITEMS;
      if (itemsBefore.length === 0 && itemsAfter.length === 0) return this.compareLeaf(before, after);
      return this.compareItems(shape, itemsBefore, itemsAfter);
    }
    if (partitionOf(shape) === 'leaf') return this.compareLeaf(before, after);
    const membersBefore = isObject(before) ? before : EMPTY_OBJECT;
    const membersAfter = isObject(after) ? after : EMPTY_OBJECT;
    // Two empty values are compared as one field, because null and {} differ.
    if (isEmptyObject(membersBefore) && isEmptyObject(membersAfter)) return this.compareLeaf(before, after);
    this.compareMembers(shape, membersBefore, membersAfter);
  }

  private compareLeaf(before: JsonValue | undefined, after: JsonValue | undefined): void {
    if (before !== undefined && after !== undefined && !equalJson(before, after)) this.modified.insert(this.path);
  }

  /** Compares items by their identity, regardless of order. Repeated items are compared together. */
  private compareItems(shape: ItemShape, before: JsonArray, after: JsonArray): void {
    const elements = sharedElements(shape, before, after);
    if (elements !== undefined)
      return elements.forEach((element, index) => this.compareChild(shape.element, element, before[index], after[index]));
    const groupsBefore = groupByElement(shape, before);
    const groupsAfter = groupByElement(shape, after);
    for (const [element, group] of groupsBefore) this.compareGroup(shape, element, group, groupsAfter.get(element) ?? NO_ITEMS);
    for (const [element, group] of groupsAfter) if (!groupsBefore.has(element)) this.compareGroup(shape, element, NO_ITEMS, group);
  }

  /** Compares the items with the same identity. */
  private compareGroup(shape: ItemShape, element: PathElement, before: JsonArray, after: JsonArray): void {
    if (before.length < 2 && after.length < 2) return this.compareChild(shape.element, element, before[0], after[0]);
    this.path.push(element);
    if (before.length === 0) this.added.insert(this.path);
    else if (after.length === 0) this.removed.insert(this.path);
    else if (!equalJson(before, after)) this.modified.insert(this.path);
    this.path.pop();
  }
}

/** Longer maps and lists are added in deferred steps of this many fields. */
const MAX_DIRECT_FIELDS = 2048;

/**
 * The node of an added or removed field, with all its descendants in canonical order. The descendants of a large value
 * are added by steps that are appended to `deferred`.
 */
function nodeWithDescendants(declared: MergeShape | undefined, value: JsonValue | undefined, deferred: Steps<void>[]): FieldSet {
  if (declared === undefined || typeof value !== 'object' || value === null) return NODE_WITHOUT_DESCENDANTS;
  const shape = resolveShape(declared, value);
  if (shape.kind === 'set' || shape.kind === 'keyed')
    return Array.isArray(value) ? nodeOfItems(shape, value, deferred) : NODE_WITHOUT_DESCENDANTS;
  return partitionOf(shape) === 'leaf' || Array.isArray(value) ? NODE_WITHOUT_DESCENDANTS : nodeOfMembers(shape, value, deferred);
}

function nodeOfMembers(shape: MergeShape, object: JsonObject, deferred: Steps<void>[]): FieldSet {
  const names = sortedKeys(object);
  if (names.length === 0) return NODE_WITHOUT_DESCENDANTS;
  const node = openMember();
  fillOrDefer(
    names,
    deferred,
    (name) => (node[memberElement(shape, name)] = nodeWithDescendants(memberShape(shape, name), object[name], deferred)),
  );
  return node;
}

/** The node of a list with a child for each item; a child of items with the same identity has no descendants. */
function nodeOfItems(shape: ItemShape, items: JsonArray, deferred: Steps<void>[]): FieldSet {
  if (items.length === 0) return NODE_WITHOUT_DESCENDANTS;
  const node = openMember();
  fillOrDefer(items, deferred, (item) => {
    const element = itemElement(shape, item);
    node[element] = node[element] === undefined ? nodeWithDescendants(shape.element, item, deferred) : NODE_WITHOUT_DESCENDANTS;
  });
  return node;
}

function fillOrDefer<T>(fields: readonly T[], deferred: Steps<void>[], addField: (field: T) => void): void {
  if (fields.length <= MAX_DIRECT_FIELDS) fields.forEach(addField);
  else deferred.push(fillInSteps(fields, addField));
}

function* fillInSteps<T>(fields: readonly T[], addField: (field: T) => void): Steps<void> {
  for (let start = 0; start < fields.length; start += MAX_DIRECT_FIELDS) {
    yield;
    fields.slice(start, start + MAX_DIRECT_FIELDS).forEach(addField);
  }
}

/**
 * The elements of two lists that have the same distinct elements in the same order, which applies to nearly all lists;
 * `undefined` otherwise.
 */
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

function groupByElement(shape: ItemShape, items: JsonArray): Map<PathElement, JsonArray> {
  const groups = new Map<PathElement, JsonArray>();
  for (const item of items) appendToKey(groups, itemElement(shape, item), item);
  return groups;
}
