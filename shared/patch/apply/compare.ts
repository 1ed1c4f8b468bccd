/**
 * Compares two objects of a shape and returns the differences as field sets. A field with the value null is present.
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
import { MEMBER, openMember, FieldSetBuilder, type FieldSet, type PathElement } from './field-set';
import { itemElement, memberElement, memberShape, partitionOf, resolveShape, type ItemShape, type MergeShape } from './merge-shape';

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
      // The value is an object on one side and a leaf on the other: its members are added or removed, and the field
      // itself is modified.
      this.compareMembers(declared.members, isObject(before) ? before : EMPTY_OBJECT, isObject(after) ? after : EMPTY_OBJECT);
    }
    switch (partitionOf(shape)) {
      case 'leaf':
        return this.compareLeaf(before, after);
      case 'members': {
        const membersBefore = isObject(before) ? before : EMPTY_OBJECT;
        const membersAfter = isObject(after) ? after : EMPTY_OBJECT;
        // Two empty values are compared as one field, because null and {} differ.
        if (isEmptyObject(membersBefore) && isEmptyObject(membersAfter)) return this.compareLeaf(before, after);
        return this.compareMembers(shape, membersBefore, membersAfter);
      }
      case 'items': {
        const itemsBefore = Array.isArray(before) ? before : NO_ITEMS;
        const itemsAfter = Array.isArray(after) ? after : NO_ITEMS;
        if (itemsBefore.length === 0 && itemsAfter.length === 0) return this.compareLeaf(before, after);
        if (shape.kind === 'set' || shape.kind === 'keyed') this.compareItems(shape, itemsBefore, itemsAfter);
      }
    }
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
  if (declared === undefined || typeof value !== 'object' || value === null) return MEMBER;
  const shape = resolveShape(declared, value);
  switch (partitionOf(shape)) {
    case 'leaf':
      return MEMBER;
    case 'members':
      return Array.isArray(value) ? MEMBER : nodeOfMembers(shape, value, deferred);
    case 'items':
      return Array.isArray(value) && (shape.kind === 'set' || shape.kind === 'keyed') ? nodeOfItems(shape, value, deferred) : MEMBER;
  }
}

function nodeOfMembers(shape: MergeShape, object: JsonObject, deferred: Steps<void>[]): FieldSet {
  const names = sortedKeys(object);
  if (names.length === 0) return MEMBER;
  const node = openMember();
  fillOrDefer(
    names,
    deferred,
    (name) => (node[memberElement(shape, name)] = nodeWithDescendants(memberShape(shape, name), object[name], deferred)),
  );
  return node;
}

/** The node of a repeated item has no descendants. */
function nodeOfItems(shape: ItemShape, items: JsonArray, deferred: Steps<void>[]): FieldSet {
  if (items.length === 0) return MEMBER;
  const node = openMember();
  fillOrDefer(items, deferred, (item) => {
    const element = itemElement(shape, item);
    node[element] = node[element] === undefined ? nodeWithDescendants(shape.element, item, deferred) : MEMBER;
  });
  return node;
}

function fillOrDefer<T>(parts: readonly T[], deferred: Steps<void>[], put: (part: T) => void): void {
  if (parts.length <= MAX_DIRECT_FIELDS) parts.forEach(put);
  else deferred.push(fillInSteps(parts, put));
}

function* fillInSteps<T>(parts: readonly T[], put: (part: T) => void): Steps<void> {
  for (let start = 0; start < parts.length; start += MAX_DIRECT_FIELDS) {
    yield;
    parts.slice(start, start + MAX_DIRECT_FIELDS).forEach(put);
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
