/** What a disruption budget's status is to say; decided from what is seen, without a server. Seen at release 1.31.1. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { timeOf, timestamp } from '../../shared/api/metadata/object-meta';
import { equalJson, objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';
import { conditionsOf, transitionTime, withCondition } from '../runtime/conditions';
import type { CoveredPod } from './budget-pod-index';

/** A pod that was to be disrupted and is still there after so long was not. Milliseconds. */
const DISRUPTED_MS = 120_000;
const CONDITION = 'DisruptionAllowed';

/** Which of its two bounds a budget has. */
export type Bound =
  | { readonly type: 'available'; readonly pods: number }
  | { readonly type: 'available share'; readonly percent: number }
  | { readonly type: 'unavailable'; readonly pods: number }
  | { readonly type: 'unavailable share'; readonly percent: number }
  | { readonly type: 'none' };

export function boundOf(budget: ApiObject): Bound {
  const spec = objectAt(budget.body, 'spec') ?? {};
  const [most, least] = [own(spec, 'maxUnavailable'), own(spec, 'minAvailable')];
  if (typeof most === 'number') return { type: 'unavailable', pods: most };
  if (typeof most === 'string') return { type: 'unavailable share', percent: percentOf(most) };
  if (typeof least === 'number') return { type: 'available', pods: least };
  if (typeof least === 'string') return { type: 'available share', percent: percentOf(least) };
  return { type: 'none' };
}

/** The API takes no other text. */
const percentOf = (text: string): number => Number(text.replace(/%$/, '')) || 0;

/** Whether the number of pods that should be there is for their owners to say. */
export const asksOwners = ({ type }: Bound): boolean => type !== 'available' && type !== 'none';

export interface BudgetSight {
  readonly budget: ApiObject;
  readonly pods: readonly CoveredPod[];
  /** How many pods their owners want, all together; the number of the pods where nobody asks them. */
  readonly expectedPods: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface BudgetOutcome {
  /** Undefined = it says so already. */
  readonly status: JsonObject | undefined;
  /** Look again after so long: then a disruption counts as failed. Milliseconds. */
  readonly againMs: number | undefined;
  /** Names of pods whose disruption has failed. */
  readonly notDeleted: readonly string[];
}

export function budgetOutcome({ budget, pods, expectedPods, now }: BudgetSight): BudgetOutcome {
  const status = objectAt(budget.body, 'status') ?? {};
  const { disrupted, againMs, notDeleted } = disruptedPods(status, pods, now);
  const desiredHealthy = desiredOf(boundOf(budget), expectedPods);
  const currentHealthy = pods.filter((pod) => pod.isReady && !pod.isGoing && !Object.hasOwn(disrupted, pod.name)).length;
  const allowed = expectedPods <= 0 ? 0 : Math.max(0, currentHealthy - desiredHealthy);
  const observedGeneration = Number(own(objectAt(budget.body, 'metadata') ?? {}, 'generation') ?? 0);
  const { disruptedPods: _, ...rest } = status;
  const isAllowed = allowed > 0;
  const conditions = conditionsWith(budget, now, {
    status: isAllowed ? 'True' : 'False',
    reason: isAllowed ? 'SufficientPods' : 'InsufficientPods',
    message: '',
    observedGeneration,
  });
  const made: JsonObject = {
    ...rest,
    ...(Object.keys(disrupted).length === 0 ? {} : { disruptedPods: disrupted }),
    currentHealthy,
    desiredHealthy,
    expectedPods,
    disruptionsAllowed: allowed,
    observedGeneration,
    conditions,
  };
  return { status: equalJson(made, status) ? undefined : made, againMs, notDeleted };
}

/** The status of a budget whose owners could not be asked: nothing may be disrupted. Undefined = it says so already. */
export function failedStatus(budget: ApiObject, message: string, now: number): JsonObject | undefined {
  const status = objectAt(budget.body, 'status') ?? {};
  const conditions = conditionsWith(budget, now, { status: 'False', reason: 'SyncFailed', message });
  const made: JsonObject = { ...status, disruptionsAllowed: 0, conditions };
  return equalJson(made, status) ? undefined : made;
}

function conditionsWith({ body }: ApiObject, now: number, said: JsonObject & { readonly status: string }): JsonObject[] {
  const conditions = conditionsOf(body);
  const lastTransitionTime = transitionTime(conditions, CONDITION, said.status, timestamp(now));
  return withCondition(conditions, { type: CONDITION, ...said, lastTransitionTime });
}

function desiredOf(bound: Bound, expected: number): number {
  switch (bound.type) {
    case 'available':
      return bound.pods;
    case 'available share':
      return shareOf(expected, bound.percent);
    case 'unavailable':
      return Math.max(0, expected - bound.pods);
    case 'unavailable share':
      return Math.max(0, expected - shareOf(expected, bound.percent));
    case 'none':
      return 0;
  }
}

const shareOf = (pods: number, percent: number): number => Math.ceil((pods * percent) / 100);

/** Of the pods that the server has let go those that are still there and have time left. */
function disruptedPods(status: JsonObject, pods: readonly CoveredPod[], now: number) {
  const known = objectAt(status, 'disruptedPods') ?? {};
  const disrupted: JsonObject = {};
  const notDeleted: string[] = [];
  let againMs: number | undefined;
  for (const { name, isGoing } of pods) {
    const since = timeOf(stringAt(known, name));
    if (since === undefined || isGoing) continue;
    const left = since + DISRUPTED_MS - now;
    if (left <= 0) notDeleted.push(name);
    else {
      disrupted[name] = known[name] ?? '';
      againMs = Math.min(againMs ?? left, left);
    }
  }
  return { disrupted, againMs, notDeleted };
}
