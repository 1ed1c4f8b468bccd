/**
 * The open watches of one type by scope, so that a change visits only those who can see it: 1,000 watches of one name each cost a change
 * to one of them no more than one watch does.
 */
import type { StoredType, WatchScope } from './cache';
import type { Watcher } from './watcher';
import type { RecordedChange } from './window';

export class Watchers {
  private readonly byScope = new Map<string, Set<Watcher>>();
  private count = 0;

  constructor(private readonly type: StoredType) {}

  get size(): number {
    return this.count;
  }

  add(watcher: Watcher): void {
    const scope = scopeKey(this.type, watcher.request.scope);
    const watchers = this.byScope.get(scope) ?? new Set();
    this.byScope.set(scope, watchers.add(watcher));
    this.count += 1;
  }

  delete(watcher: Watcher): void {
    const scope = scopeKey(this.type, watcher.request.scope);
    const watchers = this.byScope.get(scope);
    if (watchers?.delete(watcher) !== true) return;
    this.count -= 1;
    if (watchers.size === 0) this.byScope.delete(scope);
  }

  dispatch(change: RecordedChange): void {
    if (this.count === 0) return;
    this.tell('', change);
    if (!this.type.namespaced) {
      this.tell(`/${change.key}`, change);
      return;
    }
    const slash = change.key.indexOf('/');
    this.tell(change.key.slice(0, slash + 1), change);
    this.tell(change.key.slice(slash), change);
    this.tell(change.key, change);
  }

  /** A copy: what is done to them may change the set. */
  all(): Watcher[] {
    return [...this.byScope.values()].flatMap((watchers) => [...watchers]);
  }

  private tell(scope: string, change: RecordedChange): void {
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
