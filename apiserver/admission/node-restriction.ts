/**
 * NodeRestriction: confines the writes of a node to its own Node (except the taints, labels and owners that decide which pods run there), its own Lease and CSINode, the
 * pods on it, tokens for these pods, the status of claims, and certificate requests for its own name. Ignores the requests of all other users.
 */
import { arrayAt, equalJson, isObject, objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { notFound, type StatusError } from '../../shared/api/errors/status';
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { parseCertificateRequest, CertificateRequestFault } from '../../shared/pki/certificate-request';
import { NODE_USER_PREFIX, nodeOf } from '../authorization/node/authorizer';
import { podReferences, type ReferredKind } from '../authorization/node/references';
import type { AdmissionTarget, AdmissionRequest } from '../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from './chain';
import { restrictedLabels } from './node-labels';
import { refused } from './pod-creation';

export interface NodeRestrictionParts {
  /** As this replica knows it. */
  readonly pod: (namespace: string, name: string) => JsonObject | undefined;
  readonly node: (name: string) => JsonObject | undefined;
  /** The namespace of the Leases of nodes. */
  readonly nodeLeaseNamespace: string;
}

/** What is asked of a node that writes something. */
interface Written extends NodeRestrictionParts {
  readonly request: AdmissionRequest;
  /** The name of the node. */
  readonly by: string;
}

/** By resource, a dot, and group. Undefined = nothing is said against it. */
const RULES: Readonly<Record<string, (written: Written) => StatusError | undefined>> = {
  'nodes.': writesNode,
  'pods.': writesPod,
  'serviceaccounts.': asksForToken,
  'leases.coordination.platform.io': writesLease,
  'csinodes.storage.platform.io': writesCsiNode,
  'persistentvolumeclaims.': writesClaim,
  'certificatesigningrequests.certificates.platform.io': requestsCertificate,
};

/** Checks a write twice: as it was sent, before validation, and as it will be stored, because a webhook may be reinvoked in between. */
export function nodeRestriction(parts: NodeRestrictionParts): { readonly mutating: MutatingPlugin; readonly validating: ValidatingPlugin } {
  const judge = (request: AdmissionRequest): undefined => judgeNode(parts, request);
  const name = 'NodeRestriction';
  const inspectsObject = ({ resource: { row }, user }: AdmissionTarget): boolean =>
    nodeOf(user) !== undefined && Object.hasOwn(RULES, `${row.resource}.${row.group}`);
  return {
    mutating: { name, handles: (operation) => operation === 'CREATE' || operation === 'UPDATE', inspectsObject, mutate: judge },
    validating: { name, handles: (operation) => operation !== 'CONNECT', inspectsObject, validate: judge },
  };
}

function judgeNode(parts: NodeRestrictionParts, request: AdmissionRequest): undefined {
  const by = nodeOf(request.user);
  if (by === undefined) return;
  if (by === '') throw refused(request, `could not determine node from user ${quoted(request.user.name)}`);
  const { resource, group } = request.resource.row;
  const fault = RULES[`${resource}.${group}`]?.({ ...parts, request, by });
  if (fault !== undefined) throw fault;
}

const quoted = (text: string): string => JSON.stringify(text);

const nameOf = ({ name, object }: AdmissionRequest): string => stringAt(readMetadata(object ?? {}), 'name') ?? name;

function writesNode({ request, by }: Written): StatusError | undefined {
  if (nameOf(request) !== by) return refused(request, `node ${quoted(by)} is not allowed to modify node ${quoted(nameOf(request))}`);
  switch (request.operation) {
    case 'CREATE':
      return createsNode(request, by);
    case 'UPDATE':
      return updatesNode(request, by);
    case 'DELETE':
    case 'CONNECT':
      return undefined;
  }
}

function createsNode(request: AdmissionRequest, by: string): StatusError | undefined {
  const { object } = request;
  // The message says "pods", as upstream's does.
  if (configSourceOf(object) !== undefined)
    return refused(request, `node ${quoted(by)} is not allowed to create pods with a non-nil configSource`);
  if (ownersOf(object).length > 0) return refused(request, `node ${quoted(by)} is not allowed to set ownerReferences`);
  const labels = restrictedLabels(Object.keys(labelsOf(object)));
  return labels.length === 0
    ? undefined
    : refused(request, `node ${quoted(by)} is not allowed to set the following labels: ${labels.join(', ')}`);
}

function updatesNode(request: AdmissionRequest, by: string): StatusError | undefined {
  const { object, oldObject } = request;
  const configSource = configSourceOf(object);
  if (configSource !== undefined && !equalJson(configSource, configSourceOf(oldObject) ?? null))
    return refused(request, `node ${quoted(by)} is not allowed to update configSource to a new non-nil configSource`);
  if (!equalJson(taintsOf(object), taintsOf(oldObject))) return refused(request, `node ${quoted(by)} is not allowed to modify taints`);
  // The garbage collector would delete the node, which could then register again without its taints and labels.
  if (!equalJson(ownersOf(object), ownersOf(oldObject)))
    return refused(request, `node ${quoted(by)} is not allowed to modify ownerReferences`);
  const labels = restrictedLabels(changedLabels(labelsOf(object), labelsOf(oldObject)));
  return labels.length === 0 ? undefined : refused(request, `is not allowed to modify labels: ${labels.join(', ')}`);
}

const configSourceOf = (node: JsonObject | undefined): JsonObject | undefined => objectAt(objectAt(node, 'spec'), 'configSource');

const taintsOf = (node: JsonObject | undefined): JsonObject[] => objectsAt(objectAt(node, 'spec'), 'taints');

const ownersOf = (object: JsonObject | undefined): JsonObject[] => objectsAt(readMetadata(object ?? {}), 'ownerReferences');

const objectsAt = (object: JsonObject | undefined, member: string): JsonObject[] => (arrayAt(object, member) ?? []).filter(isObject);

const labelsOf = (object: JsonObject | undefined): JsonObject => objectAt(readMetadata(object ?? {}), 'labels') ?? {};

function changedLabels(labels: JsonObject, before: JsonObject): readonly string[] {
  return [...new Set([...Object.keys(labels), ...Object.keys(before)])].filter((label) => own(labels, label) !== own(before, label));
}

function writesPod(written: Written): StatusError | undefined {
  const { request, by } = written;
  const { operation, subresource = '', oldObject, object } = request;
  if (subresource === 'eviction') return evicts(written);
  if (subresource === 'status') {
    if (nodeNameOf(oldObject) !== by)
      return refused(request, `node ${quoted(by)} can only update pod status for pods with spec.nodeName set to itself`);
    if (!equalJson(labelsOf(object), labelsOf(oldObject)))
      return refused(request, `node ${quoted(by)} cannot update labels through pod status`);
    // The spelling of the message is upstream's.
    if (!equalJson(claimStatusesOf(object), claimStatusesOf(oldObject)))
      return refused(request, `node ${quoted(by)} cannot update resource claim statues`);
    return undefined;
  }
  if (subresource !== '')
    return refused(request, `unexpected pod subresource ${quoted(subresource)}, only 'status' and 'eviction' are allowed`);
  switch (operation) {
    case 'CREATE':
      return createsPod(written);
    case 'CONNECT':
      return undefined;
    case 'DELETE':
      if (nodeNameOf(oldObject) === by) return undefined;
      return refused(request, `node ${quoted(by)} can only delete pods with spec.nodeName set to itself`);
    case 'UPDATE':
      return refused(request, `unexpected operation ${quoted(operation)}, node ${quoted(by)} can only create and delete mirror pods`);
  }
}

const claimStatusesOf = (pod: JsonObject | undefined): JsonObject[] => objectsAt(objectAt(pod, 'status'), 'resourceClaimStatuses');

const nodeNameOf = (pod: JsonObject | undefined): string => stringAt(objectAt(pod, 'spec'), 'nodeName') ?? '';

function evicts({ request, by, pod }: Written): StatusError | undefined {
  const name = nameOf(request);
  const found = pod(request.namespace, name);
  if (found === undefined) return notFound({ group: '', resource: 'pod' }, name);
  return nodeNameOf(found) === by ? undefined : refused(request, `node ${by} can only evict pods with spec.nodeName set to itself`);
}

const MIRROR = 'platform.io/config.mirror';

/** What a pod that a node shows of its own accord must not lead to, in upstream's words. */
const UNREACHABLE: Readonly<Record<ReferredKind, string>> = {
  account: 'a service account',
  secret: 'secrets',
  configmap: 'configmaps',
  claim: 'persistentvolumeclaims',
};

function createsPod({ request, by, node }: Written): StatusError | undefined {
  const pod = request.object ?? {};
  const annotations = Object.keys(objectAt(readMetadata(pod), 'annotations') ?? {});
  if (!annotations.some((name) => canonicalQualifiedName(name) === MIRROR))
    return refused(request, `pod does not have "kubernetes.io/config.mirror" annotation, node ${quoted(by)} can only create mirror pods`);
  if (nodeNameOf(pod) !== by) return refused(request, `node ${quoted(by)} can only create pods with spec.nodeName set to itself`);
  const owned = ownerFault(pod, by, node(by));
  if (owned !== undefined) return refused(request, owned);
  const unreachable = unreachableOf(pod);
  return unreachable === undefined ? undefined : refused(request, `node ${quoted(by)} can not create pods that reference ${unreachable}`);
}

/** The kind of object that the pod references and that its node could read because of it; `undefined` when there is none. Device claims need no check: they are dropped. */
function unreachableOf(pod: JsonObject): string | undefined {
  const [reference] = podReferences(pod);
  if (reference !== undefined) return UNREACHABLE[reference.kind];
  const spec = objectAt(pod, 'spec');
  const sources = objectsAt(spec, 'volumes').flatMap((volume) => objectsAt(objectAt(volume, 'projected'), 'sources'));
  return sources.some((source) => objectAt(source, 'clusterTrustBundle') !== undefined) ? 'clustertrustbundles' : undefined;
}

function ownerFault(pod: JsonObject, by: string, node: JsonObject | undefined): string | undefined {
  const owners = ownersOf(pod);
  const [owner] = owners;
  const self = `node ${quoted(by)} can only create pods with`;
  if (owner === undefined) return `${self} an owner reference set to itself`;
  if (owners.length > 1) return `${self} a single owner reference set to itself`;
  if (stringAt(owner, 'apiVersion') !== 'v1' || stringAt(owner, 'kind') !== 'Node' || stringAt(owner, 'name') !== by)
    return `${self} an owner reference set to itself`;
  if (own(owner, 'controller') !== true) return `${self} a controller owner reference set to itself`;
  if (own(owner, 'blockOwnerDeletion') === true) return `node ${quoted(by)} must not set blockOwnerDeletion on an owner reference`;
  const [expected, uid] = [stringAt(owner, 'uid') ?? '', stringAt(readMetadata(node ?? {}), 'uid') ?? ''];
  return expected === uid ? undefined : `node ${by} UID mismatch: expected ${expected} got ${uid}`;
}

function asksForToken({ request, by, pod }: Written): StatusError | undefined {
  if (request.subresource !== 'token') return undefined;
  const reference = objectAt(objectAt(request.object, 'spec'), 'boundObjectRef');
  if (reference === undefined || stringAt(reference, 'kind') !== 'Pod' || stringAt(reference, 'apiVersion') !== 'v1')
    return refused(request, 'node requested token not bound to a pod');
  const [name, uid] = [stringAt(reference, 'name') ?? '', stringAt(reference, 'uid') ?? ''];
  if (uid === '') return refused(request, 'node requested token with a pod binding without a uid');
  const found = pod(request.namespace, name);
  if (found === undefined) return notFound({ group: '', resource: 'pod' }, name);
  if (stringAt(readMetadata(found), 'uid') !== uid)
    return refused(
      request,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  return nodeNameOf(found) === by ? undefined : refused(request, 'node requested token bound to a pod scheduled on a different node');
}

function writesLease({ request, by, nodeLeaseNamespace }: Written): StatusError | undefined {
  if (request.namespace !== nodeLeaseNamespace)
    return refused(request, `can only access leases in the ${quoted(nodeLeaseNamespace)} system namespace`);
  if (nameOf(request) === by) return undefined;
  return refused(request, 'can only access node lease with the same name as the requesting node');
}

function writesCsiNode({ request, by }: Written): StatusError | undefined {
  return nameOf(request) === by ? undefined : refused(request, 'can only access CSINode with the same name as the requesting node');
}

/** A node may only update the capacity and the conditions in the status of a claim: it reports the progress of a resize. */
function writesClaim({ request, by }: Written): StatusError | undefined {
  const { operation, subresource, object = {}, oldObject = {} } = request;
  if (operation !== 'UPDATE' || subresource !== 'status') return refused(request, 'may only update PVC status');
  const changed = changedFields(withoutReported(object), withoutReported(oldObject));
  if (changed.length === 0) return undefined;
  const text = `node ${quoted(by)} is not allowed to update fields other than status.quantity and status.conditions`;
  return refused(request, `${text}: ${changed.join(', ')}`);
}

/** Members of metadata that a client can change; the server carries over the others. */
const CLIENT_METADATA = ['labels', 'annotations', 'ownerReferences', 'finalizers'];

function withoutReported(claim: JsonObject): JsonObject {
  const metadata = readMetadata(claim);
  const { capacity: _capacity, conditions: _conditions, ...status } = objectAt(claim, 'status') ?? {};
  return { ...claim, metadata: Object.fromEntries(CLIENT_METADATA.map((member) => [member, own(metadata, member) ?? null])), status };
}

/** The sorted paths of changed members, one or two levels deep. */
function changedFields(object: JsonObject, before: JsonObject): readonly string[] {
  return changedMembers(object, before).flatMap((member) => {
    const [now, then] = [own(object, member), own(before, member)];
    return isObject(now) && isObject(then) ? changedMembers(now, then).map((inner) => `${member}.${inner}`) : [member];
  });
}

const changedMembers = (object: JsonObject, before: JsonObject): readonly string[] =>
  [...new Set([...Object.keys(object), ...Object.keys(before)])]
    .filter((member) => !equalJson(own(object, member) ?? null, own(before, member) ?? null))
    .sort();

/** The signers of certificates that authenticate a node, in canonical spelling. */
const NODE_SIGNERS: ReadonlySet<string> = new Set(['platform.io/kubelet-serving', 'platform.io/kube-apiserver-client-kubelet']);

/** Checked only at creation: the spec of a certificate request is immutable. */
function requestsCertificate({ request, by }: Written): StatusError | undefined {
  if (request.operation !== 'CREATE') return undefined;
  const spec = objectAt(request.object, 'spec');
  if (!NODE_SIGNERS.has(canonicalQualifiedName(stringAt(spec, 'signerName') ?? ''))) return undefined;
  const text = Buffer.from(stringAt(spec, 'request') ?? '', 'base64').toString('latin1');
  try {
    const name = NODE_USER_PREFIX + by;
    return parseCertificateRequest(text).commonName === name ? undefined : refused(request, `can only create a node CSR with CN=${name}`);
  } catch (error) {
    if (!(error instanceof CertificateRequestFault)) throw error;
    return refused(request, `unable to parse csr: ${error.message}`);
  }
}
