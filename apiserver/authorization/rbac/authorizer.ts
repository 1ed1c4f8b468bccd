/** Role-based access control: allowed is what a rule of a role allows that is bound to the user or to one of the groups. It only ever adds. */
import type { UserInfo } from '../../../shared/api/identity/user';
import { NO_OPINION, type AccessRules, type Attributes, type Authorizer, type Decision } from '../authorizer';
import type { Grants } from './grants';
import type { RbacPolicy } from './policy';
import { readResource, type PolicyRule } from './rule';

export function rbacAuthorizer(policy: RbacPolicy): Authorizer {
  return {
    authorize(user, attributes) {
      const allowed = decideIn(policy, '', user, attributes);
      if (allowed !== undefined) return allowed;
      const namespace = namespaceOf(attributes);
      const there = namespace === '' ? undefined : decideIn(policy, namespace, user, attributes);
      return there ?? noOpinion(errorsOf(grantsOf(policy, user, namespace)));
    },
    rules(user, namespace) {
      const { rules, errors } = heldBy(policy, user, namespace);
      return {
        resources: rules.filter(({ resources }) => resources.length > 0),
        paths: rules.filter(({ paths }) => paths.length > 0),
        incomplete: false,
        errors,
      } satisfies AccessRules;
    },
  };
}

const namespaceOf = (attributes: Attributes): string => (attributes.kind === 'resource' ? attributes.namespace : '');

function decideIn(policy: RbacPolicy, place: string, user: UserInfo, attributes: Attributes): Decision | undefined {
  const own = decide(policy.grants(place, 'user', user.name), attributes);
  if (own !== undefined) return own;
  for (const group of user.groups) {
    const found = decide(policy.grants(place, 'group', group), attributes);
    if (found !== undefined) return found;
  }
  return undefined;
}

function decide(grants: Grants | undefined, attributes: Attributes): Decision | undefined {
  if (grants === undefined) return undefined;
  return attributes.kind === 'resource' ? grants.decideResource(attributes) : grants.decidePath(attributes);
}

function noOpinion(errors: readonly string[]): Decision {
  if (errors.length === 0) return NO_OPINION;
  return { type: 'no-opinion', reason: `RBAC: ${errors.length === 1 ? errors.join('') : `[${errors.join(', ')}]`}` };
}

/** The rules that a user holds in a namespace ('' = those that hold everywhere), one by one, and what is wrong with bindings. */
export interface HeldRules {
  readonly rules: readonly PolicyRule[];
  readonly errors: readonly string[];
}

export function heldBy(policy: RbacPolicy, user: UserInfo, namespace: string): HeldRules {
  const all = grantsOf(policy, user, namespace);
  return { rules: all.flatMap(({ rules }) => rules), errors: errorsOf(all) };
}

/** Whether a user holds what a rule allows that allows one thing. */
export function holds(policy: RbacPolicy, user: UserInfo, namespace: string): (part: PolicyRule) => boolean {
  const all = grantsOf(policy, user, namespace);
  return (part) => {
    const attributes = attributesOf(part);
    return all.some((grants) => decide(grants, attributes) !== undefined);
  };
}

/** Wildcards are words like others here: only a wildcard allows one. */
function attributesOf({
  verbs: [verb = ''],
  groups: [group = ''],
  resources: [text = ''],
  names: [name = ''],
  paths: [path],
}: PolicyRule): Attributes {
  if (path !== undefined) return { kind: 'path', verb, path };
  return { kind: 'resource', verb, group, version: '', ...readResource(text), namespace: '', name };
}

function grantsOf(policy: RbacPolicy, user: UserInfo, namespace: string): readonly Grants[] {
  return (namespace === '' ? [''] : ['', namespace])
    .flatMap((place) => [policy.grants(place, 'user', user.name), ...user.groups.map((group) => policy.grants(place, 'group', group))])
    .filter((grants) => grants !== undefined);
}

/** A role that is missing is named once, however often it is bound. */
const errorsOf = (all: readonly Grants[]): readonly string[] => [...new Set(all.flatMap(({ errors }) => errors))];
