/** A flow schema as requests are compared with it: whom it speaks of, and what they ask for. Reads no request. */
import { accountUser, type UserInfo } from '../../shared/api/identity/user';
import type {
  FlowcontrolV1FlowSchema,
  FlowcontrolV1NonResourcePolicyRule,
  FlowcontrolV1PolicyRulesWithSubjects,
  FlowcontrolV1ResourcePolicyRule,
  FlowcontrolV1Subject,
} from '../../shared/api/types/generated/members';
import { canonicalGroup, canonicalNamespace, canonicalUserName, type GeneratedNames } from '../../shared/names/dialect';
import { pathSpellings } from '../../shared/names/spellings';

/** What is asked for. Groups and namespaces in canonical spelling. */
export type Asked =
  | {
      readonly kind: 'resource';
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource: string;
      readonly namespace: string;
    }
  | { readonly kind: 'path'; readonly verb: string; readonly path: string };

export type AskedFor = (asked: Asked) => boolean;

export type Distinguisher = 'ByUser' | 'ByNamespace' | undefined;

export interface FlowSchema {
  readonly name: string;
  readonly uid: string;
  /** Lower ones are looked at first. */
  readonly precedence: number;
  readonly level: string;
  readonly distinguisher: Distinguisher;
  /** What this user may ask for within the schema; undefined = nothing, for it does not speak of him. */
  of(user: UserInfo): readonly AskedFor[] | undefined;
}

const ANY = '*';

export function readFlowSchema({ metadata, spec = {} }: FlowcontrolV1FlowSchema, names: GeneratedNames): FlowSchema {
  const rules = (spec.rules ?? []).map((rule) => readRule(rule, names));
  const type = spec.distinguisherMethod?.type;
  return {
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    precedence: spec.matchingPrecedence ?? 0,
    level: spec.priorityLevelConfiguration?.name ?? '',
    distinguisher: type === 'ByUser' || type === 'ByNamespace' ? type : undefined,
    of(user) {
      const found = rules.filter(({ speaksOf }) => speaksOf(user)).map(({ isAskedFor }) => isAskedFor);
      return found.length === 0 ? undefined : found;
    },
  };
}

interface Rule {
  readonly speaksOf: (user: UserInfo) => boolean;
  readonly isAskedFor: AskedFor;
}

function readRule(rule: FlowcontrolV1PolicyRulesWithSubjects, names: GeneratedNames): Rule {
  const subjects = (rule.subjects ?? []).map((subject) => readSubject(subject, names));
  const resources = (rule.resourceRules ?? []).map((one) => readResources(one, names));
  const paths = (rule.nonResourceRules ?? []).map(readPaths);
  return {
    speaksOf: (user) => subjects.some((matches) => matches(user)),
    isAskedFor: (asked) => (asked.kind === 'resource' ? resources : paths).some((matches) => matches(asked)),
  };
}

function readSubject({ kind, user, group, serviceAccount }: FlowcontrolV1Subject, names: GeneratedNames): (user: UserInfo) => boolean {
  switch (kind) {
    case 'User': {
      const name = canonicalUserName(names, user?.name ?? '');
      return name === ANY ? () => true : (asking) => asking.name === name;
    }
    case 'Group': {
      const name = canonicalUserName(names, group?.name ?? '');
      return name === ANY ? () => true : ({ groups }) => groups.includes(name);
    }
    case 'ServiceAccount': {
      const namespace = canonicalNamespace(names, serviceAccount?.namespace ?? '');
      const name = serviceAccount?.name ?? '';
      const whole = accountUser(namespace, name === ANY ? '' : name);
      return name === ANY ? (asking) => asking.name.startsWith(whole) : (asking) => asking.name === whole;
    }
    default:
      return () => false;
  }
}

/** Whether a value is one of a list, which may name all of them. */
function oneOf(
  values: readonly string[] | null | undefined,
  canonical: (value: string) => string = (value) => value,
): (value: string) => boolean {
  const known = new Set((values ?? []).map(canonical));
  return known.has(ANY) ? () => true : (value) => known.has(value);
}

function readResources(rule: FlowcontrolV1ResourcePolicyRule, names: GeneratedNames): AskedFor {
  const verbs = oneOf(rule.verbs);
  const groups = oneOf(rule.apiGroups, canonicalGroup);
  const resources = oneOf(rule.resources);
  const namespaces = oneOf(rule.namespaces, (namespace) => canonicalNamespace(names, namespace));
  const clusterScope = rule.clusterScope === true;
  return (asked) =>
    asked.kind === 'resource' &&
    verbs(asked.verb) &&
    groups(asked.group) &&
    resources(asked.subresource === '' ? asked.resource : `${asked.resource}/${asked.subresource}`) &&
    (asked.namespace === '' ? clusterScope : namespaces(asked.namespace));
}

function readPaths(rule: FlowcontrolV1NonResourcePolicyRule): AskedFor {
  const verbs = oneOf(rule.verbs);
  const urls = rule.nonResourceURLs ?? [];
  const whole = oneOf(urls);
  const beginnings = urls.filter((url) => url.endsWith('/*')).map((url) => url.slice(0, -1));
  const means = (path: string): boolean => whole(path) || beginnings.some((beginning) => path.startsWith(beginning));
  return (asked) => asked.kind === 'path' && verbs(asked.verb) && pathSpellings(asked.path).some(means);
}
