/**
 * The RBAC authorizer. It allows a request when a role is bound to the user, or to one of the user's groups, and a rule of
 * that role allows the request. It never denies.
 */
import type { UserInfo } from '../../../shared/api/identity/user';
import { NO_OPINION, type AccessRules, type Attributes, type Authorizer, type Decision } from '../authorizer';
import type { Grant, SubjectGrants } from './subject-grants';
import type { RbacPolicy } from './policy';
import { combineResource, type CombinedResource, type PolicyRule } from './rule';

/**
 * Creates the authorizer, which reads the present policy at every decision. When no rule allows a request, the reason
 * names the missing roles that are bound to the user.
 */
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
        isIncomplete: false,
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
  // Computed once for all subjects. SubjectGrants.find needs none for a request without a subresource.
  const combined = attributes.kind === 'resource' && attributes.subresource !== '' ? combineResource(attributes) : undefined;
  return (
    findGrantInScope(policy, '', user, attributes, combined) ??
    (namespace === '' ? undefined : findGrantInScope(policy, namespace, user, attributes, combined))
  );
}

/** The grant by bindings in one namespace ('' for ClusterRoleBindings). The user's own grants come before those of groups. */
function findGrantInScope(
  policy: RbacPolicy,
  namespace: string,
  user: UserInfo,
  attributes: Attributes,
  combined: CombinedResource | undefined,
): Grant | undefined {
  const userGrant = policy.findGrants(namespace, 'user', user.name)?.find(attributes, combined);
  if (userGrant !== undefined) return userGrant;
  for (const group of user.groups) {
    const grant = policy.findGrants(namespace, 'group', group)?.find(attributes, combined);
    if (grant !== undefined) return grant;
  }
  return undefined;
}

function noOpinion(errors: readonly string[]): Decision {
  if (errors.length === 0) return NO_OPINION;
  const list = errors.length === 1 ? errors.join() : `[${errors.join(', ')}]`;
  return { type: 'no-opinion', reason: `RBAC: ${list}` };
}

/** The rules of a user, and the errors of rule resolution: the missing roles. */
export interface ResolvedRules {
  readonly rules: readonly PolicyRule[];
  readonly errors: readonly string[];
}

/** All rules of the user for the cluster and the namespace, which may be ''. Equal rules are not merged. */
export function resolveRules(policy: RbacPolicy, user: UserInfo, namespace: string): ResolvedRules {
  const subjectGrants = collectSubjectGrants(policy, user, namespace);
  return { rules: subjectGrants.flatMap(({ rules }) => rules), errors: errorsOf(subjectGrants) };
}

/**
 * Returns a predicate on rules as breakdownRule yields them, for one verb and one resource or path: whether a single rule
 * of the user allows everything that `permission` allows. `namespace` may be ''.
 */
export function permissionChecker(policy: RbacPolicy, user: UserInfo, namespace: string): (permission: PolicyRule) => boolean {
  const subjectGrants = collectSubjectGrants(policy, user, namespace);
  return (permission) => subjectGrants.some((grants) => grants.covers(permission));
}

/** The grants of the user and of each group, for the cluster and the namespace. */
function collectSubjectGrants(policy: RbacPolicy, user: UserInfo, namespace: string): readonly SubjectGrants[] {
  const scopes = namespace === '' ? [''] : ['', namespace];
  const subjectGrants = scopes.flatMap((scope) => [
    policy.findGrants(scope, 'user', user.name),
    ...user.groups.map((group) => policy.findGrants(scope, 'group', group)),
  ]);
  return subjectGrants.filter((grants) => grants !== undefined);
}

/** A missing role is reported once, however often it is bound. */
const errorsOf = (subjectGrants: readonly SubjectGrants[]): readonly string[] => [
  ...new Set(subjectGrants.flatMap(({ errors }) => errors)),
];
