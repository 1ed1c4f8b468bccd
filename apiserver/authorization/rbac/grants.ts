/**
 * All that one subject is granted in one place (everywhere, or in one namespace), arranged so that a decision is a few look-ups whatever the number of
 * rules. Made of roles and bindings as they are at one moment; never changes.
 */
import { appendToKey } from '../../../shared/values/append';
import type { Attributes, Decision, PathAttributes } from '../authorizer';
import type { Binding, BindingSubject } from './binding';
import { allowsObject, allowsPath, coveringTexts, resourceTexts, type ObjectAccess, type PolicyRule, type ResourceTexts } from './rule';

type Allowed = Extract<Decision, { readonly type: 'allow' }>;

/** A rule together with the binding that grants it. */
export class Grant {
  private allowed: Allowed | undefined;

  constructor(
    readonly rule: PolicyRule,
    /** Position in the order of bindings: the reason names the first grant that allows a request. */
    readonly place: number,
    private readonly bound: BoundRules,
  ) {}

  get decision(): Allowed {
    return (this.allowed ??= { type: 'allow', reason: this.reason() });
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

/** The grants that name a resource, in order. The first look-up builds the index, because most resources are never looked up. */
class ResourceGrants {
  private readonly added: Grant[] = [];
  private arranged: Arranged | undefined;

  add(grant: Grant): void {
    this.added.push(grant);
  }

  first(access: ObjectAccess): Grant | undefined {
    const { all, byName } = (this.arranged ??= arrange(this.added));
    const named = access.name === undefined ? undefined : firstOf(byName.get(access.name), access);
    const anything = firstOf(all, access);
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
    for (const name of names) appendToKey(byName, name, grant);
    if (names.length > 0) continue;
    // Of rules that say the same the first one is enough.
    const said = JSON.stringify([verbs, groups]);
    if (!all.has(said)) all.set(said, grant);
  }
  return { all: [...all.values()], byName };
}

export class Grants {
  /** By the text in a rule: a resource (`pods`), a subresource (`pods/log`), a subresource of every resource (`*` followed by `/log`), or `*`. */
  private readonly byText = new Map<string, ResourceGrants>();
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

  /**
   * The grant that allows the request: the first of those that name the resource most specifically. `undefined` when no rule allows it. `texts`: the texts of the
   * attributes, computed once by callers that search several grants.
   */
  find(attributes: Attributes, texts?: ResourceTexts): Grant | undefined {
    if (attributes.kind === 'path') return this.ofPath(attributes);
    // Fast path of most requests: no text has to be built.
    if (attributes.subresource === '') return this.naming(attributes.resource, undefined, attributes);
    const { full, ofEvery } = texts ?? resourceTexts(attributes);
    return this.naming(full, ofEvery, attributes);
  }

  /** Whether a single rule allows everything that the given rule for one verb and resource or path allows. */
  covers({ verbs: [verb = ''], groups: [group = ''], resources: [text = ''], names: [name], paths: [path] }: PolicyRule): boolean {
    if (path !== undefined) return this.ofPath({ kind: 'path', verb, path }) !== undefined;
    const { full, ofEvery } = coveringTexts(text);
    return this.naming(full, ofEvery, { verb, group, name }) !== undefined;
  }

  private naming(full: string, ofEvery: string | undefined, access: ObjectAccess): Grant | undefined {
    return (
      this.byText.get(full)?.first(access) ??
      (ofEvery === undefined ? undefined : this.byText.get(ofEvery)?.first(access)) ??
      this.byText.get('*')?.first(access)
    );
  }

  private ofPath(attributes: PathAttributes): Grant | undefined {
    for (const grant of this.ofPaths) if (allowsPath(grant.rule, attributes)) return grant;
    return undefined;
  }

  private add(grant: Grant): void {
    const { resources, paths } = grant.rule;
    if (paths.length > 0) this.ofPaths.push(grant);
    for (const text of resources) {
      const grants = this.byText.get(text) ?? new ResourceGrants();
      this.byText.set(text, grants);
      grants.add(grant);
    }
  }
}

function firstOf(grants: readonly Grant[] | undefined, access: ObjectAccess): Grant | undefined {
  if (grants !== undefined) for (const grant of grants) if (allowsObject(grant.rule, access)) return grant;
  return undefined;
}
