/**
 * JSON without a schema as CEL values. Integers in the range of int64 are ints, as upstream decodes them. Objects and
 * lists are converted lazily, when an expression accesses them, so they must not change meanwhile.
 */
import { isObject, ownMember, type JsonObject, type JsonValue } from '../values/json';
import { ErrorValue, ListValue, MapValue, type Value } from './values/value';

/** Far beyond what a real expression accesses. */
const MAX_DEPTH = 200;

/** `depth` is the number of containers around the value. A value that is too deep becomes an error. */
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

/** A map that is created on first access. */
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

/** An object that is created on first access. */
export const lazyObject = (create: () => JsonObject): MapValue => new LazyMap(() => new UntypedMap(create(), 0));
