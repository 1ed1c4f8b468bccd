/**
 * A rule of a role: which requests it allows, and whether it covers another rule, which is how privilege escalation is
 * detected. Rules are parsed once per change of the role. Which roles a user has is left to policy.ts.
 */
import { canonicalGroup, canonicalQualifiedName } from '../../../shared/names/dialect';
import { bothSpellings, ruleNamesInBothSpellings, pathSpellings } from '../../../shared/names/spellings';
import type { RbacV1PolicyRule } from '../../../shared/api/types/generated/members';
import { matchesPathPattern } from '../../../shared/values/text/path-pattern';
import { SIGNERS, type PathAttributes, type ResourceAttributes } from '../authorizer';

/** A rule for resources or for paths. Groups and the names of signers are in canonical spelling. */
export interface PolicyRule {
  /** `*` matches every verb. */
  readonly verbs: readonly string[];
  /** `*` matches every group. */
  readonly groups: readonly string[];
  /**
   * Each entry has one of these forms:
   *
   * - `pods`: a resource without its subresources.
   * - `pods/log`: a subresource.
   * - `*` followed by `/log`: a subresource of every resource.
   * - `*`: every resource and subresource.
   */
  readonly resources: readonly string[];
  /** Empty for objects of every name. */
  readonly names: readonly string[];
  /** A trailing `*` matches any suffix. */
  readonly paths: readonly string[];
}

/** Precedes the key of an extra value in the resource that permits impersonation with this value. */
const USER_EXTRAS = 'userextras/';

/** Reads a PolicyRule of rbac/v1. Names that have two spellings match requests in both. */
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
 * Both spellings of a resource such as `userextras/authentication.kubernetes.io/pod-name`, since the key of an extra value
 * is a qualified name. Other resources are returned as they are.
 */
function userExtraSpellings(text: string): readonly string[] {
  return text.startsWith(USER_EXTRAS) ? bothSpellings([text.slice(USER_EXTRAS.length)]).map((key) => USER_EXTRAS + key) : [text];
}

/** The resource of a request as rules name it: `pods`, `pods/log`. */
export const fullResource = ({ resource, subresource }: Pick<ResourceAttributes, 'resource' | 'subresource'>): string =>
  subresource === '' ? resource : `${resource}/${subresource}`;

/** The entries of {@link PolicyRule.resources}, other than `*`, that match a resource. */
export interface CombinedResource {
  /** `pods`, `pods/log`. */
  readonly full: string;
  /** `*` followed by `/log`; `undefined` when the resource is not a subresource. */
  readonly wildcard: string | undefined;
}

/** The entries of rules that match the resource of a request. */
export const combineResource = (attributes: Pick<ResourceAttributes, 'resource' | 'subresource'>): CombinedResource =>
  addWildcard(fullResource(attributes), attributes.subresource);

/** The entries of rules that cover the entry `full` of another rule. */
export function parseCombinedResource(full: string): CombinedResource {
  const slash = full.indexOf('/');
  return addWildcard(full, slash < 0 ? '' : full.slice(slash + 1));
}

const addWildcard = (full: string, subresource: string): CombinedResource => ({
  full,
  wildcard: subresource === '' ? undefined : `*/${subresource}`,
});

/** Whether the entries contain one of those that match, or `*`. */
const namesAny = (resources: readonly string[], { full, wildcard }: CombinedResource): boolean =>
  includesOrWildcard(resources, full) || (wildcard !== undefined && resources.includes(wildcard));

/** Whether the list contains the word or `*`. */
export const includesOrWildcard = (list: readonly string[], word: string): boolean => list.includes(word) || list.includes('*');

/** Whether the rule names the resource: in full, as a subresource of every resource, or by `*`. */
export function namesResource({ resources }: PolicyRule, attributes: Pick<ResourceAttributes, 'resource' | 'subresource'>): boolean {
  return namesAny(resources, combineResource(attributes));
}

/** A verb on one object, or on all objects, of a resource. */
export interface ObjectAccess {
  readonly verb: string;
  readonly group: string;
  /** `undefined` for all objects; '' for a request without a name. */
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
 * Breaks a rule down into rules for one verb, which together allow the same. Each of them is for one path, or for one
 * resource in one group, and for one object when the rule names objects.
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
