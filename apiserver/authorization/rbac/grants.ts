/**
 * All that one subject is granted in one place (everywhere, or in one namespace), arranged so that a decision is a few look-ups whatever the number of
 * rules. Made of roles and bindings as they are at one moment; never changes.
 */
import { appendAt } from '../../../shared/values/append';
import type { Decision, PathAttributes, ResourceAttributes } from '../authorizer';
import type { Binding, BindingSubject } from './binding';
import { allowsPath, allowsResource, readResource, type PolicyRule } from './rule';

type Allowed = Extract<Decision, { readonly type: 'allow' }>;

/** A rule, and how its subject comes to it. */
class Grant {
  private told: Allowed | undefined;

  constructor(
    readonly rule: PolicyRule,
    /** The first one that allows something is the reason given. */
    readonly place: number,
    private readonly bound: BoundRules,
  ) {}

  get decision(): Allowed {
    return (this.told ??= { type: 'allow', reason: this.reason() });
  }

  private reason(): string {
    const { binding, subject } = this.bound;
    return `RBAC: allowed by ${binding.text} of ${binding.role.kind} ${JSON.stringify(binding.role.name)} to ${subject.text}`;
  }
}

/** A binding that names the subject; no `rules` = its role does not exist. */
export interface BoundRules {
  readonly binding: Binding;
  readonly subject: BindingSubject;
  readonly rules: readonly PolicyRule[] | undefined;
}

/** What is granted on one resource, in order. Most are never asked about, so they are arranged when one is. */
class ResourceGrants {
  private readonly added: Grant[] = [];
  private arranged: Arranged | undefined;

  add(grant: Grant): void {
    this.added.push(grant);
  }

  first(attributes: ResourceAttributes): Grant | undefined {
    const { all, byName } = (this.arranged ??= arrange(this.added));
    const [anything, named] = [firstOf(all, attributes), firstOf(byName.get(attributes.name), attributes)];
    return named === undefined || (anything !== undefined && anything.place < named.place) ? anything : named;
  }
}

/** Rules about all objects of the resource, and those about some by the names of these. */
interface Arranged {
  readonly all: readonly Grant[];
  readonly byName: ReadonlyMap<string, readonly Grant[]>;
}

function arrange(grants: readonly Grant[]): Arranged {
  const all = new Map<string, Grant>();
  const byName = new Map<string, Grant[]>();
  for (const grant of grants) {
    const { verbs, groups, names } = grant.rule;
    for (const name of names) appendAt(byName, name, grant);
    if (names.length > 0) continue;
    // Of rules that say the same the first one is enough.
    const said = JSON.stringify([verbs, groups]);
    if (!all.has(said)) all.set(said, grant);
  }
  return { all: [...all.values()], byName };
}

/** By resource, `*` being one; then it is that of all. */
type ByResource = Map<string, ResourceGrants>;

export class Grants {
  /** Of resources, by subresource; '' = the resource itself. */
  private readonly bySubresource = new Map<string, ByResource>();
  /** Those that cover every resource with all that is below it. */
  private readonly ofAll = new ResourceGrants();
  private readonly ofPaths: Grant[] = [];
  private wrong: readonly string[] | undefined;

  constructor(private readonly bound: readonly BoundRules[]) {
    let place = 0;
    for (const one of bound) for (const rule of one.rules ?? []) this.add(new Grant(rule, place++, one));
  }

  /** The rules in the order of their bindings. */
  get rules(): readonly PolicyRule[] {
    return this.bound.flatMap(({ rules = [] }) => rules);
  }

  /** What is wrong with bindings, in upstream's words; asked for by every refusal. */
  get errors(): readonly string[] {
    return (this.wrong ??= this.bound.flatMap(({ binding: { role }, rules }) =>
      rules === undefined ? [`${role.kind.toLowerCase()}.rbac.authorization.platform.io ${JSON.stringify(role.name)} not found`] : [],
    ));
  }

  /** Undefined = nothing here allows it. */
  decideResource(attributes: ResourceAttributes): Allowed | undefined {
    const byResource = this.bySubresource.get(attributes.subresource);
    if (byResource !== undefined) {
      const found = byResource.get(attributes.resource)?.first(attributes) ?? byResource.get('*')?.first(attributes);
      if (found !== undefined) return found.decision;
    }
    return this.ofAll.first(attributes)?.decision;
  }

  decidePath(attributes: PathAttributes): Allowed | undefined {
    for (const grant of this.ofPaths) if (allowsPath(grant.rule, attributes)) return grant.decision;
    return undefined;
  }

  private add(grant: Grant): void {
    const { resources, paths } = grant.rule;
    if (paths.length > 0) this.ofPaths.push(grant);
    for (const text of resources) {
      if (text === '*') this.ofAll.add(grant);
      else {
        const { resource, subresource } = readResource(text);
        const byResource: ByResource = this.bySubresource.get(subresource) ?? new Map<string, ResourceGrants>();
        this.bySubresource.set(subresource, byResource);
        const grants = byResource.get(resource) ?? new ResourceGrants();
        byResource.set(resource, grants);
        grants.add(grant);
      }
    }
  }
}

function firstOf(grants: readonly Grant[] | undefined, attributes: ResourceAttributes): Grant | undefined {
  if (grants !== undefined) for (const grant of grants) if (allowsResource(grant.rule, attributes)) return grant;
  return undefined;
}
