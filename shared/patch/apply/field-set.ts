/**
 * Sets of field paths in the format of fieldsV1: a tree of path elements, in which `{}` is a member, `"."` marks a
 * member that has members below it, and any other node only leads to members. The empty set is the root `{}`. Sets are
 * immutable, and results share unchanged parts with the operands.
 */
import { appendToKey } from '../../values/append';
import { runStepsSync, type Steps } from '../../scheduling/steps';
import { compareBytes, isEmptyObject, isObject, stringifyJson, type JsonObject, type JsonValue } from '../../values/json';

/** The root or a node of a set. */
export type FieldSet = JsonObject;

/**
 * `f:<field or map key>`, `k:<JSON of list keys>`, `v:<JSON value>` or `i:<index>`. The prefix keeps a name chosen by a
 * client apart from the properties of Object.prototype.
 */
export type PathElement = string;

const EMPTY_NODE: FieldSet = Object.freeze({});

/** The set without members. */
export const EMPTY_SET: FieldSet = EMPTY_NODE;
/** The node of a field without descendants in the set. */
export const NODE_WITHOUT_DESCENDANTS: FieldSet = EMPTY_NODE;
const SELF = '.';

/** The element of a member of an object: `f:spec`. */
export const fieldElement = (name: string): PathElement => `f:${name}`;
/** The element of an item of a set, by its value: `v:"a"`. */
export const valueElement = (value: JsonValue): PathElement => `v:${stringifyJson(value)}`;

/** Whether a set, or the part of a set below a node, has no members. */
export const isEmptySet: (set: FieldSet) => boolean = isEmptyObject;

/** The node below an element; `undefined` when the set has none. */
export function nodeAt(set: FieldSet, element: PathElement): FieldSet | undefined {
  const node = set[element];
  return isObject(node) ? node : undefined;
}

/** Whether a node (never the root) is itself a member. */
export function isMember(node: FieldSet): boolean {
  return node[SELF] !== undefined || isEmptySet(node);
}

/** The elements of the nodes directly below a node or the root. */
export function elementsOf(set: FieldSet): PathElement[] {
  return Object.keys(set).filter((element) => element !== SELF);
}

/** A member for adding children; {@link NODE_WITHOUT_DESCENDANTS} is the one without children. */
export function openMember(): FieldSet {
  return { [SELF]: NODE_WITHOUT_DESCENDANTS };
}

/** A node for adding children: a member, or one that only leads to members. */
export function openNode(isItselfMember: boolean): FieldSet {
  return isItselfMember ? openMember() : {};
}

/** A node; `undefined` when it is neither a member nor leads to one. */
function makeNode(isItselfMember: boolean, children: JsonObject): FieldSet | undefined {
  if (isEmptySet(children)) return isItselfMember ? NODE_WITHOUT_DESCENDANTS : undefined;
  return isItselfMember ? { [SELF]: NODE_WITHOUT_DESCENDANTS, ...children } : children;
}

/** Returns the resulting node; `undefined` removes the node. */
type NodeOperation = (a: FieldSet, b: FieldSet) => FieldSet | undefined;

/** Up to this many elements of `b` are looked up in `a`, instead of iterating over the elements of `a`. */
const MAX_LOOKUPS = 16;

/**
 * The children of `a` after applying `operate` to those that are also in `b`; `undefined` when none of them changes.
 */
function changedChildren(a: FieldSet, b: FieldSet, operate: NodeOperation): JsonObject | undefined {
  let changes: Map<PathElement, FieldSet | undefined> | undefined;
  // One set is often compared with many others: the cost is proportional to the smaller set, or constant.
  const others = elementsOf(b);
  for (const element of others.length <= MAX_LOOKUPS ? others : elementsOf(a)) {
    const mine = nodeAt(a, element);
    const other = nodeAt(b, element);
    if (mine === undefined || other === undefined) continue;
    const kept = operate(mine, other);
    if (kept !== mine) (changes ??= new Map<PathElement, FieldSet | undefined>()).set(element, kept);
  }
  if (changes === undefined) return undefined;
  const children: JsonObject = {};
  for (const element of elementsOf(a)) {
    const kept = changes.has(element) ? changes.get(element) : nodeAt(a, element);
    if (kept !== undefined) children[element] = kept;
  }
  return children;
}

function childrenOf(set: FieldSet): JsonObject {
  const { [SELF]: _, ...children } = set;
  return children;
}

/** The members of `a` that are not members of `b`. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return EMPTY_SET;
  return changedChildren(a, b, nodeDifference) ?? a;
}

function nodeDifference(a: FieldSet, b: FieldSet): FieldSet | undefined {
  if (a === b) return undefined;
  const wasMember = isMember(a);
  const staysMember = wasMember && !isMember(b);
  const children = changedChildren(a, b, nodeDifference);
  return children === undefined && staysMember === wasMember ? a : makeNode(staysMember, children ?? childrenOf(a));
}

/** The members of `a` that are neither members of `b` nor below one. */
export function differenceBelow(a: FieldSet, b: FieldSet): FieldSet {
  return changedChildren(a, b, nodeDifferenceBelow) ?? a;
}

function nodeDifferenceBelow(a: FieldSet, b: FieldSet): FieldSet | undefined {
  if (isMember(b)) return undefined;
  const children = changedChildren(a, b, nodeDifferenceBelow);
  return children === undefined ? a : makeNode(isMember(a), children);
}

/** The members of both sets. Not in canonical order. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const children: JsonObject = {};
  for (const element of elementsOf(b)) {
    const mine = nodeAt(a, element);
    const other = nodeAt(b, element);
    const kept = mine === undefined || other === undefined ? undefined : nodeIntersection(mine, other);
    if (kept !== undefined) children[element] = kept;
  }
  return children;
}

function nodeIntersection(a: FieldSet, b: FieldSet): FieldSet | undefined {
  return makeNode(isMember(a) && isMember(b), intersection(a, b));
}

/**
 * The members of either set. Returns `a` itself when it contains `b`. Otherwise not in canonical order; see
 * {@link canonicalFieldSet}.
 */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a)) return b;
  return unionChildren(a, b) ?? a;
}

/** The union of any number of sets in one pass. Not in canonical order. */
export function unionOfAll(sets: readonly FieldSet[]): FieldSet {
  const below = new Map<PathElement, FieldSet[]>();
  for (const set of sets) {
    for (const element of elementsOf(set)) {
      const node = nodeAt(set, element);
      if (node !== undefined) appendToKey(below, element, node);
    }
  }
  const children: JsonObject = {};
  for (const [element, nodes] of below) {
    const [only] = nodes;
    children[element] =
      nodes.length === 1 && only !== undefined ? only : (makeNode(nodes.some(isMember), unionOfAll(nodes)) ?? NODE_WITHOUT_DESCENDANTS);
  }
  return children;
}

/** The children of both sets; `undefined` when `a` contains all of them. */
function unionChildren(a: FieldSet, b: FieldSet): JsonObject | undefined {
  let children: JsonObject | undefined;
  for (const element of elementsOf(b)) {
    const mine = nodeAt(a, element);
    const other = nodeAt(b, element);
    if (other === undefined) continue;
    const both = mine === undefined ? other : nodeUnion(mine, other);
    if (both !== mine) (children ??= childrenOf(a))[element] = both;
  }
  return children;
}

function nodeUnion(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const wasMember = isMember(a);
  const becomesMember = wasMember || isMember(b);
  const children = unionChildren(a, b);
  return children === undefined && becomesMember === wasMember
    ? a
    : (makeNode(becomesMember, children ?? childrenOf(a)) ?? NODE_WITHOUT_DESCENDANTS);
}

/** Builds a set by inserting members. The result is not in canonical order. */
export class FieldSetBuilder {
  private readonly root: FieldSet = {};

  get set(): FieldSet {
    return this.root;
  }

  /** `path` has at least one element. `node` is a member with its descendants; the builder may modify it. */
  insert(path: readonly PathElement[], node: FieldSet = NODE_WITHOUT_DESCENDANTS): void {
    let parent = this.root;
    for (let level = 0; level < path.length - 1; level += 1) parent = openChild(parent, path[level] ?? '');
    const last = path[path.length - 1] ?? '';
    const known = nodeAt(parent, last);
    if (known === undefined) parent[last] = node;
    else if (known !== NODE_WITHOUT_DESCENDANTS) known[SELF] = NODE_WITHOUT_DESCENDANTS;
  }
}

/** The node below an element, ready for adding children. */
function openChild(set: FieldSet, element: PathElement): FieldSet {
  const known = nodeAt(set, element);
  return known === undefined || known === NODE_WITHOUT_DESCENDANTS ? (set[element] = openNode(known === NODE_WITHOUT_DESCENDANTS)) : known;
}

/**
 * The same set with its elements in upstream's order, so that equal sets have equal bytes. Shares parts that are in
 * order already.
 */
export function canonicalFieldSet(set: FieldSet): FieldSet {
  if (set === NODE_WITHOUT_DESCENDANTS) return set;
  const keys = Object.keys(set);
  if (keys.length === 0) return set;
  const elements = sortElements(keys.filter((element) => element !== SELF));
  const shift = set[SELF] === undefined ? 0 : 1;
  const isInOrder = (shift === 0 || keys[0] === SELF) && elements.every((element, index) => element === keys[index + shift]);
  let sorted = isInOrder ? undefined : openNode(shift === 1);
  for (const [index, element] of elements.entries()) {
    const node = nodeAt(set, element);
    if (node === undefined) continue;
    const kept = canonicalFieldSet(node);
    if (kept !== node) sorted ??= leadingPart(set, elements, index);
    if (sorted !== undefined) sorted[element] = kept;
  }
  return sorted ?? set;
}

/** A set with the first `count` elements of another one. */
function leadingPart(set: FieldSet, elements: readonly PathElement[], count: number): FieldSet {
  const part = openNode(set[SELF] !== undefined);
  for (const element of elements.slice(0, count)) part[element] = set[element] ?? NODE_WITHOUT_DESCENDANTS;
  return part;
}

const RANK: Readonly<Record<string, number>> = { f: 0, k: 1, v: 2, i: 3 };

/** Sort key of an element: its type, then its name, value or index. */
interface RankedElement {
  readonly element: PathElement;
  readonly rank: number;
  readonly value: JsonValue;
}

function sortElements(elements: PathElement[]): PathElement[] {
  if (elements.length < 2) return elements;
  if (elements.every((element) => element.startsWith('f:'))) return elements.sort(compareBytes);
  return elements
    .map(rankElement)
    .sort((a, b) => a.rank - b.rank || compareValues(a.value, b.value))
    .map(({ element }) => element);
}

function rankElement(element: PathElement): RankedElement {
  const text = element.slice(2);
  return { element, rank: RANK[element.charAt(0)] ?? 4, value: element.startsWith('f:') ? text : parseValue(text) };
}

const parseValue: (text: string) => JsonValue = JSON.parse;

/** The order of values of different types. */
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

function compareValues(a: JsonValue, b: JsonValue): number {
  const byType = typeRank(a) - typeRank(b);
  if (byType !== 0) return byType;
  if (typeof a === 'string' && typeof b === 'string') return compareBytes(a, b);
  if (isObject(a) && isObject(b)) return compareKeys(a, b);
  return Number(a) - Number(b);
}

/** Compares keys sorted by name; the first difference decides. */
function compareKeys(a: JsonObject, b: JsonObject): number {
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

const MAX_LEVELS = 1000;

/** Parses a set from a request into canonical form; `undefined` when it is malformed. */
export function parseFieldSet(value: JsonValue | undefined): FieldSet | undefined {
  return runStepsSync(parseFieldSetInSteps(value));
}

/** {@link parseFieldSet} in steps, so that the caller can yield between them. */
export function* parseFieldSetInSteps(value: JsonValue | undefined): Steps<FieldSet | undefined> {
  const set = isObject(value) && isNormalized(value, MAX_LEVELS - 1) ? value : normalizeFieldSet(value, MAX_LEVELS);
  yield;
  return set === undefined ? undefined : canonicalFieldSet(set);
}

function normalizeFieldSet(value: JsonValue | undefined, levels: number): FieldSet | undefined {
  if (!isObject(value) || levels === 0) return undefined;
  const elements = Object.keys(value);
  if (elements.length === 0) return NODE_WITHOUT_DESCENDANTS;
  const children: JsonObject = {};
  for (const element of elements) {
    if (element === SELF) continue;
    // Elements of an unknown type are ignored, for compatibility with future versions.
    if (RANK[element.charAt(0)] === undefined && element.charAt(1) === ':') continue;
    const name = parseElement(element);
    const node = normalizeFieldSet(value[element], levels - 1);
    if (name === undefined || node === undefined) return undefined;
    children[name] = node;
  }
  return value[SELF] !== undefined && !isEmptySet(children) ? { [SELF]: NODE_WITHOUT_DESCENDANTS, ...children } : children;
}

/** Whether every element is in normalized spelling. Nearly all sets in requests are, and need no copy. */
function isNormalized(set: JsonObject, levels: number): boolean {
  const elements = Object.keys(set);
  if (elements.length > 0 && levels === 0) return false;
  for (const element of elements) {
    const node = set[element];
    if (!isObject(node)) return false;
    if (element === SELF) {
      if (elements.length === 1 || !isEmptySet(node)) return false;
    } else if (!element.startsWith('f:') && parseElement(element) !== element) return false;
    else if (!isNormalized(node, levels - 1)) return false;
  }
  return true;
}

function parseElement(element: string): PathElement | undefined {
  const text = element.slice(2);
  switch (element.slice(0, 2)) {
    case 'f:':
      return element;
    case 'i:':
      return /^-?[0-9]{1,15}$/.test(text) ? `i:${Number(text)}` : undefined;
    case 'k:':
    case 'v:': {
      try {
        const value = parseValue(text);
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

/** A path in messages: `.spec.ports[port=80,protocol="TCP"].targetPort`. */
export function formatElementPath(path: readonly PathElement[]): string {
  return path.map(formatElement).join('');
}

function formatElement(element: PathElement): string {
  const text = element.slice(2);
  switch (element.charAt(0)) {
    case 'f':
      return `.${text}`;
    case 'v':
      return `[=${text}]`;
    case 'k': {
      const keys = parseValue(text);
      if (!isObject(keys)) return `[${text}]`;
      return `[${Object.keys(keys)
        .map((name) => `${name}=${stringifyJson(keys[name] ?? null)}`)
        .join(',')}]`;
    }
    default:
      return `[${text}]`;
  }
}

/** The paths of all members. The members of a node come before deeper ones, as in upstream's messages. */
export function listMemberPaths(set: FieldSet): PathElement[][] {
  const paths: PathElement[][] = [];
  const walk = (node: FieldSet, path: readonly PathElement[]): void => {
    const elements = elementsOf(node);
    for (const element of elements) {
      const child = nodeAt(node, element);
      if (child !== undefined && isMember(child)) paths.push([...path, element]);
    }
    for (const element of elements) walk(nodeAt(node, element) ?? EMPTY_SET, [...path, element]);
  };
  walk(set, []);
  return paths;
}
