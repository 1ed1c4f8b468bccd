/**
 * What nodes may write is confined to what is theirs: their own Node without taints and labels that would draw others' pods to them, their own lease, the
 * pods that are on them, and tokens for these. It judges nobody else.
 */
import { arrayAt, equalJson, isObject, objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';
import { readMetadata } from '../../shared/api/metadata/object-meta';
import { forbidden, notFound, type StatusError } from '../../shared/api/errors/status';
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { nodeOf } from '../authorization/node/authorizer';
import { podReferences, type ReferredKind } from '../authorization/node/references';
import type { AdmissionQuestion, AdmissionRequest } from '../registry/admission';
import type { MutatingPlugin, ValidatingPlugin } from './chain';
import { restrictedLabels } from './node-labels';

export interface NodeRestrictionParts {
  /** As this replica knows it. */
  readonly pod: (namespace: string, name: string) => JsonObject | undefined;
  readonly node: (name: string) => JsonObject | undefined;
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
};

/** It judges before the kind's own rules do; of a deletion there is only one thing to judge. */
export function nodeRestriction(parts: NodeRestrictionParts): {
  readonly ofChanges: MutatingPlugin;
  readonly ofDeletions: ValidatingPlugin;
} {
  const judge = (request: AdmissionRequest): undefined => judgeNode(parts, request);
  const name = 'NodeRestriction';
  const looksInto = ({ resource: { row }, user }: AdmissionQuestion): boolean =>
    nodeOf(user) !== undefined && Object.hasOwn(RULES, `${row.resource}.${row.group}`);
  return {
    ofChanges: { name, handles: (operation) => operation === 'CREATE' || operation === 'UPDATE', looksInto, mutate: judge },
    ofDeletions: { name, handles: (operation) => operation === 'DELETE', looksInto, validate: judge },
  };
}

function judgeNode(parts: NodeRestrictionParts, request: AdmissionRequest): undefined {
  const by = nodeOf(request.user);
  if (by === undefined) return;
  if (by === '') throw refusal(request, `could not determine node from user ${quoted(request.user.name)}`);
  const { resource, group } = request.resource.row;
  const fault = RULES[`${resource}.${group}`]?.({ ...parts, request, by });
  if (fault !== undefined) throw fault;
}

const quoted = (text: string): string => JSON.stringify(text);

function refusal(request: AdmissionRequest, text: string): StatusError {
  const { group, resource } = request.resource.row;
  return forbidden({ group, resource }, nameOf(request), text);
}

const nameOf = ({ name, object }: AdmissionRequest): string => stringAt(readMetadata(object ?? {}), 'name') ?? name;

function writesNode({ request, by }: Written): StatusError | undefined {
  const { operation, object, oldObject } = request;
  if (nameOf(request) !== by) return refusal(request, `node ${quoted(by)} is not allowed to modify node ${quoted(nameOf(request))}`);
  if (operation === 'CREATE') {
    const labels = restrictedLabels(Object.keys(labelsOf(object)));
    return labels.length === 0
      ? undefined
      : refusal(request, `node ${quoted(by)} is not allowed to set the following labels: ${labels.join(', ')}`);
  }
  if (operation !== 'UPDATE') return undefined;
  const taints = (node: JsonObject | undefined): readonly unknown[] => arrayAt(objectAt(node, 'spec'), 'taints') ?? [];
  if (!equalJson([...taints(object)] as JsonObject[], [...taints(oldObject)] as JsonObject[]))
    return refusal(request, `node ${quoted(by)} is not allowed to modify taints`);
  const labels = restrictedLabels(changedLabels(labelsOf(object), labelsOf(oldObject)));
  return labels.length === 0 ? undefined : refusal(request, `is not allowed to modify labels: ${labels.join(', ')}`);
}

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
      return refusal(request, `node ${quoted(by)} can only update pod status for pods with spec.nodeName set to itself`);
    if (!equalJson(labelsOf(object), labelsOf(oldObject)))
      return refusal(request, `node ${quoted(by)} cannot update labels through pod status`);
    return undefined;
  }
  if (subresource !== '') return refusal(request, `unexpected pod subresource ${quoted(subresource)}`);
  switch (operation) {
    case 'CREATE':
      return createsPod(written);
    case 'CONNECT':
      return undefined;
    case 'DELETE':
      if (nodeNameOf(oldObject) === by) return undefined;
      return refusal(request, `node ${quoted(by)} can only delete pods with spec.nodeName set to itself`);
    case 'UPDATE':
      return refusal(request, `unexpected operation ${quoted(operation)}`);
  }
}

const nodeNameOf = (pod: JsonObject | undefined): string => stringAt(objectAt(pod, 'spec'), 'nodeName') ?? '';

function evicts({ request, by, pod }: Written): StatusError | undefined {
  const name = nameOf(request);
  const found = pod(request.namespace, name);
  if (found === undefined) return notFound({ group: '', resource: 'pod' }, name);
  return nodeNameOf(found) === by ? undefined : refusal(request, `node ${by} can only evict pods with spec.nodeName set to itself`);
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
    return refusal(request, `pod does not have "kubernetes.io/config.mirror" annotation, node ${quoted(by)} can only create mirror pods`);
  if (nodeNameOf(pod) !== by) return refusal(request, `node ${quoted(by)} can only create pods with spec.nodeName set to itself`);
  const owned = ownerFault(pod, by, node(by));
  if (owned !== undefined) return refusal(request, owned);
  const [reference] = podReferences(pod);
  return reference === undefined
    ? undefined
    : refusal(request, `node ${quoted(by)} can not create pods that reference ${UNREACHABLE[reference.kind]}`);
}

function ownerFault(pod: JsonObject, by: string, node: JsonObject | undefined): string | undefined {
  const owners = (arrayAt(readMetadata(pod), 'ownerReferences') ?? []).filter(isObject);
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
    return refusal(request, 'node requested token not bound to a pod');
  const [name, uid] = [stringAt(reference, 'name') ?? '', stringAt(reference, 'uid') ?? ''];
  if (uid === '') return refusal(request, 'node requested token with a pod binding without a uid');
  const found = pod(request.namespace, name);
  if (found === undefined) return notFound({ group: '', resource: 'pod' }, name);
  if (stringAt(readMetadata(found), 'uid') !== uid)
    return refusal(
      request,
      `the UID in the bound object reference (${uid}) does not match the UID in record. The object might have been deleted and then recreated`,
    );
  return nodeNameOf(found) === by ? undefined : refusal(request, 'node requested token bound to a pod scheduled on a different node');
}

/** In which namespace is the authorizer's question, which others may have answered; here it is the name that counts. */
function writesLease({ request, by }: Written): StatusError | undefined {
  if (nameOf(request) === by) return undefined;
  return refusal(request, 'can only access node lease with the same name as the requesting node');
}

function writesCsiNode({ request, by }: Written): StatusError | undefined {
  return nameOf(request) === by ? undefined : refusal(request, 'can only access CSINode with the same name as the requesting node');
}
