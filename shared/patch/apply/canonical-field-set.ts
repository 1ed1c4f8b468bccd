/**
 * The canonical form of field sets, so that equal sets have equal bytes: elements in normalized spelling and in
 * upstream's order. Orders sets that field-set.ts computed, and parses sets of requests.
 */
import { runStepsSync, type Steps } from '../../scheduling/steps';
import { compareBytes, isObject, stringifyJson, type JsonObject, type JsonValue } from '../../values/json';
import {
  isEmptySet,
  nodeAt,
  NODE_WITHOUT_DESCENDANTS,
  openNode,
  parseElementValue,
  SELF,
  valueElement,
  type FieldSet,
  type PathElement,
} from './field-set';

/**
 * The same set with its elements in upstream's order. The elements must be in normalized spelling already. The result
 * shares parts that are in order, and is `set` itself when all of it is.
 */
export function canonicalFieldSet(set: FieldSet): FieldSet {
  if (set === NODE_WITHOUT_DESCENDANTS) return set;
  const keys = Object.keys(set);
  if (keys.length === 0) return set;
  const elements = sortElements(keys.filter((element) => element !== SELF));
  const isItselfMember = set[SELF] !== undefined;
  // The key `.` comes first, so the elements begin at index 1 in a node that has it.
  const firstElementIndex = isItselfMember ? 1 : 0;
  const isInOrder =
    (!isItselfMember || keys[0] === SELF) && elements.every((element, index) => element === keys[firstElementIndex + index]);
  // The sorted copy. While it is undefined, everything up to the current element is as it is in `set`.
  let sorted = isInOrder ? undefined : openNode(isItselfMember);
  for (const [index, element] of elements.entries()) {
    const node = nodeAt(set, element);
    if (node === undefined) continue;
    const canonicalNode = canonicalFieldSet(node);
    if (canonicalNode !== node) sorted ??= leadingPart(set, elements, index);
    if (sorted !== undefined) sorted[element] = canonicalNode;
  }
  return sorted ?? set;
}

/** A copy of a node with only the first `count` of its elements; `elements` lists them in order. */
function leadingPart(set: FieldSet, elements: readonly PathElement[], count: number): FieldSet {
  const part = openNode(set[SELF] !== undefined);
  for (const element of elements.slice(0, count)) part[element] = set[element] ?? NODE_WITHOUT_DESCENDANTS;
  return part;
}

function sortElements(elements: PathElement[]): PathElement[] {
  if (elements.length < 2) return elements;
  if (elements.every((element) => element.startsWith('f:'))) return elements.sort(compareBytes);
  return elements
    .map(rankElement)
    .sort((a, b) => a.rank - b.rank || compareValues(a.value, b.value))
    .map(({ element }) => element);
}

/** The order of the types of elements: fields, list keys, values, indexes. The keys are the prefixes of elements. */
const TYPE_RANKS: Readonly<Record<string, number>> = { f: 0, k: 1, v: 2, i: 3 };
const LAST_TYPE_RANK = 4;

/** An element with what it is sorted by: its type, then its name, value or index. */
interface RankedElement {
  readonly element: PathElement;
  readonly rank: number;
  /** The name of a field, the object of list keys, the value, or the index. */
  readonly value: JsonValue;
}

function rankElement(element: PathElement): RankedElement {
  const value = element.startsWith('f:') ? element.slice(2) : parseElementValue(element);
  return { element, rank: TYPE_RANKS[element.charAt(0)] ?? LAST_TYPE_RANK, value };
}

/**
 * Numbers before strings before booleans before null, objects and lists. Values of one type are compared by value, except
 * lists: the server computes no set with such elements, and their order is undefined.
 */
function compareValues(a: JsonValue, b: JsonValue): number {
  const byType = typeRank(a) - typeRank(b);
  if (byType !== 0) return byType;
  if (typeof a === 'string' && typeof b === 'string') return compareBytes(a, b);
  if (isObject(a) && isObject(b)) return compareListKeys(a, b);
  return Number(a) - Number(b);
}

function typeRank(value: JsonValue): number {
  switch (typeof value) {
    case 'number':
    case 'bigint':
      return 0;
    case 'string':
      return 1;
    case 'boolean':
      return 2;
    default:
      return 3;
  }
}

/** Compares the objects of two `k:` elements, which have their members sorted by name. The first difference decides. */
function compareListKeys(a: JsonObject, b: JsonObject): number {
  const namesOfA = Object.keys(a);
  const namesOfB = Object.keys(b);
  for (let i = 0; i < Math.min(namesOfA.length, namesOfB.length); i += 1) {
    const nameInA = namesOfA[i] ?? '';
    const nameInB = namesOfB[i] ?? '';
    const order = compareBytes(nameInA, nameInB) || compareValues(a[nameInA] ?? null, b[nameInB] ?? null);
    if (order !== 0) return order;
  }
  return namesOfA.length - namesOfB.length;
}

/** A set with more levels of nodes, the root included, is malformed: the functions here recurse once per level. */
const MAX_LEVELS = 1000;

/** Parses a set from a request into canonical form; `undefined` when it is malformed or too deep. */
export function parseFieldSet(value: JsonValue | undefined): FieldSet | undefined {
  return runStepsSync(parseFieldSetInSteps(value));
}

/** {@link parseFieldSet} in steps, so that the caller can yield between them. */
export function* parseFieldSetInSteps(value: JsonValue | undefined): Steps<FieldSet | undefined> {
  const set = isObject(value) && isNormalized(value, MAX_LEVELS) ? value : normalizeFieldSet(value, MAX_LEVELS);
  yield;
  return set === undefined ? undefined : canonicalFieldSet(set);
}

/** Whether every element is in normalized spelling. Nearly all sets in requests are, and need no copy. */
function isNormalized(set: JsonObject, levels: number): boolean {
  if (levels === 0) return false;
  const elements = Object.keys(set);
  for (const element of elements) {
    const node = set[element];
    if (!isObject(node)) return false;
    if (element === SELF) {
      // `.` marks a member with members below it, so it does not stand alone and has nothing below it.
      if (elements.length === 1 || !isEmptySet(node)) return false;
    } else if (!element.startsWith('f:') && normalizeElement(element) !== element) return false;
    else if (!isNormalized(node, levels - 1)) return false;
  }
  return true;
}

/** A copy with every element in normalized spelling. `levels` is how many levels of nodes the set may have. */
function normalizeFieldSet(value: JsonValue | undefined, levels: number): FieldSet | undefined {
  if (!isObject(value) || levels === 0) return undefined;
  const elements = Object.keys(value);
  if (elements.length === 0) return NODE_WITHOUT_DESCENDANTS;
  const children: JsonObject = {};
  for (const element of elements) {
    if (element === SELF) continue;
    // Elements of an unknown type, such as `x:…`, are ignored as upstream does, which allows for types of later releases.
    if (TYPE_RANKS[element.charAt(0)] === undefined && element.charAt(1) === ':') continue;
    const normalized = normalizeElement(element);
    const node = normalizeFieldSet(value[element], levels - 1);
    if (normalized === undefined || node === undefined) return undefined;
    children[normalized] = node;
  }
  return value[SELF] !== undefined && !isEmptySet(children) ? { [SELF]: NODE_WITHOUT_DESCENDANTS, ...children } : children;
}

/** An integer of up to 15 digits, which a number holds exactly. */
const INDEX = /^-?[0-9]{1,15}$/;

/** `k:{ "b":2,"a":1 }` -> `k:{"a":1,"b":2}`, `i:01` -> `i:1`; `undefined` when the element is malformed. */
function normalizeElement(element: string): PathElement | undefined {
  const text = element.slice(2);
  switch (element.slice(0, 2)) {
    case 'f:':
      return element;
    case 'i:':
      return INDEX.test(text) ? `i:${Number(text)}` : undefined;
    case 'k:':
    case 'v:': {
      try {
        const value = parseElementValue(element);
        if (element.startsWith('v:')) return valueElement(value);
        return isObject(value) ? `k:${stringifyJson(value, 'sorted')}` : undefined;
      } catch {
        return undefined;
      }
    }
    default:
      return undefined;
  }
}
