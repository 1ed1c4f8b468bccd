/**
 * Finds the ReplicaSet of a Deployment's current template, numbers its revision, and selects old ReplicaSets beyond the
 * history limit. The functions are pure.
 */
import type { CoreV1PodTemplateSpec } from '../../shared/api/types/generated/members';
import { templateHash, withoutNulls } from '../workload/template-hash';
import { minReadySecondsOf, templateOf } from '../workload/spec';
import { annotationsOf, annotationValue, copyDeploymentAnnotations, POD_TEMPLATE_HASH_LABEL, withAnnotation } from './annotations';
import { revisionHistoryLimitOf, type Deployment } from './deployment';
import { compareCreation, equalIgnoringHash, NO_STATUS, revisionOf, type PlannedReplicaSet } from './planned-replica-set';

/** The most characters of the annotation `revision-history`. */
const MAX_HISTORY_LENGTH = 2_000;

/**
 * The ReplicaSet with the Deployment's template; undefined when there is none. The oldest one if several have it, so
 * that every reconciliation chooses the same.
 */
export function findNewReplicaSet(deployment: Deployment, replicaSets: readonly PlannedReplicaSet[]): PlannedReplicaSet | undefined {
  const template = templateOf(deployment);
  return [...replicaSets].sort(compareCreation).find((replicaSet) => equalIgnoringHash(replicaSet.template, template));
}

/**
 * The ReplicaSet to create for the Deployment's template. Its name contains the hash of the template and of the
 * collision count.
 */
export function createNewReplicaSet(deployment: Deployment): PlannedReplicaSet {
  const template = templateOf(deployment);
  const hash = templateHash(withoutNulls(template), deployment.body.status?.collisionCount ?? 0);
  return {
    observed: undefined,
    name: `${deployment.name}-${hash}`,
    creationTimestamp: '',
    isBeingDeleted: false,
    template: withHashLabel(template, hash),
    status: NO_STATUS,
    replicas: 0,
    minReadySeconds: minReadySecondsOf(deployment),
    annotations: {},
  };
}

function withHashLabel(template: CoreV1PodTemplateSpec, hash: string): CoreV1PodTemplateSpec {
  const { metadata = {} } = template;
  return { ...template, metadata: { ...metadata, labels: { ...metadata.labels, [POD_TEMPLATE_HASH_LABEL]: hash } } };
}

/** One more than the highest revision of the ReplicaSets. */
export function nextRevision(replicaSets: readonly PlannedReplicaSet[]): bigint {
  return replicaSets.map(revisionOf).reduce((highest, revision) => (revision > highest ? revision : highest), 0n) + 1n;
}

/**
 * Copies the Deployment's annotations and `minReadySeconds` to its new ReplicaSet. Raises a lower revision of it to
 * `revision`, and appends the former one to the annotation `revision-history`.
 */
export function updateNewReplicaSet(deployment: Deployment, newReplicaSet: PlannedReplicaSet, revision: bigint): void {
  const previousRevision = annotationValue(newReplicaSet.annotations, 'revision');
  newReplicaSet.minReadySeconds = minReadySecondsOf(deployment);
  newReplicaSet.annotations = copyDeploymentAnnotations(annotationsOf(deployment), newReplicaSet.annotations);
  if (revisionOf(newReplicaSet) >= revision) return;
  newReplicaSet.annotations = withAnnotation(newReplicaSet.annotations, 'revision', String(revision));
  if (previousRevision === undefined) return;
  const history = annotationValue(newReplicaSet.annotations, 'revisionHistory') ?? '';
  const revisions = history === '' ? [previousRevision] : [...history.split(','), previousRevision];
  while (revisions.length > 1 && revisions.join(',').length > MAX_HISTORY_LENGTH) revisions.shift();
  newReplicaSet.annotations = withAnnotation(newReplicaSet.annotations, 'revisionHistory', revisions.join(','));
}

/** Old ReplicaSets beyond `revisionHistoryLimit`, lowest revisions first, except those that have or may have pods. */
export function replicaSetsBeyondHistoryLimit(
  deployment: Deployment,
  oldReplicaSets: readonly PlannedReplicaSet[],
): readonly PlannedReplicaSet[] {
  const limit = revisionHistoryLimitOf(deployment);
  if (limit === undefined) return [];
  const history = oldReplicaSets.filter((replicaSet) => !replicaSet.isBeingDeleted);
  if (history.length <= limit) return [];
  const sorted = [...history].sort((a, b) => Number(revisionOf(a) - revisionOf(b)) || compareCreation(a, b));
  return sorted
    .slice(0, history.length - limit)
    .filter(({ replicas, status }) => replicas === 0 && status.replicas === 0 && status.isUpToDate);
}
