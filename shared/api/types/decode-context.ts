/** What the readers of a decoding share: where it stands, what it has found wrong, and how a value says what it was meant to be. */
import type { JsonArray, JsonObject, JsonValue } from '../../values/json';
import type { NumberLiterals } from '../../values/number-literals';
import { extendPath } from '../../values/field-path';
import { DecodeError } from './decode-error';

const MOST_UNKNOWN = 100;
/** Only types that hold themselves get this far; whoever walks along an object may do so without a loop of its own. */
export const MAX_DEPTH = 1000;

/** The first wrong type is reported when all is read; a text that a time, quantity or … refuses stops at once. This is upstream's order. */
export class Context {
  readonly unknown: string[] = [];
  /** Members, indexes, and map keys (as `\0key`) from the top to the object being read. */
  readonly path: (string | number)[] = [];
  firstFault: DecodeError | undefined;

  /** `above` = how deep the value stands in another decoding. */
  constructor(
    readonly literals: NumberLiterals | undefined,
    private readonly above = 0,
  ) {}

  get depth(): number {
    return this.above + this.path.length;
  }

  /** `found` is what the text has (`string`, `number 80.5`). */
  mismatch(found: string, owner: MemberPlace): DecodeError {
    const members = this.path.filter((step) => typeof step === 'string' && !step.startsWith('\0'));
    const place = [owner.struct, ...members, owner.member].join('.');
    const { goType } = owner;
    return new DecodeError(`json: cannot unmarshal ${found} into Go struct field ${place} of type ${goType}`, { found, goType });
  }

  note(found: string, owner: MemberPlace): void {
    this.firstFault ??= this.mismatch(found, owner);
  }

  addUnknown(member: string): void {
    if (this.unknown.length >= MOST_UNKNOWN) return;
    let text = '';
    for (const step of [...this.path, member]) {
      text = extendPath(text, typeof step === 'string' && step.startsWith('\0') ? step.slice(1) : step);
    }
    this.unknown.push(text);
  }
}

/** Where a value stands, for error texts: the struct that has the member, the member, the wanted type. */
export interface MemberPlace {
  struct: string;
  member: string;
  goType: string;
}

/** `undefined` = nothing usable was there. `container` and `key` lead to the spelling of a number. */
export type ValueReader = (
  value: JsonValue,
  context: Context,
  container: JsonObject | JsonArray,
  key: string | number,
) => JsonValue | undefined;
