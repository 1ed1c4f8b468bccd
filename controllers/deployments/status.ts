/** What a Deployment's status says of its sets, of how far it has come, and of what keeps it from coming further. Decided from what is seen, without a server. */
import { timeOf, timestamp } from '../../shared/api/metadata/object-meta';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { compareBytes, equalJson, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { generationOf, numberAt, replicasOf } from '../workload/spec';
import { conditionOf, conditionsOf } from '../runtime/conditions';
import { boundsOf } from './bounds';
import { byAge, total, type PlannedSet } from './set';

/** What stands for "for ever". */
const NO_DEADLINE = 2_147_483_647;

/** Seconds; undefined = it may take as long as it likes, and nothing is said about progress. */
export function progressDeadline({ body }: ApiObject): number | undefined {
  const seconds = numberAt(objectAt(body, 'spec'), 'progressDeadlineSeconds');
  return seconds === NO_DEADLINE ? undefined : seconds;
}

interface Counts {
  readonly replicas: number;
  readonly updatedReplicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
}

export function countsIn({ body }: ApiObject): Counts {
  const status = objectAt(body, 'status');
  const count = (member: string): number => numberAt(status, member) ?? 0;
  return {
    replicas: count('replicas'),
    updatedReplicas: count('updatedReplicas'),
    readyReplicas: count('readyReplicas'),
    availableReplicas: count('availableReplicas'),
  };
}

export function countsOf(all: readonly PlannedSet[], created: PlannedSet | undefined): Counts {
  return {
    replicas: total(all, ({ status }) => status.replicas),
    updatedReplicas: created?.status.replicas ?? 0,
    readyReplicas: total(all, ({ status }) => status.ready),
    availableReplicas: total(all, ({ status }) => status.available),
  };
}

/** What its status says is about the Deployment as it is. */
export const isObserved = (deployment: ApiObject): boolean =>
  (numberAt(objectAt(deployment.body, 'status'), 'observedGeneration') ?? 0) >= generationOf(deployment);

/** All pods are of the present template, and all that are wanted serve. */
export function isComplete(deployment: ApiObject, { replicas, updatedReplicas, availableReplicas }: Counts): boolean {
  const wanted = replicasOf(deployment);
  return updatedReplicas === wanted && replicas === wanted && availableReplicas === wanted;
}

function isFurther(then: Counts, now: Counts): boolean {
  return (
    now.updatedReplicas > then.updatedReplicas ||
    now.replicas - now.updatedReplicas < then.replicas - then.updatedReplicas ||
    now.readyReplicas > then.readyReplicas ||
    now.availableReplicas > then.availableReplicas
  );
}

const byType = (one: JsonObject, other: JsonObject): number => compareBytes(stringAt(one, 'type') ?? '', stringAt(other, 'type') ?? '');

/** The conditions of a Deployment while its status is computed. They are sorted by type, so that their order does not depend on which one changed last. */
export class DeploymentConditions {
  private list: readonly JsonObject[];

  constructor(
    deployment: ApiObject,
    private readonly now: number,
  ) {
    this.list = [...conditionsOf(deployment.body)].sort(byType);
  }

  get all(): readonly JsonObject[] {
    return this.list;
  }

  of(type: string): JsonObject | undefined {
    return this.list.find((condition) => condition['type'] === type);
  }

  /** Nothing where it says so already; `isNews` = even then the time is written down. */
  set(type: string, status: 'True' | 'False' | 'Unknown', reason: string, message: string, isNews = false): void {
    const known = this.of(type);
    const isSame = known !== undefined && stringAt(known, 'status') === status;
    if (isSame && stringAt(known, 'reason') === reason && !isNews) return;
    const now = timestamp(this.now);
    const lastTransitionTime = isSame ? (stringAt(known, 'lastTransitionTime') ?? now) : now;
    this.put({ type, status, lastUpdateTime: now, lastTransitionTime, reason, message });
  }

  /** As it stands in a set, whose conditions have one time only. */
  copy(condition: JsonObject): void {
    const { type, status, reason, message, lastTransitionTime } = condition;
    if (typeof type !== 'string') return;
    const known = this.of(type);
    if (known !== undefined && known['status'] === status && known['reason'] === reason) return;
    const time = lastTransitionTime ?? timestamp(this.now);
    this.put({
      type,
      status: status ?? 'True',
      lastUpdateTime: time,
      lastTransitionTime: time,
      reason: reason ?? '',
      message: message ?? '',
    });
  }

  private put(condition: JsonObject): void {
    this.list = [...this.list.filter(({ type }) => type !== condition['type']), condition].sort(byType);
  }

  remove(type: string): void {
    this.list = this.list.filter((condition) => condition['type'] !== type);
  }
}

export interface SeenSets {
  readonly all: readonly PlannedSet[];
  readonly created: PlannedSet | undefined;
}

/** Whether the pods that serve suffice. */
export function sayAvailable(conditions: DeploymentConditions, deployment: ApiObject, { availableReplicas }: Counts): void {
  const isEnough = availableReplicas >= replicasOf(deployment) - boundsOf(deployment).unavailable;
  if (isEnough) conditions.set('Available', 'True', 'MinimumReplicasAvailable', 'Deployment has minimum availability.');
  else conditions.set('Available', 'False', 'MinimumReplicasUnavailable', 'Deployment does not have minimum availability.');
}

/** How far it has come, and since when it has come no further. */
export function sayProgress(conditions: DeploymentConditions, deployment: ApiObject, { all, created }: SeenSets, now: number): void {
  const deadline = progressDeadline(deployment);
  const counts = countsOf(all, created);
  const known = conditions.of('Progressing');
  const reason = stringAt(known, 'reason');
  if (deadline === undefined) conditions.remove('Progressing');
  else if (!(counts.replicas === counts.updatedReplicas && reason === 'NewReplicaSetAvailable')) {
    const subject = created === undefined ? `Deployment "${deployment.name}"` : `ReplicaSet "${created.name}"`;
    if (isComplete(deployment, counts)) {
      conditions.set('Progressing', 'True', 'NewReplicaSetAvailable', `${subject} has successfully progressed.`);
    } else if (isFurther(countsIn(deployment), counts)) {
      conditions.set('Progressing', 'True', 'ReplicaSetUpdated', `${subject} is progressing.`, true);
    } else if (hasTimedOut(known, deadline, now)) {
      conditions.set('Progressing', 'False', 'ProgressDeadlineExceeded', `${subject} has timed out progressing.`);
    }
  }
  sayFailure(conditions, all, created);
}

function hasTimedOut(progressing: JsonObject | undefined, deadline: number, now: number): boolean {
  const reason = stringAt(progressing, 'reason');
  if (progressing === undefined || reason === 'NewReplicaSetAvailable') return false;
  if (reason === 'ProgressDeadlineExceeded') return true;
  const since = timeOf(stringAt(progressing, 'lastUpdateTime'));
  return since !== undefined && since + deadline * 1000 < now;
}

function sayFailure(conditions: DeploymentConditions, all: readonly PlannedSet[], created: PlannedSet | undefined): void {
  const failing = [created, ...[...all].sort(byAge)]
    .map((set) => (set?.seen === undefined ? undefined : conditionOf(set.seen.body, 'ReplicaFailure')))
    .find((condition) => condition !== undefined);
  if (failing === undefined) conditions.remove('ReplicaFailure');
  else conditions.copy(failing);
}

/** The whole status; undefined = it stands there already. */
export function deploymentStatus(
  deployment: ApiObject,
  { all, created }: SeenSets,
  conditions: DeploymentConditions,
  collisions: number | undefined,
): JsonObject | undefined {
  const known = objectAt(deployment.body, 'status') ?? {};
  const counts = countsOf(all, created);
  const unavailableReplicas = Math.max(0, total(all, ({ replicas }) => replicas) - counts.availableReplicas);
  const status = withoutZeros({ observedGeneration: generationOf(deployment), ...counts, unavailableReplicas });
  if (conditions.all.length > 0) status['conditions'] = [...conditions.all];
  if (collisions !== undefined) status['collisionCount'] = collisions;
  // A status that differs only in the order of its conditions is not written.
  const sorted = withoutZeros(known);
  if (known['conditions'] !== undefined) sorted['conditions'] = [...conditionsOf(deployment.body)].sort(byType);
  return equalJson(status, sorted) ? undefined : status;
}

/** A count of nothing is left out, as all who write this status do. */
function withoutZeros(status: JsonObject): JsonObject {
  const isCollision = (member: string): boolean => member === 'collisionCount';
  return Object.fromEntries(Object.entries(status).filter(([member, value]) => isCollision(member) || (value !== 0 && value !== null)));
}

/** Milliseconds until a Deployment that comes no further has taken too long; undefined where nobody waits for it. */
export function deadlineIn(
  deployment: ApiObject,
  { all, created }: SeenSets,
  conditions: DeploymentConditions,
  now: number,
): number | undefined {
  const deadline = progressDeadline(deployment);
  const progressing = conditions.of('Progressing');
  const reason = stringAt(progressing, 'reason');
  if (deadline === undefined || progressing === undefined || reason === 'ProgressDeadlineExceeded') return undefined;
  if (isComplete(deployment, countsOf(all, created)) || reason === 'NewReplicaSetAvailable') return undefined;
  const since = timeOf(stringAt(progressing, 'lastUpdateTime')) ?? now;
  return Math.max(0, since + deadline * 1000 - now) + 1_000;
}
