/**
 * The grants of one subject in one scope (the cluster or a namespace), indexed so that a decision takes a few look-ups
 * whatever the number of rules. Immutable.
 */
import { appendToKey } from '../../../shared/values/append';
import type { Attributes, Decision, PathAttributes } from '../authorizer';
import type { Binding, BindingSubject } from './binding';
import {
  allowsObject,
  allowsPath,
  combineResource,
  parseCombinedResource,
  type CombinedResource,
  type ObjectAccess,
  type PolicyRule,
} from './rule';

type Allowed = Extract<Decision, { readonly type: 'allow' }>;

/** A rule together with the binding that grants it. */
export class Grant {
  private cachedDecision: Allowed | undefined;

  constructor(
    readonly rule: PolicyRule,
    /** Position in the order of bindings, which decides between grants that name the resource equally specifically. */
    readonly position: number,
    private readonly bound: BoundRules,
  ) {}

  /** The decision about a request that the rule allows; the same object each time. */
  get decision(): Allowed {
    return (this.cachedDecision ??= { type: 'allow', reason: this.reason() });
  }

  private reason(): string {
    const { binding, subject } = this.bound;
    return `RBAC: allowed by ${binding.text} of ${binding.role.kind} ${JSON.stringify(binding.role.name)} to ${subject.text}`;
  }
}

/** A binding that names the subject, with the rules of its role. */
export interface BoundRules {
  readonly binding: Binding;
  /** The entry of the binding that names the subject. */
  readonly subject: BindingSubject;
  /** `undefined` when the role does not exist. */
  readonly rules: readonly PolicyRule[] | undefined;
}

/**
 * The grants that name a resource, in the order of their positions. The first look-up builds the index, because most
 * resources are never looked up.
 */
class ResourceGrants {
  private readonly grants: Grant[] = [];
  private index: GrantIndex | undefined;

  add(grant: Grant): void {
    this.grants.push(grant);
  }

  /** The first of the grants that allows the access. */
  findFirst(access: ObjectAccess): Grant | undefined {
    const { unnamed, byName } = (this.index ??= buildIndex(this.grants));
    const namedGrant = access.name === undefined ? undefined : firstAllowing(byName.get(access.name), access);
    const unnamedGrant = firstAllowing(unnamed, access);
    if (namedGrant === undefined || unnamedGrant === undefined) return namedGrant ?? unnamedGrant;
    return namedGrant.position < unnamedGrant.position ? namedGrant : unnamedGrant;
  }
}

/** The grants of a resource, in two parts. */
interface GrantIndex {
  /** Those for objects of every name. */
  readonly unnamed: readonly Grant[];
  /** Those for objects of certain names, by name. */
  readonly byName: ReadonlyMap<string, readonly Grant[]>;
}

function buildIndex(grants: readonly Grant[]): GrantIndex {
  const unnamed = new Map<string, Grant>();
  const byName = new Map<string, Grant[]>();
  for (const grant of grants) {
    const { verbs, groups, names } = grant.rule;
    for (const name of names) appendToKey(byName, name, grant);
    if (names.length > 0) continue;
    // Two rules for the resource that have equal verbs and groups allow the same: the first one suffices.
    const key = JSON.stringify([verbs, groups]);
    if (!unnamed.has(key)) unnamed.set(key, grant);
  }
  return { unnamed: [...unnamed.values()], byName };
}

/** The rules that are bound to one subject in one scope, indexed for decisions. Immutable. */
export class SubjectGrants {
  /** By the entries of {@link PolicyRule.resources}, such as `pods`, `pods/log` and `*`. */
  private readonly byResource = new Map<string, ResourceGrants>();
  private readonly pathGrants: Grant[] = [];
  private cachedErrors: readonly string[] | undefined;

  constructor(private readonly bound: readonly BoundRules[]) {
    let position = 0;
    for (const boundRules of bound) for (const rule of boundRules.rules ?? []) this.add(new Grant(rule, position++, boundRules));
  }

  /** All rules, in order of their bindings. */
  get rules(): readonly PolicyRule[] {
    return this.bound.flatMap(({ rules = [] }) => rules);
  }

  /** Missing roles, in upstream's words. Cached, because every decision without opinion includes them. */
  get errors(): readonly string[] {
    return (this.cachedErrors ??= this.bound.flatMap(({ binding: { role }, rules }) =>
      rules === undefined ? [`${role.kind.toLowerCase()}.rbac.authorization.platform.io ${JSON.stringify(role.name)} not found`] : [],
    ));
  }

  /**
   * The grant that allows the request; `undefined` when none does. A grant that names the resource in full comes before
   * one that names a subresource of every resource, and that before one for `*`. Among equals the first binding counts.
   *
   * `combined` is the combined resource of the attributes. A caller that searches the grants of several subjects passes
   * it, so that it is computed once.
   */
  find(attributes: Attributes, combined?: CombinedResource): Grant | undefined {
    if (attributes.kind === 'path') return this.findByPath(attributes);
    // Fast path of most requests, which builds no strings.
    if (attributes.subresource === '') return this.findByResource(attributes.resource, undefined, attributes);
    const { full, wildcard } = combined ?? combineResource(attributes);
    return this.findByResource(full, wildcard, attributes);
  }

  /**
   * Whether a single rule allows everything that the given rule allows. The given rule is one that breakdownRule yields, for
   * one verb and for one resource or path.
   */
  covers({ verbs: [verb = ''], groups: [group = ''], resources: [resource = ''], names: [name], paths: [path] }: PolicyRule): boolean {
    if (path !== undefined) return this.findByPath({ kind: 'path', verb, path }) !== undefined;
    const { full, wildcard } = parseCombinedResource(resource);
    return this.findByResource(full, wildcard, { verb, group, name }) !== undefined;
  }

  private findByResource(full: string, wildcard: string | undefined, access: ObjectAccess): Grant | undefined {
    return (
      this.byResource.get(full)?.findFirst(access) ??
      (wildcard === undefined ? undefined : this.byResource.get(wildcard)?.findFirst(access)) ??
      this.byResource.get('*')?.findFirst(access)
    );
  }

  private findByPath(attributes: PathAttributes): Grant | undefined {
    for (const grant of this.pathGrants) if (allowsPath(grant.rule, attributes)) return grant;
    return undefined;
  }

  private add(grant: Grant): void {
    const { resources, paths } = grant.rule;
    if (paths.length > 0) this.pathGrants.push(grant);
    for (const resource of resources) {
      const grants = this.byResource.get(resource) ?? new ResourceGrants();
      this.byResource.set(resource, grants);
      grants.add(grant);
    }
  }
}

function firstAllowing(grants: readonly Grant[] | undefined, access: ObjectAccess): Grant | undefined {
  if (grants !== undefined) for (const grant of grants) if (allowsObject(grant.rule, access)) return grant;
  return undefined;
}
