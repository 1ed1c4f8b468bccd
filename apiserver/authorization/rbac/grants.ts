/**
 * All that one subject is granted in one place (everywhere, or in one namespace), arranged so that a decision is a few look-ups whatever the number of
 * rules. Made of roles and bindings as they are at one moment; never changes.
 */
import { appendAt } from '../../../shared/values/append';
import type { Decision, PathAttributes, ResourceAttributes } from '../authorizer';
import type { Binding, BindingSubject } from './binding';
import { allowsPath, allowsResource, readResource, type PolicyRule } from './rule';

type Allowed = Extract<Decision, { readonly type: 'allow' }>;

/** A rule with the decision that it leads to. */
interface Grant {
  readonly rule: PolicyRule;
  readonly decision: Allowed;
}

/** A binding that names the subject; no `rules` = its role does not exist. */
export interface BoundRules {
  readonly binding: Binding;
  readonly subject: BindingSubject;
  readonly rules: readonly PolicyRule[] | undefined;
}

/** By resource, `*` being one; then it is that of all. */
type ByResource = Map<string, Grant[]>;

export class Grants {
  /** Of resources, by subresource; '' = the resource itself. */
  private readonly bySubresource = new Map<string, ByResource>();
  /** Those that cover every resource with all that is below it. */
  private readonly ofAll: Grant[] = [];
  private readonly ofPaths: Grant[] = [];
  /** The rules in the order of their bindings. */
  readonly rules: readonly PolicyRule[];
  /** What is wrong with bindings, in upstream's words. */
  readonly errors: readonly string[];

  constructor(bound: readonly BoundRules[]) {
    for (const { binding, subject, rules = [] } of bound) {
      const { kind, name } = binding.role;
      const reason = `RBAC: allowed by ${binding.text} of ${kind} ${JSON.stringify(name)} to ${subject.text}`;
      const decision: Allowed = { type: 'allow', reason };
      for (const rule of rules) this.add({ rule, decision });
    }
    this.rules = bound.flatMap(({ rules = [] }) => rules);
    this.errors = bound.flatMap(({ binding: { role }, rules }) =>
      rules === undefined ? [`${role.kind.toLowerCase()}.rbac.authorization.platform.io ${JSON.stringify(role.name)} not found`] : [],
    );
  }

  /** Undefined = nothing here allows it. */
  decideResource(attributes: ResourceAttributes): Allowed | undefined {
    const byResource = this.bySubresource.get(attributes.subresource);
    if (byResource !== undefined) {
      const found = firstOf(byResource.get(attributes.resource), attributes) ?? firstOf(byResource.get('*'), attributes);
      if (found !== undefined) return found;
    }
    return firstOf(this.ofAll, attributes);
  }

  decidePath(attributes: PathAttributes): Allowed | undefined {
    for (const { rule, decision } of this.ofPaths) if (allowsPath(rule, attributes)) return decision;
    return undefined;
  }

  private add(grant: Grant): void {
    const { resources, paths } = grant.rule;
    if (paths.length > 0) this.ofPaths.push(grant);
    for (const text of resources) {
      if (text === '*') this.ofAll.push(grant);
      else {
        const { resource, subresource } = readResource(text);
        const byResource = this.bySubresource.get(subresource) ?? new Map<string, Grant[]>();
        this.bySubresource.set(subresource, byResource);
        appendAt(byResource, resource, grant);
      }
    }
  }
}

function firstOf(grants: readonly Grant[] | undefined, attributes: ResourceAttributes): Allowed | undefined {
  if (grants !== undefined) for (const { rule, decision } of grants) if (allowsResource(rule, attributes)) return decision;
  return undefined;
}
