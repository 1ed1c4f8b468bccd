/**
 * All roles and bindings, and the resulting grants of each subject. Grants are computed lazily and cached until a
 * binding of the subject or one of its roles changes.
 */
import type { Binding, RoleReference, BindingSubject } from './binding';
import { compareBytes } from '../../../shared/values/json';
import { SubjectGrants, type BoundRules } from './subject-grants';
import type { PolicyRule } from './rule';

/** The subjects that are bound in one scope (the cluster or a namespace), by user name and by group name. */
interface ScopeSubjects {
  readonly user: Map<string, BoundSubject>;
  readonly group: Map<string, BoundSubject>;
}

/** A user or group in one scope. */
interface BoundSubject {
  /** The bindings that name the subject, each with its first entry that does. */
  readonly bindings: Map<Binding, BindingSubject>;
  /** The entries of `bindings`, sorted; `undefined` after a change of `bindings` and before the first look-up. */
  sorted: readonly (readonly [Binding, BindingSubject])[] | undefined;
  /** `undefined` after a change of `bindings` or of one of their roles, and before the first look-up. */
  grants: SubjectGrants | undefined;
}

const createBoundSubject = (): BoundSubject => ({ bindings: new Map<Binding, BindingSubject>(), sorted: undefined, grants: undefined });

/** `/admin` for a ClusterRole or ClusterRoleBinding, `ns/admin` for others. */
const keyOf = ({ namespace, name }: Omit<RoleReference, 'kind'>): string => `${namespace}/${name}`;

/** The roles and bindings of a cluster. Updated by the informer, read for every request. */
export class RbacPolicy {
  /** By {@link keyOf} the role. */
  private readonly roles = new Map<string, readonly PolicyRule[]>();
  /** By {@link keyOf} the binding. */
  private readonly bindings = new Map<string, Binding>();
  /** By {@link keyOf} the role, which need not exist. */
  private readonly bindingsByRole = new Map<string, Set<Binding>>();
  /** By namespace; '' for the cluster. */
  private readonly scopes = new Map<string, ScopeSubjects>();

  /** Adds or replaces a role. `namespace` is '' for a ClusterRole. `rules` is `undefined` when the role was deleted. */
  setRole(namespace: string, name: string, rules: readonly PolicyRule[] | undefined): void {
    const key = keyOf({ namespace, name });
    if (rules === undefined) this.roles.delete(key);
    else this.roles.set(key, rules);
    for (const { namespace: scope, subjects } of this.bindingsByRole.get(key) ?? [])
      for (const subject of subjects) {
        const bound = this.scopes.get(scope)?.[subject.kind].get(subject.key);
        if (bound !== undefined) bound.grants = undefined;
      }
  }

  /** Adds or replaces a binding. `namespace` is '' for a ClusterRoleBinding. `binding` is `undefined` when it was deleted. */
  setBinding(namespace: string, name: string, binding: Binding | undefined): void {
    const key = keyOf({ namespace, name });
    const previous = this.bindings.get(key);
    if (previous !== undefined) this.remove(previous);
    if (binding === undefined) this.bindings.delete(key);
    else {
      this.bindings.set(key, binding);
      this.add(binding);
    }
  }

  /** `undefined` when the role does not exist. */
  rulesOf(role: RoleReference): readonly PolicyRule[] | undefined {
    return this.roles.get(keyOf(role));
  }

  /**
   * The grants of a user or group by bindings in a namespace ('' for ClusterRoleBindings); `undefined` when no binding
   * names it.
   */
  findGrants(namespace: string, kind: BindingSubject['kind'], key: string): SubjectGrants | undefined {
    const bound = this.scopes.get(namespace)?.[kind].get(key);
    if (bound === undefined) return undefined;
    return (bound.grants ??= this.buildGrants(bound));
  }

  /**
   * When several bindings allow a request, the first one is reported. They are sorted, because replicas see them in
   * different orders and must report the same one.
   */
  private buildGrants(bound: BoundSubject): SubjectGrants {
    bound.sorted ??= [...bound.bindings].sort(([a], [b]) => compareBytes(a.text, b.text));
    return new SubjectGrants(
      bound.sorted.map(([binding, subject]): BoundRules => ({ binding, subject, rules: this.rulesOf(binding.role) })),
    );
  }

  private add(binding: Binding): void {
    const scope = this.scopes.get(binding.namespace) ?? { user: new Map<string, BoundSubject>(), group: new Map<string, BoundSubject>() };
    this.scopes.set(binding.namespace, scope);
    for (const subject of binding.subjects) {
      const bound = scope[subject.kind].get(subject.key) ?? createBoundSubject();
      scope[subject.kind].set(subject.key, bound);
      if (!bound.bindings.has(binding)) bound.bindings.set(binding, subject);
      bound.sorted = undefined;
      bound.grants = undefined;
    }
    const roleBindings = this.bindingsByRole.get(keyOf(binding.role)) ?? new Set<Binding>();
    this.bindingsByRole.set(keyOf(binding.role), roleBindings.add(binding));
  }

  private remove(binding: Binding): void {
    const scope = this.scopes.get(binding.namespace);
    for (const { kind, key } of binding.subjects) {
      const bound = scope?.[kind].get(key);
      if (bound === undefined) continue;
      bound.bindings.delete(binding);
      bound.sorted = undefined;
      bound.grants = undefined;
      if (bound.bindings.size === 0) scope?.[kind].delete(key);
    }
    if (scope?.user.size === 0 && scope.group.size === 0) this.scopes.delete(binding.namespace);
    const roleBindings = this.bindingsByRole.get(keyOf(binding.role));
    roleBindings?.delete(binding);
    if (roleBindings?.size === 0) this.bindingsByRole.delete(keyOf(binding.role));
  }
}
