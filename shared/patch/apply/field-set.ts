/**
 * Sets of field paths in the format of fieldsV1, and their operations. A set is a tree of path elements:
 *
 *     { "f:spec": {                        leads to members, is not one itself
 *         "f:replicas": {},                a member
 *         "f:selector": {                  a member, because it has the key "."
 *           ".": {}, "f:app": {} } } }     a member below it
 *
 * The empty set is the root `{}`. Sets are immutable, except while {@link FieldSetBuilder} or a caller of
 * {@link openNode} fills them; results share unchanged parts with the operands. canonical-field-set.ts parses and
 * orders sets.
 */
import { appendToKey } from '../../values/append';
import { isEmptyObject, isObject, stringifyJson, type JsonObject, type JsonValue } from '../../values/json';

/** The root or a node of a set. */
export type FieldSet = JsonObject;

/**
 * One step of a path:
 * - `f:replicas`: a struct member or a map key
 * - `k:{"name":"web"}`: the item of a map list with these keys
 * - `v:"a"`: the item of a set with this value
 * - `i:3`: the item of a list at this index
 *
 * The prefix keeps a name chosen by a client apart from the properties of Object.prototype.
 */
export type PathElement = string;

const EMPTY_NODE: FieldSet = Object.freeze({});

/** The set without members. */
export const EMPTY_SET: FieldSet = EMPTY_NODE;
/** The node of a field without descendants in the set. */
export const NODE_WITHOUT_DESCENDANTS: FieldSet = EMPTY_NODE;
/** The key that marks a node with nodes below it as a member. */
export const SELF = '.';

/** The element of a struct member or map key: `f:spec`. */
export const fieldElement = (name: string): PathElement => `f:${name}`;
/** The element of an item of a set, by its value: `v:"a"`. */
export const valueElement = (value: JsonValue): PathElement => `v:${stringifyJson(value)}`;

/** The JSON value of an element of the types `k:`, `v:` and `i:`. */
export const parseElementValue = (element: PathElement): JsonValue => parseJson(element.slice(2));

const parseJson: (text: string) => JsonValue = JSON.parse;

/** Whether a set, or the part of a set below a node, has no members. */
export const isEmptySet: (set: FieldSet) => boolean = isEmptyObject;

/** The node below an element; `undefined` when the set has none. */
export function nodeAt(set: FieldSet, element: PathElement): FieldSet | undefined {
  const node = set[element];
  return isObject(node) ? node : undefined;
}

/** Whether a node is itself a member. Not for the root, which has no path and would be a member when the set is empty. */
export function isMember(node: FieldSet): boolean {
  return node[SELF] !== undefined || isEmptySet(node);
}

/** The elements of the nodes directly below a node or the root. */
export function elementsOf(set: FieldSet): PathElement[] {
  return Object.keys(set).filter((element) => element !== SELF);
}

/**
 * A new member to which the caller adds children. Without children it is to be replaced by the frozen
 * {@link NODE_WITHOUT_DESCENDANTS}.
 */
export function openMember(): FieldSet {
  return { [SELF]: NODE_WITHOUT_DESCENDANTS };
}

/** A new node to which the caller adds children: a member, or one that only leads to members. */
export function openNode(isItselfMember: boolean): FieldSet {
  return isItselfMember ? openMember() : {};
}

/** A node with the given children; `undefined` when it is neither a member nor leads to one. */
function makeNode(isItselfMember: boolean, children: JsonObject): FieldSet | undefined {
  if (isEmptySet(children)) return isItselfMember ? NODE_WITHOUT_DESCENDANTS : undefined;
  return isItselfMember ? { [SELF]: NODE_WITHOUT_DESCENDANTS, ...children } : children;
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

/** The members of `a` that are neither members of `b` nor below a member of `b`. */
export function differenceBelow(a: FieldSet, b: FieldSet): FieldSet {
  return changedChildren(a, b, nodeDifferenceBelow) ?? a;
}

function nodeDifferenceBelow(a: FieldSet, b: FieldSet): FieldSet | undefined {
  if (isMember(b)) return undefined;
  const children = changedChildren(a, b, nodeDifferenceBelow);
  return children === undefined ? a : makeNode(isMember(a), children);
}

/** Combines two nodes at the same path and returns the resulting node; `undefined` removes the node. */
type NodeOperation = (a: FieldSet, b: FieldSet) => FieldSet | undefined;

/** Up to this many elements of `b` are looked up in `a`, instead of iterating over the elements of `a`. */
const MAX_LOOKUPS = 16;

/**
 * The children of `a` after applying `operate` to those that are also in `b`; `undefined` when none of them changes.
 */
function changedChildren(a: FieldSet, b: FieldSet, operate: NodeOperation): JsonObject | undefined {
  let changes: Map<PathElement, FieldSet | undefined> | undefined;
  const elementsOfB = elementsOf(b);
  for (const element of elementsOfB.length <= MAX_LOOKUPS ? elementsOfB : elementsOf(a)) {
    const nodeOfA = nodeAt(a, element);
    const nodeOfB = nodeAt(b, element);
    if (nodeOfA === undefined || nodeOfB === undefined) continue;
    const result = operate(nodeOfA, nodeOfB);
    if (result !== nodeOfA) (changes ??= new Map<PathElement, FieldSet | undefined>()).set(element, result);
  }
  if (changes === undefined) return undefined;
  const children: JsonObject = {};
  for (const element of elementsOf(a)) {
    const node = changes.has(element) ? changes.get(element) : nodeAt(a, element);
    if (node !== undefined) children[element] = node;
  }
  return children;
}

function childrenOf(set: FieldSet): JsonObject {
  const { [SELF]: _, ...children } = set;
  return children;
}

/** The members of both sets. Not in canonical order. */
export function intersection(a: FieldSet, b: FieldSet): FieldSet {
  const children: JsonObject = {};
  for (const element of elementsOf(b)) {
    const nodeOfA = nodeAt(a, element);
    const nodeOfB = nodeAt(b, element);
    const common = nodeOfA === undefined || nodeOfB === undefined ? undefined : nodeIntersection(nodeOfA, nodeOfB);
    if (common !== undefined) children[element] = common;
  }
  return children;
}

function nodeIntersection(a: FieldSet, b: FieldSet): FieldSet | undefined {
  return makeNode(isMember(a) && isMember(b), intersection(a, b));
}

/**
 * The members of either set: `a` itself when it contains `b`, and `b` itself when `a` is empty. Any other result is not
 * in canonical order; `canonicalFieldSet` sorts it.
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

/** The children of either node; `undefined` when `a` contains those of `b` already. */
function unionChildren(a: FieldSet, b: FieldSet): JsonObject | undefined {
  let children: JsonObject | undefined;
  for (const element of elementsOf(b)) {
    const nodeOfA = nodeAt(a, element);
    const nodeOfB = nodeAt(b, element);
    if (nodeOfB === undefined) continue;
    const merged = nodeOfA === undefined ? nodeOfB : nodeUnion(nodeOfA, nodeOfB);
    if (merged !== nodeOfA) (children ??= childrenOf(a))[element] = merged;
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

  /**
   * Adds the member at `path`, which has at least one element. `node` is the member with its descendants; the builder
   * may modify it later. When the set has a node at `path` already, that node becomes a member and `node` is ignored.
   */
  insert(path: readonly PathElement[], node: FieldSet = NODE_WITHOUT_DESCENDANTS): void {
    let parent = this.root;
    for (let level = 0; level < path.length - 1; level += 1) parent = openChild(parent, path[level] ?? '');
    const last = path[path.length - 1] ?? '';
    const known = nodeAt(parent, last);
    if (known === undefined) parent[last] = node;
    else if (known !== NODE_WITHOUT_DESCENDANTS) known[SELF] = NODE_WITHOUT_DESCENDANTS;
  }
}

/** The node below an element. It is created when absent, and replaced when frozen, so that children can be added. */
function openChild(set: FieldSet, element: PathElement): FieldSet {
  const known = nodeAt(set, element);
  if (known !== undefined && known !== NODE_WITHOUT_DESCENDANTS) return known;
  const opened = openNode(known === NODE_WITHOUT_DESCENDANTS);
  set[element] = opened;
  return opened;
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
      const keys = parseElementValue(element);
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
