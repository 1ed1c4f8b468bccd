/** One rule of a role: what it allows, and whether it covers what another allows. Reads no role; asks nobody. */
import { canonicalGroup, canonicalQualifiedName } from '../../../shared/names/dialect';
import { bothSpellings, ruleNamesInBothSpellings, pathSpellings } from '../../../shared/names/spellings';
import { stringsAt, type JsonObject } from '../../../shared/values/json';
import { matchesPathPattern } from '../../../shared/values/path-pattern';
import { SIGNERS, type PathAttributes, type ResourceAttributes } from '../authorizer';

/** A list that is empty says nothing; groups and the names of signers are in canonical spelling. */
export interface PolicyRule {
  readonly verbs: readonly string[];
  readonly groups: readonly string[];
  /** `pods`, `pods/log`, `*` (all, subresources too), `*` with a slash and a subresource (that of all). */
  readonly resources: readonly string[];
  /** Empty = all. */
  readonly names: readonly string[];
  /** A trailing `*` stands for anything. */
  readonly paths: readonly string[];
}

/** A rule as roles hold it (PolicyRule of rbac/v1). */
export function readRule(rule: JsonObject): PolicyRule {
  const resources = stringsAt(rule, 'resources');
  const names = ruleNamesInBothSpellings(resources, stringsAt(rule, 'resourceNames'));
  return {
    verbs: stringsAt(rule, 'verbs'),
    groups: stringsAt(rule, 'apiGroups').map(canonicalGroup),
    resources: resources.some((text) => text.startsWith(EXTRA)) ? resources.flatMap(extraSpellings) : resources,
    names: resources.includes(SIGNERS) ? names.map(canonicalQualifiedName) : names,
    paths: stringsAt(rule, 'nonResourceURLs'),
  };
}

const EXTRA = 'userextras/';

/** The spellings of a resource that permits impersonation with an extra value, whose key is a qualified name: `userextras/authentication.kubernetes.io/pod-name`. */
function extraSpellings(text: string): readonly string[] {
  return text.startsWith(EXTRA) ? bothSpellings([text.slice(EXTRA.length)]).map((key) => EXTRA + key) : [text];
}

/** The text of a resource in rules: `pods`, `pods/log`. */
export const fullResource = ({ resource, subresource }: Pick<ResourceAttributes, 'resource' | 'subresource'>): string =>
  subresource === '' ? resource : `${resource}/${subresource}`;

/** The texts other than `*` with which a rule can name a resource. */
export interface ResourceTexts {
  readonly full: string;
  /** The subresource of every resource; `undefined` when the resource is not a subresource. */
  readonly ofEvery: string | undefined;
}

export const resourceTexts = (attributes: Pick<ResourceAttributes, 'resource' | 'subresource'>): ResourceTexts =>
  textsOf(fullResource(attributes), attributes.subresource);

/** The texts that cover a resource text of a rule. */
export function coveringTexts(text: string): ResourceTexts {
  const slash = text.indexOf('/');
  return textsOf(text, slash < 0 ? '' : text.slice(slash + 1));
}

const textsOf = (full: string, subresource: string): ResourceTexts => ({
  full,
  ofEvery: subresource === '' ? undefined : `*/${subresource}`,
});

const includesOne = (resources: readonly string[], { full, ofEvery }: ResourceTexts): boolean =>
  has(resources, full) || (ofEvery !== undefined && resources.includes(ofEvery));

/** Whether a list names a word, or all. */
export const has = (list: readonly string[], word: string): boolean => list.includes(word) || list.includes('*');

/** Whether the rule names the resource: in full, as a subresource of every resource, or by `*`. */
export function namesResource({ resources }: PolicyRule, attributes: Pick<ResourceAttributes, 'resource' | 'subresource'>): boolean {
  return includesOne(resources, resourceTexts(attributes));
}

/** A verb on objects of a resource. `name` is `undefined` for all objects and empty for a request without a name. */
export interface ObjectAccess {
  readonly verb: string;
  readonly group: string;
  readonly name: string | undefined;
}

/** Whether the rule allows the access. The caller has checked that it names the resource. */
export function allowsObject(rule: PolicyRule, { verb, group, name }: ObjectAccess): boolean {
  return has(rule.verbs, verb) && has(rule.groups, group) && (rule.names.length === 0 || (name !== undefined && rule.names.includes(name)));
}

export function allowsPath(rule: PolicyRule, { verb, path }: PathAttributes): boolean {
  return has(rule.verbs, verb) && pathSpellings(path).some((one) => rule.paths.some((pattern) => matchesPathPattern(pattern, one)));
}

/** How many things a rule allows. */
export function countParts({ verbs, groups, resources, names, paths }: PolicyRule): number {
  return verbs.length * (groups.length * resources.length * Math.max(1, names.length) + paths.length);
}

/** The rule as rules that allow one thing each: one verb on one resource (or one object of it) in one group, or on one path. */
export function* parts(rule: PolicyRule): Generator<PolicyRule> {
  const { verbs, groups, resources, names, paths } = rule;
  for (const verb of verbs) {
    for (const group of groups) {
      for (const resource of resources) {
        if (names.length === 0) yield { ...NOTHING, verbs: [verb], groups: [group], resources: [resource] };
        for (const name of names) yield { ...NOTHING, verbs: [verb], groups: [group], resources: [resource], names: [name] };
      }
    }
    for (const path of paths) yield { ...NOTHING, verbs: [verb], paths: [path] };
  }
}

const NOTHING: PolicyRule = { verbs: [], groups: [], resources: [], names: [], paths: [] };

/** Whether all that `part` allows, which allows one thing, is allowed by the rule as well. */
export function covers(rule: PolicyRule, part: PolicyRule): boolean {
  return (
    part.verbs.every((verb) => has(rule.verbs, verb)) &&
    part.groups.every((group) => has(rule.groups, group)) &&
    part.resources.every((text) => includesOne(rule.resources, coveringTexts(text))) &&
    (rule.names.length === 0 || (part.names.length > 0 && part.names.every((name) => rule.names.includes(name)))) &&
    part.paths.every((path) => pathSpellings(path).some((one) => rule.paths.some((pattern) => matchesPathPattern(pattern, one))))
  );
}
