/** Decides how much of a request is recorded: the first rule that fits says so. Compiled once and asked once for each request. */
import { canonicalGroup, canonicalNamespace, canonicalUserName, type GeneratedNames } from '../../shared/names/dialect';
import { ruleNamesInBothSpellings, pathSpellings } from '../../shared/names/spellings';
import type { UserInfo } from '../../shared/api/identity/user';
import { matchesPathPattern } from '../../shared/values/path-pattern';
import type { AuditLevel, Policy, AuditRule, AuditStage } from './policy-format';

/** What a request is about; groups and namespaces in canonical spelling. */
export type Audited =
  | {
      readonly kind: 'resource';
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
      readonly name: string;
    }
  | { readonly kind: 'path'; readonly verb: string; readonly path: string };

/** How requests are recorded to which a rule applies. */
export interface Extent {
  readonly level: AuditLevel;
  readonly omits: ReadonlySet<AuditStage>;
  readonly omitsManagedFields: boolean;
}

/** `user` undefined = nobody was let in. */
export type AuditPolicy = (user: UserInfo | undefined, about: Audited) => Extent;

type Test = (user: UserInfo | undefined, about: Audited) => boolean;

const NOTHING: Extent = { level: 'None', omits: new Set(), omitsManagedFields: false };

export function compilePolicy(policy: Policy, names: GeneratedNames): AuditPolicy {
  const rules = policy.rules.map((rule) => ({
    tests: testsOf(rule, names),
    extent: {
      level: rule.level,
      omits: new Set([...(policy.omitStages ?? []), ...(rule.omitStages ?? [])]),
      omitsManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
    },
  }));
  return (user, about) => {
    for (const { tests, extent } of rules) if (tests.every((test) => test(user, about))) return extent;
    return NOTHING;
  };
}

/** Only what the rule names is looked at. */
function testsOf(rule: AuditRule, names: GeneratedNames): readonly Test[] {
  const tests: Test[] = [];
  const { users = [], userGroups = [], verbs = [], namespaces = [], resources = [], nonResourceURLs = [] } = rule;
  if (users.length > 0) {
    const known = new Set(users.map((user) => canonicalUserName(names, user)));
    tests.push((user) => user !== undefined && known.has(user.name));
  }
  if (userGroups.length > 0) {
    const known = new Set(userGroups.map((group) => canonicalUserName(names, group)));
    tests.push((user) => user?.groups.some((group) => known.has(group)) ?? false);
  }
  if (verbs.length > 0) {
    const known = new Set(verbs);
    tests.push((_user, { verb }) => known.has(verb));
  }
  if (namespaces.length > 0) {
    const known = new Set(namespaces.map((namespace) => canonicalNamespace(names, namespace)));
    tests.push((_user, about) => about.kind === 'resource' && known.has(about.namespace));
  }
  if (resources.length > 0) {
    const known = resources.map(({ group = '', resourceNames = [], ...rest }) => ({
      group: canonicalGroup(group),
      resourceNames: ruleNamesInBothSpellings(rest.resources ?? [], resourceNames),
      ...rest,
    }));
    tests.push((_user, about) => about.kind === 'resource' && known.some((resource) => concerns(resource, about)));
  }
  if (nonResourceURLs.length > 0)
    tests.push(
      (_user, about) =>
        about.kind === 'path' && pathSpellings(about.path).some((path) => nonResourceURLs.some((url) => matchesPathPattern(url, path))),
    );
  return tests;
}

type ResourceRule = NonNullable<AuditRule['resources']>[number];

/** Names count only beside resources, as they do upstream. */
function concerns({ group, resources = [], resourceNames = [] }: ResourceRule, about: Audited & { readonly kind: 'resource' }): boolean {
  if (group !== about.group) return false;
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(about.name)) return false;
  return resources.some((pattern) => fits(pattern, about.resource, about.subresource));
}

/** `*` is everything, `pods/*` pods and all below them, `*` before a slash one subresource of anything. */
function fits(pattern: string, resource: string, subresource: string): boolean {
  if (pattern === '*') return true;
  if (pattern.endsWith('/*') && pattern.slice(0, -2) === resource) return true;
  if (subresource === '') return pattern === resource;
  return pattern === `${resource}/${subresource}` || pattern === `*/${subresource}`;
}
