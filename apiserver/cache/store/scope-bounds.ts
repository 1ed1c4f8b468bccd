/** The object keys that belong to the scope of a watch or a list. Selectors are left to the callers. */
import type { StoredType, WatchScope } from '../cache';

/**
 * The bounds of the object keys in a scope; `{}` when they are open, as for a name in all namespaces. `<namespace>0` ends
 * the keys of a namespace, because `0` follows `/` in ASCII.
 */
export function scopeBounds(type: StoredType, scope: WatchScope): { readonly start?: string; readonly end?: string } {
  if (!type.namespaced) return scope.name === undefined ? {} : { start: scope.name, end: `${scope.name}\0` };
  if (scope.namespace === undefined) return {};
  if (scope.name === undefined) return { start: `${scope.namespace}/`, end: `${scope.namespace}0` };
  const key = `${scope.namespace}/${scope.name}`;
  return { start: key, end: `${key}\0` };
}

/** Whether an object key belongs to the namespace and name of the scope. */
export function isInScope(type: StoredType, scope: WatchScope, key: string): boolean {
  if (!type.namespaced) return scope.name === undefined || key === scope.name;
  const slash = key.indexOf('/');
  if (scope.namespace !== undefined && key.slice(0, slash) !== scope.namespace) return false;
  return scope.name === undefined || key.slice(slash + 1) === scope.name;
}
