/** What becomes of an autoscaler: how many pods its target is to have, and what is to be said of it; decided from what was seen and measured, without a server. Seen at release 1.31.1. */
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { equalJson, objectAt, own, type JsonObject } from '../../shared/values/json';
import { conditionsOf, transitionTime, withCondition } from '../runtime/conditions';
import { compareNames } from '../runtime/pods';
import type { ScalingHistory } from './history';
import { limit, type Said } from './limits';
import type { Readiness } from './pods';
import { numberAt, type AutoscalerSpec } from './spec';
import { wishOf, type Measured, type MetricWish } from './wishes';

/** How many pods a target wants and has. */
export interface TargetScale {
  readonly replicas: number;
  readonly present: number;
  /** '' = it does not say which. */
  readonly selector: string;
}

export interface Settings {
  readonly tolerance: number;
  readonly downscaleMs: number;
  readonly readiness: Readiness;
}

export interface Sight {
  readonly autoscaler: ApiObject;
  readonly spec: AutoscalerSpec;
  readonly scale: TargetScale;
  /** The pods that the target selects. */
  readonly pods: readonly ApiObject[];
  /** Keys of all autoscalers that scale some of these pods, this one among them. */
  readonly rivals: readonly string[];
  /** In the order of the metrics; none where nothing had to be measured. */
  readonly measured: readonly Measured[];
  readonly history: Pick<ScalingHistory, 'highestWish' | 'lowestWish' | 'addedIn' | 'removedIn'>;
  readonly settings: Settings;
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Of the clock of the history. */
  readonly at: number;
}

export interface ToldEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface Rescale {
  readonly replicas: number;
  readonly reason: string;
}

export interface Plan {
  readonly rescale: Rescale | undefined;
  /** The number that metrics ask for; undefined = none was found. */
  readonly wished: number | undefined;
  readonly told: readonly ToldEvent[];
  readonly conditions: readonly JsonObject[];
  /** How many pods the target is to have, as long as it lets itself be told; undefined = what was said before stays. */
  readonly desired: number | undefined;
  readonly currentMetrics: readonly JsonObject[] | undefined;
  /** What kept it from finding a number. */
  readonly fault: string | undefined;
  readonly metrics: readonly MetricWish[];
}

const ABLE = 'AbleToScale';
const ACTIVE = 'ScalingActive';
const LIMITED = 'ScalingLimited';
const SCALE_FOUND: Said = {
  status: 'True',
  reason: 'SucceededGetScale',
  message: "the HPA controller was able to get the target's current scale",
};

export type Way = 'paused' | 'above' | 'below' | 'measured';

/** Where a number is found. */
export function wayOf({ min, max }: Pick<AutoscalerSpec, 'min' | 'max'>, { replicas }: Pick<TargetScale, 'replicas'>): Way {
  if (replicas === 0 && min !== 0) return 'paused';
  if (replicas > max) return 'above';
  return replicas < min ? 'below' : 'measured';
}

export function planAutoscaler(sight: Sight): Plan {
  const { autoscaler, spec, scale, now } = sight;
  const found = said(conditionsOf(autoscaler.body), ABLE, SCALE_FOUND, now);
  const nothing = { wished: undefined, told: [], conditions: found, currentMetrics: undefined, fault: undefined, metrics: [] };
  switch (wayOf(spec, scale)) {
    case 'paused': {
      const message = 'scaling is disabled since the replica count of the target is zero';
      const conditions = said(found, ACTIVE, { status: 'False', reason: 'ScalingDisabled', message }, now);
      return { ...nothing, conditions, desired: 0, rescale: undefined };
    }
    case 'above':
      return {
        ...nothing,
        desired: spec.max,
        rescale: { replicas: spec.max, reason: 'Current number of replicas above Spec.MaxReplicas' },
      };
    case 'below':
      return {
        ...nothing,
        desired: spec.min,
        rescale: { replicas: spec.min, reason: 'Current number of replicas below Spec.MinReplicas' },
      };
    case 'measured':
      return measuredPlan(sight, found);
  }
}

/** Why its pods cannot be told from those of others: the condition, and the Event of the same reason where it is another one. */
export function selectorFault({
  scale,
  rivals,
}: Pick<Sight, 'scale' | 'rivals'>): { readonly said: Said; readonly told: ToldEvent } | undefined {
  const warning = (reason: string, message: string): ToldEvent => ({ type: 'Warning', reason, message });
  if (scale.selector === '') {
    const message = "the HPA target's scale is missing a selector";
    return { said: { status: 'False', reason: 'InvalidSelector', message }, told: warning('SelectorRequired', 'selector is required') };
  }
  if (rivals.length < 2) return undefined;
  const message = `pods by selector ${scale.selector} are controlled by multiple HPAs: [${[...rivals].sort().join(' ')}]`;
  return { said: { status: 'False', reason: 'AmbiguousSelector', message }, told: warning('AmbiguousSelector', message) };
}

function measuredPlan(sight: Sight, found: readonly JsonObject[]): Plan {
  const { scale, now } = sight;
  const fault = selectorFault(sight);
  const metrics = fault === undefined ? wishesOf(sight) : [];
  const statuses = metrics.map((wish) => (wish.type === 'wish' ? wish.status : { type: '' }));
  const failures = metrics.filter((wish) => wish.type === 'none');
  const told: ToldEvent[] = failures.map(({ reason, message }) => ({ type: 'Warning', reason, message }));
  const chosen = highestOf(metrics);
  const [first] = failures;
  const nothing = { rescale: undefined, wished: undefined, desired: undefined };
  const failedToCompute = (message: string): ToldEvent => ({ type: 'Warning', reason: 'FailedComputeMetricsReplicas', message });
  if (fault !== undefined) {
    const message = fault.told.message;
    const all = {
      told: [fault.told, failedToCompute(message)],
      conditions: said(found, ACTIVE, fault.said, now),
      currentMetrics: undefined,
    };
    return { ...nothing, ...all, fault: message, metrics };
  }
  // Where one metric says nothing, the others may only ask for more.
  if (chosen === undefined || (first !== undefined && chosen.replicas < scale.replicas)) {
    const message = `invalid metrics (${failures.length} invalid out of ${metrics.length}), first error is: ${first?.told ?? ''}`;
    const why = `the HPA was unable to compute the replica count: ${first?.message ?? ''}`;
    const conditions = said(found, ACTIVE, { status: 'False', reason: first?.reason ?? '', message: why }, now);
    const all = { told: [...told, failedToCompute(message)], conditions, currentMetrics: statuses };
    return { ...nothing, ...all, fault: message, metrics };
  }
  return limitedPlan(sight, { found, chosen, told, statuses, metrics });
}

interface Computed {
  readonly found: readonly JsonObject[];
  readonly chosen: Extract<MetricWish, { type: 'wish' }>;
  readonly told: readonly ToldEvent[];
  readonly statuses: readonly JsonObject[];
  readonly metrics: readonly MetricWish[];
}

function limitedPlan({ spec, scale, history, settings, at, now }: Sight, { found, chosen, told, statuses, metrics }: Computed): Plan {
  const { downscaleMs } = settings;
  const { replicas, able, limited } = limit({ spec, current: scale.replicas, wished: chosen.replicas, history, downscaleMs, now: at });
  const message = `the HPA was able to successfully calculate a replica count from ${chosen.name}`;
  const active = said(found, ACTIVE, { status: 'True', reason: 'ValidMetricFound', message }, now);
  const conditions = said(said(active, ABLE, able, now), LIMITED, limited, now);
  const reason =
    chosen.replicas > scale.replicas ? `${chosen.name} above target` : chosen.replicas < scale.replicas ? 'All metrics below target' : '';
  const rescale = replicas === scale.replicas ? undefined : { replicas, reason };
  return { rescale, wished: chosen.replicas, told, conditions, desired: replicas, currentMetrics: statuses, fault: undefined, metrics };
}

function wishesOf({ autoscaler, spec, scale, pods, measured, settings, now }: Sight): readonly MetricWish[] {
  const { tolerance, readiness } = settings;
  // Messages name the first pod with a fault, so the order of pods must be stable.
  const view = {
    pods: [...pods].sort(compareNames),
    replicas: scale.replicas,
    tolerance,
    readiness,
    now,
    namespace: autoscaler.namespace,
    present: scale.present,
  };
  return spec.metrics.flatMap((metric, index) => {
    const found = measured[index];
    return found === undefined ? [] : [wishOf(metric, found, view)];
  });
}

/** Of equal ones the first. */
function highestOf(metrics: readonly MetricWish[]): Extract<MetricWish, { type: 'wish' }> | undefined {
  let highest: Extract<MetricWish, { type: 'wish' }> | undefined;
  for (const wish of metrics) if (wish.type === 'wish' && wish.replicas > (highest?.replicas ?? -1)) highest = wish;
  return highest;
}

/** What became of a plan at the server. */
export type Done =
  | { readonly type: 'as it was' }
  | { readonly type: 'scaled'; readonly to: number }
  | { readonly type: 'refused'; readonly message: string };

/** Undefined = it says so already. */
export function statusAfter(
  { autoscaler, scale, now }: Pick<Sight, 'autoscaler' | 'scale' | 'now'>,
  plan: Plan,
  done: Done,
): JsonObject | undefined {
  const status = objectAt(autoscaler.body, 'status') ?? {};
  const before = numberAt(status, 'desiredReplicas') ?? 0;
  const made = { current: scale.replicas, conditions: plan.conditions, currentMetrics: plan.currentMetrics ?? [] };
  switch (done.type) {
    case 'as it was':
      return changedStatus(status, { ...made, desired: plan.desired ?? before });
    case 'scaled': {
      const message = `the HPA controller was able to update the target scale to ${done.to}`;
      const conditions = said(plan.conditions, ABLE, { status: 'True', reason: 'SucceededRescale', message }, now);
      return changedStatus({ ...status, lastScaleTime: formatTimestamp(now) }, { ...made, conditions, desired: done.to }, status);
    }
    case 'refused': {
      const message = `the HPA controller was unable to update the target scale: ${done.message}`;
      const conditions = said(plan.conditions, ABLE, { status: 'False', reason: 'FailedUpdateScale', message }, now);
      return changedStatus(status, { ...made, conditions, desired: before });
    }
  }
}

/** The status of an autoscaler whose target cannot be asked; all else stays. Undefined = it says so already. */
export function unscaledStatus(autoscaler: ApiObject, fault: string, now: number): JsonObject | undefined {
  const status = objectAt(autoscaler.body, 'status') ?? {};
  const message = `the HPA controller was unable to get the target's current scale: ${fault}`;
  const conditions = said(conditionsOf(autoscaler.body), ABLE, { status: 'False', reason: 'FailedGetScale', message }, now);
  const made: JsonObject = { ...status, conditions: [...conditions] };
  return equalJson(made, status) ? undefined : made;
}

interface Numbers {
  readonly current: number;
  readonly desired: number;
  readonly currentMetrics: readonly JsonObject[];
  readonly conditions: readonly JsonObject[];
}

/** Numbers of none are absent, as the API shows them. */
function changedStatus(kept: JsonObject, { current, desired, currentMetrics, conditions }: Numbers, before = kept): JsonObject | undefined {
  const { currentReplicas: _, ...rest } = kept;
  const made: JsonObject = {
    ...rest,
    ...(current === 0 ? {} : { currentReplicas: current }),
    desiredReplicas: desired,
    currentMetrics: currentMetrics.length === 0 ? null : [...currentMetrics],
    conditions: [...conditions],
  };
  return equalJson(made, { ...before, currentMetrics: own(before, 'currentMetrics') ?? null }) ? undefined : made;
}

/** The conditions with this one, whose time stays while its status does. */
function said(conditions: readonly JsonObject[], type: string, { status, reason, message }: Said, now: number): readonly JsonObject[] {
  const lastTransitionTime = transitionTime(conditions, type, status, formatTimestamp(now));
  return withCondition(conditions, { type, status, lastTransitionTime, reason, message });
}

export const isUnchanged = ({ body }: ApiObject, other: ApiObject): boolean =>
  equalJson(objectAt(body, 'spec'), objectAt(other.body, 'spec'));
