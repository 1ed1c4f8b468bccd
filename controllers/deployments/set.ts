/** A Deployment's set as it is planned with: how it stands, and how it is to stand. Knows no server. */
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { compareBytes, equalJson, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { withoutNulls } from '../workload/template-hash';
import { generationOf, minReadySecondsOf, numberAt, replicasOf, templateOf } from '../workload/spec';
import { annotatedRevision, annotationsOf, HASH_LABEL, type Texts } from './names';

/** Changed while a plan is made, and by nobody else. */
export interface PlannedSet {
  /** Undefined = it is to be made. */
  readonly seen: ApiObject | undefined;
  readonly name: string;
  readonly createdAt: string;
  readonly isGoing: boolean;
  readonly template: JsonObject;
  readonly status: SetStatus;
  replicas: number;
  minReadySeconds: number;
  annotations: Texts;
}

export interface SetStatus {
  readonly replicas: number;
  readonly ready: number;
  readonly available: number;
  /** It is about the set as it is: nothing that was asked of it since is still to come. */
  readonly isCurrent: boolean;
}

export const NO_STATUS: SetStatus = { replicas: 0, ready: 0, available: 0, isCurrent: false };

export function plannedSet(seen: ApiObject): PlannedSet {
  const status = objectAt(seen.body, 'status');
  const count = (member: string): number => numberAt(status, member) ?? 0;
  return {
    seen,
    name: seen.name,
    createdAt: stringAt(objectAt(seen.body, 'metadata'), 'creationTimestamp') ?? '',
    isGoing: isBeingDeleted(seen),
    template: templateOf(seen),
    status: {
      replicas: count('replicas'),
      ready: count('readyReplicas'),
      available: count('availableReplicas'),
      isCurrent: count('observedGeneration') >= generationOf(seen),
    },
    replicas: replicasOf(seen),
    minReadySeconds: minReadySecondsOf(seen),
    annotations: annotationsOf(seen),
  };
}

/** Whether it is to stand otherwise than it stands. */
export function isChanged({ seen, replicas, minReadySeconds, annotations }: PlannedSet): boolean {
  if (seen === undefined) return true;
  return (
    replicas !== replicasOf(seen) || minReadySeconds !== minReadySecondsOf(seen) || !equalJson({ ...annotations }, { ...annotationsOf(seen) })
  );
}

/** A set's template is the Deployment's, with a label more. */
export function isSameTemplate(one: JsonObject, other: JsonObject): boolean {
  return equalJson(withoutHash(one), withoutHash(other));
}

function withoutHash(template: JsonObject): JsonObject {
  const metadata = objectAt(template, 'metadata') ?? {};
  const labels = Object.fromEntries(Object.entries(objectAt(metadata, 'labels') ?? {}).filter(([key]) => key !== HASH_LABEL));
  return withoutNulls({ ...template, metadata: { ...metadata, labels } });
}

export const byAge = (one: PlannedSet, other: PlannedSet): number =>
  compareBytes(one.createdAt, other.createdAt) || compareBytes(one.name, other.name);

export const revisionOf = ({ annotations }: PlannedSet): bigint => annotatedRevision(annotations);

export const total = (sets: readonly PlannedSet[], of: (set: PlannedSet) => number): number => sets.reduce((sum, set) => sum + of(set), 0);

export const isActiveSet = ({ replicas }: PlannedSet): boolean => replicas > 0;
