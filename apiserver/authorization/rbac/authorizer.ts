/** Role-based access control: allowed is what a rule of a role allows that is bound to the user or to one of the groups. It only ever adds. */
import type { UserInfo } from '../../../shared/api/identity/user';
import { NO_OPINION, type AccessRules, type Attributes, type Authorizer, type Decision } from '../authorizer';
import type { Grant, Grants } from './grants';
import type { RbacPolicy } from './policy';
import { resourceTexts, type PolicyRule, type ResourceTexts } from './rule';

export function rbacAuthorizer(policy: RbacPolicy): Authorizer {
  return {
    authorize(user, attributes) {
      const grant = decidingGrant(policy, user, attributes);
      return grant?.decision ?? noOpinion(errorsOf(grantsOf(policy, user, namespaceOf(attributes))));
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

/** The grant that allows the request, from a ClusterRoleBinding or else from a RoleBinding in its namespace. `undefined` when none does. */
export function decidingGrant(policy: RbacPolicy, user: UserInfo, attributes: Attributes): Grant | undefined {
  const namespace = namespaceOf(attributes);
  const texts = attributes.kind === 'resource' && attributes.subresource !== '' ? resourceTexts(attributes) : undefined;
  return findIn(policy, '', user, attributes, texts) ?? (namespace === '' ? undefined : findIn(policy, namespace, user, attributes, texts));
}

function findIn(
  policy: RbacPolicy,
  namespace: string,
  user: UserInfo,
  attributes: Attributes,
  texts: ResourceTexts | undefined,
): Grant | undefined {
  const own = policy.grants(namespace, 'user', user.name)?.find(attributes, texts);
  if (own !== undefined) return own;
  for (const group of user.groups) {
    const grant = policy.grants(namespace, 'group', group)?.find(attributes, texts);
    if (grant !== undefined) return grant;
  }
  return undefined;
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

/** Returns a predicate: whether a single rule of the user allows everything that the given rule for one verb and resource or path allows. */
export function holds(policy: RbacPolicy, user: UserInfo, namespace: string): (part: PolicyRule) => boolean {
  const all = grantsOf(policy, user, namespace);
  return (part) => all.some((grants) => grants.covers(part));
}

function grantsOf(policy: RbacPolicy, user: UserInfo, namespace: string): readonly Grants[] {
  return (namespace === '' ? [''] : ['', namespace])
    .flatMap((place) => [policy.grants(place, 'user', user.name), ...user.groups.map((group) => policy.grants(place, 'group', group))])
    .filter((grants) => grants !== undefined);
}

/** A role that is missing is named once, however often it is bound. */
const errorsOf = (all: readonly Grants[]): readonly string[] => [...new Set(all.flatMap(({ errors }) => errors))];
