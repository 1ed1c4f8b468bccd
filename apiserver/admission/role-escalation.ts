/**
 * Prevents privilege escalation: the author of a role must hold every permission in it or be allowed to `escalate` it; the author of a binding must
 * hold every permission of its role or be allowed to `bind` it. It runs after everything that may change an object, webhooks and their reinvocation
 * included, and before the rules of the kind.
 */
import { arrayAt, equalJson, isObject, objectAt, type JsonObject } from '../../shared/values/json';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { badRequest, clientError, forbidden, notFound, type StatusError } from '../../shared/api/errors/status';
import { isInMastersGroup, type UserInfo } from '../../shared/api/identity/user';
import { runSteps, type Steps } from '../../shared/scheduling/steps';
import type { Authorizer, ResourceAttributes } from '../authorization/authorizer';
import { heldBy, holds } from '../authorization/rbac/authorizer';
import { readRoleReference, type RoleReference } from '../authorization/rbac/binding';
import type { RbacPolicy } from '../authorization/rbac/policy';
import { countParts, parts, readRule, type PolicyRule } from '../authorization/rbac/rule';
import { shownRules } from '../authorization/rbac/shown-rules';
import type { AdmissionRequest } from '../registry/admission';
import { slotYielder } from '../../shared/scheduling/yielding';
import type { MutatingPlugin } from './chain';

export interface EscalationParts {
  readonly policy: RbacPolicy;
  readonly authorizer: Authorizer;
  /** Resolves when this replica knows everything that was stored before. */
  readonly current: () => Promise<void>;
}

const GROUP = 'rbac.authorization.platform.io';

/** By resource: what is asked of who writes one. */
const GUARDS: Readonly<Record<string, (parts: EscalationParts, request: AdmissionRequest, object: JsonObject) => Promise<void>>> = {
  roles: guardRole,
  clusterroles: guardRole,
  rolebindings: guardBinding,
  clusterrolebindings: guardBinding,
};

export function roleEscalation(escalation: EscalationParts): MutatingPlugin {
  return {
    name: 'RoleEscalation',
    handles: (operation) => operation === 'CREATE' || operation === 'UPDATE',
    inspectsObject: ({ resource: { row }, user }) => row.group === GROUP && !isInMastersGroup(user),
    mutate(request) {
      const { row } = request.resource;
      if (row.group !== GROUP || request.object === undefined || isInMastersGroup(request.user)) return undefined;
      if (request.oldObject !== undefined && differsInUpkeepOnly(request.object, request.oldObject)) return undefined;
      return GUARDS[row.resource]?.(escalation, request, request.object);
    },
  };
}

/** What the collection of garbage changes of an object. */
const UPKEEP = ['ownerReferences', 'finalizers', 'managedFields'];

function differsInUpkeepOnly(object: JsonObject, old: JsonObject): boolean {
  const rest = (whole: JsonObject): JsonObject => ({
    ...whole,
    metadata: Object.fromEntries(Object.entries(readMetadata(whole)).filter(([member]) => !UPKEEP.includes(member))),
  });
  return equalJson(rest(object), rest(old));
}

async function guardRole(escalation: EscalationParts, request: AdmissionRequest, object: JsonObject): Promise<void> {
  const { resource } = request.resource.row;
  // What a collection is asked to create has no name that leave could be given for (upstream behaviour).
  const name = request.hasNameInPath ? request.name : '';
  if (await mayDo(escalation, request.user, { verb: 'escalate', resource, namespace: request.namespace, name })) return;
  const rules = (arrayAt(object, 'rules') ?? []).filter(isObject).map(readRule);
  await refuseMissing(escalation, request, rules);
  // Without its aggregationRule a role keeps the rules that it has gathered, so removing one is no less than setting one.
  if (![object, request.oldObject].some((role) => objectAt(role, 'aggregationRule') !== undefined)) return;
  if (EVERYTHING.every(holds(escalation.policy, request.user, request.namespace))) return;
  throw refusal(request, 'must have cluster-admin privileges to use the aggregationRule');
}

const ALL = ['*'];
const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ALL, groups: ALL, resources: ALL, names: [], paths: [] },
  { verbs: ALL, groups: [], resources: [], names: [], paths: ALL },
];

async function guardBinding(escalation: EscalationParts, request: AdmissionRequest, object: JsonObject): Promise<void> {
  const { namespace, user } = request;
  const kind = objectAt(object, 'roleRef')?.['kind'];
  if (kind !== 'Role' && kind !== 'ClusterRole') throw clientError(`unsupported role reference kind: ${JSON.stringify(kind ?? '')}`);
  const role = readRoleReference(namespace, object);
  const resource = `${kind.toLowerCase()}s`;
  if (await mayDo(escalation, user, { verb: 'bind', resource, namespace, name: role.name })) return;
  if (kind === 'Role' && namespace === '') throw badRequest('Namespace parameter required.');
  await refuseMissing(escalation, request, await rulesOf(escalation, role, resource));
}

/** Of a role that this replica may not have seen yet. */
async function rulesOf({ policy, current }: EscalationParts, role: RoleReference, resource: string): Promise<readonly PolicyRule[]> {
  const known = policy.rulesOf(role);
  if (known !== undefined) return known;
  await current();
  const rules = policy.rulesOf(role);
  if (rules === undefined) throw notFound({ group: GROUP, resource }, role.name);
  return rules;
}

/** The lists of a rule multiply: more than so many would hold up others. */
const MOST_PARTS = 20_000;

type Asked = Pick<ResourceAttributes, 'verb' | 'resource' | 'namespace' | 'name'>;

async function mayDo({ authorizer }: EscalationParts, user: UserInfo, asked: Asked): Promise<boolean> {
  const { type } = await authorizer.authorize(user, { kind: 'resource', group: GROUP, version: 'v1', subresource: '', ...asked });
  return type === 'allow';
}

async function refuseMissing({ policy }: EscalationParts, request: AdmissionRequest, rules: readonly PolicyRule[]): Promise<void> {
  const { user, namespace, context } = request;
  const isHeld = holds(policy, user, namespace);
  const count = rules.reduce((sum, rule) => sum + countParts(rule), 0);
  if (count > MOST_PARTS)
    throw refusal(request, `it grants ${count} permissions one by one, and only ${MOST_PARTS} can be compared with those of a user`);
  const yielder = slotYielder(context);
  const missing = await runSteps(
    partsOf(rules, (part) => !isHeld(part)),
    yielder,
  );
  if (missing.length === 0) return;
  const groups = user.groups.map((group) => JSON.stringify(group)).join(' ');
  const text = `user ${JSON.stringify(user.name)} (groups=[${groups}]) is attempting to grant RBAC permissions not currently held:\n${await runSteps(shownRules(missing), yielder)}`;
  throw refusal(request, text + resolutionErrors(heldBy(policy, user, namespace).errors));
}

function* partsOf(rules: readonly PolicyRule[], isWanted: (part: PolicyRule) => boolean): Steps<readonly PolicyRule[]> {
  const wanted: PolicyRule[] = [];
  for (const rule of rules) {
    for (const part of parts(rule)) {
      yield;
      if (isWanted(part)) wanted.push(part);
    }
  }
  return wanted;
}

function refusal(request: AdmissionRequest, text: string): StatusError {
  const { group, resource } = request.resource.row;
  return forbidden({ group, resource }, nameOf(request), text);
}

/** Here roles that are missing are named as resources are. */
function resolutionErrors(errors: readonly string[]): string {
  if (errors.length === 0) return '';
  const texts = errors.map((error) => error.replace(/^(cluster)?role\./, '$1roles.')).join(', ');
  return `; resolution errors: [${errors.length === 1 ? texts : `[${texts}]`}]`;
}

function nameOf(request: AdmissionRequest): string {
  const name = readMetadata(request.object ?? {})['name'];
  return typeof name === 'string' ? name : request.name;
}
