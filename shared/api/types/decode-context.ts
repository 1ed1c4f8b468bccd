/**
 * State shared by the value readers of one decoding: the current path, the first type error, and the unknown fields.
 * The readers themselves are compiled in decode.ts.
 */
import type { JsonArray, JsonObject, JsonValue } from '../../values/json';
import type { NumberLiterals } from '../../values/number-literals';
import { extendPath } from '../../values/field-path';
import { DecodeError } from './decode-error';

/** Unknown fields that are collected; a client chooses how many there are. */
const MAX_UNKNOWN_FIELDS = 100;
/** Only recursive types reach this depth. The limit allows code that walks a decoded object to recurse. */
export const MAX_DEPTH = 1000;

/**
 * A wrong JSON type is recorded, and the first one is reported after the whole object is read; a malformed time,
 * quantity or other text stops the decoding at once. Upstream reports errors in this order.
 */
export class DecodeContext {
  readonly unknown: string[] = [];
  /** Fields, list indexes, and map keys (as `\0key`) from the root to the object being read. */
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

  /** `actual` describes the JSON value (`string`, `number 80.5`). */
  mismatchError(actual: string, owner: MemberLocation): DecodeError {
    const members = this.path.filter((step) => typeof step === 'string' && !step.startsWith('\0'));
    const memberPath = [owner.struct, ...members, owner.member].join('.');
    const { goType } = owner;
    return new DecodeError(`json: cannot unmarshal ${actual} into Go struct field ${memberPath} of type ${goType}`, { actual, goType });
  }

  /** Records the error unless an earlier one is recorded. */
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
 * Returns the canonical value; `undefined` when the value is unusable or counts as absent. `container` and `key`
 * identify a number for {@link NumberLiterals}.
 */
export type ValueReader = (
  value: JsonValue,
  context: DecodeContext,
  container: JsonObject | JsonArray,
  key: string | number,
) => JsonValue | undefined;
