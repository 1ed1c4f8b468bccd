/**
 * Evaluates the audit policy: the first matching rule determines what is recorded of a request. The policy is compiled
 * once and evaluated once per request.
 */
import { canonicalGroup, canonicalNamespace, canonicalUserName, type GeneratedNames } from '../../shared/names/dialect';
import { ruleNamesInBothSpellings, pathSpellings } from '../../shared/names/spellings';
import type { UserInfo } from '../../shared/api/identity/user';
import { matchesPathPattern } from '../../shared/values/text/path-pattern';
import type { AuditLevel, Policy, AuditRule, AuditStage } from './policy-format';

/** The attributes of a request; groups and namespaces are in canonical form. */
export type AuditedRequest =
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

/** What is recorded of a request: the level and omissions of the matching rule, with the omissions of the policy. */
export interface AuditExtent {
  readonly level: AuditLevel;
  readonly omittedStages: ReadonlySet<AuditStage>;
  readonly omitsManagedFields: boolean;
}

/** `user` is undefined when the request was not authenticated. */
export type AuditPolicy = (user: UserInfo | undefined, request: AuditedRequest) => AuditExtent;

type RuleTest = (user: UserInfo | undefined, request: AuditedRequest) => boolean;

const NO_AUDIT: AuditExtent = { level: 'None', omittedStages: new Set(), omitsManagedFields: false };

/** Compiles a policy. `names` are those of the dialect in which its rules name system users, groups and namespaces. */
export function compilePolicy(policy: Policy, names: GeneratedNames): AuditPolicy {
  const rules = policy.rules.map((rule) => ({
    tests: compileRule(rule, names),
    extent: {
      level: rule.level,
      omittedStages: new Set([...(policy.omitStages ?? []), ...(rule.omitStages ?? [])]),
      omitsManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
    },
  }));
  return (user, request) => {
    for (const { tests, extent } of rules) if (tests.every((test) => test(user, request))) return extent;
    return NO_AUDIT;
  };
}

/** A test for each member that the rule has; the rule matches when all succeed. */
function compileRule(rule: AuditRule, names: GeneratedNames): readonly RuleTest[] {
  const tests: RuleTest[] = [];
  const { users = [], userGroups = [], verbs = [], namespaces = [], resources = [], nonResourceURLs = [] } = rule;
  if (users.length > 0) {
    const userNames = new Set(users.map((user) => canonicalUserName(names, user)));
    tests.push((user) => user !== undefined && userNames.has(user.name));
  }
  if (userGroups.length > 0) {
    const groupNames = new Set(userGroups.map((group) => canonicalUserName(names, group)));
    tests.push((user) => user?.groups.some((group) => groupNames.has(group)) ?? false);
  }
  if (verbs.length > 0) {
    const allowedVerbs = new Set(verbs);
    tests.push((_user, { verb }) => allowedVerbs.has(verb));
  }
  if (namespaces.length > 0) {
    const namespaceNames = new Set(namespaces.map((namespace) => canonicalNamespace(names, namespace)));
    tests.push((_user, request) => request.kind === 'resource' && namespaceNames.has(request.namespace));
  }
  if (resources.length > 0) {
    const resourceRules = resources.map((resourceRule) => canonicalResourceRule(resourceRule));
    tests.push((_user, request) => request.kind === 'resource' && resourceRules.some((resource) => matchesResource(resource, request)));
  }
  if (nonResourceURLs.length > 0) {
    const matchesUrl = (path: string): boolean => nonResourceURLs.some((pattern) => matchesPathPattern(pattern, path));
    tests.push((_user, request) => request.kind === 'path' && pathSpellings(request.path).some(matchesUrl));
  }
  return tests;
}

type ResourceRule = NonNullable<AuditRule['resources']>[number];

/** The rule with its group in canonical form and its resource names in both spellings. */
function canonicalResourceRule({ group = '', resources = [], resourceNames = [] }: ResourceRule): ResourceRule {
  return { group: canonicalGroup(group), resources, resourceNames: ruleNamesInBothSpellings(resources, resourceNames) };
}

/** As upstream, resource names apply only together with resources. */
function matchesResource(
  { group, resources = [], resourceNames = [] }: ResourceRule,
  request: AuditedRequest & { readonly kind: 'resource' },
): boolean {
  if (group !== request.group) return false;
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(request.name)) return false;
  return resources.some((pattern) => matchesPattern(pattern, request.resource, request.subresource));
}

/**
 * Whether a pattern of a rule matches:
 * - `*`: everything;
 * - `pods`: pods without a subresource;
 * - `pods/log`: this subresource;
 * - `pods/*`: pods and all their subresources;
 * - `*` before `/log`: this subresource of any resource.
 */
function matchesPattern(pattern: string, resource: string, subresource: string): boolean {
  if (pattern === '*') return true;
  if (pattern.endsWith('/*') && pattern.slice(0, -2) === resource) return true;
  if (subresource === '') return pattern === resource;
  return pattern === `${resource}/${subresource}` || pattern === `*/${subresource}`;
}
