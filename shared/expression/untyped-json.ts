/**
 * JSON without a schema as values of the expression language: whole numbers of 64 bits are integers, as upstream reads them. Objects and lists are read where they stand,
 * no sooner than an expression asks for what is in them, so they must not change while it does.
 */
import { isObject, own, type JsonObject, type JsonValue } from '../values/json';
import { Failure, ListValue, MapValue, type Value } from './values/value';

/** No expression that anybody writes looks deeper. */
const DEEPEST = 200;

export function freeValue(value: JsonValue, depth = 0): Value {
  if (typeof value !== 'object' || value === null) return freeScalar(value);
  if (depth > DEEPEST) return new Failure(`deeper than ${DEEPEST} levels`);
  if (Array.isArray(value)) return new FreeList(value, depth);
  return isObject(value) ? new FreeMap(value, depth) : null;
}

const freeScalar = (value: Exclude<JsonValue, object> | null): Value =>
  typeof value === 'number' || typeof value === 'bigint' ? freeNumber(value) : value;

function freeNumber(value: number | bigint): Value {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  return BigInt.asIntN(64, value) === value ? value : Number(value);
}

class FreeList extends ListValue {
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
    return freeValue(this.items[index] ?? null, this.depth + 1);
  }
}

class FreeMap extends MapValue {
  private names: readonly string[] | undefined;

  constructor(
    private readonly object: JsonObject,
    private readonly depth: number,
  ) {
    super();
  }

  get size(): number {
    return this.all.length;
  }

  find(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const value = own(this.object, key);
    return value === undefined ? undefined : freeValue(value, this.depth + 1);
  }

  keys(): Iterable<Value> {
    return this.all;
  }

  private get all(): readonly string[] {
    return (this.names ??= Object.keys(this.object).filter((name) => this.object[name] !== undefined));
  }
}

/** A map that is made when something of it is asked for. */
export class LaterMap extends MapValue {
  private made: MapValue | undefined;

  constructor(private readonly make: () => MapValue) {
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
    return (this.made ??= this.make());
  }
}

/** An object that is put together when something of it is asked for. */
export const laterObject = (make: () => JsonObject): MapValue => new LaterMap(() => new FreeMap(make(), 0));
