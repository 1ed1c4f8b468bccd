/**
 * Prevents privilege escalation. The author of a role must hold every permission in it or be allowed to `escalate` it.
 * The author of a binding must hold every permission of its role or be allowed to `bind` it. The check runs after
 * everything that may change an object, webhooks and their reinvocation included, and before the rules of the kind.
 */
import type { RbacV1ClusterRole, RbacV1ClusterRoleBinding, RbacV1RoleBinding } from '../../../../shared/api/types/generated/members';
import { equalJson, type JsonObject } from '../../../../shared/values/json';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { badRequest, clientError, forbidden, notFound, type StatusError } from '../../../../shared/api/errors/status';
import { isInMastersGroup, type UserInfo } from '../../../../shared/api/identity/user';
import { runSteps, type Steps } from '../../../../shared/scheduling/steps';
import type { Authorizer, ResourceAttributes } from '../../../authorization/authorizer';
import { resolveRules, permissionChecker } from '../../../authorization/rbac/authorizer';
import { readRoleReference, type RoleReference } from '../../../authorization/rbac/binding';
import type { RbacPolicy } from '../../../authorization/rbac/policy';
import { countBreakdown, breakdownRule, readRule, type PolicyRule } from '../../../authorization/rbac/rule';
import { formatRules } from '../../../authorization/rbac/format-rules';
import type { AdmissionRequest } from '../../../registry/admission';
import { slotYielder } from '../../../../shared/scheduling/yielding';
import type { MutatingPlugin } from '../../chain';

/** The roles of this replica, and what decides about `escalate` and `bind`. */
export interface EscalationDependencies {
  readonly policy: RbacPolicy;
  readonly authorizer: Authorizer;
  /** Resolves when this replica's cache has every earlier write. */
  readonly waitUntilCurrent: () => Promise<void>;
}

const GROUP = 'rbac.authorization.platform.io';

/** Checks by resource; they reject with a StatusError. */
const CHECKS: Readonly<
  Record<string, (escalation: EscalationDependencies, request: AdmissionRequest, object: JsonObject) => Promise<void>>
> = {
  roles: checkRole,
  clusterroles: checkRole,
  rolebindings: checkBinding,
  clusterrolebindings: checkBinding,
};

/** The check as a mutating plug-in; it changes nothing. Members of `system:masters` are exempt. */
export function escalationCheck(escalation: EscalationDependencies): MutatingPlugin {
  return {
    name: 'RoleEscalation',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    inspectsObject: ({ resource: { row }, user }) => row.group === GROUP && !isInMastersGroup(user),
    mutate(request) {
      const { row } = request.resource;
      if (row.group !== GROUP || request.object === undefined || isInMastersGroup(request.user)) return undefined;
      if (request.oldObject !== undefined && isGarbageCollectionChange(request.object, request.oldObject)) return undefined;
      return CHECKS[row.resource]?.(escalation, request, request.object);
    },
  };
}

/** Metadata that the garbage collector changes. */
const GARBAGE_COLLECTION_FIELDS = ['ownerReferences', 'finalizers', 'managedFields'];

/** Whether the objects differ in nothing but {@link GARBAGE_COLLECTION_FIELDS}. */
function isGarbageCollectionChange(object: JsonObject, oldObject: JsonObject): boolean {
  const otherFields = (role: JsonObject): JsonObject => ({
    ...role,
    metadata: Object.fromEntries(Object.entries(readMetadata(role)).filter(([member]) => !GARBAGE_COLLECTION_FIELDS.includes(member))),
  });
  return equalJson(otherFields(object), otherFields(oldObject));
}

const WILDCARD = ['*'];
/** Every permission for resources and for paths: what a role with an aggregationRule may come to contain. */
const ALL_PERMISSIONS: readonly PolicyRule[] = [
  { verbs: WILDCARD, groups: WILDCARD, resources: WILDCARD, names: [], paths: [] },
  { verbs: WILDCARD, groups: [], resources: [], names: [], paths: WILDCARD },
];

/** Rejects unless the author may escalate the role, or holds its permissions. */
async function checkRole(
  escalation: EscalationDependencies,
  request: AdmissionRequest<RbacV1ClusterRole>,
  object: RbacV1ClusterRole,
): Promise<void> {
  const { resource } = request.resource.row;
  // A create names no object, so that `escalate` for one name does not apply to it (upstream behaviour).
  const name = request.hasNameInPath ? request.name : '';
  if (await isAllowed(escalation, request.user, { verb: 'escalate', resource, namespace: request.namespace, name })) return;
  const rules = (object.rules ?? []).map(readRule);
  await rejectMissingPermissions(escalation, request, rules);
  // Without its aggregationRule a role keeps the rules that were aggregated, so removing one requires as much as
  // setting one.
  const isAggregated = object.aggregationRule !== undefined || request.oldObject?.aggregationRule !== undefined;
  if (!isAggregated) return;
  if (ALL_PERMISSIONS.every(permissionChecker(escalation.policy, request.user, request.namespace))) return;
  throw rejection(request, 'must have cluster-admin privileges to use the aggregationRule');
}

/** Rejects unless the author may bind the role, or holds its permissions. */
async function checkBinding(
  escalation: EscalationDependencies,
  request: AdmissionRequest,
  binding: RbacV1ClusterRoleBinding | RbacV1RoleBinding,
): Promise<void> {
  const { namespace, user } = request;
  const kind = binding.roleRef?.kind;
  if (kind !== 'Role' && kind !== 'ClusterRole') throw clientError(`unsupported role reference kind: ${JSON.stringify(kind ?? '')}`);
  const role = readRoleReference(namespace, binding);
  const resource = `${kind.toLowerCase()}s`;
  if (await isAllowed(escalation, user, { verb: 'bind', resource, namespace, name: role.name })) return;
  if (kind === 'Role' && namespace === '') throw badRequest('Namespace parameter required.');
  await rejectMissingPermissions(escalation, request, await requireRoleRules(escalation, role, resource));
}

/** The rules of an existing role. Waits when this replica's cache lacks the role, which may have been created just now. */
async function requireRoleRules(
  { policy, waitUntilCurrent }: EscalationDependencies,
  role: RoleReference,
  resource: string,
): Promise<readonly PolicyRule[]> {
  const knownRules = policy.rulesOf(role);
  if (knownRules !== undefined) return knownRules;
  await waitUntilCurrent();
  const rules = policy.rulesOf(role);
  if (rules === undefined) throw notFound({ group: GROUP, resource }, role.name);
  return rules;
}

type RequestedPermission = Pick<ResourceAttributes, 'verb' | 'resource' | 'namespace' | 'name'>;

async function isAllowed({ authorizer }: EscalationDependencies, user: UserInfo, permission: RequestedPermission): Promise<boolean> {
  const { type } = await authorizer.authorize(user, { kind: 'resource', group: GROUP, version: 'v1', subresource: '', ...permission });
  return type === 'allow';
}

/**
 * Permissions that one request may have compared. The lists of a rule multiply: 100 verbs, groups and resource names
 * each are a million permissions.
 */
const MAX_COMPARED_PERMISSIONS = 20_000;

/** Rejects unless the user holds every permission of the rules. Yields to the event loop between them. */
async function rejectMissingPermissions(
  { policy }: EscalationDependencies,
  request: AdmissionRequest,
  rules: readonly PolicyRule[],
): Promise<void> {
  const { user, namespace, context } = request;
  const isHeld = permissionChecker(policy, user, namespace);
  const count = rules.reduce((sum, rule) => sum + countBreakdown(rule), 0);
  if (count > MAX_COMPARED_PERMISSIONS)
    throw rejection(
      request,
      `it grants ${count} separate permissions, and at most ${MAX_COMPARED_PERMISSIONS} can be compared with those of a user`,
    );
  const yielder = slotYielder(context);
  const missing = await runSteps(
    filterPermissions(rules, (part) => !isHeld(part)),
    yielder,
  );
  if (missing.length === 0) return;
  const groups = user.groups.map((group) => JSON.stringify(group)).join(' ');
  const missingRules = await runSteps(formatRules(missing), yielder);
  const text = `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${missingRules}`;
  throw rejection(request, text + resolutionErrors(resolveRules(policy, user, namespace).errors));
}

/** The single permissions of the rules that `isIncluded` selects. */
function* filterPermissions(rules: readonly PolicyRule[], isIncluded: (part: PolicyRule) => boolean): Steps<readonly PolicyRule[]> {
  const included: PolicyRule[] = [];
  for (const rule of rules) {
    for (const part of breakdownRule(rule)) {
      yield;
      if (isIncluded(part)) included.push(part);
    }
  }
  return included;
}

function rejection(request: AdmissionRequest, text: string): StatusError {
  const { group, resource } = request.resource.row;
  return forbidden({ group, resource }, nameOf(request), text);
}

/** The suffix of a rejection that names roles which the user is bound to and which do not exist. */
function resolutionErrors(errors: readonly string[]): string {
  if (errors.length === 0) return '';
  // Upstream uses the plural in this message: `clusterrole.rbac…` -> `clusterroles.rbac…`.
  const texts = errors.map((error) => error.replace(/^(cluster)?role\./, '$1roles.')).join(', ');
  return `; resolution errors: [${errors.length === 1 ? texts : `[${texts}]`}]`;
}

function nameOf(request: AdmissionRequest): string {
  return readMetadata(request.object ?? {}).name ?? request.name;
}
