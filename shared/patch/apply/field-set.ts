/**
 * Sets of field paths, in the shape that objects carry them (fieldsV1): a tree of path elements, in which `{}` is a
 * member, `"."` marks a member that has members below it, and every other node is only a way there. The empty set is the root `{}`.
 * Sets are never changed once made; what an operation leaves alone is shared with its result. Knows no objects.
 *
 * Elements: `f:<field or map key>`, `k:<JSON of list keys>`, `v:<JSON value>`, `i:<index>`. All begin with two characters of our own, so no
 * name that a client chose can reach what every object inherits.
 */
import { appendToKey } from '../../values/append';
import { runStepsSync, type Steps } from '../../scheduling/steps';
import { compareBytes, isEmptyObject, isObject, stringifyJson, type JsonObject, type JsonValue } from '../../values/json';

export type FieldSet = JsonObject;
export type PathElement = string;

const NOTHING: FieldSet = Object.freeze({});

export const EMPTY_SET: FieldSet = NOTHING;
/** The node of a field below which there is nothing. */
export const MEMBER: FieldSet = NOTHING;
const SELF = '.';

export const fieldElement = (name: string): PathElement => `f:${name}`;
export const valueElement = (value: JsonValue): PathElement => `v:${stringifyJson(value)}`;

export const isEmptySet: (set: FieldSet) => boolean = isEmptyObject;

/** The node below an element; undefined when the set has nothing there. */
export function nodeAt(set: FieldSet, element: PathElement): FieldSet | undefined {
  const node = set[element];
  return isObject(node) ? node : undefined;
}

/** Whether a node (never the root) is a member itself. */
export function isMember(node: FieldSet): boolean {
  return node[SELF] !== undefined || isEmptySet(node);
}

export function elementsOf(set: FieldSet): PathElement[] {
  return Object.keys(set).filter((element) => element !== SELF);
}

/** A node to put children into; see {@link MEMBER} for one that gets none. */
export function openNode(member: boolean): FieldSet {
  return member ? { [SELF]: MEMBER } : {};
}

/** A node; undefined when it would be neither a member nor lead to one. */
function makeNode(member: boolean, children: JsonObject): FieldSet | undefined {
  if (isEmptySet(children)) return member ? MEMBER : undefined;
  return member ? { [SELF]: MEMBER, ...children } : children;
}

/** `undefined` = the node is left out. */
type NodeOperation = (a: FieldSet, b: FieldSet) => FieldSet | undefined;

/** So many elements are looked up in any set rather than that all of its own are. */
const FEW = 16;

/** The children of `a` after `operate` has looked at those that `b` has too; undefined when it left all of them as they are. */
function changedChildren(a: FieldSet, b: FieldSet, operate: NodeOperation): JsonObject | undefined {
  let changes: Map<PathElement, FieldSet | undefined> | undefined;
  // Many sets are compared with one: what is done for each is in proportion to its own size, or very little.
  const others = elementsOf(b);
  for (const element of others.length <= FEW ? others : elementsOf(a)) {
    const [mine, other] = [nodeAt(a, element), nodeAt(b, element)];
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

/** The members of `a` that are no members of `b`. */
export function difference(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return EMPTY_SET;
  return changedChildren(a, b, nodeDifference) ?? a;
}

function nodeDifference(a: FieldSet, b: FieldSet): FieldSet | undefined {
  if (a === b) return undefined;
  const was = isMember(a);
  const member = was && !isMember(b);
  const children = changedChildren(a, b, nodeDifference);
  return children === undefined && member === was ? a : makeNode(member, children ?? childrenOf(a));
}

/** The members of `a` that are neither members of `b` nor stand below one. */
export function differenceBelow(a: FieldSet, b: FieldSet): FieldSet {
  return changedChildren(a, b, nodeDifferenceBelow) ?? a;
}

function nodeDifferenceBelow(a: FieldSet, b: FieldSet): FieldSet | undefined {
  if (isMember(b)) return undefined;
  const children = changedChildren(a, b, nodeDifferenceBelow);
  return children === undefined ? a : makeNode(isMember(a), children);
}

/** Not in canonical order. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const children: JsonObject = {};
  for (const element of elementsOf(b)) {
    const [mine, other] = [nodeAt(a, element), nodeAt(b, element)];
    const kept = mine === undefined || other === undefined ? undefined : nodeIntersection(mine, other);
    if (kept !== undefined) children[element] = kept;
  }
  return children;
}

function nodeIntersection(a: FieldSet, b: FieldSet): FieldSet | undefined {
  return makeNode(isMember(a) && isMember(b), intersection(a, b));
}

/** `a` itself when it has all that `b` has; else not in canonical order, see {@link canonical}. */
export function union(a: FieldSet, b: FieldSet): FieldSet {
  if (isEmptySet(a)) return b;
  return moreChildren(a, b) ?? a;
}

/** What is in any of them; not in canonical order. In one pass, however many they are. */
export function unionOf(sets: readonly FieldSet[]): FieldSet {
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
    children[element] = nodes.length === 1 && only !== undefined ? only : (makeNode(nodes.some(isMember), unionOf(nodes)) ?? MEMBER);
  }
  return children;
}

/** The children of both; undefined when those of `a` are all. */
function moreChildren(a: FieldSet, b: FieldSet): JsonObject | undefined {
  let children: JsonObject | undefined;
  for (const element of elementsOf(b)) {
    const [mine, other] = [nodeAt(a, element), nodeAt(b, element)];
    if (other === undefined) continue;
    const both = mine === undefined ? other : nodeUnion(mine, other);
    if (both !== mine) (children ??= childrenOf(a))[element] = both;
  }
  return children;
}

function nodeUnion(a: FieldSet, b: FieldSet): FieldSet {
  if (a === b) return a;
  const was = isMember(a);
  const member = was || isMember(b);
  const children = moreChildren(a, b);
  return children === undefined && member === was ? a : (makeNode(member, children ?? childrenOf(a)) ?? MEMBER);
}

/** Gathers members one by one. The set that it makes is not in canonical order. */
export class SetBuilder {
  private readonly root: FieldSet = {};

  get set(): FieldSet {
    return this.root;
  }

  /** `path` has at least one element. `node` = a member with what is below it, which belongs to this set from now on. */
  insert(path: readonly PathElement[], node: FieldSet = MEMBER): void {
    let way = this.root;
    for (let level = 0; level < path.length - 1; level += 1) way = opened(way, path[level] ?? '');
    const last = path[path.length - 1] ?? '';
    const known = nodeAt(way, last);
    if (known === undefined) way[last] = node;
    else if (known !== MEMBER) known[SELF] = MEMBER;
  }
}

/** The node below an element, so that something can be put into it. */
function opened(set: FieldSet, element: PathElement): FieldSet {
  const known = nodeAt(set, element);
  return known === undefined || known === MEMBER ? (set[element] = openNode(known === MEMBER)) : known;
}

/** The same set with its elements in upstream's order, so that equal sets have equal bytes. Parts that are in order already are shared. */
export function canonical(set: FieldSet): FieldSet {
  if (set === MEMBER) return set;
  const given = Object.keys(set);
  if (given.length === 0) return set;
  const elements = inOrder(given.filter((element) => element !== SELF));
  const shift = set[SELF] === undefined ? 0 : 1;
  const isInOrder = (shift === 0 || given[0] === SELF) && elements.every((element, index) => element === given[index + shift]);
  let sorted = isInOrder ? undefined : openNode(shift === 1);
  for (const [index, element] of elements.entries()) {
    const node = nodeAt(set, element);
    if (node === undefined) continue;
    const kept = canonical(node);
    if (kept !== node) sorted ??= firstOf(set, elements, index);
    if (sorted !== undefined) sorted[element] = kept;
  }
  return sorted ?? set;
}

/** A set with the first elements of another one. */
function firstOf(set: FieldSet, elements: readonly PathElement[], count: number): FieldSet {
  const first = openNode(set[SELF] !== undefined);
  for (const element of elements.slice(0, count)) first[element] = set[element] ?? MEMBER;
  return first;
}

const RANK: Readonly<Record<string, number>> = { f: 0, k: 1, v: 2, i: 3 };

/** What decides the place of an element: its kind, then its name, value or number. */
interface Ranked {
  readonly element: PathElement;
  readonly rank: number;
  readonly value: JsonValue;
}

function inOrder(elements: PathElement[]): PathElement[] {
  if (elements.length < 2) return elements;
  if (elements.every((element) => element.startsWith('f:'))) return elements.sort(compareBytes);
  return elements
    .map(ranked)
    .sort((a, b) => a.rank - b.rank || compareValues(a.value, b.value))
    .map(({ element }) => element);
}

function ranked(element: PathElement): Ranked {
  const text = element.slice(2);
  return { element, rank: RANK[element.charAt(0)] ?? 4, value: element.startsWith('f:') ? text : parseValue(text) };
}

const parseValue: (text: string) => JsonValue = JSON.parse;

const typeRank = (value: JsonValue): number =>
  typeof value === 'number' || typeof value === 'bigint' ? 0 : typeof value === 'string' ? 1 : typeof value === 'boolean' ? 2 : 3;

function compareValues(a: JsonValue, b: JsonValue): number {
  const byType = typeRank(a) - typeRank(b);
  if (byType !== 0) return byType;
  if (typeof a === 'string' && typeof b === 'string') return compareBytes(a, b);
  if (isObject(a) && isObject(b)) return compareKeys(a, b);
  return Number(a) - Number(b);
}

/** Keys in the order of their names; the first difference decides. */
function compareKeys(a: JsonObject, b: JsonObject): number {
  const [mine, others] = [Object.keys(a), Object.keys(b)];
  for (let i = 0; i < Math.min(mine.length, others.length); i += 1) {
    const [name = '', other = ''] = [mine[i], others[i]];
    const order = compareBytes(name, other) || compareValues(a[name] ?? null, b[other] ?? null);
    if (order !== 0) return order;
  }
  return mine.length - others.length;
}

const MOST_LEVELS = 1000;

/** A set that a client sent, in canonical form; undefined when it is none. */
export function parseFieldSet(value: JsonValue | undefined): FieldSet | undefined {
  return runStepsSync(parsingFieldSet(value));
}

/** The same in steps. */
export function* parsingFieldSet(value: JsonValue | undefined): Steps<FieldSet | undefined> {
  const set = isObject(value) && isWellSpelled(value, MOST_LEVELS - 1) ? value : respelled(value, MOST_LEVELS);
  yield;
  return set === undefined ? undefined : canonical(set);
}

function respelled(value: JsonValue | undefined, levels: number): FieldSet | undefined {
  if (!isObject(value) || levels === 0) return undefined;
  const elements = Object.keys(value);
  if (elements.length === 0) return MEMBER;
  const children: JsonObject = {};
  for (const element of elements) {
    if (element === SELF) continue;
    // A kind of element that nobody knows yet says nothing.
    if (RANK[element.charAt(0)] === undefined && element.charAt(1) === ':') continue;
    const name = parseElement(element);
    const node = respelled(value[element], levels - 1);
    if (name === undefined || node === undefined) return undefined;
    children[name] = node;
  }
  return value[SELF] !== undefined && !isEmptySet(children) ? { [SELF]: MEMBER, ...children } : children;
}

/** Whether every element is spelled as we would; nearly all sets that clients send back are, and need no copy. */
function isWellSpelled(set: JsonObject, levels: number): boolean {
  const elements = Object.keys(set);
  if (elements.length > 0 && levels === 0) return false;
  for (const element of elements) {
    const node = set[element];
    if (!isObject(node)) return false;
    if (element === SELF) {
      if (elements.length === 1 || !isEmptySet(node)) return false;
    } else if (!element.startsWith('f:') && parseElement(element) !== element) return false;
    else if (!isWellSpelled(node, levels - 1)) return false;
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

/** How messages call a path: `.spec.ports[port=80,protocol="TCP"].targetPort`. */
export function pathText(path: readonly PathElement[]): string {
  return path.map(elementText).join('');
}

function elementText(element: PathElement): string {
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

/** The paths of all members: those right below a node come before those further down, as upstream's messages name them. */
export function membersOf(set: FieldSet): PathElement[][] {
  const found: PathElement[][] = [];
  const walk = (node: FieldSet, path: readonly PathElement[]): void => {
    const elements = elementsOf(node);
    for (const element of elements) {
      const child = nodeAt(node, element);
      if (child !== undefined && isMember(child)) found.push([...path, element]);
    }
    for (const element of elements) walk(nodeAt(node, element) ?? EMPTY_SET, [...path, element]);
  };
  walk(set, []);
  return found;
}
