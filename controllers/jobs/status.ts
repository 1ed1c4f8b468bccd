/** What a Job's status says: before the finalizers of counted pods are taken off, and when all of a plan has been done. Knows no server. */
import { timestamp } from '../../shared/api/metadata/object-meta';
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { conditionOf, conditionsOf, withCondition } from '../runtime/conditions';
import { isPodReady } from '../runtime/pods';
import { BEFOREHAND, type Ending } from './ending';
import { formatIndexes, sizeOf } from './indexes';
import type { JobPlan } from './reconcile';
import { counted, startTimeOf, uncountedBody, uncountedSize, type Tally } from './tally';

/** What has been done of a plan. */
export interface JobWork {
  /** Uids of pods whose finalizer is gone. */
  readonly freed: ReadonlySet<string>;
  /** Of pods that were told to go. */
  readonly removed: ReadonlySet<string>;
  readonly made: number;
}

export interface JobEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface JobStatus {
  readonly status: JsonObject;
  readonly told: readonly JobEvent[];
  /** It says that the Job has ended. */
  readonly isOver: boolean;
}

const NOTHING: JobWork = { freed: new Set(), removed: new Set(), made: 0 };

/** Written before any finalizer is taken off. */
export function recordOf(plan: JobPlan): JsonObject {
  return statusOf(plan, plan.tally, NOTHING, false).status;
}

export function statusAfter(plan: JobPlan, work: JobWork): JobStatus {
  const tally = counted(plan.tally, (uid) => work.freed.has(uid));
  return statusOf(plan, tally, work, hasEnded(plan, tally, work));
}

/** All pods have ended or are gone, and all are counted. */
function hasEnded({ ending, observed, freed }: JobPlan, tally: Tally, work: JobWork): boolean {
  if (ending === undefined || observed.view.isBehind) return false;
  const { active, going, tracked } = observed;
  return (
    active.length === 0 &&
    going.length === 0 &&
    uncountedSize(tally) === 0 &&
    freed.length >= tracked.length &&
    freed.every(({ uid }) => work.freed.has(uid))
  );
}

function statusOf(plan: JobPlan, tally: Tally, { removed, made }: JobWork, isOver: boolean): JobStatus {
  const { observed, ending } = plan;
  const { view, wishes, completed, failedIndexes, going } = observed;
  const active = observed.active.filter(({ uid }) => !removed.has(uid));
  const now = timestamp(view.now);
  const changed = conditionsAfter(view.job, ending, isOver, wishes.isSuspended, now);
  const succeeded = wishes.isIndexed ? sizeOf(completed) : tally.succeeded;
  const start = changed.isResumed ? now : (startTimeOf(view.job) ?? (wishes.isSuspended ? undefined : now));
  const status: JsonObject = {
    ...(changed.conditions.length === 0 ? {} : { conditions: [...changed.conditions] }),
    ...(start === undefined ? {} : { startTime: start }),
    ...(isOver && ending?.end === 'Complete' ? { completionTime: now } : {}),
    ...shown('active', active.length + made),
    ...shown('succeeded', succeeded),
    ...shown('failed', tally.failed),
    terminating: going.length + removed.size,
    ...(completed.length === 0 ? {} : { completedIndexes: formatIndexes(completed) }),
    ...(wishes.indexLimit === undefined ? {} : { failedIndexes: formatIndexes(failedIndexes) }),
    uncountedTerminatedPods: uncountedBody(tally),
    ready: active.filter(isPodReady).length,
  };
  return { status, told: changed.told, isOver };
}

const shown = (member: string, count: number): JsonObject => (count === 0 ? {} : { [member]: count });

interface ChangedConditions {
  readonly conditions: readonly JsonObject[];
  readonly told: readonly JobEvent[];
  readonly isResumed: boolean;
}

function conditionsAfter(
  job: ApiObject,
  ending: Ending | undefined,
  isOver: boolean,
  isSuspended: boolean,
  now: string,
): ChangedConditions {
  const known = conditionsOf(job.body);
  const made = (type: string, status: string, reason: string, message: string): JsonObject => ({
    type,
    status,
    lastProbeTime: now,
    lastTransitionTime: now,
    reason,
    message,
  });
  if (ending !== undefined) {
    const { end, reason, message } = ending;
    const isKnown = conditionOf(job.body, BEFOREHAND[end])?.['status'] === 'True';
    const before = isKnown ? known : withCondition(known, made(BEFOREHAND[end], 'True', reason, message));
    if (!isOver) return { conditions: before, told: [], isResumed: false };
    return { conditions: withCondition(before, made(end, 'True', reason, message)), told: [endEvent(ending)], isResumed: false };
  }
  const wasSuspended = conditionOf(job.body, 'Suspended')?.['status'] === 'True';
  if (wasSuspended === isSuspended || isBeingDeleted(job)) return { conditions: known, told: [], isResumed: false };
  const [word, condition] = isSuspended
    ? (['Suspended', made('Suspended', 'True', 'JobSuspended', 'Job suspended')] as const)
    : (['Resumed', made('Suspended', 'False', 'JobResumed', 'Job resumed')] as const);
  const told: JobEvent = { type: 'Normal', reason: word, message: stringAt(condition, 'message') ?? '' };
  return { conditions: withCondition(known, condition), told: [told], isResumed: !isSuspended };
}

function endEvent({ end, reason, message }: Ending): JobEvent {
  return end === 'Complete' ? { type: 'Normal', reason: 'Completed', message: 'Job completed' } : { type: 'Warning', reason, message };
}

/** Whether anybody has looked at it before. */
export const hasStatus = ({ body }: ApiObject): boolean => Object.keys(objectAt(body, 'status') ?? {}).length > 0;
