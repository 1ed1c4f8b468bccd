/**
 * The open watches of one type by what they can see, so that a change visits only those whom it concerns: 1,000 watches of one name each, or of one
 * value each of an indexed field, cost a change no more than one watch does.
 */
import type { Entry, StoredType, WatchScope } from '../cache';
import type { Watcher } from './watcher';
import type { RecordedChange } from '../store/window';

export class Watchers {
  /** Those who wait for no particular value. */
  private readonly unindexed: Places;
  /** The others by field and value. */
  private readonly byField = new Map<string, Map<string, Places>>();
  private count = 0;

  constructor(private readonly type: StoredType) {
    this.unindexed = new Places(type);
  }

  get size(): number {
    return this.count;
  }

  add(watcher: Watcher): void {
    this.placesFor(watcher).add(watcher);
    this.count += 1;
  }

  delete(watcher: Watcher): void {
    const { indexed } = watcher.request.scope;
    const byValue = indexed === undefined ? undefined : this.byField.get(indexed.field);
    const places = indexed === undefined ? this.unindexed : byValue?.get(indexed.value);
    if (places?.delete(watcher) !== true) return;
    this.count -= 1;
    if (indexed === undefined || byValue === undefined || !places.empty) return;
    byValue.delete(indexed.value);
    if (byValue.size === 0) this.byField.delete(indexed.field);
  }

  /** Tells each watcher once, also when the change takes the object from one value to another. */
  dispatch(change: RecordedChange): void {
    if (this.count === 0) return;
    this.unindexed.tell(change);
    const { current, previous } = change;
    for (const [field, byValue] of this.byField) {
      const now = current === undefined ? undefined : valueOf(current, field);
      const before = previous === undefined ? undefined : valueOf(previous, field);
      if (now !== undefined) byValue.get(now)?.tell(change);
      if (before !== undefined && before !== now) byValue.get(before)?.tell(change);
    }
  }

  /** A copy: what is done to them may change the sets. */
  all(): Watcher[] {
    const indexed = [...this.byField.values()].flatMap((byValue) => [...byValue.values()]);
    return [this.unindexed, ...indexed].flatMap((places) => places.all());
  }

  private placesFor({ request }: Watcher): Places {
    const { indexed } = request.scope;
    if (indexed === undefined) return this.unindexed;
    const byValue = this.byField.get(indexed.field) ?? new Map<string, Places>();
    this.byField.set(indexed.field, byValue);
    const places = byValue.get(indexed.value) ?? new Places(this.type);
    byValue.set(indexed.value, places);
    return places;
  }
}

function valueOf(entry: Entry, field: string): string {
  return entry.fields[field] ?? '';
}

/** Watchers by the place that they look at: everything, a namespace, a name. */
class Places {
  private readonly byScope = new Map<string, Set<Watcher>>();

  constructor(private readonly type: StoredType) {}

  get empty(): boolean {
    return this.byScope.size === 0;
  }

  add(watcher: Watcher): void {
    const scope = scopeKey(this.type, watcher.request.scope);
    const watchers = this.byScope.get(scope) ?? new Set();
    this.byScope.set(scope, watchers.add(watcher));
  }

  /** False when the watcher was not here. */
  delete(watcher: Watcher): boolean {
    const scope = scopeKey(this.type, watcher.request.scope);
    const watchers = this.byScope.get(scope);
    if (watchers?.delete(watcher) !== true) return false;
    if (watchers.size === 0) this.byScope.delete(scope);
    return true;
  }

  tell(change: RecordedChange): void {
    this.tellAt('', change);
    if (!this.type.namespaced) {
      this.tellAt(`/${change.key}`, change);
      return;
    }
    const slash = change.key.indexOf('/');
    this.tellAt(change.key.slice(0, slash + 1), change);
    this.tellAt(change.key.slice(slash), change);
    this.tellAt(change.key, change);
  }

  all(): Watcher[] {
    return [...this.byScope.values()].flatMap((watchers) => [...watchers]);
  }

  private tellAt(scope: string, change: RecordedChange): void {
    const watchers = this.byScope.get(scope);
    if (watchers === undefined) return;
    for (const watcher of watchers) watcher.take(change);
  }
}

/** `''` everything, `ns/` a namespace, `/name` a name in all namespaces (or of a cluster-scoped type), `ns/name` one object. */
function scopeKey(type: StoredType, scope: WatchScope): string {
  const namespace = type.namespaced ? (scope.namespace ?? '') : '';
  if (namespace === '' && scope.name === undefined) return '';
  return `${namespace}/${scope.name ?? ''}`;
}
