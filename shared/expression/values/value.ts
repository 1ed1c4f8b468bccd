/**
 * Run-time values of CEL. Bool, int, double, string and null are JavaScript's boolean, bigint, number, string and null;
 * bytes are a Uint8Array; all other values are classes of this module. An error is a value too ({@link ErrorValue}),
 * because `false && error` is false.
 */

/** An error of the evaluation. A function returns the error of an argument, unless it is decided by another argument. */
export class ErrorValue {
  constructor(readonly message: string) {}
}

/** A value of the type uint; a bigint is one of the type int. */
export class Uint {
  constructor(readonly value: bigint) {}
}

/** Nanoseconds since 1970. `timestamp()` and arithmetic reject years other than 1 to 9999; messages may have others. */
export class Timestamp {
  constructor(readonly nanos: bigint) {}
}

/** Nanoseconds in the range of int64. */
export class Duration {
  constructor(readonly nanos: bigint) {}
}

/** A list. Items are computed on demand where the list is a view of JSON. */
export abstract class ListValue {
  abstract readonly size: number;
  /** The item at an index within `size`. */
  abstract at(index: number): Value;

  /**
   * How a list that the schema declares as a set or map list is compared and concatenated; `undefined` for ordered lists.
   */
  get semantics(): ListSemantics | undefined {
    return undefined;
  }

  *[Symbol.iterator](): Generator<Value> {
    for (let index = 0; index < this.size; index += 1) yield this.at(index);
  }
}

/** The semantics of a set or of a map list. */
export interface ListSemantics {
  /** What identifies an item: the item of a set itself, the list of keys of an item of a map list. */
  readonly identity: (item: Value) => Value;
  /** Whether it is a map list, in which a later item replaces an earlier one with the same keys. */
  readonly isKeyed: boolean;
}

/** A map. Values are computed on demand where the map is a view of JSON. */
export abstract class MapValue {
  abstract readonly size: number;

  get typeName(): string {
    return 'map';
  }

  /** The value of a key; `undefined` when the map has no such key. */
  abstract find(key: Value): Value | undefined;
  abstract keys(): Iterable<Value>;
}

/** A type as a value, such as the result of `type(x)`. */
export class TypeValue {
  constructor(readonly name: string) {}
}

/** An optional value; `value` is `undefined` for `optional.none()`. */
export class OptionalValue {
  constructor(readonly value: Value | undefined) {}
}

/** `optional.none()`. */
export const OPTIONAL_NONE = new OptionalValue(undefined);

/** A value of a type of the library: an address, a quantity, a URL. */
export abstract class OpaqueValue {
  abstract readonly typeName: string;
  abstract equals(other: OpaqueValue): boolean;

  /** The value as text; `undefined` when it has no text form. */
  print(): string | undefined {
    return undefined;
  }
}

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint
  | Uint8Array
  | Timestamp
  | Duration
  | ListValue
  | MapValue
  | TypeValue
  | OptionalValue
  | OpaqueValue
  | ErrorValue;

/** A list of items that are values already. */
export class ArrayList extends ListValue {
  constructor(readonly items: readonly Value[]) {
    super();
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): Value {
    return this.items[index] ?? null;
  }
}

/** Two lists in sequence, without copying. */
export class ConcatenatedList extends ListValue {
  readonly size: number;

  constructor(
    private readonly first: ListValue,
    private readonly second: ListValue,
  ) {
    super();
    this.size = first.size + second.size;
  }

  at(index: number): Value {
    return index < this.first.size ? this.first.at(index) : this.second.at(index - this.first.size);
  }
}

/** The lookup key of a map: equal numbers of any type are one key. */
export type MapKey = string | number | bigint | boolean;

/** The lookup key of a value; `undefined` for a value that cannot be a key. */
export function mapKeyOf(key: Value): MapKey | undefined {
  if (typeof key === 'string' || typeof key === 'bigint' || typeof key === 'boolean') return key;
  if (key instanceof Uint) return key.value;
  if (typeof key === 'number') return Number.isInteger(key) ? BigInt(key) : key;
  return undefined;
}

/** A map of entries that are values already. */
export class EntryMap extends MapValue {
  /** Key and value by {@link mapKeyOf}. An entry under a symbol has a key that cannot be looked up. */
  constructor(private readonly entries: ReadonlyMap<MapKey | symbol, readonly [Value, Value]>) {
    super();
  }

  get size(): number {
    return this.entries.size;
  }

  find(key: Value): Value | undefined {
    const mapKey = mapKeyOf(key);
    return mapKey === undefined ? undefined : this.entries.get(mapKey)?.[1];
  }

  *keys(): Generator<Value> {
    for (const [key] of this.entries.values()) yield key;
  }
}

/** The type name of a value in messages and in `type()`. */
export function valueTypeName(value: Value): string {
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    default:
      return value === null ? 'null_type' : instanceTypeName(value);
  }
}

function instanceTypeName(value: Exclude<Value, null | boolean | bigint | number | string>): string {
  if (value instanceof Uint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof ListValue) return 'list';
  if (value instanceof MapValue) return value.typeName;
  if (value instanceof TypeValue) return 'type';
  if (value instanceof OptionalValue) return 'optional_type';
  return value instanceof OpaqueValue ? value.typeName : 'error';
}

const HIGH_SURROGATE = /[\ud800-\udbff]/;
/** The bits by which surrogates are recognized: 0xd800 is the first high one, 0xdc00 the first low one. */
const SURROGATE_MASK = 0xfc00;

/** The number of Unicode code points. */
export function codePointLength(text: string): number {
  if (!HIGH_SURROGATE.test(text)) return text.length;
  let pairs = 0;
  for (let index = 1; index < text.length; index += 1) {
    const isLow = (text.charCodeAt(index) & SURROGATE_MASK) === 0xdc00;
    if (!isLow || (text.charCodeAt(index - 1) & SURROGATE_MASK) !== 0xd800) continue;
    pairs += 1;
    index += 1;
  }
  return text.length - pairs;
}

/** The size of a value for costs; 1 for scalars. */
export function valueSize(value: Value): number {
  if (typeof value === 'string') return codePointLength(value);
  if (value instanceof Uint8Array) return value.length;
  if (value instanceof ListValue || value instanceof MapValue) return value.size;
  return 1;
}
