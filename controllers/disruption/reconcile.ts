/**
 * Computes the status of a PodDisruptionBudget: how many of its pods may be evicted now. Pure, and the same as
 * upstream 1.31.1. Evictions themselves are decided by the API server, from this status.
 */
import type { MetaV1Condition, PolicyV1PodDisruptionBudgetStatus } from '../../shared/api/types/generated/members';
import { parseTimestamp, formatTimestamp } from '../../shared/api/metadata/object-meta';
import { equalJson, ownMember } from '../../shared/values/json';
import { conditionsOf, transitionTime, withCondition } from '../runtime/conditions';
import type { PodDisruptionBudget, SelectedPod } from './budget-pod-index';

/** A pod that still exists this long after its eviction was admitted counts as not deleted. Milliseconds. */
const DELETION_TIMEOUT_MS = 120_000;
const DISRUPTION_ALLOWED = 'DisruptionAllowed';

/** `minAvailable` or `maxUnavailable`, as a number or a percentage of the expected pods. */
export type Constraint =
  | { readonly type: 'min-available'; readonly pods: number }
  | { readonly type: 'min-available-percent'; readonly percent: number }
  | { readonly type: 'max-unavailable'; readonly pods: number }
  | { readonly type: 'max-unavailable-percent'; readonly percent: number }
  | { readonly type: 'none' };

/** `maxUnavailable` precedes `minAvailable`; validation allows only one. */
export function constraintOf({ body }: PodDisruptionBudget): Constraint {
  const { maxUnavailable, minAvailable } = body.spec ?? {};
  if (typeof maxUnavailable === 'number') return { type: 'max-unavailable', pods: maxUnavailable };
  if (typeof maxUnavailable === 'string') return { type: 'max-unavailable-percent', percent: parsePercent(maxUnavailable) };
  if (typeof minAvailable === 'number') return { type: 'min-available', pods: minAvailable };
  if (typeof minAvailable === 'string') return { type: 'min-available-percent', percent: parsePercent(minAvailable) };
  return { type: 'none' };
}

/** At the end of `25%`. */
const PERCENT_SIGN = /%$/;

/** 0 for any other string, which validation does not admit. */
const parsePercent = (text: string): number => Number(text.replace(PERCENT_SIGN, '')) || 0;

/** Whether the number of expected pods comes from the controllers of the pods. */
export const needsExpectedScale = ({ type }: Constraint): boolean => type !== 'min-available' && type !== 'none';

/** What one sync decides from. */
export interface BudgetInput {
  readonly budget: PodDisruptionBudget;
  /** The pods that the budget selects. */
  readonly pods: readonly SelectedPod[];
  /**
   * The replicas of all controllers of the pods; the number of pods for a `minAvailable` that is a number, and 0 without
   * a constraint.
   */
  readonly expectedPods: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What one sync writes and reports. */
export interface BudgetActions {
  /** Undefined when the status is up to date. */
  readonly status: PolicyV1PodDisruptionBudgetStatus | undefined;
  /** Milliseconds until the deletion of a disrupted pod times out; undefined when no deletion is awaited. */
  readonly requeueAfterMs: number | undefined;
  /** Names of disrupted pods that were not deleted in time. */
  readonly notDeleted: readonly string[];
}

/** An `expectedPods` of 0 allows no disruption. */
export function reconcileBudget({ budget, pods, expectedPods, now }: BudgetInput): BudgetActions {
  const { status = {} } = budget.body;
  const { disruptedPods, requeueAfterMs, notDeleted } = buildDisruptedPodMap(status, pods, now);
  const desiredHealthy = desiredHealthyOf(constraintOf(budget), expectedPods);
  const isHealthy = (pod: SelectedPod): boolean => pod.isReady && !pod.isBeingDeleted && !Object.hasOwn(disruptedPods, pod.name);
  const currentHealthy = pods.filter(isHealthy).length;
  const disruptionsAllowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const observedGeneration = Number(budget.metadata.generation ?? 0);
  const { disruptedPods: _, ...rest } = status;
  const conditions = updateConditions(budget, now, {
    status: disruptionsAllowed > 0 ? 'True' : 'False',
    reason: disruptionsAllowed > 0 ? 'SufficientPods' : 'InsufficientPods',
    message: '',
    observedGeneration,
  });
  const newStatus: PolicyV1PodDisruptionBudgetStatus = {
    ...rest,
    ...(Object.keys(disruptedPods).length === 0 ? {} : { disruptedPods }),
    currentHealthy,
    desiredHealthy,
    expectedPods,
    disruptionsAllowed,
    observedGeneration,
    conditions,
  };
  return { status: equalJson(newStatus, status) ? undefined : newStatus, requeueAfterMs, notDeleted };
}

/**
 * The status when the expected scale is unknown: no disruptions are allowed. Undefined when the status is up to date.
 * `message`: that of the condition.
 */
export function failSafeStatus(budget: PodDisruptionBudget, message: string, now: number): PolicyV1PodDisruptionBudgetStatus | undefined {
  const { status = {} } = budget.body;
  const conditions = updateConditions(budget, now, { status: 'False', reason: 'SyncFailed', message });
  const newStatus: PolicyV1PodDisruptionBudgetStatus = { ...status, disruptionsAllowed: 0, conditions };
  return equalJson(newStatus, status) ? undefined : newStatus;
}

function updateConditions(
  { body }: PodDisruptionBudget,
  now: number,
  condition: MetaV1Condition & { readonly status: string },
): MetaV1Condition[] {
  const conditions = conditionsOf(body);
  const lastTransitionTime = transitionTime(conditions, DISRUPTION_ALLOWED, condition.status, formatTimestamp(now));
  return withCondition(conditions, { type: DISRUPTION_ALLOWED, ...condition, lastTransitionTime });
}

function desiredHealthyOf(constraint: Constraint, expectedPods: number): number {
  switch (constraint.type) {
    case 'min-available':
      return constraint.pods;
    case 'min-available-percent':
      return percentOf(expectedPods, constraint.percent);
    case 'max-unavailable':
      return Math.max(0, expectedPods - constraint.pods);
    case 'max-unavailable-percent':
      return Math.max(0, expectedPods - percentOf(expectedPods, constraint.percent));
    case 'none':
      return 0;
  }
}

/** Rounded up. */
const percentOf = (pods: number, percent: number): number => Math.ceil((pods * percent) / 100);

/** The pods with an admitted eviction that are not being deleted yet. */
interface AwaitedDeletions extends Pick<BudgetActions, 'requeueAfterMs' | 'notDeleted'> {
  /** When the eviction of each pod was admitted (RFC 3339), by name, for pods that may still be deleted in time. */
  readonly disruptedPods: Record<string, string>;
}

function buildDisruptedPodMap(status: PolicyV1PodDisruptionBudgetStatus, pods: readonly SelectedPod[], now: number): AwaitedDeletions {
  const known = status.disruptedPods ?? {};
  const disruptedPods: Record<string, string> = {};
  const notDeleted: string[] = [];
  let requeueAfterMs: number | undefined;
  for (const { name, isBeingDeleted } of pods) {
    const disruptionTime = ownMember(known, name) ?? undefined;
    const disruptedAt = parseTimestamp(disruptionTime);
    const isDisrupted = disruptionTime !== undefined && disruptedAt !== undefined;
    if (!isDisrupted || isBeingDeleted) continue;
    const remainingMs = disruptedAt + DELETION_TIMEOUT_MS - now;
    if (remainingMs <= 0) {
      notDeleted.push(name);
    } else {
      disruptedPods[name] = disruptionTime;
      requeueAfterMs = Math.min(requeueAfterMs ?? remainingMs, remainingMs);
    }
  }
  return { disruptedPods, requeueAfterMs, notDeleted };
}
