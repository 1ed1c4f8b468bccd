/**
 * JSON Patch (RFC 6902) as upstream applies it, which is more lenient than the RFC: array indexes may be negative
 * (counted from the end) or written as `+1` and `01`, `replace` and `copy` treat a missing member of an object as null,
 * `test` considers a missing member equal to null, and the text before a pointer's first slash is ignored. Modifies the
 * document in place. Takes a patch that is parsed JSON already.
 */
import {
  cloneJson,
  equalJson,
  isObject,
  ownMember,
  setMember,
  stringifyJson,
  type JsonArray,
  type JsonObject,
  type JsonValue,
} from '../values/json';
import { PatchedLists } from './patched-lists';

/** Upstream's limit of operations in one patch. */
export const MAX_JSON_PATCH_OPERATIONS = 10_000;
/** Maximum number of unknown members that are reported. */
const MAX_UNKNOWN_FIELDS = 100;
/** Upstream's limit of the bytes of JSON that all `copy` operations of one patch may add: that of a request's body. */
const MAX_COPIED_BYTES = 3 * 1024 * 1024;

/** An operation cannot be applied. */
export class PatchOperationError extends Error {
  override readonly name = 'PatchOperationError';
  /** The failed operation. {@link applyJsonPatch} sets it, so it is set in every error that a caller sees. */
  operation: JsonPatchOperation | undefined;
}

/** The patch is not a list of operations; the message is upstream's. */
export class PatchSyntaxError extends Error {
  override readonly name = 'PatchSyntaxError';
}

/** The patch has more than {@link MAX_JSON_PATCH_OPERATIONS} operations. */
export class TooManyOperationsError extends Error {
  override readonly name = 'TooManyOperationsError';
  constructor(readonly count: number) {
    super(`${count} operations`);
  }
}

/** An operation of RFC 6902 as the patch has it. An unknown `op` or a missing pointer fails when it is applied. */
export interface JsonPatchOperation {
  readonly op: string;
  /** A JSON pointer; `undefined` when the member is absent or null. */
  readonly path: string | undefined;
  /** The pointer of the source of `move` and `copy`; `undefined` when the member is absent or null. */
  readonly from: string | undefined;
  /** Null when absent. */
  readonly value: JsonValue;
}

/** The operations of a patch in their order. */
export interface ParsedOperations {
  readonly operations: readonly JsonPatchOperation[];
  /** The paths of the first 100 unknown members of operations: `[0].extra`. */
  readonly unknown: readonly string[];
}

/** Reads the operations of a parsed patch. Throws {@link PatchSyntaxError} or {@link TooManyOperationsError}. */
export function parseOperations(patch: JsonValue): ParsedOperations {
  if (patch === null) return { operations: [], unknown: [] };
  if (!Array.isArray(patch))
    throw new PatchSyntaxError(`json: cannot unmarshal ${typeName(patch)} into Go value of type []handlers.jsonPatchOp`);
  if (patch.length > MAX_JSON_PATCH_OPERATIONS) throw new TooManyOperationsError(patch.length);
  const unknown: string[] = [];
  const operations = patch.map((item, index) => parseOperation(item, index, unknown));
  return { operations, unknown };
}

const MEMBERS: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

function parseOperation(item: JsonValue, index: number, unknown: string[]): JsonPatchOperation {
  if (item === null) return { op: '', path: undefined, from: undefined, value: null };
  if (!isObject(item)) throw new PatchSyntaxError(`json: cannot unmarshal ${typeName(item)} into Go value of type handlers.jsonPatchOp`);
  for (const member of Object.keys(item)) {
    if (!MEMBERS.has(member) && unknown.length < MAX_UNKNOWN_FIELDS) unknown.push(`[${index}].${member}`);
  }
  return {
    op: stringMember(item, 'op') ?? '',
    path: stringMember(item, 'path'),
    from: stringMember(item, 'from'),
    value: ownMember(item, 'value') ?? null,
  };
}

function stringMember(item: JsonObject, member: string): string | undefined {
  const value = ownMember(item, member);
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string') return value;
  throw new PatchSyntaxError(`json: cannot unmarshal ${typeName(value)} into Go struct field jsonPatchOp.${member} of type string`);
}

function typeName(value: JsonValue): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'boolean') return 'bool';
  return typeof value === 'bigint' ? 'number' : typeof value;
}

/**
 * Applies the operations to `document` in place and returns the result, which is another object only when the whole
 * document was replaced. Throws {@link PatchOperationError}.
 */
export function applyJsonPatch(document: JsonObject, operations: readonly JsonPatchOperation[]): JsonObject {
  const lists = new PatchedLists();
  const result = new JsonPatchApplication(document, lists).run(operations);
  lists.joinAll();
  return result;
}

class JsonPatchApplication {
  private copiedBytes = 0;

  constructor(
    private root: JsonObject,
    private readonly lists: PatchedLists,
  ) {}

  run(operations: readonly JsonPatchOperation[]): JsonObject {
    for (const operation of operations) this.attempt(operation);
    return this.root;
  }

  private attempt(operation: JsonPatchOperation): void {
    try {
      this.apply(operation);
    } catch (error) {
      if (error instanceof PatchOperationError) error.operation = operation;
      throw error;
    }
  }

  private apply(operation: JsonPatchOperation): void {
    switch (operation.op) {
      case 'add':
        return this.add(this.locate(operation.path), cloneJson(operation.value));
      case 'remove':
        return this.remove(this.locate(operation.path));
      case 'replace':
        if (operation.path === '') this.root = wholeDocument(cloneJson(operation.value));
        else this.replace(this.locate(operation.path), cloneJson(operation.value));
        return;
      case 'move': {
        const from = this.locate(operation.from);
        const value = this.valueAt(from);
        if (value === undefined) throw new PatchOperationError('nothing to move');
        this.remove(from);
        return this.add(this.locate(operation.path), value);
      }
      case 'copy':
        return this.copy(operation);
      case 'test':
        return this.test(operation);
      default:
        throw new PatchOperationError('unknown operation');
    }
  }

  /** Resolves a pointer to the location of its last token, which need not exist. */
  private locate(pointer: string | undefined): PatchLocation {
    if (pointer === undefined) throw new PatchOperationError('the pointer is missing');
    const tokens = pointer.split('/').slice(1).map(unescapeToken);
    const last = tokens.pop();
    if (last === undefined) throw new PatchOperationError('the pointer names the whole document');
    let container: JsonObject | JsonArray = this.root;
    for (const token of tokens) {
      const next: JsonValue | undefined = Array.isArray(container) ? this.itemAt(container, token) : ownMember(container, token);
      if (!Array.isArray(next) && !isObject(next)) throw new PatchOperationError('the pointer leads through nothing');
      container = next;
    }
    return Array.isArray(container) ? { parent: container, index: last } : { parent: container, member: last };
  }

  private add(location: PatchLocation, value: JsonValue): void {
    if ('member' in location) return setMember(location.parent, location.member, value);
    const length = this.lists.length(location.parent);
    this.lists.insert(location.parent, location.index === '-' ? length : parseIndex(location.index, length + 1), value);
  }

  private remove(location: PatchLocation): void {
    if ('index' in location) return this.lists.remove(location.parent, this.existingIndex(location.parent, location.index));
    if (!Object.hasOwn(location.parent, location.member)) throw new PatchOperationError('nothing to remove');
    Reflect.deleteProperty(location.parent, location.member);
  }

  private replace(location: PatchLocation, value: JsonValue): void {
    if ('member' in location) setMember(location.parent, location.member, value);
    else this.lists.set(location.parent, this.existingIndex(location.parent, location.index), value);
  }

  private copy(operation: JsonPatchOperation): void {
    const value = this.valueAt(this.locate(operation.from)) ?? null;
    this.lists.joinWithin(value);
    this.copiedBytes += Buffer.byteLength(stringifyJson(value));
    if (this.copiedBytes > MAX_COPIED_BYTES) throw new PatchOperationError('the copies are too large');
    this.add(this.locate(operation.path), cloneJson(value));
  }

  private test(operation: JsonPatchOperation): void {
    const actual = operation.path === '' ? this.root : (this.valueAt(this.locate(operation.path)) ?? null);
    this.lists.joinWithin(actual);
    if (!equalJson(actual, operation.value)) throw new PatchOperationError('the test failed');
  }

  /** The value at a location: `undefined` for an absent member of an object. Throws for an index that does not exist. */
  private valueAt(location: PatchLocation): JsonValue | undefined {
    return 'member' in location ? ownMember(location.parent, location.member) : this.itemAt(location.parent, location.index);
  }

  private itemAt(list: JsonArray, token: string): JsonValue | undefined {
    return this.lists.at(list, this.existingIndex(list, token));
  }

  private existingIndex(list: JsonArray, token: string): number {
    return parseIndex(token, this.lists.length(list));
  }
}

/** The target of an operation: a member of an object or an item of a list, which may be absent. */
type PatchLocation = { readonly parent: JsonObject; readonly member: string } | { readonly parent: JsonArray; readonly index: string };

const unescapeToken = (token: string): string => (token.includes('~') ? token.replaceAll('~1', '/').replaceAll('~0', '~') : token);

function wholeDocument(value: JsonValue): JsonObject {
  if (!isObject(value)) throw new PatchOperationError('the document is not an object');
  return value;
}

/** Nine digits are more than any list needs. */
const INTEGER = /^[+-]?[0-9]{1,9}$/;

/** The position that a token denotes, of `size` valid ones from 0: `-1` is the last of them. */
function parseIndex(token: string, size: number): number {
  if (!INTEGER.test(token)) throw new PatchOperationError('the index is not a number');
  const signed = Number(token);
  const position = signed < 0 ? signed + size : signed;
  if (position < 0 || position >= size) throw new PatchOperationError('the index is out of range');
  return position;
}
