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
import { PatchedLists } from './patched-lists';

export const MOST_OPERATIONS = 10_000;
const MOST_UNKNOWN = 100;
/** Bytes that all `copy` operations of one patch may add. */
const MOST_COPIED = 3 * 1024 * 1024;

/** An operation that cannot be done. */
export class PatchFailure extends Error {
  override readonly name = 'PatchFailure';
  /** The one that cannot be done, once it is known. */
  operation: PatchOperation | undefined;
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

export interface PatchOperation {
  readonly op: string;
  /** Undefined when absent. */
  readonly path: string | undefined;
  readonly from: string | undefined;
  readonly value: JsonValue;
}

export interface ParsedOperations {
  readonly operations: readonly PatchOperation[];
  /** Members that no operation has, as `[0].extra`; at most 100. */
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

function parseOperation(item: JsonValue, index: number, unknown: string[]): PatchOperation {
  if (item === null) return { op: '', path: undefined, from: undefined, value: null };
  if (!isObject(item)) throw new PatchSyntax(`json: cannot unmarshal ${typeName(item)} into Go value of type handlers.jsonPatchOp`);
  for (const member of Object.keys(item)) {
    if (!MEMBERS.has(member) && unknown.length < MOST_UNKNOWN) unknown.push(`[${index}].${member}`);
  }
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
export function applyJsonPatch(document: JsonObject, operations: readonly PatchOperation[]): JsonObject {
  const lists = new PatchedLists();
  const result = new Application(document, lists).run(operations);
  lists.settleAll();
  return result;
}

class Application {
  private copied = 0;

  constructor(
    private root: JsonObject,
    private readonly lists: PatchedLists,
  ) {}

  run(operations: readonly PatchOperation[]): JsonObject {
    for (const operation of operations) this.attempt(operation);
    return this.root;
  }

  private attempt(operation: PatchOperation): void {
    try {
      this.apply(operation);
    } catch (error) {
      if (error instanceof PatchFailure) error.operation = operation;
      throw error;
    }
  }

  private apply(operation: PatchOperation): void {
    switch (operation.op) {
      case 'add':
        return this.add(this.place(operation.path), cloneJson(operation.value));
      case 'remove':
        return this.remove(this.place(operation.path));
      case 'replace':
        if (operation.path === '') this.root = wholeDocument(cloneJson(operation.value));
        else this.replace(this.place(operation.path), cloneJson(operation.value));
        return;
      case 'move': {
        const from = this.place(operation.from);
        const value = this.valueAt(from);
        if (value === undefined) throw new PatchFailure('nothing to move');
        this.remove(from);
        return this.add(this.place(operation.path), value);
      }
      case 'copy':
        return this.copy(operation);
      case 'test':
        return this.test(operation);
      default:
        throw new PatchFailure('unknown operation');
    }
  }

  /** What the pointer's last token names, once all before it have been followed. */
  private place(pointer: string | undefined): Place {
    if (pointer === undefined) throw new PatchFailure('the pointer is missing');
    const tokens = pointer.split('/').slice(1).map(unescapeToken);
    const last = tokens.pop();
    if (last === undefined) throw new PatchFailure('the pointer names the whole document');
    let container: JsonObject | JsonArray = this.root;
    for (const token of tokens) {
      const next: JsonValue | undefined = Array.isArray(container) ? this.item(container, token) : own(container, token);
      if (!Array.isArray(next) && !isObject(next)) throw new PatchFailure('the pointer leads through nothing');
      container = next;
    }
    return Array.isArray(container) ? { parent: container, index: last } : { parent: container, member: last };
  }

  private add(place: Place, value: JsonValue): void {
    if ('member' in place) return setMember(place.parent, place.member, value);
    const length = this.lists.length(place.parent);
    this.lists.insert(place.parent, place.index === '-' ? length : index(place.index, length + 1), value);
  }

  private remove(place: Place): void {
    if ('index' in place) return this.lists.remove(place.parent, this.existing(place.parent, place.index));
    if (!Object.hasOwn(place.parent, place.member)) throw new PatchFailure('nothing to remove');
    Reflect.deleteProperty(place.parent, place.member);
  }

  private replace(place: Place, value: JsonValue): void {
    if ('member' in place) setMember(place.parent, place.member, value);
    else this.lists.set(place.parent, this.existing(place.parent, place.index), value);
  }

  private copy(operation: PatchOperation): void {
    const value = this.valueAt(this.place(operation.from)) ?? null;
    this.lists.settle(value);
    this.copied += Buffer.byteLength(stringifyJson(value));
    if (this.copied > MOST_COPIED) throw new PatchFailure('the copies are too large');
    this.add(this.place(operation.path), cloneJson(value));
  }

  private test(operation: PatchOperation): void {
    const found = operation.path === '' ? this.root : (this.valueAt(this.place(operation.path)) ?? null);
    this.lists.settle(found);
    if (!equalJson(found, operation.value)) throw new PatchFailure('the test failed');
  }

  /** Undefined for an absent member; an index must exist. */
  private valueAt(place: Place): JsonValue | undefined {
    return 'member' in place ? own(place.parent, place.member) : this.item(place.parent, place.index);
  }

  private item(list: JsonArray, token: string): JsonValue | undefined {
    return this.lists.at(list, this.existing(list, token));
  }

  private existing(list: JsonArray, token: string): number {
    return index(token, this.lists.length(list));
  }
}

/** Where an operation works: a member of an object or an item of a list, there or not. */
type Place = { readonly parent: JsonObject; readonly member: string } | { readonly parent: JsonArray; readonly index: string };

const unescapeToken = (token: string): string => (token.includes('~') ? token.replaceAll('~1', '/').replaceAll('~0', '~') : token);

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
