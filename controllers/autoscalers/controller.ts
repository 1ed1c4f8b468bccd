/**
 * HorizontalPodAutoscaler controller: reads and updates the scale subresource of the autoscalers' targets, and writes
 * status and Events. Each autoscaler is requeued once per sync period. Unlike in upstream's controller, the first sync
 * after a start is at a random moment of the period, so that the load is spread, and a new autoscaler or one with a
 * changed spec is synced after a tenth of a second, not after a whole period. The decisions are left to reconcile.ts.
 */
import type { AutoscalingV2HorizontalPodAutoscaler } from '../../shared/api/types/generated/members';
import { ignoreNotFoundOrConflict } from '../../shared/client/rest/api-error';
import { keyOf } from '../../shared/client/rest/api-object';
import type { EventRecorder } from '../../shared/client/events/event-recorder';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { equalJson } from '../../shared/values/json';
import { waitForSync, type Controller, type ControllerContext, type ControllerSettings } from '../runtime/controller';
import { ServedKinds } from '../runtime/served-kinds';
import { runSteps } from '../../shared/scheduling/steps';
import { TimeSlice } from '../../shared/scheduling/yielding';
import { autoscalerMetrics, scaleActionOf, type AutoscalerMetrics } from './metrics';
import { MetricsClient } from './metrics-client';
import { needsMetrics, reconcileAutoscaler, type AutoscalerEvent, type AutoscalerPlan, type AutoscalerState } from './reconcile';
import type { Measurement } from './recommendations';
import { ScaleClient, type ObservedScale } from './scale-client';
import { ScalingHistory } from './scaling-history';
import { SelectorIndex } from './selector-index';
import { parseSpec, type Autoscaler } from './spec';
import { statusAfterScaling, statusWithoutScale, type AutoscalerStatus, type ScalingOutcome } from './status';

const AUTOSCALERS = resourceOf('autoscaling.v2.HorizontalPodAutoscaler');
const PODS = resourceOf('core.v1.Pod');
/** The shortest time between two requests of discovery for an unknown kind. */
const MIN_DISCOVERY_INTERVAL_MS = 10_000;
/** The delay of the sync after an autoscaler was created or its spec was changed: its target may be created right after it. */
const CHANGED_SPEC_DELAY_MS = 100;

export const autoscalerController: Controller = {
  name: 'horizontal-pod-autoscaler',
  aliases: ['horizontal-pod-autoscaler-controller', 'horizontalpodautoscaling'],
  description: 'scales the targets of HorizontalPodAutoscalers',
  isOnByDefault: true,
  component: 'horizontal-pod-autoscaler',
  account: 'horizontal-pod-autoscaler',
  run: runAutoscalers,
};

/** The part of the controller context that is used here. */
export type AutoscalerContext = Pick<
  ControllerContext,
  'client' | 'informers' | 'clock' | 'random' | 'logger' | 'signal' | 'queue' | 'metrics'
> & {
  readonly events: Pick<EventRecorder, 'record'>;
  readonly settings: Pick<ControllerSettings, 'autoscaling'>;
};

/** What the syncs of all autoscalers share. */
interface Dependencies {
  readonly autoscalers: Informer<AutoscalingV2HorizontalPodAutoscaler>;
  readonly scales: ScaleClient;
  readonly metricsClient: MetricsClient;
  readonly selectors: SelectorIndex;
  /** By the autoscalers' uids. */
  readonly histories: Map<string, ScalingHistory>;
  readonly metrics: AutoscalerMetrics;
}

/** Resolves when the signal of the context is aborted and the syncs in progress have ended. */
export async function runAutoscalers(context: AutoscalerContext): Promise<void> {
  const { informers, client, clock, signal, settings, logger } = context;
  const { periodMs, concurrentSyncs } = settings.autoscaling;
  const autoscalers = informers.of(AUTOSCALERS);
  const pods = informers.of(PODS);
  const kinds = new ServedKinds({ client, clock, signal }, MIN_DISCOVERY_INTERVAL_MS);
  const selectors = new SelectorIndex(pods);
  const deps: Dependencies = {
    autoscalers,
    scales: new ScaleClient(client, kinds, signal),
    metricsClient: new MetricsClient({ client, clock, kinds, signal, versionCacheMs: periodMs }),
    selectors,
    histories: new Map(),
    metrics: autoscalerMetrics(context.metrics),
  };
  const queue = context.queue({ name: 'horizontalpodautoscaler' });
  const removeHandlers = [
    handleAutoscalers(context, deps, queue),
    pods.handle({
      added: (pod) => selectors.setPod(pod),
      updated: (_, pod) => selectors.setPod(pod),
      deleted: (pod) => selectors.removePod(pod),
    }),
  ];
  const work = (key: string): Promise<WorkOutcome> => syncAutoscaler(context, deps, key);
  if (await waitForSync([autoscalers, pods], signal)) await runWorkers({ queue, concurrency: concurrentSyncs, logger, signal, work });
  for (const removeHandler of removeHandlers) removeHandler();
}

function handleAutoscalers(
  { random, settings }: AutoscalerContext,
  { autoscalers, selectors, histories }: Dependencies,
  queue: WorkQueue,
): () => void {
  const { periodMs } = settings.autoscaling;
  return autoscalers.handle({
    added(autoscaler) {
      const delayMs = autoscalers.hasSynced ? CHANGED_SPEC_DELAY_MS : random.float() * periodMs;
      queue.addAfter(keyOf(autoscaler), delayMs);
    },
    updated(previous, current) {
      if (previous.uid !== current.uid) histories.delete(previous.uid);
      if (!equalJson(previous.body.spec, current.body.spec)) queue.addAfter(keyOf(current), CHANGED_SPEC_DELAY_MS);
    },
    deleted(autoscaler) {
      selectors.forget(autoscaler);
      histories.delete(autoscaler.uid);
    },
  });
}

/**
 * Syncs one autoscaler and requeues it after a period, also when the scale cannot be read. When another autoscaler got
 * the name during the request, it is requeued after {@link CHANGED_SPEC_DELAY_MS}. Rejects when a request gets no
 * response, or when the status cannot be written for another reason than a conflict; the work queue then retries.
 */
async function syncAutoscaler(context: AutoscalerContext, deps: Dependencies, key: string): Promise<WorkOutcome> {
  const { clock, settings, logger } = context;
  const { autoscalers, scales, metrics } = deps;
  const autoscaler = autoscalers.byKey(key);
  if (autoscaler === undefined) return DONE;
  const started = clock.monotonic();
  const observed = await scales.get(autoscaler.namespace, parseSpec(autoscaler).scaleTargetRef);
  // After a deletion during the request no state may be recorded: no handler would remove it.
  const current = autoscalers.byKey(key);
  if (current?.uid !== autoscaler.uid) return current === undefined ? DONE : { type: 'again', afterMs: CHANGED_SPEC_DELAY_MS };
  if (observed.type === 'failed') {
    recordEvents(context, autoscaler, [{ type: 'Warning', reason: 'FailedGetScale', message: observed.message }]);
    await writeStatus(context, autoscaler, statusWithoutScale(autoscaler, observed.message, clock.now()));
    metrics.observeReconciliation('none', observed.isSpecError ? 'spec' : 'internal', clock.monotonic() - started);
  } else {
    const { plan, outcome } = await syncScale(context, deps, autoscaler, observed);
    const error = outcome.type === 'failed' ? outcome.message : plan.error;
    if (error !== undefined) logger.debug('an autoscaler could not compute a recommendation', { item: key, reason: error });
    const { specReplicas } = observed.scale;
    const action = scaleActionOf(specReplicas, outcome.type === 'scaled' ? outcome.replicas : specReplicas);
    metrics.observeReconciliation(action, error === undefined ? 'none' : 'internal', clock.monotonic() - started);
  }
  return { type: 'again', afterMs: settings.autoscaling.periodMs };
}

/** Reconciles an autoscaler after its scale was read, and writes what follows. */
async function syncScale(
  context: AutoscalerContext,
  deps: Dependencies,
  autoscaler: Autoscaler,
  observed: ObservedScale,
): Promise<{ readonly plan: AutoscalerPlan; readonly outcome: ScalingOutcome }> {
  const { clock } = context;
  const history = historyOf(context, deps, autoscaler);
  if (history.isEmpty) history.recordRecommendation(observed.scale.specReplicas, clock.monotonic());
  const { state, durationsMs } = await observeState(context, deps, { autoscaler, observed, history });
  const plan = reconcileAutoscaler(state);
  if (plan.recommendation !== undefined) history.recordRecommendation(plan.recommendation, state.monotonicNow);
  observeMetricComputations(deps.metrics, state, plan, durationsMs);
  recordEvents(context, autoscaler, plan.events);
  const outcome = await rescale(context, deps, { state, plan, observed, history });
  await writeStatus(context, autoscaler, statusAfterScaling(state, plan, outcome));
  return { plan, outcome };
}

/** An autoscaler with the scale of its target. */
interface ObservedAutoscaler {
  readonly autoscaler: Autoscaler;
  readonly observed: ObservedScale;
  readonly history: ScalingHistory;
}

/**
 * Requests the metrics of the spec one after the other, if {@link needsMetrics}. `durationsMs`: how long the request of
 * each metric took; empty when none is requested.
 */
async function observeState(
  { clock, settings }: AutoscalerContext,
  { selectors, metricsClient }: Dependencies,
  { autoscaler, observed: { scale }, history }: ObservedAutoscaler,
): Promise<{ readonly state: AutoscalerState; readonly durationsMs: readonly number[] }> {
  const spec = parseSpec(autoscaler);
  await runSteps(selectors.set(autoscaler, scale.selector), new TimeSlice(clock, { stepsPerCheck: 1 }));
  const { pods, selectingAutoscalers } = await runSteps(selectors.select(autoscaler), new TimeSlice(clock, { stepsPerCheck: 1 }));
  const measurements: Measurement[] = [];
  const durationsMs: number[] = [];
  if (needsMetrics({ spec, scale, selectingAutoscalers })) {
    const measure = metricsClient.measurerFor({ namespace: autoscaler.namespace, selector: scale.selector });
    for (const metric of spec.metrics) {
      const started = clock.monotonic();
      measurements.push(await measure(metric));
      durationsMs.push(clock.monotonic() - started);
    }
  }
  const state = { autoscaler, spec, scale, pods, selectingAutoscalers, measurements, history, settings: settings.autoscaling };
  return { state: { ...state, now: clock.now(), monotonicNow: clock.monotonic() }, durationsMs };
}

function observeMetricComputations(
  metrics: AutoscalerMetrics,
  { spec, scale }: AutoscalerState,
  plan: AutoscalerPlan,
  durationsMs: readonly number[],
): void {
  for (const [index, metric] of plan.metrics.entries()) {
    const type = spec.metrics[index]?.type ?? '';
    const ms = durationsMs[index] ?? 0;
    if (metric.type === 'failed') metrics.observeMetricComputation('none', 'internal', type, ms);
    else metrics.observeMetricComputation(scaleActionOf(scale.specReplicas, metric.replicas), 'none', type, ms);
  }
}

function historyOf({ settings }: AutoscalerContext, { histories }: Dependencies, { uid }: Autoscaler): ScalingHistory {
  const history = histories.get(uid) ?? new ScalingHistory(settings.autoscaling.downscaleStabilizationMs);
  histories.set(uid, history);
  return history;
}

/** A plan, and the scale that it changes. */
interface PlannedRescale {
  readonly state: AutoscalerState;
  readonly plan: AutoscalerPlan;
  readonly observed: ObservedScale;
  readonly history: ScalingHistory;
}

/** Writes the replicas of the plan, and records the change for scaling policies. */
async function rescale(
  context: AutoscalerContext,
  { scales }: Dependencies,
  { state, plan, observed, history }: PlannedRescale,
): Promise<ScalingOutcome> {
  const { autoscaler, scale, spec } = state;
  if (plan.rescale === undefined) return { type: 'unchanged' };
  const { replicas, reason } = plan.rescale;
  const message = `New size: ${replicas}; reason: ${reason}`;
  const error = await scales.update(observed, replicas);
  if (error !== undefined) {
    recordEvents(context, autoscaler, [{ type: 'Warning', reason: 'FailedRescale', message: `${message}; error: ${error}` }]);
    return { type: 'failed', message: error };
  }
  recordEvents(context, autoscaler, [{ type: 'Normal', reason: 'SuccessfulRescale', message }]);
  // Only scaling policies use scale events.
  if (spec.behavior !== undefined) history.recordScaleEvent({ from: scale.specReplicas, to: replicas, at: state.monotonicNow });
  return { type: 'scaled', replicas };
}

function recordEvents({ events }: AutoscalerContext, autoscaler: Autoscaler, recorded: readonly AutoscalerEvent[]): void {
  const { namespace, name, uid, resourceVersion } = autoscaler;
  const about = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', namespace, name, uid, resourceVersion } as const;
  for (const { type, reason, message } of recorded) events.record({ about, type, reason, message });
}

/** Conflicts are ignored: the next period reconciles the new version. */
async function writeStatus(
  { client, signal }: AutoscalerContext,
  { namespace, body }: Autoscaler,
  status: AutoscalerStatus | undefined,
): Promise<void> {
  if (status === undefined) return;
  await client
    .of(AUTOSCALERS)
    .namespace(namespace)
    .updateStatus({ ...body, status }, { signal })
    .catch(ignoreNotFoundOrConflict);
}
