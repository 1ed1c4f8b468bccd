/**
 * Computes the two statuses of a Job that a sync writes: one before the finalizers of finished pods are removed, and one
 * after the actions of the sync, which takes account of the actions that succeeded. The functions are pure.
 */
import type { BatchV1JobCondition, BatchV1JobStatus } from '../../shared/api/types/generated/members';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import { conditionsOf, conditionStatus, withCondition } from '../runtime/conditions';
import { isPodReady } from '../runtime/pods';
import { formatIndexes, indexCount } from './index-intervals';
import type { Job } from '../../shared/client/rest/typed-objects';
import { INTERIM_CONDITIONS, type JobOutcome } from './job-outcome';
import { countUntracked, uncountedSize, uncountedTerminatedPods, type PodCounters } from './pod-counters';
import type { JobActions } from './reconcile';

/** Which actions of a sync succeeded. */
export interface ActionResults {
  /** Uids of pods without the tracking finalizer. */
  readonly untracked: ReadonlySet<string>;
  /** Uids of pods. */
  readonly deleted: ReadonlySet<string>;
  /** The number of new pods. */
  readonly created: number;
}

/** An Event about the Job. */
export interface JobEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** A status, and what follows from writing it. */
export interface NewStatus {
  readonly status: BatchV1JobStatus;
  /** To record once the status is written. */
  readonly events: readonly JobEvent[];
  /** The status has the condition `Complete` or `Failed`. */
  readonly isFinished: boolean;
}

const NO_RESULTS: ActionResults = { untracked: new Set(), deleted: new Set(), created: 0 };

/** The status that must be written before any finalizer is removed: it lists the finished pods as uncounted. */
export function statusBeforeUntracking(actions: JobActions): BatchV1JobStatus {
  return newStatus(actions, actions.counters, NO_RESULTS, { isFinished: false }).status;
}

/** The status after the actions; `results` names those that succeeded. */
export function statusAfter(actions: JobActions, results: ActionResults): NewStatus {
  const counters = countUntracked(actions.counters, (uid) => results.untracked.has(uid));
  return newStatus(actions, counters, results, { isFinished: isJobFinished(actions, counters, results) });
}

/** Whether the outcome is decided and all pods have terminated and are counted. */
function isJobFinished({ outcome, context, podsToUntrack }: JobActions, counters: PodCounters, { untracked }: ActionResults): boolean {
  if (outcome === undefined || context.input.isInformerBehind) return false;
  const { active, terminating, tracked } = context;
  return (
    active.length === 0 &&
    terminating.length === 0 &&
    uncountedSize(counters) === 0 &&
    podsToUntrack.length >= tracked.length &&
    podsToUntrack.every(({ uid }) => untracked.has(uid))
  );
}

function newStatus(
  actions: JobActions,
  counters: PodCounters,
  { deleted, created }: ActionResults,
  { isFinished }: { readonly isFinished: boolean },
): NewStatus {
  const { context, outcome } = actions;
  const { input, spec, succeededIndexes, failedIndexes, terminating } = context;
  const activePods = context.active.filter(({ uid }) => !deleted.has(uid));
  const now = formatTimestamp(input.now);
  const { conditions, events, isResumed } = updateConditions(input.job, outcome, { isFinished, isSuspended: spec.isSuspended, now });
  const active = activePods.length + created;
  const succeeded = spec.isIndexed ? indexCount(succeededIndexes) : counters.succeeded;
  const previousStartTime = isResumed ? undefined : input.job.body.status?.startTime;
  const startTime = previousStartTime ?? (spec.isSuspended ? undefined : now);
  const status: BatchV1JobStatus = {
    ...(conditions.length === 0 ? {} : { conditions: [...conditions] }),
    ...(startTime === undefined ? {} : { startTime }),
    ...(isFinished && outcome?.condition === 'Complete' ? { completionTime: now } : {}),
    ...(active === 0 ? {} : { active }),
    ...(succeeded === 0 ? {} : { succeeded }),
    ...(counters.failed === 0 ? {} : { failed: counters.failed }),
    terminating: terminating.length + deleted.size,
    ...(succeededIndexes.length === 0 ? {} : { completedIndexes: formatIndexes(succeededIndexes) }),
    ...(spec.backoffLimitPerIndex === undefined ? {} : { failedIndexes: formatIndexes(failedIndexes) }),
    uncountedTerminatedPods: uncountedTerminatedPods(counters),
    ready: activePods.filter(isPodReady).length,
  };
  return { status, events, isFinished };
}

/** The conditions of a new status, and what follows from their changes. */
interface UpdatedConditions {
  readonly conditions: readonly BatchV1JobCondition[];
  readonly events: readonly JobEvent[];
  /** The Job was suspended before: its start time is replaced. */
  readonly isResumed: boolean;
}

function updateConditions(
  job: Job,
  outcome: JobOutcome | undefined,
  { isFinished, isSuspended, now }: { readonly isFinished: boolean; readonly isSuspended: boolean; readonly now: string },
): UpdatedConditions {
  const observed = conditionsOf(job.body);
  const newCondition = (type: string, status: string, reason: string, message: string): BatchV1JobCondition => ({
    type,
    status,
    lastProbeTime: now,
    lastTransitionTime: now,
    reason,
    message,
  });
  if (outcome !== undefined) {
    const { condition, reason, message } = outcome;
    const interimType = INTERIM_CONDITIONS[condition];
    const isInterim = conditionStatus(job.body, interimType) === 'True';
    const interim = isInterim ? observed : withCondition(observed, newCondition(interimType, 'True', reason, message));
    if (!isFinished) return { conditions: interim, events: [], isResumed: false };
    const conditions = withCondition(interim, newCondition(condition, 'True', reason, message));
    return { conditions, events: [finishedEvent(outcome)], isResumed: false };
  }
  const wasSuspended = conditionStatus(job.body, 'Suspended') === 'True';
  if (wasSuspended === isSuspended || isBeingDeleted(job)) return { conditions: observed, events: [], isResumed: false };
  const condition = isSuspended
    ? newCondition('Suspended', 'True', 'JobSuspended', 'Job suspended')
    : newCondition('Suspended', 'False', 'JobResumed', 'Job resumed');
  const event: JobEvent = isSuspended
    ? { type: 'Normal', reason: 'Suspended', message: 'Job suspended' }
    : { type: 'Normal', reason: 'Resumed', message: 'Job resumed' };
  return { conditions: withCondition(observed, condition), events: [event], isResumed: !isSuspended };
}

function finishedEvent({ condition, reason, message }: JobOutcome): JobEvent {
  return condition === 'Complete'
    ? { type: 'Normal', reason: 'Completed', message: 'Job completed' }
    : { type: 'Warning', reason, message };
}

/** Whether a controller has synced the Job before. */
export const hasStatus = ({ body }: Job): boolean => Object.keys(body.status ?? {}).length > 0;
