/**
 * The roles and bindings that there are, and what follows from them for each subject. What follows is worked out when it is first asked for and kept
 * until a binding of that subject or one of its roles changes. Told of every change; looks nothing up itself.
 */
import type { Binding, RoleReference, BindingSubject } from './binding';
import { compareBytes } from '../../../shared/values/json';
import { Grants, type BoundRules } from './grants';
import type { PolicyRule } from './rule';

/** What is bound in one place, by the name of the user or group. */
interface Place {
  readonly user: Map<string, BoundSubject>;
  readonly group: Map<string, BoundSubject>;
}

interface BoundSubject {
  /** By which of its subjects each of them names it. */
  readonly bindings: Map<Binding, BindingSubject>;
  /** The same in the order of names; undefined = not since one came or went. */
  sorted: readonly (readonly [Binding, BindingSubject])[] | undefined;
  grants: Grants | undefined;
}

const newSubject = (): BoundSubject => ({ bindings: new Map<Binding, BindingSubject>(), sorted: undefined, grants: undefined });

const roleKey = ({ namespace, name }: Omit<RoleReference, 'kind'>): string => `${namespace}/${name}`;

export class RbacPolicy {
  private readonly roles = new Map<string, readonly PolicyRule[]>();
  private readonly bindings = new Map<string, Binding>();
  private readonly users = new Map<string, Set<Binding>>();
  private readonly places = new Map<string, Place>();

  /** `namespace` is '' for a ClusterRole; no `rules` = it is gone. */
  setRole(namespace: string, name: string, rules: readonly PolicyRule[] | undefined): void {
    const key = roleKey({ namespace, name });
    if (rules === undefined) this.roles.delete(key);
    else this.roles.set(key, rules);
    for (const { namespace: place, subjects } of this.users.get(key) ?? [])
      for (const subject of subjects) {
        const bound = this.places.get(place)?.[subject.found].get(subject.key);
        if (bound !== undefined) bound.grants = undefined;
      }
  }

  /** `namespace` is '' for a ClusterRoleBinding; no `binding` = it is gone. */
  setBinding(namespace: string, name: string, binding: Binding | undefined): void {
    const key = roleKey({ namespace, name });
    const before = this.bindings.get(key);
    if (before !== undefined) this.remove(before);
    if (binding === undefined) this.bindings.delete(key);
    else {
      this.bindings.set(key, binding);
      this.add(binding);
    }
  }

  /** The rules of a role; undefined = there is none. */
  rulesOf(role: RoleReference): readonly PolicyRule[] | undefined {
    return this.roles.get(roleKey(role));
  }

  /** What a user or group is granted in a namespace by bindings there ('' = everywhere); undefined = it is named by none. */
  grants(namespace: string, found: BindingSubject['found'], key: string): Grants | undefined {
    const bound = this.places.get(namespace)?.[found].get(key);
    if (bound === undefined) return undefined;
    return (bound.grants ??= this.grantsOf(bound));
  }

  /** In the order of names, so that replicas, which see bindings in different orders, name the same one of several that allow. */
  private grantsOf(bound: BoundSubject): Grants {
    bound.sorted ??= [...bound.bindings].sort(([a], [b]) => compareBytes(a.text, b.text));
    return new Grants(bound.sorted.map(([binding, subject]): BoundRules => ({ binding, subject, rules: this.rulesOf(binding.role) })));
  }

  private add(binding: Binding): void {
    const place = this.places.get(binding.namespace) ?? { user: new Map<string, BoundSubject>(), group: new Map<string, BoundSubject>() };
    this.places.set(binding.namespace, place);
    for (const subject of binding.subjects) {
      const bound = place[subject.found].get(subject.key) ?? newSubject();
      place[subject.found].set(subject.key, bound);
      if (!bound.bindings.has(binding)) bound.bindings.set(binding, subject);
      bound.sorted = undefined;
      bound.grants = undefined;
    }
    const users = this.users.get(roleKey(binding.role)) ?? new Set<Binding>();
    this.users.set(roleKey(binding.role), users.add(binding));
  }

  private remove(binding: Binding): void {
    const place = this.places.get(binding.namespace);
    for (const { found, key } of binding.subjects) {
      const bound = place?.[found].get(key);
      if (bound === undefined) continue;
      bound.bindings.delete(binding);
      bound.sorted = undefined;
      bound.grants = undefined;
      if (bound.bindings.size === 0) place?.[found].delete(key);
    }
    if (place?.user.size === 0 && place.group.size === 0) this.places.delete(binding.namespace);
    const users = this.users.get(roleKey(binding.role));
    users?.delete(binding);
    if (users?.size === 0) this.users.delete(roleKey(binding.role));
  }
}
