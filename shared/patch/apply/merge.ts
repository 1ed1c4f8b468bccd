/**
 * Merges an applied configuration into an object, and removes fields from an object, by the merge shape of its kind
 * (merge-shape.ts). Creates new values and does not modify its arguments. Does not deal with managers: apply.ts
 * decides which fields are removed.
 */
import { isEmptyObject, isObject, ownMember, setMember, type JsonArray, type JsonObject, type JsonValue } from '../../values/json';
import { fieldElement, isEmptySet, isMember, nodeAt, type FieldSet, type PathElement } from './field-set';
import { itemElement, memberShape, partitionOf, resolveShape, type ItemShape, type MergeShape } from './merge-shape';

/** The live object merged with the configuration. */
export function mergeConfiguration(shape: MergeShape, live: JsonObject, applied: JsonObject): JsonObject {
  return mergeMembers(shape, live, applied);
}

/** `undefined` when the value is absent on that side; at least one of the two is present. */
function mergeValue(declared: MergeShape, live: JsonValue | undefined, applied: JsonValue | undefined): JsonValue {
  if (applied === undefined) return live ?? null;
  if (live === undefined) return applied;
  const shape = resolveShape(declared, live, applied);
  switch (partitionOf(shape)) {
    case 'leaf':
      return applied;
    case 'members': {
      const liveObject = isObject(live) ? live : {};
      const appliedObject = isObject(applied) ? applied : {};
      const areEmpty = isEmptyObject(liveObject) && isEmptyObject(appliedObject);
      return areEmpty ? applied : mergeMembers(shape, liveObject, appliedObject);
    }
    case 'items': {
      const liveItems = Array.isArray(live) ? live : [];
      const appliedItems = Array.isArray(applied) ? applied : [];
      const areEmpty = liveItems.length === 0 && appliedItems.length === 0;
      if (areEmpty || (shape.kind !== 'set' && shape.kind !== 'keyed')) return applied;
      return mergeItems(shape, liveItems, appliedItems);
    }
  }
}

function mergeMembers(shape: MergeShape, live: JsonObject, applied: JsonObject): JsonObject {
  const merged: JsonObject = {};
  for (const name of Object.keys(live)) setMember(merged, name, mergeMember(shape, name, live, applied));
  for (const name of Object.keys(applied)) {
    if (ownMember(live, name) === undefined) setMember(merged, name, mergeMember(shape, name, live, applied));
  }
  return merged;
}

function mergeMember(shape: MergeShape, name: string, live: JsonObject, applied: JsonObject): JsonValue {
  const liveValue = ownMember(live, name);
  const appliedValue = ownMember(applied, name);
  const member = memberShape(shape, name);
  return member === undefined ? (appliedValue ?? liveValue ?? null) : mergeValue(member, liveValue, appliedValue);
}

/**
 * The applied items in the order of the configuration. A live item that is not applied keeps its place among the live
 * items: live `[a, b, c, d]` and applied `[d, a]` give `[b, c, d, a]`.
 */
function mergeItems(shape: ItemShape, live: JsonArray, applied: JsonArray): JsonArray {
  const liveElements = live.map((item) => itemElement(shape, item));
  const appliedElements = applied.map((item) => itemElement(shape, item));
  const haveSameElements =
    new Set(appliedElements).size === live.length &&
    live.length === applied.length &&
    liveElements.every((element, index) => element === appliedElements[index]);
  if (haveSameElements) return live.map((item, index) => mergeValue(shape.element, item, applied[index]));
  return new ItemMerger(shape, { items: live, elements: liveElements }, { items: applied, elements: appliedElements }).run();
}

/** A list with the identity of each item. */
interface IdentifiedItems {
  readonly items: JsonArray;
  readonly elements: readonly PathElement[];
}

/**
 * Walks over both lists at once, as structured-merge-diff does. Each step takes the next live item, takes the next
 * applied item, or skips a live item that is merged at its place in the configuration.
 */
class ItemMerger {
  private readonly merged: JsonArray = [];
  private readonly mergedElements = new Set<PathElement>();
  private readonly appliedElements: ReadonlySet<PathElement>;
  /** The first live item of each identity. */
  private readonly liveItems = new Map<PathElement, JsonValue>();
  /** The identities that are in both lists, in applied order. */
  private readonly shared: readonly PathElement[];
  /** The index in `shared` of the first identity that is not merged yet. */
  private sharedIndex = 0;
  private liveIndex = 0;
  private appliedIndex = 0;

  constructor(
    private readonly shape: ItemShape,
    private readonly live: IdentifiedItems,
    private readonly applied: IdentifiedItems,
  ) {
    this.appliedElements = new Set(applied.elements);
    for (const [index, element] of live.elements.entries())
      if (!this.liveItems.has(element)) this.liveItems.set(element, live.items[index] ?? null);
    this.shared = applied.elements.filter((element) => this.liveItems.has(element));
  }

  run(): JsonArray {
    while (this.liveIndex < this.live.items.length || this.appliedIndex < this.applied.items.length)
      this.step(this.live.elements[this.liveIndex], this.applied.elements[this.appliedIndex]);
    return this.merged;
  }

  /** Takes the identities of the next items; one is `undefined` at the end of its list. */
  private step(liveElement: PathElement | undefined, appliedElement: PathElement | undefined): void {
    // Not applied: it keeps its place.
    if (liveElement !== undefined && !this.appliedElements.has(liveElement)) return this.takeLive();
    if (liveElement !== undefined && liveElement === appliedElement) {
      this.liveIndex += 1;
      return this.takeApplied(appliedElement);
    }
    if (liveElement !== undefined && this.isPlacedElsewhere(liveElement, appliedElement)) {
      this.liveIndex += 1;
      return;
    }
    if (appliedElement !== undefined) this.takeApplied(appliedElement);
    else this.liveIndex += 1;
  }

  /** Whether a live item that is also applied is merged already, or will be at its place in the configuration. */
  private isPlacedElsewhere(liveElement: PathElement, appliedElement: PathElement | undefined): boolean {
    const nextShared = this.shared[this.sharedIndex];
    const isMoved = appliedElement !== undefined && nextShared !== undefined && nextShared !== liveElement;
    return isMoved || this.mergedElements.has(liveElement);
  }

  private takeLive(): void {
    this.merged.push(this.live.items[this.liveIndex] ?? null);
    this.liveIndex += 1;
  }

  private takeApplied(element: PathElement): void {
    this.merged.push(mergeValue(this.shape.element, this.liveItems.get(element), this.applied.items[this.appliedIndex]));
    this.mergedElements.add(element);
    if (this.shared[this.sharedIndex] === element) this.sharedIndex += 1;
    this.appliedIndex += 1;
  }
}

/** The object without the given fields. A nested object or list that loses its last field becomes empty. */
export function removeFields(shape: MergeShape, object: JsonObject, fields: FieldSet): JsonObject {
  if (isEmptySet(fields)) return object;
  const remaining = removeFromValue(shape, object, fields);
  return isObject(remaining) ? remaining : {};
}

function removeFromValue(declared: MergeShape, value: JsonValue, fields: FieldSet): JsonValue {
  const shape = resolveShape(declared, value);
  switch (partitionOf(shape)) {
    case 'leaf':
      // Removing a field inside an atomic object or list leaves null (upstream behaviour).
      return value !== null && typeof value === 'object' ? null : value;
    case 'members': {
      if (!isObject(value)) return null;
      const remaining: JsonObject = {};
      for (const name of Object.keys(value)) {
        const member = memberShape(shape, name);
        const retained = withoutNode(member, ownMember(value, name) ?? null, nodeAt(fields, fieldElement(name)));
        if (retained !== undefined) setMember(remaining, name, retained);
      }
      return remaining;
    }
    case 'items': {
      if (!Array.isArray(value) || (shape.kind !== 'set' && shape.kind !== 'keyed')) return null;
      const remaining: JsonArray = [];
      for (const item of value) {
        const retained = withoutNode(shape.element, item, nodeAt(fields, itemElement(shape, item)));
        if (retained !== undefined) remaining.push(retained);
      }
      return remaining;
    }
  }
}

/** The value without the fields at and below its node; `undefined` when the value itself is one of them. */
function withoutNode(shape: MergeShape | undefined, value: JsonValue, node: FieldSet | undefined): JsonValue | undefined {
  if (node === undefined) return value;
  if (isMember(node)) return undefined;
  return shape === undefined ? value : removeFromValue(shape, value, node);
}

/**
 * Replaces empty objects and lists by null where the configuration sets null: {@link removeFields} leaves `{}` or `[]`
 * when it removes everything in a value that the configuration now sets to null.
 */
export function restoreNulls(shape: MergeShape, object: JsonObject, applied: JsonObject): JsonObject {
  const restored = restoreNullsIn(shape, object, applied);
  return isObject(restored) ? restored : object;
}

function restoreNullsIn(declared: MergeShape, value: JsonValue, applied: JsonValue): JsonValue {
  if (applied === null) return isEmpty(value) ? null : value;
  const shape = resolveShape(declared, value, applied);
  if (isObject(value) && isObject(applied) && partitionOf(shape) === 'members') {
    let restored: JsonObject | undefined;
    for (const name of Object.keys(applied)) {
      const member = memberShape(shape, name);
      const current = ownMember(value, name);
      const appliedValue = ownMember(applied, name);
      if (member === undefined || current === undefined || appliedValue === undefined) continue;
      const next = restoreNullsIn(member, current, appliedValue);
      if (next !== current) setMember((restored ??= { ...value }), name, next);
    }
    return restored ?? value;
  }
  if (!Array.isArray(value) || !Array.isArray(applied) || shape.kind !== 'keyed') return value;
  const appliedItems = new Map(applied.map((item) => [itemElement(shape, item), item]));
  return value.map((item) => restoreNullsIn(shape.element, item, appliedItems.get(itemElement(shape, item)) ?? item));
}

function isEmpty(value: JsonValue): boolean {
  return isObject(value) ? isEmptyObject(value) : Array.isArray(value) && value.length === 0;
}
