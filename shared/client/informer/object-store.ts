/**
 * A store of objects by key with named indexes, which each change of the store updates. The owner, such as a handler of
 * an informer, calls it with every change of the objects.
 */
import type { JsonObject } from '../../values/json';
import { keyOf, type ApiObject } from '../rest/api-object';

/** Returns the index values of an object. */
export type Indexer<Body extends JsonObject = JsonObject> = (object: ApiObject<Body>) => readonly string[];

/** Objects of one resource, by key and by the declared indexes. */
export class ObjectStore<Body extends JsonObject = JsonObject> {
  private readonly objects = new Map<string, ApiObject<Body>>();
  /** By name of the index: its indexer, and the keys of the objects with each value. */
  private readonly indexes: ReadonlyMap<string, { readonly indexer: Indexer<Body>; readonly keys: Map<string, Set<string>> }>;

  constructor(indexers: Readonly<Record<string, Indexer<Body>>> = {}) {
    this.indexes = new Map(Object.entries(indexers).map(([name, indexer]) => [name, { indexer, keys: new Map<string, Set<string>>() }]));
  }

  get size(): number {
    return this.objects.size;
  }

  get(key: string): ApiObject<Body> | undefined {
    return this.objects.get(key);
  }

  keys(): Iterable<string> {
    return this.objects.keys();
  }

  values(): Iterable<ApiObject<Body>> {
    return this.objects.values();
  }

  /** The objects with this value in the index. Throws for an undeclared index. */
  byIndex(index: string, value: string): readonly ApiObject<Body>[] {
    const entry = this.indexes.get(index);
    if (entry === undefined) throw new Error(`there is no index ${index}`);
    return [...(entry.keys.get(value) ?? [])].flatMap((key) => this.objects.get(key) ?? []);
  }

  /** Adds or replaces an object. Returns the previous one; `undefined` when there was none. */
  set(object: ApiObject<Body>): ApiObject<Body> | undefined {
    const key = keyOf(object);
    const previous = this.remove(key);
    this.objects.set(key, object);
    for (const { indexer, keys } of this.indexes.values()) {
      for (const value of indexer(object)) {
        const known = keys.get(value);
        if (known === undefined) keys.set(value, new Set([key]));
        else known.add(key);
      }
    }
    return previous;
  }

  /** Removes and returns an object; `undefined` when there is none. */
  remove(key: string): ApiObject<Body> | undefined {
    const previous = this.objects.get(key);
    if (previous === undefined) return undefined;
    this.objects.delete(key);
    for (const { indexer, keys } of this.indexes.values()) {
      for (const value of indexer(previous)) {
        const known = keys.get(value);
        known?.delete(key);
        if (known?.size === 0) keys.delete(value);
      }
    }
    return previous;
  }
}
