/**
 * NodeRestriction: confines what a node may write.
 *
 * - Node: its own, but not the taints, labels and owners that decide which pods run there
 * - Lease, CSINode: its own
 * - Pod: the status of the pods on it, their eviction and deletion, and the creation of mirror pods
 * - TokenRequest: tokens that are bound to the pods on it
 * - PersistentVolumeClaim: capacity and conditions in the status
 * - CertificateSigningRequest: certificates of nodes for its own name only
 *
 * Ignores writes of other resources, which authorization decides about, and the requests of users that are not nodes.
 */
import type {
  AuthenticationV1TokenRequest,
  CertificatesV1CertificateSigningRequest,
  CoreV1Node,
  CoreV1NodeConfigSource,
  CoreV1PersistentVolumeClaim,
  CoreV1Pod,
  CoreV1PodResourceClaimStatus,
  CoreV1Taint,
  MetaV1ObjectMeta,
  MetaV1OwnerReference,
} from '../../../../shared/api/types/generated/members';
import { equalJson, isObject, ownMember, type JsonObject } from '../../../../shared/values/json';
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import { notFound, type StatusError } from '../../../../shared/api/errors/status';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import { parseCertificateRequest, CertificateRequestError } from '../../../../shared/pki/certificate-request';
import { NODE_USER_PREFIX, nodeNameOf } from '../../../authorization/node/authorizer';
import type { AdmissionTarget, AdmissionRequest } from '../../../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from '../../chain';
import { mirrorPodCreationError } from './mirror-pod-creation';
import { restrictedLabels } from './restricted-labels';
import { newForbidden } from '../../new-forbidden';

/** The objects on which the permissions of a node depend, from this replica's cache; `undefined` when they do not exist. */
export interface NodeRestrictionDependencies {
  readonly getPod: (namespace: string, name: string) => CoreV1Pod | undefined;
  readonly getNode: (name: string) => CoreV1Node | undefined;
  readonly nodeLeaseNamespace: string;
}

/** A write by a node, with what the checks need. */
interface NodeWrite<O extends JsonObject = JsonObject> extends NodeRestrictionDependencies {
  readonly request: AdmissionRequest<O>;
  readonly nodeName: string;
}

/** Checks by `RESOURCE.GROUP`, where the core group is empty. A check returns `undefined` when it admits the write. */
const CHECKS: Readonly<Record<string, (write: NodeWrite) => StatusError | undefined>> = {
  'nodes.': checkNodeWrite,
  'pods.': checkPodWrite,
  'serviceaccounts.': checkTokenRequest,
  'leases.coordination.platform.io': checkLeaseWrite,
  'csinodes.storage.platform.io': checkCsiNodeWrite,
  'persistentvolumeclaims.': checkClaimWrite,
  'certificatesigningrequests.certificates.platform.io': checkCertificateRequest,
};

/**
 * Checks a create or update twice: as it was sent, before validation, and as it will be stored, because webhooks may
 * change it in between. A deletion is checked once.
 */
export function nodeRestriction(deps: NodeRestrictionDependencies): {
  readonly mutating: MutatingPlugin;
  readonly validating: ValidatingPlugin;
} {
  const check = (request: AdmissionRequest): undefined => checkNodeRequest(deps, request);
  const name = 'NodeRestriction';
  const inspectsObject = ({ resource: { row }, user }: AdmissionTarget): boolean =>
    nodeNameOf(user) !== undefined && Object.hasOwn(CHECKS, `${row.resource}.${row.group}`);
  return {
    mutating: { name, handles: (operation) => operation === 'CREATE' || operation === 'UPDATE', inspectsObject, mutate: check },
    validating: { name, handles: (operation) => operation !== 'CONNECT', inspectsObject, validate: check },
  };
}

/** Throws the rejection of a request by a node. */
function checkNodeRequest(deps: NodeRestrictionDependencies, request: AdmissionRequest): undefined {
  const nodeName = nodeNameOf(request.user);
  if (nodeName === undefined) return;
  if (nodeName === '') throw newForbidden(request, `could not determine node from user ${quoted(request.user.name)}`);
  const { resource, group } = request.resource.row;
  const rejection = CHECKS[`${resource}.${group}`]?.({ ...deps, request, nodeName });
  if (rejection !== undefined) throw rejection;
}

const quoted = (text: string): string => JSON.stringify(text);

const objectNameOf = ({ name, object }: AdmissionRequest): string => readMetadata(object ?? {}).name ?? name;

function checkNodeWrite({ request, nodeName }: NodeWrite<CoreV1Node>): StatusError | undefined {
  if (objectNameOf(request) !== nodeName)
    return newForbidden(request, `node ${quoted(nodeName)} is not allowed to modify node ${quoted(objectNameOf(request))}`);
  switch (request.operation) {
    case 'CREATE':
      return checkNodeCreate(request, nodeName);
    case 'UPDATE':
      return checkNodeUpdate(request, nodeName);
    case 'DELETE':
    case 'CONNECT':
      return undefined;
  }
}

function checkNodeCreate(request: AdmissionRequest<CoreV1Node>, nodeName: string): StatusError | undefined {
  const { object } = request;
  // Upstream's message contains "pods" although it is about nodes.
  if (configSourceOf(object) !== undefined)
    return newForbidden(request, `node ${quoted(nodeName)} is not allowed to create pods with a non-nil configSource`);
  if (ownersOf(object).length > 0) return newForbidden(request, `node ${quoted(nodeName)} is not allowed to set ownerReferences`);
  const labels = restrictedLabels(Object.keys(labelsOf(object)));
  return labels.length === 0
    ? undefined
    : newForbidden(request, `node ${quoted(nodeName)} is not allowed to set the following labels: ${labels.join(', ')}`);
}

function checkNodeUpdate(request: AdmissionRequest<CoreV1Node>, nodeName: string): StatusError | undefined {
  const { object, oldObject } = request;
  const configSource = configSourceOf(object);
  if (configSource !== undefined && !equalJson(configSource, configSourceOf(oldObject) ?? null))
    return newForbidden(request, `node ${quoted(nodeName)} is not allowed to update configSource to a new non-nil configSource`);
  if (!equalJson(taintsOf(object), taintsOf(oldObject)))
    return newForbidden(request, `node ${quoted(nodeName)} is not allowed to modify taints`);
  // The garbage collector would delete the node, which could then register again without its taints and labels.
  if (!equalJson(ownersOf(object), ownersOf(oldObject)))
    return newForbidden(request, `node ${quoted(nodeName)} is not allowed to modify ownerReferences`);
  const labels = restrictedLabels(changedLabels(labelsOf(object), labelsOf(oldObject)));
  return labels.length === 0 ? undefined : newForbidden(request, `is not allowed to modify labels: ${labels.join(', ')}`);
}

const configSourceOf = (node: CoreV1Node | undefined): CoreV1NodeConfigSource | undefined => node?.spec?.configSource;

const taintsOf = (node: CoreV1Node | undefined): CoreV1Taint[] => node?.spec?.taints ?? [];

const ownersOf = (object: JsonObject | undefined): MetaV1OwnerReference[] => readMetadata(object ?? {}).ownerReferences ?? [];

type Labels = Record<string, string>;

const labelsOf = (object: JsonObject | undefined): Labels => readMetadata(object ?? {}).labels ?? {};

function changedLabels(labels: Labels, before: Labels): readonly string[] {
  const names = new Set([...Object.keys(labels), ...Object.keys(before)]);
  return [...names].filter((label) => ownMember(labels, label) !== ownMember(before, label));
}

function checkPodWrite(write: NodeWrite<CoreV1Pod>): StatusError | undefined {
  const { request, nodeName } = write;
  const { operation, subresource = '', oldObject } = request;
  if (subresource === 'eviction') return checkEviction(write);
  if (subresource === 'status') return checkPodStatus(write);
  if (subresource !== '')
    return newForbidden(request, `unexpected pod subresource ${quoted(subresource)}, only 'status' and 'eviction' are allowed`);
  switch (operation) {
    case 'CREATE':
      return checkMirrorPodCreate(write);
    case 'CONNECT':
      return undefined;
    case 'DELETE':
      if (nodeNameOfPod(oldObject) === nodeName) return undefined;
      return newForbidden(request, `node ${quoted(nodeName)} can only delete pods with spec.nodeName set to itself`);
    case 'UPDATE':
      return newForbidden(
        request,
        `unexpected operation ${quoted(operation)}, node ${quoted(nodeName)} can only create and delete mirror pods`,
      );
  }
}

const nodeNameOfPod = (pod: CoreV1Pod | undefined): string => pod?.spec?.nodeName ?? '';

function checkMirrorPodCreate({ request, nodeName, getNode }: NodeWrite<CoreV1Pod>): StatusError | undefined {
  const error = mirrorPodCreationError(request.object ?? {}, nodeName, getNode(nodeName));
  return error === undefined ? undefined : newForbidden(request, error);
}

function checkPodStatus({ request, nodeName }: NodeWrite<CoreV1Pod>): StatusError | undefined {
  const { oldObject, object } = request;
  if (nodeNameOfPod(oldObject) !== nodeName)
    return newForbidden(request, `node ${quoted(nodeName)} can only update pod status for pods with spec.nodeName set to itself`);
  if (!equalJson(labelsOf(object), labelsOf(oldObject)))
    return newForbidden(request, `node ${quoted(nodeName)} cannot update labels through pod status`);
  // The misspelling "statues" is upstream's.
  if (!equalJson(claimStatusesOf(object), claimStatusesOf(oldObject)))
    return newForbidden(request, `node ${quoted(nodeName)} cannot update resource claim statues`);
  return undefined;
}

const claimStatusesOf = (pod: CoreV1Pod | undefined): CoreV1PodResourceClaimStatus[] => pod?.status?.resourceClaimStatuses ?? [];

function checkEviction({ request, nodeName, getPod }: NodeWrite): StatusError | undefined {
  const name = objectNameOf(request);
  const pod = getPod(request.namespace, name);
  if (pod === undefined) return notFound({ group: '', resource: 'pod' }, name);
  return nodeNameOfPod(pod) === nodeName
    ? undefined
    : newForbidden(request, `node ${nodeName} can only evict pods with spec.nodeName set to itself`);
}

function checkTokenRequest({ request, nodeName, getPod }: NodeWrite<AuthenticationV1TokenRequest>): StatusError | undefined {
  if (request.subresource !== 'token') return undefined;
  const reference = request.object?.spec?.boundObjectRef;
  if (reference?.kind !== 'Pod' || reference.apiVersion !== 'v1') return newForbidden(request, 'node requested token not bound to a pod');
  const { name = '', uid = '' } = reference;
  if (uid === '') return newForbidden(request, 'node requested token with a pod binding without a uid');
  const pod = getPod(request.namespace, name);
  if (pod === undefined) return notFound({ group: '', resource: 'pod' }, name);
  if (pod.metadata?.uid !== uid)
    return newForbidden(
      request,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  return nodeNameOfPod(pod) === nodeName
    ? undefined
    : newForbidden(request, 'node requested token bound to a pod scheduled on a different node');
}

function checkLeaseWrite({ request, nodeName, nodeLeaseNamespace }: NodeWrite): StatusError | undefined {
  if (request.namespace !== nodeLeaseNamespace)
    return newForbidden(request, `can only access leases in the ${quoted(nodeLeaseNamespace)} system namespace`);
  if (objectNameOf(request) === nodeName) return undefined;
  return newForbidden(request, 'can only access node lease with the same name as the requesting node');
}

function checkCsiNodeWrite({ request, nodeName }: NodeWrite): StatusError | undefined {
  return objectNameOf(request) === nodeName
    ? undefined
    : newForbidden(request, 'can only access CSINode with the same name as the requesting node');
}

/**
 * A node may only update the capacity and the conditions in the status of a claim: it reports the progress of a resize.
 */
function checkClaimWrite({ request, nodeName }: NodeWrite<CoreV1PersistentVolumeClaim>): StatusError | undefined {
  const { operation, subresource, object = {}, oldObject = {} } = request;
  if (operation !== 'UPDATE' || subresource !== 'status') return newForbidden(request, 'may only update PVC status');
  const changed = changedFields(withoutReportedStatus(object), withoutReportedStatus(oldObject));
  if (changed.length === 0) return undefined;
  const text = `node ${quoted(nodeName)} is not allowed to update fields other than status.quantity and status.conditions`;
  return newForbidden(request, `${text}: ${changed.join(', ')}`);
}

/** Members of metadata that a client can change; the server carries over the others. */
const CLIENT_METADATA_MEMBERS: readonly (keyof MetaV1ObjectMeta)[] = ['labels', 'annotations', 'ownerReferences', 'finalizers'];

/** The claim without capacity and conditions, and with the metadata that a client can change. */
function withoutReportedStatus(claim: CoreV1PersistentVolumeClaim): JsonObject {
  const { metadata = {} } = claim;
  const { capacity: _capacity, conditions: _conditions, ...status } = claim.status ?? {};
  return { ...claim, metadata: Object.fromEntries(CLIENT_METADATA_MEMBERS.map((member) => [member, metadata[member] ?? null])), status };
}

/** The sorted paths of changed members: `spec.volumeName` for a member of an object in both versions, else `spec`. */
function changedFields(object: JsonObject, before: JsonObject): readonly string[] {
  return changedMembers(object, before).flatMap((member) => {
    const current = ownMember(object, member);
    const previous = ownMember(before, member);
    return isObject(current) && isObject(previous) ? changedMembers(current, previous).map((inner) => `${member}.${inner}`) : [member];
  });
}

const changedMembers = (object: JsonObject, before: JsonObject): readonly string[] =>
  [...new Set([...Object.keys(object), ...Object.keys(before)])]
    .filter((member) => !equalJson(ownMember(object, member) ?? null, ownMember(before, member) ?? null))
    .sort();

/** The signers of certificates that authenticate a node, in canonical spelling. */
const NODE_SIGNERS: ReadonlySet<string> = new Set(['platform.io/kubelet-serving', 'platform.io/kube-apiserver-client-kubelet']);

/** Checked only at creation: the spec of a certificate request is immutable. */
function checkCertificateRequest({ request, nodeName }: NodeWrite<CertificatesV1CertificateSigningRequest>): StatusError | undefined {
  if (request.operation !== 'CREATE') return undefined;
  const { signerName = '', request: encodedRequest } = request.object?.spec ?? {};
  if (!NODE_SIGNERS.has(canonicalQualifiedName(signerName))) return undefined;
  const text = Buffer.from(encodedRequest ?? '', 'base64').toString('latin1');
  try {
    const name = NODE_USER_PREFIX + nodeName;
    return parseCertificateRequest(text).commonName === name
      ? undefined
      : newForbidden(request, `can only create a node CSR with CN=${name}`);
  } catch (error) {
    if (!(error instanceof CertificateRequestError)) throw error;
    return newForbidden(request, `unable to parse csr: ${error.message}`);
  }
}
