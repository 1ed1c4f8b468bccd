/**
 * JSON without a schema as CEL values, for admission expressions. Integers that are exact and in the range of int64 are
 * ints; other numbers are doubles. Objects and lists are converted when an expression accesses them, so they must not
 * change before. custom/json-value.ts converts JSON by a schema.
 */
import { isObject, ownMember, type JsonObject, type JsonValue } from '../values/json';
import { ErrorValue, ListValue, MapValue, type Value } from './values/value';

/** Far beyond what a real expression accesses. Values are compared and printed by recursion. */
const MAX_DEPTH = 200;

/** `depth` is the number of objects and lists around the value. An object or list that is too deep is an ErrorValue. */
export function untypedValue(value: JsonValue, depth = 0): Value {
  if (typeof value !== 'object' || value === null) return untypedScalar(value);
  if (depth > MAX_DEPTH) return new ErrorValue(`deeper than ${MAX_DEPTH} levels`);
  if (Array.isArray(value)) return new UntypedList(value, depth);
  return isObject(value) ? new UntypedMap(value, depth) : null;
}

const untypedScalar = (value: Exclude<JsonValue, object> | null): Value =>
  typeof value === 'number' || typeof value === 'bigint' ? untypedNumber(value) : value;

function untypedNumber(value: number | bigint): Value {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  return BigInt.asIntN(64, value) === value ? value : Number(value);
}

class UntypedList extends ListValue {
  constructor(
    private readonly items: readonly JsonValue[],
    private readonly depth: number,
  ) {
    super();
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): Value {
    return untypedValue(this.items[index] ?? null, this.depth + 1);
  }
}

class UntypedMap extends MapValue {
  private names: readonly string[] | undefined;

  constructor(
    private readonly object: JsonObject,
    private readonly depth: number,
  ) {
    super();
  }

  get size(): number {
    return this.memberNames.length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const value = ownMember(this.object, key);
    return value === undefined ? undefined : untypedValue(value, this.depth + 1);
  }

  keys(): Iterable<Value> {
    return this.memberNames;
  }

  private get memberNames(): readonly string[] {
    return (this.names ??= Object.keys(this.object).filter((name) => this.object[name] !== undefined));
  }
}

/** A map that `create` returns on first access. */
export class LazyMap extends MapValue {
  private created: MapValue | undefined;

  constructor(private readonly create: () => MapValue) {
    super();
  }

  get size(): number {
    return this.value.size;
  }

  find(key: Value): Value | undefined {
    return this.value.find(key);
  }

  keys(): Iterable<Value> {
    return this.value.keys();
  }

  private get value(): MapValue {
    return (this.created ??= this.create());
  }
}

/** The map of an object that `create` returns on first access. */
export const lazyObject = (create: () => JsonObject): MapValue => new LazyMap(() => new UntypedMap(create(), 0));
