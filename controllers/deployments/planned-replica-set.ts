/**
 * A ReplicaSet while a Deployment is reconciled: its observed status, and the mutable members that the plan changes.
 */
import type { CoreV1PodTemplateSpec } from '../../shared/api/types/generated/members';
import { creationTimestampOf, generationOf, isBeingDeleted } from '../../shared/client/rest/api-object';
import { compareBytes, equalJson, type JsonObject } from '../../shared/values/json';
import { withoutNulls } from '../workload/template-hash';
import { minReadySecondsOf, replicasOf, templateOf } from '../workload/spec';
import { annotatedRevision, annotationsOf, POD_TEMPLATE_HASH_LABEL, type Annotations } from './annotations';
import type { ReplicaSet } from './deployment';

/** The mutable members are the desired state. Only the plan that created the object changes them. */
export interface PlannedReplicaSet {
  /** Undefined for a ReplicaSet that is to be created. */
  readonly observed: ReplicaSet | undefined;
  readonly name: string;
  /** RFC 3339; '' for a ReplicaSet that is to be created. */
  readonly creationTimestamp: string;
  readonly isBeingDeleted: boolean;
  readonly template: CoreV1PodTemplateSpec;
  readonly status: ObservedStatus;
  replicas: number;
  minReadySeconds: number;
  annotations: Annotations;
}

/** The counts in the status of a ReplicaSet. */
export interface ObservedStatus {
  readonly replicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
  /**
   * Whether `observedGeneration` has reached the generation: the counts then take every change of the spec into
   * account.
   */
  readonly isUpToDate: boolean;
}

/** The status of a ReplicaSet that does not exist yet. */
export const NO_STATUS: ObservedStatus = { replicas: 0, readyReplicas: 0, availableReplicas: 0, isUpToDate: false };

/** The observed ReplicaSet as the start of a plan: without a change, {@link isChanged} is false. */
export function plannedReplicaSet(observed: ReplicaSet): PlannedReplicaSet {
  const { replicas = 0, readyReplicas = 0, availableReplicas = 0, observedGeneration = 0 } = observed.body.status ?? {};
  return {
    observed,
    name: observed.name,
    creationTimestamp: creationTimestampOf(observed),
    isBeingDeleted: isBeingDeleted(observed),
    template: templateOf(observed),
    status: { replicas, readyReplicas, availableReplicas, isUpToDate: Number(observedGeneration) >= generationOf(observed) },
    replicas: replicasOf(observed),
    minReadySeconds: minReadySecondsOf(observed),
    annotations: annotationsOf(observed),
  };
}

/** Whether the ReplicaSet must be created or updated. */
export function isChanged({ observed, replicas, minReadySeconds, annotations }: PlannedReplicaSet): boolean {
  if (observed === undefined) return true;
  return (
    replicas !== replicasOf(observed) ||
    minReadySeconds !== minReadySecondsOf(observed) ||
    !equalJson({ ...annotations }, { ...annotationsOf(observed) })
  );
}

/**
 * Whether the templates are equal, except for the label `pod-template-hash`, which a ReplicaSet's template has in
 * addition.
 */
export function equalIgnoringHash(a: CoreV1PodTemplateSpec, b: CoreV1PodTemplateSpec): boolean {
  return equalJson(withoutHash(a), withoutHash(b));
}

function withoutHash(template: CoreV1PodTemplateSpec): JsonObject {
  const { metadata = {} } = template;
  const labels = Object.fromEntries(Object.entries(metadata.labels ?? {}).filter(([key]) => key !== POD_TEMPLATE_HASH_LABEL));
  return withoutNulls({ ...template, metadata: { ...metadata, labels } });
}

/** Oldest first. */
export const compareCreation = (a: PlannedReplicaSet, b: PlannedReplicaSet): number =>
  compareBytes(a.creationTimestamp, b.creationTimestamp) || compareBytes(a.name, b.name);

/** The revision in the annotation; 0 when it has none. */
export const revisionOf = ({ annotations }: PlannedReplicaSet): bigint => annotatedRevision(annotations);

/** The sum of a count over all ReplicaSets. */
export const sumOf = (replicaSets: readonly PlannedReplicaSet[], count: (replicaSet: PlannedReplicaSet) => number): number =>
  replicaSets.reduce((sum, replicaSet) => sum + count(replicaSet), 0);

/** Whether the plan gives the ReplicaSet pods. */
export const isActive = ({ replicas }: PlannedReplicaSet): boolean => replicas > 0;
