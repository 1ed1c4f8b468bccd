/**
 * Which key belongs to which type: `<prefix>/<segment>/<object key>`, where a segment has one or two parts. The built-in types are known from the
 * start. Custom resources lie under `<group>/<resource>`, so their types are known by their keys, whether or not their definition has been seen:
 * the clock never waits for a definition, and what it passes is never missing.
 */
import { compareBytes } from '../../../shared/values/json';
import { prefixRange, type KeyRange, type Revision } from '../../storage/store';
import type { StoredType, WatchScope } from '../cache';
import { TypeState } from './type-state';

export class KeySpace {
  /** Everything below the prefix. */
  readonly whole: KeyRange;
  private readonly bySegment = new Map<string, TypeState>();
  private readonly builtIn: ReadonlySet<TypeState>;
  private readonly root: string;

  constructor(prefix: string, types: readonly StoredType[]) {
    this.root = `${prefix}/`;
    this.whole = prefixRange(this.root);
    for (const type of types) {
      if (this.bySegment.has(type.segment)) throw new Error(`two types are stored under ${type.segment}`);
      this.adopt(type, 0);
    }
    this.builtIn = new Set(this.bySegment.values());
  }

  get states(): readonly TypeState[] {
    return [...this.bySegment.values()];
  }

  /** `now` = the clock's revision, from which on a type is known that was not known before. */
  state(type: StoredType, now: Revision): TypeState {
    const state = this.bySegment.get(type.segment);
    if (state !== undefined && state.type.namespaced === type.namespaced) return state;
    if (!isCustom(type.segment)) throw new Error(`the cache was opened without ${type.name}`);
    if (state !== undefined && state.size > 0) throw new Error(`objects of another scope are stored under ${type.segment}`);
    return this.adopt(type, now);
  }

  /** The type that a store key belongs to, as of `before`; undefined for keys that are no API objects. */
  locate(storeKey: string, before: Revision): TypeState | undefined {
    const first = storeKey.indexOf('/', this.root.length);
    if (first < 0) return undefined;
    const single = this.bySegment.get(storeKey.slice(this.root.length, first));
    if (single !== undefined) return single;
    const second = storeKey.indexOf('/', first + 1);
    if (second < 0) return undefined;
    const segment = storeKey.slice(this.root.length, second);
    const state = this.bySegment.get(segment);
    if (!isCustom(segment) || (state !== undefined && this.builtIn.has(state))) return state;
    const namespaced = storeKey.includes('/', second + 1);
    if (state?.type.namespaced === namespaced) return state;
    // Objects of another scope than those that are there can only be what somebody left behind.
    return state === undefined || state.size === 0 ? this.adopt(customType(segment, namespaced), before) : undefined;
  }

  /** Forgets a custom type that has no objects. */
  forget(type: StoredType): TypeState | undefined {
    const state = this.bySegment.get(type.segment);
    if (state === undefined || state.size > 0 || this.builtIn.has(state)) return undefined;
    this.bySegment.delete(type.segment);
    return state;
  }

  private adopt(type: StoredType, floor: Revision): TypeState {
    const state = new TypeState(type, this.root.length + type.segment.length + 1);
    state.beginLog(floor);
    this.bySegment.set(type.segment, state);
    return state;
  }

  /** Where the keys begin that follow all those which share a key's first part, or its first two parts where the first one is a group. */
  endOfSegment(storeKey: string): string {
    const first = storeKey.indexOf('/', this.root.length);
    const second = first < 0 ? -1 : storeKey.indexOf('/', first + 1);
    const last = second > 0 && isCustom(storeKey.slice(this.root.length, second)) ? second : first;
    return last < 0 ? `${storeKey}\0` : prefixRange(storeKey.slice(0, last + 1)).end;
  }

  /** What follows the prefix. */
  relative(storeKey: string): string {
    return storeKey.slice(this.root.length);
  }

  other(relativeKey: string): string {
    return this.root + relativeKey;
  }

  storeKey(type: StoredType, key: string): string {
    return `${this.root}${type.segment}/${key}`;
  }

  range(type: StoredType, start?: string, end?: string): KeyRange {
    const whole = prefixRange(this.storeKey(type, ''));
    return {
      start: start === undefined ? whole.start : this.storeKey(type, start),
      end: end === undefined ? whole.end : this.storeKey(type, end),
    };
  }
}

/** The first of the keys in [start, end); an absent bound is open. */
export function firstKey(keys: Iterable<string>, start?: string, end?: string): string | undefined {
  let first: string | undefined;
  for (const key of keys) {
    const isIn = (start === undefined || compareBytes(key, start) >= 0) && (end === undefined || compareBytes(key, end) < 0);
    if (isIn && (first === undefined || compareBytes(key, first) < 0)) first = key;
  }
  return first;
}

/** Groups of custom resources have a dot, and no other first part of a key has. */
function isCustom(segment: string): boolean {
  const slash = segment.indexOf('/');
  return slash > 0 && segment.lastIndexOf('.', slash) > 0;
}

/** The stored type of a custom resource, told from its segment, `<group>/<resource>`. */
export function customType(segment: string, namespaced: boolean): StoredType {
  const slash = segment.indexOf('/');
  return { name: `${segment.slice(slash + 1)}.${segment.slice(0, slash)}`, segment, namespaced };
}

/** Tells of a key of the store the name of the type whose object it holds, such as `secrets` or `deployments.apps`; undefined = it holds none. */
export function typeNames(prefix: string, types: readonly StoredType[]): (storeKey: string) => string | undefined {
  const root = `${prefix}/`;
  const names = new Map(types.map(({ segment, name }) => [segment, name]));
  return (storeKey) => {
    const first = storeKey.indexOf('/', root.length);
    if (first < 0 || !storeKey.startsWith(root)) return undefined;
    const single = names.get(storeKey.slice(root.length, first));
    if (single !== undefined) return single;
    const second = storeKey.indexOf('/', first + 1);
    if (second < 0) return undefined;
    const segment = storeKey.slice(root.length, second);
    return names.get(segment) ?? (isCustom(segment) ? customType(segment, false).name : undefined);
  };
}

/** The bounds of the object keys that a scope can hold; for a name in all namespaces these are all keys. */
export function scopeBounds(type: StoredType, scope: WatchScope): { readonly start?: string; readonly end?: string } {
  if (!type.namespaced) return scope.name === undefined ? {} : { start: scope.name, end: `${scope.name}\0` };
  if (scope.namespace === undefined) return {};
  if (scope.name === undefined) return { start: `${scope.namespace}/`, end: `${scope.namespace}0` };
  const key = `${scope.namespace}/${scope.name}`;
  return { start: key, end: `${key}\0` };
}

/** Whether a key lies in a scope. */
export function inScope(type: StoredType, scope: WatchScope, key: string): boolean {
  if (!type.namespaced) return scope.name === undefined || key === scope.name;
  const slash = key.indexOf('/');
  if (scope.namespace !== undefined && key.slice(0, slash) !== scope.namespace) return false;
  return scope.name === undefined || key.slice(slash + 1) === scope.name;
}
