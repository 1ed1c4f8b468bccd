/**
 * The RBAC authorizer: allows what a rule of a role allows that is bound to the user or one of the user's groups. Never
 * denies.
 */
import type { UserInfo } from '../../../shared/api/identity/user';
import { NO_OPINION, type AccessRules, type Attributes, type Authorizer, type Decision } from '../authorizer';
import type { Grant, SubjectGrants } from './subject-grants';
import type { RbacPolicy } from './policy';
import { combineResource, type CombinedResource, type PolicyRule } from './rule';

/** Reads the present policy at every decision. Errors of bindings to missing roles are part of the reason. */
export function rbacAuthorizer(policy: RbacPolicy): Authorizer {
  return {
    authorize(user, attributes) {
      const grant = findDecidingGrant(policy, user, attributes);
      return grant?.decision ?? noOpinion(errorsOf(collectSubjectGrants(policy, user, namespaceOf(attributes))));
    },
    rules(user, namespace) {
      const { rules, errors } = resolveRules(policy, user, namespace);
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

/**
 * The grant that allows the request, from a ClusterRoleBinding or else from a RoleBinding in its namespace. `undefined`
 * when none does.
 */
export function findDecidingGrant(policy: RbacPolicy, user: UserInfo, attributes: Attributes): Grant | undefined {
  const namespace = namespaceOf(attributes);
  // Computed once for all grants. Requests without a subresource are looked up by resource alone and need none.
  const combined = attributes.kind === 'resource' && attributes.subresource !== '' ? combineResource(attributes) : undefined;
  return (
    findGrantInScope(policy, '', user, attributes, combined) ??
    (namespace === '' ? undefined : findGrantInScope(policy, namespace, user, attributes, combined))
  );
}

function findGrantInScope(
  policy: RbacPolicy,
  namespace: string,
  user: UserInfo,
  attributes: Attributes,
  combined: CombinedResource | undefined,
): Grant | undefined {
  const userGrant = policy.grants(namespace, 'user', user.name)?.find(attributes, combined);
  if (userGrant !== undefined) return userGrant;
  for (const group of user.groups) {
    const grant = policy.grants(namespace, 'group', group)?.find(attributes, combined);
    if (grant !== undefined) return grant;
  }
  return undefined;
}

function noOpinion(errors: readonly string[]): Decision {
  if (errors.length === 0) return NO_OPINION;
  return { type: 'no-opinion', reason: `RBAC: ${errors.length === 1 ? errors.join('') : `[${errors.join(', ')}]`}` };
}

/** The rules of a user in a namespace ('' for cluster-wide rules only), and the errors of rule resolution. */
export interface ResolvedRules {
  readonly rules: readonly PolicyRule[];
  readonly errors: readonly string[];
}

/** All rules of the user in the cluster and the namespace; equal rules are not merged. */
export function resolveRules(policy: RbacPolicy, user: UserInfo, namespace: string): ResolvedRules {
  const subjectGrants = collectSubjectGrants(policy, user, namespace);
  return { rules: subjectGrants.flatMap(({ rules }) => rules), errors: errorsOf(subjectGrants) };
}

/**
 * Returns a predicate: whether a single rule of the user allows everything that the given rule for one verb and
 * resource or path allows.
 */
export function permissionChecker(policy: RbacPolicy, user: UserInfo, namespace: string): (permission: PolicyRule) => boolean {
  const subjectGrants = collectSubjectGrants(policy, user, namespace);
  return (permission) => subjectGrants.some((grants) => grants.covers(permission));
}

/** The grants of the user and its groups in the cluster and the namespace. */
function collectSubjectGrants(policy: RbacPolicy, user: UserInfo, namespace: string): readonly SubjectGrants[] {
  return (namespace === '' ? [''] : ['', namespace])
    .flatMap((scope) => [policy.grants(scope, 'user', user.name), ...user.groups.map((group) => policy.grants(scope, 'group', group))])
    .filter((grants) => grants !== undefined);
}

/** A missing role is reported once, however often it is bound. */
const errorsOf = (subjectGrants: readonly SubjectGrants[]): readonly string[] => [
  ...new Set(subjectGrants.flatMap(({ errors }) => errors)),
];
