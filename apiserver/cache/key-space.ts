/**
 * Which key belongs to which type: `<prefix>/<segment>/<object key>`, where a segment has one or two parts.
 */
import { prefixRange, type KeyRange } from '../storage/store';
import type { StoredType, WatchScope } from './contract';
import { TypeState } from './type-state';

export class KeySpace {
  /** Everything below the prefix. */
  readonly whole: KeyRange;
  readonly states: readonly TypeState[];
  private readonly bySegment = new Map<string, TypeState>();
  private readonly byType = new Map<string, TypeState>();
  private readonly root: string;

  constructor(prefix: string, types: readonly StoredType[]) {
    this.root = `${prefix}/`;
    this.whole = prefixRange(this.root);
    this.states = types.map((type) => new TypeState(type, this.root.length + type.segment.length + 1));
    for (const state of this.states) {
      if (this.bySegment.has(state.type.segment)) throw new Error(`two types are stored under ${state.type.segment}`);
      this.bySegment.set(state.type.segment, state);
      this.byType.set(state.type.name, state);
    }
  }

  state(type: StoredType): TypeState {
    const state = this.byType.get(type.name);
    if (state === undefined) throw new Error(`the cache was opened without ${type.name}`);
    return state;
  }

  /** The type that a store key belongs to; undefined for keys that are no API objects. */
  locate(storeKey: string): TypeState | undefined {
    const first = storeKey.indexOf('/', this.root.length);
    if (first < 0) return undefined;
    const single = this.bySegment.get(storeKey.slice(this.root.length, first));
    if (single !== undefined) return single;
    const second = storeKey.indexOf('/', first + 1);
    return second < 0 ? undefined : this.bySegment.get(storeKey.slice(this.root.length, second));
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
