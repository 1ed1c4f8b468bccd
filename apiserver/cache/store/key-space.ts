/**
 * Maps store keys to types: `<prefix>/<segment>/<object key>`, with a segment of one or two parts. Examples:
 * `configmaps/default/a`, `services/specs/default/a`, `stable.example.com/crontabs/default/a`.
 *
 * Built-in types are known from the start. Custom resources are stored under `<group>/<resource>`, so their types follow
 * from their keys, and the cache never waits for a definition. Keys of a custom resource with another scope than the
 * present objects (cluster-scoped beside namespaced, or the reverse) remain from an earlier definition; they are skipped.
 */
import { compareBytes } from '../../../shared/values/json';
import { prefixRange, type KeyRange, type Revision } from '../../storage/store';
import type { StoredType } from '../cache';
import { TypeState } from './type-state';

/** The types of one cache. */
export class KeySpace {
  /** The range of all keys below the prefix. */
  readonly wholeRange: KeyRange;
  private readonly bySegment = new Map<string, TypeState>();
  private readonly builtIn: ReadonlySet<TypeState>;
  private readonly root: string;

  constructor(prefix: string, types: readonly StoredType[]) {
    this.root = `${prefix}/`;
    this.wholeRange = prefixRange(this.root);
    for (const type of types) {
      if (this.bySegment.has(type.segment)) throw new Error(`two types are stored under ${type.segment}`);
      this.addType(type, 0);
    }
    this.builtIn = new Set(this.bySegment.values());
  }

  /** The states of all types, in the order of their registration. */
  get states(): readonly TypeState[] {
    return [...this.bySegment.values()];
  }

  /**
   * The state of a type. A custom resource that is not known yet is added: its change log then starts at `cacheRevision`.
   * Throws for a built-in type that the cache was opened without, and for a custom resource with stored objects of
   * another scope.
   */
  stateOf(type: StoredType, cacheRevision: Revision): TypeState {
    const state = this.bySegment.get(type.segment);
    if (state !== undefined && state.type.namespaced === type.namespaced) return state;
    if (!isCustomResource(type.segment)) throw new Error(`the cache was opened without ${type.name}`);
    if (state !== undefined && state.size > 0) throw new Error(`objects of another scope are stored under ${type.segment}`);
    return this.addType(type, cacheRevision);
  }

  /**
   * The state of the type that a store key belongs to; `undefined` for keys that are not API objects, and for keys that
   * are skipped. A custom resource that is not known yet is added: its change log then starts at `logStart`.
   */
  locate(storeKey: string, logStart: Revision): TypeState | undefined {
    const firstSlash = storeKey.indexOf('/', this.root.length);
    if (firstSlash < 0) return undefined;
    const typeOfFirstPart = this.bySegment.get(storeKey.slice(this.root.length, firstSlash));
    if (typeOfFirstPart !== undefined) return typeOfFirstPart;
    const secondSlash = storeKey.indexOf('/', firstSlash + 1);
    if (secondSlash < 0) return undefined;
    const segment = storeKey.slice(this.root.length, secondSlash);
    const state = this.bySegment.get(segment);
    if (!isCustomResource(segment) || (state !== undefined && this.builtIn.has(state))) return state;
    const namespaced = storeKey.includes('/', secondSlash + 1);
    if (state?.type.namespaced === namespaced) return state;
    const hasOtherScope = state !== undefined && state.size > 0;
    return hasOtherScope ? undefined : this.addType(customStoredType(segment, { namespaced }), logStart);
  }

  /** Removes the type of a custom resource without objects and returns its state; `undefined` for any other type. */
  removeType(type: StoredType): TypeState | undefined {
    const state = this.bySegment.get(type.segment);
    if (state === undefined || state.size > 0 || this.builtIn.has(state)) return undefined;
    this.bySegment.delete(type.segment);
    return state;
  }

  private addType(type: StoredType, logStart: Revision): TypeState {
    const state = new TypeState(type, this.root.length + type.segment.length + 1);
    state.resetLog(logStart);
    this.bySegment.set(type.segment, state);
    return state;
  }

  /**
   * The key after all keys that share the type segment of `storeKey` (its first part, or its first two parts under a
   * group).
   */
  endOfSegment(storeKey: string): string {
    const firstSlash = storeKey.indexOf('/', this.root.length);
    const secondSlash = firstSlash < 0 ? -1 : storeKey.indexOf('/', firstSlash + 1);
    const hasGroup = secondSlash > 0 && isCustomResource(storeKey.slice(this.root.length, secondSlash));
    const endSlash = hasGroup ? secondSlash : firstSlash;
    return endSlash < 0 ? `${storeKey}\0` : prefixRange(storeKey.slice(0, endSlash + 1)).end;
  }

  /** The store key without the prefix. */
  relativeKey(storeKey: string): string {
    return storeKey.slice(this.root.length);
  }

  /** The store key of a key that is not an API object; `relativeKey` is without the prefix. */
  nonObjectKey(relativeKey: string): string {
    return this.root + relativeKey;
  }

  /** The store key of an object. */
  storeKey(type: StoredType, key: string): string {
    return `${this.root}${type.segment}/${key}`;
  }

  /** The range of a type's store keys between two object keys; an absent bound is open. */
  range(type: StoredType, start?: string, end?: string): KeyRange {
    const typeRange = prefixRange(this.storeKey(type, ''));
    return {
      start: start === undefined ? typeRange.start : this.storeKey(type, start),
      end: end === undefined ? typeRange.end : this.storeKey(type, end),
    };
  }
}

/** The first of `keys` in [start, end); an absent bound is open. */
export function firstKeyInRange(keys: Iterable<string>, start?: string, end?: string): string | undefined {
  let first: string | undefined;
  for (const key of keys) {
    const isInRange = (start === undefined || compareBytes(key, start) >= 0) && (end === undefined || compareBytes(key, end) < 0);
    if (isInRange && (first === undefined || compareBytes(key, first) < 0)) first = key;
  }
  return first;
}

/**
 * Whether the segment has two parts and the first one, the group, contains a dot: `stable.example.com/crontabs`. No first
 * part of a built-in segment contains one.
 */
export function isCustomResource(segment: string): boolean {
  const slash = segment.indexOf('/');
  return slash > 0 && segment.lastIndexOf('.', slash) > 0;
}

/** The stored type of a custom resource with the segment `<group>/<resource>`. */
export function customStoredType(segment: string, { namespaced }: { readonly namespaced: boolean }): StoredType {
  return { name: customTypeName(segment), segment, namespaced };
}

/** `crontabs.stable.example.com` for the segment `stable.example.com/crontabs`. */
export function customTypeName(segment: string): string {
  const slash = segment.indexOf('/');
  return `${segment.slice(slash + 1)}.${segment.slice(0, slash)}`;
}
