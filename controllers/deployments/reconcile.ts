/**
 * Plans one reconciliation of a Deployment: the changes of its ReplicaSets, its status, and the next requeue. The
 * functions are pure. The plan assumes that each of its changes succeeds; when the server refuses one, the rest is not
 * executed, and the next plan starts from what is then observed.
 */
import type { AppsV1DeploymentStatus } from '../../shared/api/types/generated/members';
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import { isPodTerminated } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { annotationsOf, annotationValue } from './annotations';
import { isPaused, isRollingUpdate, progressDeadlineOf, type Deployment, type ReplicaSet } from './deployment';
import { isActive, isChanged, plannedReplicaSet, type PlannedReplicaSet } from './planned-replica-set';
import { createNewReplicaSet, findNewReplicaSet, nextRevision, replicaSetsBeyondHistoryLimit, updateNewReplicaSet } from './revisions';
import { ReplicaSetScaler, type ScalingEvent } from './scaling';
import {
  calculateCounts,
  calculateStatus,
  DeploymentConditions,
  isDeploymentComplete,
  isStatusUpToDate,
  msUntilProgressDeadline,
  observedCounts,
  setAvailable,
  setProgressing,
} from './status';

/** What one sync writes, and when the next one is due. */
export interface DeploymentPlan {
  /** ReplicaSets to create or update, in this order. */
  readonly replicaSets: readonly PlannedReplicaSet[];
  /** Old ReplicaSets to delete. */
  readonly deletions: readonly ReplicaSet[];
  readonly scalingEvents: readonly ScalingEvent[];
  /** The revision of the current template, when the Deployment's annotation must change to it. */
  readonly revision: string | undefined;
  /** Undefined when the status is unchanged. */
  readonly status: AppsV1DeploymentStatus | undefined;
  /** Milliseconds; undefined when time alone changes nothing. */
  readonly requeueAfterMs: number | undefined;
}

/** A Deployment with its ReplicaSets, as one sync observes them. */
export interface DeploymentView {
  readonly deployment: Deployment;
  /** The ReplicaSets that the Deployment controls. */
  readonly replicaSets: readonly ReplicaSet[];
  readonly podsOf: (replicaSet: ReplicaSet) => readonly Pod[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Plans one sync; `view` is not changed. */
export function planDeployment(view: DeploymentView): DeploymentPlan {
  return new DeploymentPlanner(view).plan();
}

/** Collects the changes of one plan. */
class DeploymentPlanner {
  private readonly replicaSets: PlannedReplicaSet[];
  private readonly scaler: ReplicaSetScaler;
  private readonly conditions: DeploymentConditions;
  private newReplicaSet: PlannedReplicaSet | undefined;
  private deletions: readonly PlannedReplicaSet[] = [];

  constructor(private readonly view: DeploymentView) {
    const { deployment, replicaSets, now } = view;
    this.replicaSets = replicaSets.map(plannedReplicaSet);
    this.scaler = new ReplicaSetScaler(deployment);
    this.conditions = new DeploymentConditions(deployment, now);
    this.newReplicaSet = findNewReplicaSet(deployment, this.replicaSets);
  }

  plan(): DeploymentPlan {
    const { deployment } = this.view;
    if (isBeingDeleted(deployment)) return this.result({ isRollout: false });
    this.setPausedCondition();
    if (isPaused(deployment) || this.isScalingEvent()) {
      this.syncExistingNewReplicaSet();
      this.scaler.scaleProportionally(this.oldReplicaSets, this.newReplicaSet);
      if (isPaused(deployment)) this.deletions = replicaSetsBeyondHistoryLimit(deployment, this.oldReplicaSets);
      return this.result({ isRollout: false });
    }
    if (isRollingUpdate(deployment)) this.rolloutRolling();
    else this.rolloutRecreate();
    return this.result({ isRollout: true });
  }

  private get oldReplicaSets(): readonly PlannedReplicaSet[] {
    return this.replicaSets.filter((replicaSet) => replicaSet !== this.newReplicaSet);
  }

  /**
   * Sets `Progressing` to `Unknown` when the Deployment was paused or resumed. A paused Deployment makes no progress: its
   * deadline starts again when it is resumed.
   */
  private setPausedCondition(): void {
    const { deployment } = this.view;
    const reason = this.conditions.get('Progressing')?.reason;
    // A Deployment without a deadline has no such condition, and an exceeded deadline stays reported while it is paused.
    if (progressDeadlineOf(deployment) === undefined || reason === 'ProgressDeadlineExceeded') return;
    if (isPaused(deployment) && reason !== 'DeploymentPaused') {
      this.conditions.set({ type: 'Progressing', status: 'Unknown', reason: 'DeploymentPaused', message: 'Deployment is paused' });
    }
    if (!isPaused(deployment) && reason === 'DeploymentPaused') {
      this.conditions.set({ type: 'Progressing', status: 'Unknown', reason: 'DeploymentResumed', message: 'Deployment is resumed' });
    }
  }

  /** Whether the Deployment was scaled since its ReplicaSets were: then they are scaled before the rollout proceeds. */
  private isScalingEvent(): boolean {
    return this.replicaSets.some((replicaSet) => isActive(replicaSet) && this.scaler.isOutdated(replicaSet));
  }

  /**
   * Updates annotations and `minReadySeconds` of the new ReplicaSet, and adds a missing condition `Progressing`. Undefined
   * when the ReplicaSet does not exist yet.
   */
  private syncExistingNewReplicaSet(): PlannedReplicaSet | undefined {
    const { deployment } = this.view;
    if (this.newReplicaSet === undefined) return undefined;
    updateNewReplicaSet(deployment, this.newReplicaSet, nextRevision(this.oldReplicaSets));
    if (progressDeadlineOf(deployment) !== undefined && this.conditions.get('Progressing') === undefined) {
      this.conditions.set({
        type: 'Progressing',
        status: 'True',
        reason: 'FoundNewReplicaSet',
        message: `Found new replica set "${this.newReplicaSet.name}"`,
      });
    }
    return this.newReplicaSet;
  }

  /**
   * Returns the ReplicaSet of the current template: the existing one, which is updated as in
   * {@link syncExistingNewReplicaSet}, or one that the plan creates.
   */
  private getOrCreateNewReplicaSet(): PlannedReplicaSet {
    const existing = this.syncExistingNewReplicaSet();
    if (existing !== undefined) return existing;
    const { deployment } = this.view;
    const created = createNewReplicaSet(deployment);
    const revision = nextRevision(this.replicaSets);
    this.scaler.initialize(created, this.replicaSets);
    updateNewReplicaSet(deployment, created, revision);
    if (progressDeadlineOf(deployment) !== undefined) {
      this.conditions.set({
        type: 'Progressing',
        status: 'True',
        reason: 'NewReplicaSetCreated',
        message: `Created new replica set "${created.name}"`,
      });
    }
    this.replicaSets.push(created);
    this.newReplicaSet = created;
    return created;
  }

  private rolloutRolling(): void {
    const newReplicaSet = this.getOrCreateNewReplicaSet();
    // Each step returns whether it scaled a ReplicaSet: the next one waits for the event of that change.
    if (this.scaler.reconcileNewReplicaSet(this.replicaSets, newReplicaSet)) return;
    if (this.scaler.reconcileOldReplicaSets(this.oldReplicaSets, newReplicaSet)) return;
    this.cleanup();
  }

  /** New pods are created after the last old one has terminated. */
  private rolloutRecreate(): void {
    this.syncExistingNewReplicaSet();
    if (this.scaler.scaleDownToZero(this.oldReplicaSets)) return;
    if (this.areOldPodsRunning()) return;
    this.scaler.scaleToDesired(this.getOrCreateNewReplicaSet());
    this.cleanup();
  }

  private areOldPodsRunning(): boolean {
    return this.oldReplicaSets.some(
      ({ observed, status }) =>
        status.replicas > 0 || (observed !== undefined && this.view.podsOf(observed).some((pod) => !isPodTerminated(pod))),
    );
  }

  /** Plans to delete old ReplicaSets, once the stored status shows that the rollout is complete. */
  private cleanup(): void {
    const { deployment } = this.view;
    if (isStatusUpToDate(deployment) && isDeploymentComplete(deployment, observedCounts(deployment))) {
      this.deletions = replicaSetsBeyondHistoryLimit(deployment, this.oldReplicaSets);
    }
  }

  /**
   * The collected changes with the status. Only a rollout updates `Progressing` from the counts, refreshes `ReplicaFailure`
   * and awaits the progress deadline; other syncs keep these conditions as the steps before have set them.
   */
  private result({ isRollout }: { readonly isRollout: boolean }): DeploymentPlan {
    const { deployment, now } = this.view;
    const { replicaSets, newReplicaSet, conditions } = this;
    const owned = { replicaSets, newReplicaSet };
    setAvailable(conditions, deployment, calculateCounts(owned));
    if (isRollout) setProgressing(conditions, deployment, owned, now);
    const deletions = new Set(this.deletions);
    return {
      replicaSets: isBeingDeleted(deployment)
        ? []
        : replicaSets.filter((replicaSet) => isChanged(replicaSet) && !deletions.has(replicaSet)),
      deletions: this.deletions.flatMap(({ observed }) => observed ?? []),
      scalingEvents: this.scaler.events,
      revision: this.changedRevision(),
      status: calculateStatus(deployment, owned, conditions),
      requeueAfterMs: isRollout ? msUntilProgressDeadline(deployment, owned, conditions, now) : undefined,
    };
  }

  /** The revision to write to the Deployment; undefined when it has it. */
  private changedRevision(): string | undefined {
    const { deployment } = this.view;
    if (this.newReplicaSet === undefined || isBeingDeleted(deployment)) return undefined;
    const revision = annotationValue(this.newReplicaSet.annotations, 'revision');
    return revision === annotationValue(annotationsOf(deployment), 'revision') ? undefined : revision;
  }
}
