/**
 * A rule of a role: what it allows, and whether it covers another rule, by which privilege escalation is detected.
 * Rules are parsed once per change of the role; which roles a user has is left to the policy.
 */
import { canonicalGroup, canonicalQualifiedName } from '../../../shared/names/dialect';
import { bothSpellings, ruleNamesInBothSpellings, pathSpellings } from '../../../shared/names/spellings';
import type { RbacV1PolicyRule } from '../../../shared/api/types/generated/members';
import { matchesPathPattern } from '../../../shared/values/text/path-pattern';
import { SIGNERS, type PathAttributes, type ResourceAttributes } from '../authorizer';

/** Groups and the names of signers are in canonical spelling. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly groups: readonly string[];
  /**
   * `pods`, `pods/log`, `*` (all resources and subresources), or `*` with a slash and a subresource (of all resources).
   */
  readonly resources: readonly string[];
  /** Empty for objects of every name. */
  readonly names: readonly string[];
  /** A trailing `*` matches any suffix. */
  readonly paths: readonly string[];
}

const USER_EXTRAS = 'userextras/';

/** Reads a PolicyRule of rbac/v1. */
export function readRule({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: RbacV1PolicyRule): PolicyRule {
  const names = ruleNamesInBothSpellings(resources, resourceNames);
  return {
    verbs: verbs ?? [],
    groups: apiGroups.map(canonicalGroup),
    resources: resources.some((text) => text.startsWith(USER_EXTRAS)) ? resources.flatMap(userExtraSpellings) : resources,
    names: resources.includes(SIGNERS) ? names.map(canonicalQualifiedName) : names,
    paths: nonResourceURLs,
  };
}

/**
 * The spellings of a resource that permits impersonation with an extra value; the key of the value is a qualified name:
 * `userextras/authentication.kubernetes.io/pod-name`.
 */
function userExtraSpellings(text: string): readonly string[] {
  return text.startsWith(USER_EXTRAS) ? bothSpellings([text.slice(USER_EXTRAS.length)]).map((key) => USER_EXTRAS + key) : [text];
}

/** A resource as rules name it: `pods`, `pods/log`. */
export const fullResource = ({ resource, subresource }: Pick<ResourceAttributes, 'resource' | 'subresource'>): string =>
  subresource === '' ? resource : `${resource}/${subresource}`;

/** The spellings other than `*` with which a rule can name a resource. */
export interface CombinedResource {
  /** `pods`, `pods/log`. */
  readonly full: string;
  /** The subresource of every resource; `undefined` when the resource is not a subresource. */
  readonly wildcard: string | undefined;
}

/** The spellings in which rules can name the resource of a request. */
export const combineResource = (attributes: Pick<ResourceAttributes, 'resource' | 'subresource'>): CombinedResource =>
  addWildcard(fullResource(attributes), attributes.subresource);

/** Parses a resource of a rule; the result are the resources of rules that cover it. */
export function parseCombinedResource(full: string): CombinedResource {
  const slash = full.indexOf('/');
  return addWildcard(full, slash < 0 ? '' : full.slice(slash + 1));
}

const addWildcard = (full: string, subresource: string): CombinedResource => ({
  full,
  wildcard: subresource === '' ? undefined : `*/${subresource}`,
});

const namesAny = (resources: readonly string[], { full, wildcard }: CombinedResource): boolean =>
  includesOrWildcard(resources, full) || (wildcard !== undefined && resources.includes(wildcard));

/** Whether the list contains the word or `*`. */
export const includesOrWildcard = (list: readonly string[], word: string): boolean => list.includes(word) || list.includes('*');

/** Whether the rule names the resource: in full, as a subresource of every resource, or by `*`. */
export function namesResource({ resources }: PolicyRule, attributes: Pick<ResourceAttributes, 'resource' | 'subresource'>): boolean {
  return namesAny(resources, combineResource(attributes));
}

/** A verb on objects of a resource. `name` is `undefined` for all objects and empty for a request without a name. */
export interface ObjectAccess {
  readonly verb: string;
  readonly group: string;
  readonly name: string | undefined;
}

/** Whether the rule allows the access. The caller has checked that it names the resource. */
export function allowsObject(rule: PolicyRule, { verb, group, name }: ObjectAccess): boolean {
  return (
    includesOrWildcard(rule.verbs, verb) &&
    includesOrWildcard(rule.groups, group) &&
    (rule.names.length === 0 || (name !== undefined && rule.names.includes(name)))
  );
}

/** Whether the rule allows the verb on a non-resource path, in either spelling of the path. */
export function allowsPath(rule: PolicyRule, { verb, path }: PathAttributes): boolean {
  return (
    includesOrWildcard(rule.verbs, verb) &&
    pathSpellings(path).some((spelling) => rule.paths.some((pattern) => matchesPathPattern(pattern, spelling)))
  );
}

/** The number of rules that {@link breakdownRule} yields. */
export function countBreakdown({ verbs, groups, resources, names, paths }: PolicyRule): number {
  return verbs.length * (groups.length * resources.length * Math.max(1, names.length) + paths.length);
}

const EMPTY_RULE: PolicyRule = { verbs: [], groups: [], resources: [], names: [], paths: [] };

/**
 * Breaks a rule down into rules for one verb on one resource in one group (and for one object, if named), or for one
 * verb on one path.
 */
export function* breakdownRule(rule: PolicyRule): Generator<PolicyRule> {
  const { verbs, groups, resources, names, paths } = rule;
  for (const verb of verbs) {
    for (const group of groups) {
      for (const resource of resources) {
        if (names.length === 0) yield { ...EMPTY_RULE, verbs: [verb], groups: [group], resources: [resource] };
        for (const name of names) yield { ...EMPTY_RULE, verbs: [verb], groups: [group], resources: [resource], names: [name] };
      }
    }
    for (const path of paths) yield { ...EMPTY_RULE, verbs: [verb], paths: [path] };
  }
}

/** Whether the rule allows everything that `subrule`, a result of {@link breakdownRule}, allows. */
export function ruleCovers(rule: PolicyRule, subrule: PolicyRule): boolean {
  return (
    subrule.verbs.every((verb) => includesOrWildcard(rule.verbs, verb)) &&
    subrule.groups.every((group) => includesOrWildcard(rule.groups, group)) &&
    subrule.resources.every((text) => namesAny(rule.resources, parseCombinedResource(text))) &&
    (rule.names.length === 0 || (subrule.names.length > 0 && subrule.names.every((name) => rule.names.includes(name)))) &&
    subrule.paths.every((path) =>
      pathSpellings(path).some((spelling) => rule.paths.some((pattern) => matchesPathPattern(pattern, spelling))),
    )
  );
}
