/**
 * The Node authorizer: a node may read the objects that its pods reference, write the status of their claims, request
 * tokens of their accounts, manage its own Lease and CSINode, and has the permissions of every node. Decides
 * allow or no opinion, never deny. Which writes a node may make is left to the admission plug-in NodeRestriction.
 */
import type { UserInfo } from '../../../shared/api/identity/user';
import { ALLOW, NO_OPINION, NO_RULES, type Authorizer, type Decision, type ResourceAttributes } from '../authorizer';
import { SubjectGrants } from '../rbac/subject-grants';
import type { PolicyRule } from '../rbac/rule';
import type { NodeGraph } from './graph';
import type { ReferenceKind } from './references';

/** What a node may do, and which objects its pods reference. */
export interface NodeAuthorizerDependencies {
  readonly graph: NodeGraph;
  /** Permissions of every node. */
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

const noOpinion = (reason: string): Decision => ({ type: 'no-opinion', reason });

/** Stands for the binding of the common rules, of which only the decision is used. */
const NO_BINDING = { text: '', namespace: '', role: { kind: 'ClusterRole', namespace: '', name: '' }, subjects: [] } as const;

/** Has no opinion about users that are not nodes. */
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
      const authorizeResource = attributes.kind === 'resource' ? authorizers.get(`${attributes.resource}.${attributes.group}`) : undefined;
      if (authorizeResource !== undefined && attributes.kind === 'resource') return authorizeResource(node, attributes);
      return commonGrants.find(attributes) === undefined ? NO_OPINION : ALLOW;
    },
    rules(user) {
      if (nodeNameOf(user) === undefined) return NO_RULES;
      return { ...NO_RULES, incomplete: true, errors: ['node authorizer does not support user rule resolution'] };
    },
  };
}

type AuthorizeResource = (node: string, attributes: ResourceAttributes) => Decision;
type IsRelated = (node: string, attributes: ResourceAttributes) => boolean;

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);
const OWN_VERBS: ReadonlySet<string> = new Set(['get', 'create', 'update', 'patch', 'delete']);
const STATUS_VERBS: ReadonlySet<string> = new Set(['update', 'patch']);

/**
 * Allowed without a relation: a node may read all slices, and admission checks the node of a new one. The other verbs need
 * a relation between node and slice, which the graph does not contain.
 */
const SLICE_VERBS: ReadonlySet<string> = new Set(['create', 'list', 'watch']);

/** By resource, a dot, and group. */
function resourceAuthorizers({ graph, nodeLeaseNamespace }: NodeAuthorizerDependencies): ReadonlyMap<string, AuthorizeResource> {
  const isReferenced =
    (kind: ReferenceKind): IsRelated =>
    (node, { namespace, name }) =>
      graph.isReferencedByNode(node, { kind, namespace, name });
  const isClaimReferenced = isReferenced('claim');
  return new Map<string, AuthorizeResource>([
    ['secrets.', readRelatedObject(isReferenced('secret'))],
    ['configmaps.', readRelatedObject(isReferenced('configmap'))],
    [
      'persistentvolumeclaims.',
      (node, attributes) =>
        attributes.subresource === 'status'
          ? updateRelatedStatus(isClaimReferenced, node, attributes)
          : getRelatedObject(isClaimReferenced)(node, attributes),
    ],
    ['persistentvolumes.', getRelatedObject((node, { name }) => graph.isVolumeReferencedByNode(node, name))],
    ['volumeattachments.storage.platform.io', getRelatedObject((node, { name }) => graph.isAttachedTo(node, name))],
    // The graph does not contain the claims of pods, so that no node reads one.
    ['resourceclaims.resource.platform.io', getRelatedObject(() => false)],
    [
      'resourceslices.resource.platform.io',
      (node, attributes) => (SLICE_VERBS.has(attributes.verb) ? ALLOW : authorizeRelated(() => false, node, attributes)),
    ],
    ['serviceaccounts.', createRelatedToken(isReferenced('account'))],
    [
      'leases.coordination.platform.io',
      (node, { verb, namespace, name }) => {
        if (!OWN_VERBS.has(verb)) return noOpinion('can only get, create, update, patch, or delete a node lease');
        if (namespace !== nodeLeaseNamespace)
          return noOpinion(`can only access leases in the ${JSON.stringify(nodeLeaseNamespace)} system namespace`);
        return verb === 'create' || name === node
          ? ALLOW
          : noOpinion('can only access node lease with the same name as the requesting node');
      },
    ],
    [
      'csinodes.storage.platform.io',
      (node, { verb, name, subresource }) => {
        if (!OWN_VERBS.has(verb)) return noOpinion('can only get, create, update, patch, or delete a CSINode');
        if (subresource !== '') return noOpinion('cannot authorize CSINode subresources');
        return verb === 'create' || name === node ? ALLOW : noOpinion('can only access CSINode with the same name as the requesting node');
      },
    ],
  ]);
}

function authorizeRelated(isRelated: IsRelated, node: string, attributes: ResourceAttributes): Decision {
  if (attributes.name === '') return noOpinion('No Object name found');
  return isRelated(node, attributes) ? ALLOW : noOpinion(`no relationship found between node '${node}' and this object`);
}

const readRelatedObject =
  (isRelated: IsRelated): AuthorizeResource =>
  (node, attributes) => {
    if (!READS.has(attributes.verb)) return noOpinion('can only read resources of this type');
    if (attributes.subresource !== '') return noOpinion('cannot read subresource');
    if (attributes.namespace === '') return noOpinion('can only read namespaced object of this type');
    return authorizeRelated(isRelated, node, attributes);
  };

const getRelatedObject =
  (isRelated: IsRelated): AuthorizeResource =>
  (node, attributes) => {
    if (attributes.verb !== 'get') return noOpinion('can only get individual resources of this type');
    if (attributes.subresource !== '') return noOpinion('cannot get subresource');
    return authorizeRelated(isRelated, node, attributes);
  };

const updateRelatedStatus = (isRelated: IsRelated, node: string, attributes: ResourceAttributes): Decision =>
  STATUS_VERBS.has(attributes.verb) ? authorizeRelated(isRelated, node, attributes) : noOpinion('can only get/update/patch this type');

const createRelatedToken =
  (isRelated: IsRelated): AuthorizeResource =>
  (node, attributes) => {
    const { verb, name, subresource } = attributes;
    if (verb !== 'create' || name === '') return noOpinion('can only create tokens for individual service accounts');
    if (subresource !== 'token') return noOpinion('can only create token subresource of serviceaccount');
    return authorizeRelated(isRelated, node, attributes);
  };
