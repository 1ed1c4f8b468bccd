/**
 * What nodes may do: read what their pods need, one by one, and what every node must do to be one. It never denies; others may allow more.
 */
import type { UserInfo } from '../../../shared/api/identity/user';
import { ALLOW, NO_OPINION, NO_RULES, type Authorizer, type Decision, type ResourceAttributes } from '../authorizer';
import { Grants } from '../rbac/grants';
import type { PolicyRule } from '../rbac/rule';
import type { NodeGraph } from './graph';
import type { ReferredKind } from './references';

export interface NodeAuthorizerParts {
  readonly graph: NodeGraph;
  /** What every node may do, whatever is on it. */
  readonly rules: readonly PolicyRule[];
  readonly nodeLeaseNamespace: string;
}

export const NODE_USER_PREFIX = 'system:node:';
const NODES = 'system:nodes';

/** The node that a user is: its name, which may be ''; undefined = none. */
export function nodeOf(user: UserInfo): string | undefined {
  return user.name.startsWith(NODE_USER_PREFIX) && user.groups.includes(NODES) ? user.name.slice(NODE_USER_PREFIX.length) : undefined;
}

const pass = (reason: string): Decision => ({ type: 'no-opinion', reason });

export function nodeAuthorizer(parts: NodeAuthorizerParts): Authorizer {
  const guards = guardsOf(parts);
  const grants = new Grants([{ binding: NO_BINDING, subject: { found: 'group', key: NODES, text: '' }, rules: parts.rules }]);
  return {
    authorize(user, attributes) {
      const node = nodeOf(user);
      if (node === undefined) return NO_OPINION;
      if (node === '') return pass(`unknown node for user ${JSON.stringify(user.name)}`);
      const guard = attributes.kind === 'resource' ? guards.get(`${attributes.resource}.${attributes.group}`) : undefined;
      if (guard !== undefined && attributes.kind === 'resource') return guard(node, attributes);
      return grants.find(attributes) === undefined ? NO_OPINION : ALLOW;
    },
    rules(user) {
      if (nodeOf(user) === undefined) return NO_RULES;
      return { ...NO_RULES, incomplete: true, errors: ['node authorizer does not support user rule resolution'] };
    },
  };
}

const NO_BINDING = { text: '', namespace: '', role: { kind: 'ClusterRole', namespace: '', name: '' }, subjects: [] } as const;

type Guard = (node: string, attributes: ResourceAttributes) => Decision;
type Relation = (node: string, attributes: ResourceAttributes) => boolean;

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const OWN_VERBS: ReadonlySet<string> = new Set(['get', 'create', 'update', 'patch', 'delete']);
const STATUS_VERBS: ReadonlySet<string> = new Set(['update', 'patch']);

/** By resource, a dot, and group. */
function guardsOf({ graph, nodeLeaseNamespace }: NodeAuthorizerParts): ReadonlyMap<string, Guard> {
  const needed =
    (kind: ReferredKind): Relation =>
    (node, { namespace, name }) =>
      graph.needs(node, { kind, namespace, name });
  const claim = needed('claim');
  return new Map<string, Guard>([
    ['secrets.', readNamed(needed('secret'))],
    ['configmaps.', readNamed(needed('configmap'))],
    [
      'persistentvolumeclaims.',
      (node, attributes) => (attributes.subresource === 'status' ? changeStatus(claim, node, attributes) : getOne(claim)(node, attributes)),
    ],
    ['persistentvolumes.', getOne((node, { name }) => graph.needsVolume(node, name))],
    ['volumeattachments.storage.platform.io', getOne((node, { name }) => graph.isAttachedTo(node, name))],
    // Claims of devices are not served yet, so no pod leads to one.
    ['resourceclaims.resource.platform.io', getOne(() => false)],
    [
      'resourceslices.resource.platform.io',
      (node, attributes) => (SLICE_VERBS.has(attributes.verb) ? ALLOW : related(() => false, node, attributes)),
    ],
    ['serviceaccounts.', createToken(needed('account'))],
    [
      'leases.coordination.platform.io',
      (node, { verb, namespace, name }) => {
        if (!OWN_VERBS.has(verb)) return pass('can only get, create, update, patch, or delete a node lease');
        if (namespace !== nodeLeaseNamespace)
          return pass(`can only access leases in the ${JSON.stringify(nodeLeaseNamespace)} system namespace`);
        return verb === 'create' || name === node ? ALLOW : pass('can only access node lease with the same name as the requesting node');
      },
    ],
    [
      'csinodes.storage.platform.io',
      (node, { verb, name, subresource }) => {
        if (!OWN_VERBS.has(verb)) return pass('can only get, create, update, patch, or delete a CSINode');
        if (subresource !== '') return pass('cannot authorize CSINode subresources');
        return verb === 'create' || name === node ? ALLOW : pass('can only access CSINode with the same name as the requesting node');
      },
    ],
  ]);
}

/** Of slices of devices these are checked elsewhere; the others would have to be of its own ones. */
const SLICE_VERBS: ReadonlySet<string> = new Set(['create', 'list', 'watch']);

function related(relation: Relation, node: string, attributes: ResourceAttributes): Decision {
  if (attributes.name === '') return pass('No Object name found');
  return relation(node, attributes) ? ALLOW : pass(`no relationship found between node '${node}' and this object`);
}

const readNamed =
  (relation: Relation): Guard =>
  (node, attributes) => {
    if (!READS.has(attributes.verb)) return pass('can only read resources of this type');
    if (attributes.subresource !== '') return pass('cannot read subresource');
    if (attributes.namespace === '') return pass('can only read namespaced object of this type');
    return related(relation, node, attributes);
  };

const getOne =
  (relation: Relation): Guard =>
  (node, attributes) => {
    if (attributes.verb !== 'get') return pass('can only get individual resources of this type');
    if (attributes.subresource !== '') return pass('cannot get subresource');
    return related(relation, node, attributes);
  };

const changeStatus = (relation: Relation, node: string, attributes: ResourceAttributes): Decision =>
  STATUS_VERBS.has(attributes.verb) ? related(relation, node, attributes) : pass('can only get/update/patch this type');

const createToken =
  (relation: Relation): Guard =>
  (node, attributes) => {
    const { verb, name, subresource } = attributes;
    if (verb !== 'create' || name === '') return pass('can only create tokens for individual service accounts');
    if (subresource !== 'token') return pass('can only create token subresource of serviceaccount');
    return related(relation, node, attributes);
  };
