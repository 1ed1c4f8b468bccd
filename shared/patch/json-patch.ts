/**
 * JSON Patch (RFC 6902) as upstream applies it, which is more lenient than the RFC: array indexes may be negative (counted from the end) or
 * written `+1` and `01`, `replace` and `copy` take a missing member of an object as null, `test` finds a missing member equal to null, and the
 * text before a pointer's first slash is ignored. Works on the given document in place. Never reads text: see `parseOperations`' argument.
 */
import {
  cloneJson,
  equalJson,
  isObject,
  own,
  setMember,
  stringifyJson,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../values/json';

export const MOST_OPERATIONS = 10_000;
/** Bytes that all `copy` operations of one patch may add. */
const MOST_COPIED = 3 * 1024 * 1024;

/** An operation that cannot be done. */
export class PatchFailure extends Error {
  override readonly name = 'PatchFailure';
}

/** A patch that is no list of operations; the message is upstream's. */
export class PatchSyntax extends Error {
  override readonly name = 'PatchSyntax';
}

/** More than {@link MOST_OPERATIONS}. */
export class TooManyOperations extends Error {
  override readonly name = 'TooManyOperations';
  constructor(readonly count: number) {
    super(`${count} operations`);
  }
}

export interface Operation {
  readonly op: string;
  /** Undefined when absent. */
  readonly path: string | undefined;
  readonly from: string | undefined;
  readonly value: JsonValue;
}

export interface ParsedOperations {
  readonly operations: readonly Operation[];
  /** Members that no operation has, as `[0].extra`. */
  readonly unknown: readonly string[];
}

/** Reads the operations out of a parsed patch. Throws {@link PatchSyntax} or {@link TooManyOperations}. */
export function parseOperations(patch: JsonValue): ParsedOperations {
  if (patch === null) return { operations: [], unknown: [] };
  if (!Array.isArray(patch))
    throw new PatchSyntax(`json: cannot unmarshal ${typeName(patch)} into Go value of type []handlers.jsonPatchOp`);
  if (patch.length > MOST_OPERATIONS) throw new TooManyOperations(patch.length);
  const unknown: string[] = [];
  const operations = patch.map((item, index) => parseOperation(item, index, unknown));
  return { operations, unknown };
}

const MEMBERS: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

function parseOperation(item: JsonValue, index: number, unknown: string[]): Operation {
  if (item === null) return { op: '', path: undefined, from: undefined, value: null };
  if (!isObject(item)) throw new PatchSyntax(`json: cannot unmarshal ${typeName(item)} into Go value of type handlers.jsonPatchOp`);
  for (const member of Object.keys(item)) if (!MEMBERS.has(member)) unknown.push(`[${index}].${member}`);
  return { op: text(item, 'op') ?? '', path: text(item, 'path'), from: text(item, 'from'), value: own(item, 'value') ?? null };
}

function text(item: JsonObject, member: string): string | undefined {
  const value = own(item, member);
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw new PatchSyntax(`json: cannot unmarshal ${typeName(value)} into Go struct field jsonPatchOp.${member} of type string`);
}

function typeName(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

/** Applies the operations to `document` in place and returns the result (another object only when the whole was replaced). */
export function applyJsonPatch(document: JsonObject, operations: readonly Operation[]): JsonObject {
  let root = document;
  let copied = 0;
  for (const operation of operations) {
    switch (operation.op) {
      case 'add':
        add(parentOf(root, operation.path), cloneJson(operation.value));
        break;
      case 'remove':
        remove(parentOf(root, operation.path));
        break;
      case 'replace':
        if (operation.path === '') root = wholeDocument(cloneJson(operation.value));
        else replace(parentOf(root, operation.path), cloneJson(operation.value));
        break;
      case 'move': {
        const from = parentOf(root, operation.from);
        const value = valueAt(from);
        if (value === undefined) throw new PatchFailure('nothing to move');
        remove(from);
        add(parentOf(root, operation.path), value);
        break;
      }
      case 'copy': {
        const value = valueAt(parentOf(root, operation.from)) ?? null;
        copied += Buffer.byteLength(stringifyJson(value));
        if (copied > MOST_COPIED) throw new PatchFailure('the copies are too large');
        add(parentOf(root, operation.path), cloneJson(value));
        break;
      }
      case 'test':
        test(root, operation);
        break;
      default:
        throw new PatchFailure('unknown operation');
    }
  }
  return root;
}

/** Where an operation works: a member of an object or an item of a list, there or not. */
type Place = { readonly parent: JsonObject; readonly member: string } | { readonly parent: JsonArray; readonly index: string };

/** What the pointer's last token names, once all before it have been followed. */
function parentOf(root: JsonObject, pointer: string | undefined): Place {
  if (pointer === undefined) throw new PatchFailure('the pointer is missing');
  const tokens = pointer.split('/').slice(1).map(unescapeToken);
  const last = tokens.pop();
  if (last === undefined) throw new PatchFailure('the pointer names the whole document');
  let container: JsonObject | JsonArray = root;
  for (const token of tokens) {
    const next: JsonValue | undefined = Array.isArray(container) ? container[existingIndex(container, token)] : own(container, token);
    if (!Array.isArray(next) && !isObject(next)) throw new PatchFailure('the pointer leads through nothing');
    container = next;
  }
  return Array.isArray(container) ? { parent: container, index: last } : { parent: container, member: last };
}

const unescapeToken = (token: string): string => (token.includes('~') ? token.replaceAll('~1', '/').replaceAll('~0', '~') : token);

function add(place: Place, value: JsonValue): void {
  if ('member' in place) setMember(place.parent, place.member, value);
  else if (place.index === '-') place.parent.push(value);
  else place.parent.splice(index(place.index, place.parent.length + 1), 0, value);
}

function remove(place: Place): void {
  if ('index' in place) {
    place.parent.splice(existingIndex(place.parent, place.index), 1);
    return;
  }
  if (!Object.hasOwn(place.parent, place.member)) throw new PatchFailure('nothing to remove');
  Reflect.deleteProperty(place.parent, place.member);
}

function replace(place: Place, value: JsonValue): void {
  if ('member' in place) setMember(place.parent, place.member, value);
  else place.parent[existingIndex(place.parent, place.index)] = value;
}

/** Undefined for an absent member; an index must exist. */
function valueAt(place: Place): JsonValue | undefined {
  return 'member' in place ? own(place.parent, place.member) : place.parent[existingIndex(place.parent, place.index)];
}

function test(root: JsonObject, operation: Operation): void {
  const found = operation.path === '' ? root : (valueAt(parentOf(root, operation.path)) ?? null);
  if (!equalJson(found, operation.value)) throw new PatchFailure('the test failed');
}

function wholeDocument(value: JsonValue): JsonObject {
  if (!isObject(value)) throw new PatchFailure('the document is no object');
  return value;
}

const INTEGER = /^[+-]?[0-9]{1,9}$/;

/** `size` counts the places that may be named, so that -1 is the last of them. */
function index(token: string, size: number): number {
  if (!INTEGER.test(token)) throw new PatchFailure('the index is no number');
  const given = Number(token);
  const found = given < 0 ? given + size : given;
  if (found < 0 || found >= size) throw new PatchFailure('the index is out of range');
  return found;
}

function existingIndex(list: JsonArray, token: string): number {
  return index(token, list.length);
}
