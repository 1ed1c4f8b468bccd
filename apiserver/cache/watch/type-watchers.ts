/**
 * The open watches of one type, indexed by what they can see, so that a change visits only those that it concerns:
 * 1,000 watches of one name each, or of one value each of an indexed field, cost a change no more than one watch does.
 */
import type { StoredType, WatchScope } from '../cache';
import type { Watcher } from './watcher';
import type { RecordedChange } from '../store/event-window';
import { fieldValue } from '../store/field-index';

/** The index of the watches of a type. */
export class TypeWatchers {
  /** Watchers without an indexed field. */
  private readonly unindexed: WatchersByScope;
  /** The other watchers, by field and value. */
  private readonly byField = new Map<string, Map<string, WatchersByScope>>();
  private count = 0;

  constructor(private readonly type: StoredType) {
    this.unindexed = new WatchersByScope(type);
  }

  get size(): number {
    return this.count;
  }

  /** The watcher is notified of the next change in its scope. */
  add(watcher: Watcher): void {
    this.watchersFor(watcher).add(watcher);
    this.count += 1;
  }

  /** The watcher is not notified any more, not even of a change that is being dispatched. */
  delete(watcher: Watcher): void {
    const { indexed } = watcher.request.scope;
    const byValue = indexed === undefined ? undefined : this.byField.get(indexed.field);
    const byScope = indexed === undefined ? this.unindexed : byValue?.get(indexed.value);
    if (byScope?.delete(watcher) !== true) return;
    this.count -= 1;
    if (indexed === undefined || byValue === undefined || !byScope.isEmpty) return;
    byValue.delete(indexed.value);
    if (byValue.size === 0) this.byField.delete(indexed.field);
  }

  /** Notifies each watcher at most once, also when the change moves the object from one value to another. */
  dispatch(change: RecordedChange): void {
    if (this.count === 0) return;
    this.unindexed.notify(change);
    const { current, previous } = change;
    for (const [field, byValue] of this.byField) {
      const currentValue = current === undefined ? undefined : fieldValue(current, field);
      const previousValue = previous === undefined ? undefined : fieldValue(previous, field);
      if (currentValue !== undefined) byValue.get(currentValue)?.notify(change);
      if (previousValue !== undefined && previousValue !== currentValue) byValue.get(previousValue)?.notify(change);
    }
  }

  /** A copy: callers may close watchers while iterating. */
  list(): Watcher[] {
    const indexed = [...this.byField.values()].flatMap((byValue) => [...byValue.values()]);
    return [this.unindexed, ...indexed].flatMap((byScope) => byScope.list());
  }

  private watchersFor({ request }: Watcher): WatchersByScope {
    const { indexed } = request.scope;
    if (indexed === undefined) return this.unindexed;
    const byValue = this.byField.get(indexed.field) ?? new Map<string, WatchersByScope>();
    this.byField.set(indexed.field, byValue);
    const byScope = byValue.get(indexed.value) ?? new WatchersByScope(this.type);
    byValue.set(indexed.value, byScope);
    return byScope;
  }
}

/** Watchers by scope: everything, a namespace, or a name. */
class WatchersByScope {
  private readonly byScope = new Map<string, Set<Watcher>>();

  constructor(private readonly type: StoredType) {}

  get isEmpty(): boolean {
    return this.byScope.size === 0;
  }

  add(watcher: Watcher): void {
    const scope = scopeKey(this.type, watcher.request.scope);
    const watchers = this.byScope.get(scope) ?? new Set();
    this.byScope.set(scope, watchers.add(watcher));
  }

  /** Returns false when the watcher was not found. */
  delete(watcher: Watcher): boolean {
    const scope = scopeKey(this.type, watcher.request.scope);
    const watchers = this.byScope.get(scope);
    if (watchers?.delete(watcher) !== true) return false;
    if (watchers.size === 0) this.byScope.delete(scope);
    return true;
  }

  notify(change: RecordedChange): void {
    this.notifyScope('', change);
    if (!this.type.namespaced) {
      this.notifyScope(`/${change.key}`, change);
      return;
    }
    const slash = change.key.indexOf('/');
    this.notifyScope(change.key.slice(0, slash + 1), change);
    this.notifyScope(change.key.slice(slash), change);
    this.notifyScope(change.key, change);
  }

  list(): Watcher[] {
    return [...this.byScope.values()].flatMap((watchers) => [...watchers]);
  }

  private notifyScope(scope: string, change: RecordedChange): void {
    const watchers = this.byScope.get(scope);
    if (watchers === undefined) return;
    for (const watcher of watchers) watcher.onChange(change);
  }
}

/**
 * `''` for everything, `ns/` for a namespace, `/name` for a name in all namespaces (or of a cluster-scoped type),
 * `ns/name` for one object.
 */
function scopeKey(type: StoredType, scope: WatchScope): string {
  const namespace = type.namespaced ? (scope.namespace ?? '') : '';
  if (namespace === '' && scope.name === undefined) return '';
  return `${namespace}/${scope.name ?? ''}`;
}
