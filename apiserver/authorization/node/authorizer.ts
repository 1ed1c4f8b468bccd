/**
 * The Node authorizer, which allows a node to:
 *
 * - Read the objects that its pods reference.
 * - Write the status of the claims of its pods.
 * - Request tokens of the accounts of its pods.
 * - Manage its own Lease and CSINode.
 * - Do what every node may do.
 *
 * It has no opinion about other requests: it never denies. What an allowed write may contain is left to the admission
 * plug-in NodeRestriction.
 */
import type { UserInfo } from '../../../shared/api/identity/user';
import { ALLOW, NO_OPINION, NO_RULES, type Authorizer, type Decision, type ResourceAttributes } from '../authorizer';
import { SubjectGrants } from '../rbac/subject-grants';
import type { PolicyRule } from '../rbac/rule';
import type { NodeGraph } from './graph';
import type { ReferenceKind } from './references';

/** The rules for all nodes, and the references from which the permissions of one node follow. */
export interface NodeAuthorizerDependencies {
  readonly graph: NodeGraph;
  /** Permissions of every node. They do not apply to the resources for which the graph or the node's name decides. */
  readonly commonRules: readonly PolicyRule[];
  /** The namespace in which each node has its Lease. */
  readonly nodeLeaseNamespace: string;
}

/** Precedes the node name in the user name of a node. */
export const NODE_USER_PREFIX = 'system:node:';
const NODES_GROUP = 'system:nodes';

/** The node name of a user, which may be ''; `undefined` when the user is not a node. */
export function nodeNameOf(user: UserInfo): string | undefined {
  return user.name.startsWith(NODE_USER_PREFIX) && user.groups.includes(NODES_GROUP) ? user.name.slice(NODE_USER_PREFIX.length) : undefined;
}

/** `reason` is in upstream's words. */
const noOpinion = (reason: string): Decision => ({ type: 'no-opinion', reason });

/** Grants need a binding, but the common rules have none. It would only appear in the reason of the grant, which is not used. */
const NO_BINDING = { text: '', namespace: '', role: { kind: 'ClusterRole', namespace: '', name: '' }, subjects: [] } as const;

/** Creates the authorizer. It has no opinion about users that are not nodes. */
export function nodeAuthorizer(deps: NodeAuthorizerDependencies): Authorizer {
  const authorizers = resourceAuthorizers(deps);
  const commonGrants = new SubjectGrants([
    { binding: NO_BINDING, subject: { kind: 'group', key: NODES_GROUP, text: '' }, rules: deps.commonRules },
  ]);
  return {
    authorize(user, attributes) {
      const node = nodeNameOf(user);
      if (node === undefined) return NO_OPINION;
      if (node === '') return noOpinion(`unknown node for user ${JSON.stringify(user.name)}`);
      if (attributes.kind === 'resource') {
        const authorizeResource = authorizers.get(`${attributes.resource}.${attributes.group}`);
        if (authorizeResource !== undefined) return authorizeResource(node, attributes);
      }
      return commonGrants.find(attributes) === undefined ? NO_OPINION : ALLOW;
    },
    rules(user) {
      if (nodeNameOf(user) === undefined) return NO_RULES;
      return { ...NO_RULES, isIncomplete: true, errors: ['node authorizer does not support user rule resolution'] };
    },
  };
}

/** Decides about a request for one resource by the node of this name. */
type AuthorizeResource = (node: string, attributes: ResourceAttributes) => Decision;
/** Whether a pod on the node gives it access to the object of the request. */
type IsRelated = (node: string, attributes: ResourceAttributes) => boolean;

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
/** What a node may do with its own Lease and CSINode. */
const OWN_VERBS: ReadonlySet<string> = new Set(['get', 'create', 'update', 'patch', 'delete']);
const STATUS_VERBS: ReadonlySet<string> = new Set(['update', 'patch']);

/**
 * What a node may do with every ResourceSlice: it may read all of them, and admission checks the node of a new one. The
 * other verbs need a relation between node and slice, which the graph does not contain.
 */
const SLICE_VERBS: ReadonlySet<string> = new Set(['create', 'list', 'watch']);

/**
 * The resources for which the graph or the node's name decides. Keys are resource, dot and group: `secrets.`,
 * `csinodes.storage.platform.io`.
 */
function resourceAuthorizers({ graph, nodeLeaseNamespace }: NodeAuthorizerDependencies): ReadonlyMap<string, AuthorizeResource> {
  const isReferenced =
    (kind: ReferenceKind): IsRelated =>
    (node, { namespace, name }) =>
      graph.isReferencedByNode(node, { kind, namespace, name });
  const allowGetOfClaim = allowGetIf(isReferenced('claim'));
  const allowStatusUpdateOfClaim = allowStatusUpdateIf(isReferenced('claim'));
  return new Map<string, AuthorizeResource>([
    ['secrets.', allowReadIf(isReferenced('secret'))],
    ['configmaps.', allowReadIf(isReferenced('configmap'))],
    [
      'persistentvolumeclaims.',
      (node, attributes) =>
        attributes.subresource === 'status' ? allowStatusUpdateOfClaim(node, attributes) : allowGetOfClaim(node, attributes),
    ],
    ['persistentvolumes.', allowGetIf((node, { name }) => graph.isVolumeReferencedByNode(node, name))],
    ['volumeattachments.storage.platform.io', allowGetIf((node, { name }) => graph.isAttachedTo(node, name))],
    // The graph does not contain the ResourceClaims of pods, so that no node reads one.
    ['resourceclaims.resource.platform.io', allowGetIf(() => false)],
    [
      'resourceslices.resource.platform.io',
      (node, attributes) => (SLICE_VERBS.has(attributes.verb) ? ALLOW : allowIf(() => false, node, attributes)),
    ],
    ['serviceaccounts.', allowTokenIf(isReferenced('account'))],
    ['leases.coordination.platform.io', (node, attributes) => authorizeLease(nodeLeaseNamespace, node, attributes)],
    ['csinodes.storage.platform.io', authorizeCsiNode],
  ]);
}

/** Allows a request for an object to which the node is related. */
function allowIf(isRelated: IsRelated, node: string, attributes: ResourceAttributes): Decision {
  if (attributes.name === '') return noOpinion('No Object name found');
  return isRelated(node, attributes) ? ALLOW : noOpinion(`no relationship found between node '${node}' and this object`);
}

/** Reads of the object, also by a list or watch with its name. */
const allowReadIf =
  (isRelated: IsRelated): AuthorizeResource =>
  (node, attributes) => {
    if (!READS.has(attributes.verb)) return noOpinion('can only read resources of this type');
    if (attributes.subresource !== '') return noOpinion('cannot read subresource');
    if (attributes.namespace === '') return noOpinion('can only read namespaced object of this type');
    return allowIf(isRelated, node, attributes);
  };

/** Gets of the object. */
const allowGetIf =
  (isRelated: IsRelated): AuthorizeResource =>
  (node, attributes) => {
    if (attributes.verb !== 'get') return noOpinion('can only get individual resources of this type');
    if (attributes.subresource !== '') return noOpinion('cannot get subresource');
    return allowIf(isRelated, node, attributes);
  };

/** Updates of the object's status. The caller has checked that the request is for the status. */
const allowStatusUpdateIf =
  (isRelated: IsRelated): AuthorizeResource =>
  (node, attributes) =>
    STATUS_VERBS.has(attributes.verb) ? allowIf(isRelated, node, attributes) : noOpinion('can only get/update/patch this type');

/** Token requests for the ServiceAccount. */
const allowTokenIf =
  (isRelated: IsRelated): AuthorizeResource =>
  (node, attributes) => {
    const { verb, name, subresource } = attributes;
    if (verb !== 'create' || name === '') return noOpinion('can only create tokens for individual service accounts');
    if (subresource !== 'token') return noOpinion('can only create token subresource of serviceaccount');
    return allowIf(isRelated, node, attributes);
  };

/** A node has one Lease, of its own name. The name of a new one is checked by NodeRestriction, not here. */
function authorizeLease(nodeLeaseNamespace: string, node: string, { verb, namespace, name }: ResourceAttributes): Decision {
  if (!OWN_VERBS.has(verb)) return noOpinion('can only get, create, update, patch, or delete a node lease');
  if (namespace !== nodeLeaseNamespace)
    return noOpinion(`can only access leases in the ${JSON.stringify(nodeLeaseNamespace)} system namespace`);
  return verb === 'create' || name === node ? ALLOW : noOpinion('can only access node lease with the same name as the requesting node');
}

/** A node has one CSINode, of its own name. The name of a new one is checked by NodeRestriction, not here. */
function authorizeCsiNode(node: string, { verb, name, subresource }: ResourceAttributes): Decision {
  if (!OWN_VERBS.has(verb)) return noOpinion('can only get, create, update, patch, or delete a CSINode');
  if (subresource !== '') return noOpinion('cannot authorize CSINode subresources');
  return verb === 'create' || name === node ? ALLOW : noOpinion('can only access CSINode with the same name as the requesting node');
}
