/**
 * State shared by the value readers of one decoding: the current path, the first type error, and the unknown fields.
 * The readers themselves are compiled in decode.ts.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../values/json';
import type { NumberLiterals } from '../../values/number-literals';
import { extendPath } from '../../values/field-path';
import { DecodeError } from './decode-error';

/** Maximum number of unknown fields that are collected; a client chooses how many there are. */
const MAX_UNKNOWN_FIELDS = 100;
/** Only recursive types reach this depth. The limit allows code that walks a decoded object to recurse. */
export const MAX_DEPTH = 1000;

/**
 * A wrong JSON type is recorded, and the first one is reported after the whole object is read; a malformed time,
 * quantity or other text stops the decoding at once. Upstream reports errors in this order.
 */
export class DecodeContext {
  readonly unknown: string[] = [];
  /** The way from the root to the object being read: field names, list indexes, and map keys with `\0` before them. */
  readonly path: (string | number)[] = [];
  firstError: DecodeError | undefined;

  /** `outerDepth` is the depth of the value in an enclosing decoding. */
  constructor(
    readonly literals: NumberLiterals | undefined,
    private readonly outerDepth = 0,
  ) {}

  /** Depth of the object being read, including that of enclosing decodings. */
  get depth(): number {
    return this.outerDepth + this.path.length;
  }

  /**
   * The error of a value with a wrong JSON type, at {@link path} and `owner.member`. `actual` describes the value:
   * `string` or `number 80.5`. As in Go, the error does not show list indexes and map keys.
   */
  mismatchError(actual: string, owner: MemberLocation): DecodeError {
    const members = this.path.filter((step) => typeof step === 'string' && !step.startsWith('\0'));
    const memberPath = [owner.struct, ...members, owner.member].join('.');
    const { goType } = owner;
    return new DecodeError(`json: cannot unmarshal ${actual} into Go struct field ${memberPath} of type ${goType}`, { actual, goType });
  }

  /** Records {@link mismatchError} unless an earlier error is recorded. */
  recordMismatch(actual: string, owner: MemberLocation): void {
    this.firstError ??= this.mismatchError(actual, owner);
  }

  /** Adds the path of an unknown field of the object being read. */
  addUnknown(member: string): void {
    if (this.unknown.length >= MAX_UNKNOWN_FIELDS) return;
    let text = '';
    for (const step of [...this.path, member]) {
      text = extendPath(text, typeof step === 'string' && step.startsWith('\0') ? step.slice(1) : step);
    }
    this.unknown.push(text);
  }
}

/** The location of a value in error messages: the Go struct, its field, and the Go type of the field. */
export interface MemberLocation {
  struct: string;
  member: string;
  goType: string;
}

/**
 * Reads a value that is not null. Returns its canonical form, or `undefined` when it counts as absent or when its error
 * was recorded in the context. The value is the member or item `key` of `container`, under which
 * {@link NumberLiterals} has the spelling of a number.
 */
export type ValueReader = (
  value: JsonValue,
  context: DecodeContext,
  container: JsonObject | JsonArray,
  key: string | number,
) => JsonValue | undefined;
