/**
 * The part of NodeRestriction about mirror pods. A kubelet creates a mirror pod to show a pod that it runs from a file of its
 * node. Such a pod must be on the node, belong to it, and reference no objects. Rejecting the request is left to
 * node-restriction.ts.
 */
import { readMetadata } from '../../../../shared/api/metadata/object-meta';
import type { CoreV1Node, CoreV1Pod } from '../../../../shared/api/types/generated/members';
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import { podReferences, type ReferenceKind } from '../../../authorization/node/references';

const MIRROR_ANNOTATION = 'platform.io/config.mirror';

/** What a mirror pod must not reference, in upstream's words. */
const FORBIDDEN_REFERENCES: Readonly<Record<ReferenceKind, string>> = {
  account: 'a service account',
  secret: 'secrets',
  configmap: 'configmaps',
  claim: 'persistentvolumeclaims',
};

/** Why the node must not create the pod, in upstream's words; `undefined` when it may. `node`: `undefined` when it does not exist. */
export function mirrorPodCreationError(pod: CoreV1Pod, nodeName: string, node: CoreV1Node | undefined): string | undefined {
  const subject = `node ${JSON.stringify(nodeName)}`;
  const annotations = Object.keys(pod.metadata?.annotations ?? {});
  if (!annotations.some((name) => canonicalQualifiedName(name) === MIRROR_ANNOTATION))
    return `pod does not have "kubernetes.io/config.mirror" annotation, ${subject} can only create mirror pods`;
  if (pod.spec?.nodeName !== nodeName) return `${subject} can only create pods with spec.nodeName set to itself`;
  const ownerError = ownerReferenceError(pod, nodeName, node);
  if (ownerError !== undefined) return ownerError;
  const reference = forbiddenReference(pod);
  return reference === undefined ? undefined : `${subject} can not create pods that reference ${reference}`;
}

/**
 * The kind of an object that the pod references; `undefined` when it references none. A node may read what its pods
 * reference, so a mirror pod could give the node access to any object. `spec.resourceClaims` needs no check, because
 * decoding drops this field (`shared/api/types/disabled-fields.ts`).
 */
function forbiddenReference(pod: CoreV1Pod): string | undefined {
  const [reference] = podReferences(pod);
  if (reference !== undefined) return FORBIDDEN_REFERENCES[reference.kind];
  const sources = pod.spec?.volumes?.flatMap(({ projected }) => projected?.sources ?? []);
  return sources?.some(({ clusterTrustBundle }) => clusterTrustBundle !== undefined) === true ? 'clustertrustbundles' : undefined;
}

/** The error unless the pod has one owner, which is the node. */
function ownerReferenceError(pod: CoreV1Pod, nodeName: string, node: CoreV1Node | undefined): string | undefined {
  const owners = readMetadata(pod).ownerReferences ?? [];
  const [owner] = owners;
  const subject = `node ${JSON.stringify(nodeName)} can only create pods with`;
  if (owner === undefined) return `${subject} an owner reference set to itself`;
  if (owners.length > 1) return `${subject} a single owner reference set to itself`;
  if (owner.apiVersion !== 'v1' || owner.kind !== 'Node' || owner.name !== nodeName) return `${subject} an owner reference set to itself`;
  if (owner.controller !== true) return `${subject} a controller owner reference set to itself`;
  if (owner.blockOwnerDeletion === true) return `node ${JSON.stringify(nodeName)} must not set blockOwnerDeletion on an owner reference`;
  const expected = owner.uid ?? '';
  const uid = node?.metadata?.uid ?? '';
  return expected === uid ? undefined : `node ${nodeName} UID mismatch: expected ${expected} got ${uid}`;
}
