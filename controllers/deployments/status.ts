/**
 * Calculates the status of a Deployment: the counts of its ReplicaSets and the conditions `Available`, `Progressing`
 * and `ReplicaFailure`, which are collected in `DeploymentConditions`. Writing the status is left to
 * deployment-writer.ts.
 */
import { generationOf } from '../../shared/client/rest/api-object';
import { parseTimestamp, formatTimestamp } from '../../shared/api/metadata/object-meta';
import type {
  AppsV1DeploymentCondition,
  AppsV1DeploymentStatus,
  AppsV1ReplicaSetCondition,
} from '../../shared/api/types/generated/members';
import { compareBytes, equalJson } from '../../shared/values/json';
import { omitZeros } from '../workload/omit-zeros';
import { replicasOf } from '../workload/spec';
import { conditionOf, conditionsOf } from '../runtime/conditions';
import { progressDeadlineOf, type Deployment } from './deployment';
import { resolveFenceposts } from './fenceposts';
import { compareCreation, sumOf, type PlannedReplicaSet } from './planned-replica-set';

/** Numbers of pods over all ReplicaSets; `updatedReplicas` have the current template. */
interface ReplicaCounts {
  readonly replicas: number;
  readonly updatedReplicas: number;
  readonly readyReplicas: number;
  readonly availableReplicas: number;
}

/** The ReplicaSets of a Deployment, `newReplicaSet` among them. */
export interface DeploymentReplicaSets {
  readonly replicaSets: readonly PlannedReplicaSet[];
  /** The one with the Deployment's template; `undefined` when there is none. */
  readonly newReplicaSet: PlannedReplicaSet | undefined;
}

/** The counts in the Deployment's status. */
export function observedCounts({ body }: Deployment): ReplicaCounts {
  const { replicas = 0, updatedReplicas = 0, readyReplicas = 0, availableReplicas = 0 } = body.status ?? {};
  return { replicas, updatedReplicas, readyReplicas, availableReplicas };
}

/** Sums of the observed statuses, which may be older than the specs. */
export function calculateCounts({ replicaSets, newReplicaSet }: DeploymentReplicaSets): ReplicaCounts {
  return {
    replicas: sumOf(replicaSets, ({ status }) => status.replicas),
    updatedReplicas: newReplicaSet?.status.replicas ?? 0,
    readyReplicas: sumOf(replicaSets, ({ status }) => status.readyReplicas),
    availableReplicas: sumOf(replicaSets, ({ status }) => status.availableReplicas),
  };
}

/** Whether the status is about the current spec. */
export const isStatusUpToDate = (deployment: Deployment): boolean =>
  Number(deployment.body.status?.observedGeneration ?? 0) >= generationOf(deployment);

/** Whether all pods have the current template, and all desired ones are available. */
export function isDeploymentComplete(deployment: Deployment, { replicas, updatedReplicas, availableReplicas }: ReplicaCounts): boolean {
  const desired = replicasOf(deployment);
  return updatedReplicas === desired && replicas === desired && availableReplicas === desired;
}

/** Whether more pods are updated, ready or available, or fewer old ones are left. */
function hasProgressed(previous: ReplicaCounts, current: ReplicaCounts): boolean {
  return (
    current.updatedReplicas > previous.updatedReplicas ||
    current.replicas - current.updatedReplicas < previous.replicas - previous.updatedReplicas ||
    current.readyReplicas > previous.readyReplicas ||
    current.availableReplicas > previous.availableReplicas
  );
}

const compareTypes = (a: AppsV1DeploymentCondition, b: AppsV1DeploymentCondition): number => compareBytes(a.type ?? '', b.type ?? '');

/** A condition without its times. */
interface ConditionState {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/**
 * The conditions of a Deployment while its status is calculated. They are sorted by type, so that their order does not
 * depend on which one changed last.
 */
export class DeploymentConditions {
  private sorted: readonly AppsV1DeploymentCondition[];

  constructor(
    deployment: Deployment,
    private readonly now: number,
  ) {
    this.sorted = [...conditionsOf(deployment.body)].sort(compareTypes);
  }

  /** All conditions, sorted by type. */
  list(): readonly AppsV1DeploymentCondition[] {
    return this.sorted;
  }

  /** `undefined` when there is no condition of the type. */
  get(type: string): AppsV1DeploymentCondition | undefined {
    return this.sorted.find((condition) => condition.type === type);
  }

  /**
   * Changes nothing when status and reason are the same, unless `shouldRefresh` is true: `lastUpdateTime` then becomes
   * the current time.
   */
  set(
    { type, status, reason, message }: ConditionState,
    { shouldRefresh }: { readonly shouldRefresh: boolean } = { shouldRefresh: false },
  ): void {
    const previous = this.get(type);
    const hasSameStatus = previous?.status === status;
    if (hasSameStatus && previous.reason === reason && !shouldRefresh) return;
    const now = formatTimestamp(this.now);
    const lastTransitionTime = hasSameStatus ? (previous.lastTransitionTime ?? now) : now;
    this.put({ type, status, lastUpdateTime: now, lastTransitionTime, reason, message });
  }

  /** Copies the `ReplicaFailure` condition of a ReplicaSet. Conditions of ReplicaSets have no `lastUpdateTime`. */
  setReplicaFailure({ status, reason, message, lastTransitionTime }: AppsV1ReplicaSetCondition): void {
    const previous = this.get('ReplicaFailure');
    const isSet = previous?.status === status && previous?.reason === reason;
    if (previous !== undefined && isSet) return;
    const time = lastTransitionTime ?? formatTimestamp(this.now);
    this.put({
      type: 'ReplicaFailure',
      status: status ?? 'True',
      lastUpdateTime: time,
      lastTransitionTime: time,
      reason: reason ?? '',
      message: message ?? '',
    });
  }

  /** Adds the condition in place of the one of its type. */
  private put(condition: AppsV1DeploymentCondition): void {
    this.sorted = [...this.sorted.filter(({ type }) => type !== condition.type), condition].sort(compareTypes);
  }

  /** Does nothing when there is no condition of the type. */
  remove(type: string): void {
    this.sorted = this.sorted.filter((condition) => condition.type !== type);
  }
}

/** Sets the condition `Available`: whether at most `maxUnavailable` of the desired pods are missing. */
export function setAvailable(conditions: DeploymentConditions, deployment: Deployment, { availableReplicas }: ReplicaCounts): void {
  const minAvailable = replicasOf(deployment) - resolveFenceposts(deployment).maxUnavailable;
  if (availableReplicas >= minAvailable) {
    conditions.set({
      type: 'Available',
      status: 'True',
      reason: 'MinimumReplicasAvailable',
      message: 'Deployment has minimum availability.',
    });
  } else {
    conditions.set({
      type: 'Available',
      status: 'False',
      reason: 'MinimumReplicasUnavailable',
      message: 'Deployment does not have minimum availability.',
    });
  }
}

/** Sets `Progressing` by comparing the counts with those in the Deployment's status, and `ReplicaFailure`. */
export function setProgressing(conditions: DeploymentConditions, deployment: Deployment, owned: DeploymentReplicaSets, now: number): void {
  const { newReplicaSet } = owned;
  const progressDeadline = progressDeadlineOf(deployment);
  const counts = calculateCounts(owned);
  const previous = conditions.get('Progressing');
  const isRolloutFinished = counts.replicas === counts.updatedReplicas && previous?.reason === 'NewReplicaSetAvailable';
  if (progressDeadline === undefined) conditions.remove('Progressing');
  else if (!isRolloutFinished) {
    const subject = newReplicaSet === undefined ? `Deployment "${deployment.name}"` : `ReplicaSet "${newReplicaSet.name}"`;
    if (isDeploymentComplete(deployment, counts)) {
      conditions.set({
        type: 'Progressing',
        status: 'True',
        reason: 'NewReplicaSetAvailable',
        message: `${subject} has successfully progressed.`,
      });
    } else if (hasProgressed(observedCounts(deployment), counts)) {
      conditions.set(
        { type: 'Progressing', status: 'True', reason: 'ReplicaSetUpdated', message: `${subject} is progressing.` },
        { shouldRefresh: true },
      );
    } else if (hasTimedOut(previous, progressDeadline, now)) {
      conditions.set({
        type: 'Progressing',
        status: 'False',
        reason: 'ProgressDeadlineExceeded',
        message: `${subject} has timed out progressing.`,
      });
    }
  }
  setReplicaFailure(conditions, owned);
}

/** `progressDeadline` in seconds. */
function hasTimedOut(progressing: AppsV1DeploymentCondition | undefined, progressDeadline: number, now: number): boolean {
  if (progressing === undefined || progressing.reason === 'NewReplicaSetAvailable') return false;
  if (progressing.reason === 'ProgressDeadlineExceeded') return true;
  const since = parseTimestamp(progressing.lastUpdateTime ?? undefined);
  return since !== undefined && since + progressDeadline * 1000 < now;
}

/** The failure of the new ReplicaSet takes precedence over those of old ones, of which the oldest one counts. */
function setReplicaFailure(conditions: DeploymentConditions, { replicaSets, newReplicaSet }: DeploymentReplicaSets): void {
  const failure = [newReplicaSet, ...[...replicaSets].sort(compareCreation)]
    .map((replicaSet) => (replicaSet?.observed === undefined ? undefined : conditionOf(replicaSet.observed.body, 'ReplicaFailure')))
    .find((condition) => condition !== undefined);
  if (failure === undefined) conditions.remove('ReplicaFailure');
  else conditions.setReplicaFailure(failure);
}

/** Undefined when the Deployment has this status already; the order of its conditions makes no difference. */
export function calculateStatus(
  deployment: Deployment,
  owned: DeploymentReplicaSets,
  conditions: DeploymentConditions,
): AppsV1DeploymentStatus | undefined {
  const previous = deployment.body.status ?? {};
  const { collisionCount } = previous;
  const counts = calculateCounts(owned);
  const unavailableReplicas = Math.max(0, sumOf(owned.replicaSets, ({ replicas }) => replicas) - counts.availableReplicas);
  const status: AppsV1DeploymentStatus = omitZeros({ observedGeneration: generationOf(deployment), ...counts, unavailableReplicas });
  if (conditions.list().length > 0) status.conditions = [...conditions.list()];
  if (collisionCount !== undefined) status.collisionCount = collisionCount;
  const comparable = omitZeros(previous, 'collisionCount');
  if (previous.conditions !== undefined) comparable.conditions = [...conditionsOf(deployment.body)].sort(compareTypes);
  return equalJson(status, comparable) ? undefined : status;
}

/** Milliseconds until the progress deadline of an unfinished rollout; undefined when no deadline is running. */
export function msUntilProgressDeadline(
  deployment: Deployment,
  owned: DeploymentReplicaSets,
  conditions: DeploymentConditions,
  now: number,
): number | undefined {
  const progressDeadline = progressDeadlineOf(deployment);
  const progressing = conditions.get('Progressing');
  if (progressDeadline === undefined || progressing === undefined) return undefined;
  if (progressing.reason === 'ProgressDeadlineExceeded') return undefined;
  if (isDeploymentComplete(deployment, calculateCounts(owned)) || progressing.reason === 'NewReplicaSetAvailable') return undefined;
  const since = parseTimestamp(progressing.lastUpdateTime ?? undefined) ?? now;
  // One more second, as upstream adds: a sync just before the deadline would change nothing.
  return Math.max(0, since + progressDeadline * 1000 - now) + 1_000;
}
