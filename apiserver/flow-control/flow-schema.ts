/**
 * Parses a FlowSchema into functions that match users and request attributes, once per change of the object. Choosing
 * among the schemas that match is left to the caller.
 */
import { serviceAccountUserName, type UserInfo } from '../../shared/api/identity/user';
import type {
  FlowcontrolV1FlowSchema,
  FlowcontrolV1NonResourcePolicyRule,
  FlowcontrolV1PolicyRulesWithSubjects,
  FlowcontrolV1ResourcePolicyRule,
  FlowcontrolV1Subject,
} from '../../shared/api/types/generated/members';
import { canonicalGroup, canonicalNamespace, canonicalUserName, type GeneratedNames } from '../../shared/names/dialect';
import { pathSpellings } from '../../shared/names/spellings';

/** What a request is for. Groups and namespaces have their canonical spelling. */
export type RequestAttributes =
  | {
      readonly kind: 'resource';
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
    }
  | { readonly kind: 'path'; readonly verb: string; readonly path: string };

/** Whether a rule applies to what a request is for, regardless of its user. */
export type RequestMatcher = (attributes: RequestAttributes) => boolean;

/** What separates the requests of a schema into flows; `undefined` when they form a single flow. */
export type Distinguisher = 'ByUser' | 'ByNamespace' | undefined;

/** A FlowSchema, compiled once per change. */
export interface FlowSchema {
  readonly name: string;
  readonly uid: string;
  /** Schemas with lower values are tried first. */
  readonly precedence: number;
  readonly levelName: string;
  readonly distinguisher: Distinguisher;
  /** Matchers of the rules with a subject that includes the user; `undefined` when there are none. */
  rulesFor(user: UserInfo): readonly RequestMatcher[] | undefined;
}

/** Matches every value in the lists of a rule, and every user or group in a subject. */
const ANY = '*';

/**
 * Parses a FlowSchema. Names of users, user groups, API groups and namespaces are converted to their canonical spelling.
 * Absent lists match nothing.
 */
export function readFlowSchema({ metadata, spec = {} }: FlowcontrolV1FlowSchema, names: GeneratedNames): FlowSchema {
  const rules = (spec.rules ?? []).map((rule) => readRule(rule, names));
  const type = spec.distinguisherMethod?.type;
  return {
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    precedence: spec.matchingPrecedence ?? 0,
    levelName: spec.priorityLevelConfiguration?.name ?? '',
    distinguisher: type === 'ByUser' || type === 'ByNamespace' ? type : undefined,
    rulesFor(user) {
      const matching = rules.filter(({ matchesUser }) => matchesUser(user)).map(({ matchesRequest }) => matchesRequest);
      return matching.length === 0 ? undefined : matching;
    },
  };
}

/** A rule applies to a request when both functions return true. */
interface Rule {
  readonly matchesUser: (user: UserInfo) => boolean;
  readonly matchesRequest: RequestMatcher;
}

function readRule(rule: FlowcontrolV1PolicyRulesWithSubjects, names: GeneratedNames): Rule {
  const subjects = (rule.subjects ?? []).map((subject) => readSubject(subject, names));
  const resources = (rule.resourceRules ?? []).map((resourceRule) => readResourceRule(resourceRule, names));
  const paths = (rule.nonResourceRules ?? []).map(readNonResourceRule);
  return {
    matchesUser: (user) => subjects.some((matches) => matches(user)),
    matchesRequest: (attributes) => (attributes.kind === 'resource' ? resources : paths).some((matches) => matches(attributes)),
  };
}

function readSubject({ kind, user, group, serviceAccount }: FlowcontrolV1Subject, names: GeneratedNames): (user: UserInfo) => boolean {
  switch (kind) {
    case 'User': {
      const name = canonicalUserName(names, user?.name ?? '');
      return name === ANY ? () => true : (requester) => requester.name === name;
    }
    case 'Group': {
      const name = canonicalUserName(names, group?.name ?? '');
      return name === ANY ? () => true : ({ groups }) => groups.includes(name);
    }
    case 'ServiceAccount': {
      const namespace = canonicalNamespace(names, serviceAccount?.namespace ?? '');
      const name = serviceAccount?.name ?? '';
      if (name === ANY) {
        const prefix = serviceAccountUserName(namespace, '');
        return (requester) => requester.name.startsWith(prefix);
      }
      const userName = serviceAccountUserName(namespace, name);
      return (requester) => requester.name === userName;
    }
    default:
      return () => false;
  }
}

/**
 * Returns a function that matches the values of a list, in which `*` matches every value. `canonical` converts the
 * listed values to the spelling of the values that are matched.
 */
function listMatcher(
  values: readonly string[] | null | undefined,
  canonical: (value: string) => string = (value) => value,
): (value: string) => boolean {
  const accepted = new Set((values ?? []).map(canonical));
  return accepted.has(ANY) ? () => true : (value) => accepted.has(value);
}

function readResourceRule(rule: FlowcontrolV1ResourcePolicyRule, names: GeneratedNames): RequestMatcher {
  const matchesVerb = listMatcher(rule.verbs);
  const matchesGroup = listMatcher(rule.apiGroups, canonicalGroup);
  const matchesResource = listMatcher(rule.resources);
  const matchesNamespace = listMatcher(rule.namespaces, (namespace) => canonicalNamespace(names, namespace));
  const hasClusterScope = rule.clusterScope === true;
  return (attributes) => {
    if (attributes.kind !== 'resource') return false;
    const { verb, group, resource, subresource, namespace } = attributes;
    const matchesScope = namespace === '' ? hasClusterScope : matchesNamespace(namespace);
    const qualifiedResource = subresource === '' ? resource : `${resource}/${subresource}`;
    return matchesScope && matchesVerb(verb) && matchesGroup(group) && matchesResource(qualifiedResource);
  };
}

function readNonResourceRule(rule: FlowcontrolV1NonResourcePolicyRule): RequestMatcher {
  const matchesVerb = listMatcher(rule.verbs);
  const urls = rule.nonResourceURLs ?? [];
  const matchesExactly = listMatcher(urls);
  // `/healthz/*` -> `/healthz/`
  const prefixes = urls.filter((url) => url.endsWith('/*')).map((url) => url.slice(0, -1));
  const matchesPath = (path: string): boolean => matchesExactly(path) || prefixes.some((prefix) => path.startsWith(prefix));
  return (attributes) => attributes.kind === 'path' && matchesVerb(attributes.verb) && pathSpellings(attributes.path).some(matchesPath);
}
