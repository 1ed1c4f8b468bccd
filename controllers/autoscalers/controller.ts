/**
 * Lets targets have as many pods as what is measured of these asks for. Each autoscaler is looked at once in a period, the first time at a moment of its own, so that many
 * spread over it. Makes and deletes no pods itself: it tells the target's scale, whatever the target is.
 */
import { isConflict, isNotFound } from '../../shared/client/rest/api-error';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { EventRecorder } from '../../shared/client/events/event-recorder';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import type { JsonObject } from '../../shared/values/json';
import { waitForSync, type Controller, type ControllerContext, type ControllerSettings } from '../runtime/controller';
import { ServedKinds } from '../runtime/served-kinds';
import { runSteps } from '../../shared/scheduling/steps';
import { TimeSlice } from '../../shared/scheduling/yielding';
import { actionOf, countingOf, type Counting } from './counting';
import { ScalingHistory } from './history';
import { MetricsApi } from './metrics-api';
import {
  isUnchanged,
  planAutoscaler,
  selectorFault,
  statusAfter,
  unscaledStatus,
  wayOf,
  type Done,
  type Plan,
  type Sight,
  type ToldEvent,
} from './reconcile';
import { Rivals } from './rivals';
import { specOf } from './spec';
import { Targets, type FoundScale } from './targets';
import type { Measured } from './wishes';

const AUTOSCALERS = resourceOf('autoscaling.v2.HorizontalPodAutoscaler');
const PODS = resourceOf('core.v1.Pod');
/** Kinds that are not known are looked for so often. Milliseconds. */
const DISCOVERY_MS = 10_000;
/** One that is made or changed is looked at after a moment in which its target may come, too. Milliseconds. */
const NEW_MS = 100;

export const autoscalerController: Controller = {
  name: 'horizontal-pod-autoscaler',
  aliases: ['horizontal-pod-autoscaler-controller', 'horizontalpodautoscaling'],
  description: 'scales what autoscalers speak of',
  isOnByDefault: true,
  component: 'horizontal-pod-autoscaler',
  account: 'horizontal-pod-autoscaler',
  run: runAutoscalers,
};

/** What it uses of what it is given. */
export type AutoscalerContext = Pick<
  ControllerContext,
  'client' | 'informers' | 'clock' | 'random' | 'logger' | 'signal' | 'queue' | 'metrics'
> & {
  readonly events: Pick<EventRecorder, 'record'>;
  readonly settings: Pick<ControllerSettings, 'autoscaling'>;
};

interface Parts {
  readonly autoscalers: Informer;
  readonly targets: Targets;
  readonly api: MetricsApi;
  readonly rivals: Rivals;
  /** By the autoscalers' uids. */
  readonly histories: Map<string, ScalingHistory>;
  readonly counting: Counting;
}

export async function runAutoscalers(context: AutoscalerContext): Promise<void> {
  const { informers, client, clock, signal, settings, logger } = context;
  const { periodMs, concurrentSyncs } = settings.autoscaling;
  const [autoscalers, pods] = [informers.of(AUTOSCALERS), informers.of(PODS)];
  const kinds = new ServedKinds({ client, clock, signal }, DISCOVERY_MS);
  const rivals = new Rivals(pods);
  const parts: Parts = {
    autoscalers,
    targets: new Targets(client, kinds, signal),
    api: new MetricsApi({ client, clock, kinds, signal, versionMs: periodMs }),
    rivals,
    histories: new Map(),
    counting: countingOf(context.metrics),
  };
  const queue = context.queue({ name: 'horizontalpodautoscaler' });
  const unhandle = [
    follow(context, parts, queue),
    pods.handle({
      added: (pod) => rivals.setPod(pod),
      updated: (_, pod) => rivals.setPod(pod),
      deleted: (pod) => rivals.removePod(pod),
    }),
  ];
  const work = (key: string): Promise<WorkOutcome> => sync(context, parts, key);
  if (await waitForSync([autoscalers, pods], signal)) await runWorkers({ queue, concurrency: concurrentSyncs, logger, signal, work });
  for (const end of unhandle) end();
}

function follow({ random, settings }: AutoscalerContext, { autoscalers, rivals, histories }: Parts, queue: WorkQueue): () => void {
  const { periodMs } = settings.autoscaling;
  return autoscalers.handle({
    added: (autoscaler) => queue.addAfter(keyOf(autoscaler), autoscalers.hasSynced ? NEW_MS : random.float() * periodMs),
    updated(then, now) {
      if (then.uid !== now.uid) histories.delete(then.uid);
      if (!isUnchanged(then, now)) queue.addAfter(keyOf(now), NEW_MS);
    },
    deleted(autoscaler) {
      rivals.forget(autoscaler);
      histories.delete(autoscaler.uid);
    },
  });
}

async function sync(context: AutoscalerContext, parts: Parts, key: string): Promise<WorkOutcome> {
  const { clock, settings, logger } = context;
  const { autoscalers, targets, counting } = parts;
  const autoscaler = autoscalers.byKey(key);
  if (autoscaler === undefined) return DONE;
  const began = clock.monotonic();
  const found = await targets.scaleOf(autoscaler.namespace, specOf(autoscaler).target);
  // Of one that has gone meanwhile nothing may be remembered any more: nobody would forget it.
  const present = autoscalers.byKey(key);
  if (present?.uid !== autoscaler.uid) return present === undefined ? DONE : { type: 'again', afterMs: NEW_MS };
  if (found.type === 'failed') {
    report(context, autoscaler, [{ type: 'Warning', reason: 'FailedGetScale', message: found.message }]);
    await writeStatus(context, autoscaler, unscaledStatus(autoscaler, found.message, clock.now()));
    counting.reconciled('none', found.isOwnFault ? 'spec' : 'internal', clock.monotonic() - began);
  } else {
    const { plan, done, fault } = await scaled(context, parts, autoscaler, found);
    if (fault !== undefined) logger.debug('an autoscaler found no number', { item: key, fault });
    const to = done.type === 'scaled' ? done.to : found.scale.replicas;
    const error = (plan.fault ?? fault) === undefined ? 'none' : 'internal';
    counting.reconciled(actionOf(found.scale.replicas, to), error, clock.monotonic() - began);
  }
  return { type: 'again', afterMs: settings.autoscaling.periodMs };
}

type Found = Extract<FoundScale, { readonly type: 'scale' }>;

interface Scaled {
  readonly plan: Plan;
  readonly done: Done;
  readonly fault: string | undefined;
}

async function scaled(context: AutoscalerContext, parts: Parts, autoscaler: ApiObject, found: Found): Promise<Scaled> {
  const { clock } = context;
  const history = historyOf(context, parts, autoscaler);
  if (history.isEmpty) history.wished(found.scale.replicas, clock.monotonic());
  const { sight, took } = await look(context, parts, { autoscaler, found, history });
  const plan = planAutoscaler(sight);
  if (plan.wished !== undefined) history.wished(plan.wished, sight.at);
  count(parts.counting, sight, plan, took);
  report(context, autoscaler, plan.told);
  const done = await carryOut(context, parts, { sight, plan, found, history });
  await writeStatus(context, autoscaler, statusAfter(sight, plan, done));
  return { plan, done, fault: done.type === 'refused' ? done.message : plan.fault };
}

interface LookedAt {
  readonly autoscaler: ApiObject;
  readonly found: Found;
  readonly history: ScalingHistory;
}

/** With all that has to be measured, and how long each metric took. */
async function look(
  { clock, settings }: AutoscalerContext,
  parts: Parts,
  { autoscaler, found, history }: LookedAt,
): Promise<{ readonly sight: Sight; readonly took: readonly number[] }> {
  const spec = specOf(autoscaler);
  const { scale } = found;
  await runSteps(parts.rivals.set(autoscaler, scale.selector), new TimeSlice(clock, { stepsPerCheck: 1 }));
  const { pods, rivals } = await runSteps(parts.rivals.select(autoscaler), new TimeSlice(clock, { stepsPerCheck: 1 }));
  const measured: Measured[] = [];
  const took: number[] = [];
  if (wayOf(spec, scale) === 'measured' && selectorFault({ scale, rivals }) === undefined) {
    const measure = parts.api.of({ namespace: autoscaler.namespace, selector: scale.selector });
    for (const metric of spec.metrics) {
      const began = clock.monotonic();
      measured.push(await measure(metric));
      took.push(clock.monotonic() - began);
    }
  }
  const seen = { autoscaler, spec, scale, pods, rivals, measured, history, settings: settings.autoscaling };
  return { sight: { ...seen, now: clock.now(), at: clock.monotonic() }, took };
}

function count(counting: Counting, { spec, scale }: Sight, { metrics }: Plan, took: readonly number[]): void {
  for (const [index, wish] of metrics.entries()) {
    const [type, ms] = [spec.metrics[index]?.type ?? '', took[index] ?? 0];
    if (wish.type === 'wish') counting.computed(actionOf(scale.replicas, wish.replicas), 'none', type, ms);
    else counting.computed('none', 'internal', type, ms);
  }
}

function historyOf({ settings }: AutoscalerContext, { histories }: Parts, { uid }: ApiObject): ScalingHistory {
  const history = histories.get(uid) ?? new ScalingHistory(settings.autoscaling.downscaleMs);
  histories.set(uid, history);
  return history;
}

interface Carried {
  readonly sight: Sight;
  readonly plan: Plan;
  readonly found: Found;
  readonly history: ScalingHistory;
}

async function carryOut(context: AutoscalerContext, { targets }: Parts, { sight, plan, found, history }: Carried): Promise<Done> {
  const { autoscaler, scale, spec } = sight;
  const { rescale } = plan;
  if (rescale === undefined) return { type: 'as it was' };
  const { replicas, reason } = rescale;
  const size = `New size: ${replicas}; reason: ${reason}`;
  const refused = await targets.tell(found, replicas);
  if (refused !== undefined) {
    report(context, autoscaler, [{ type: 'Warning', reason: 'FailedRescale', message: `${size}; error: ${refused}` }]);
    return { type: 'refused', message: refused };
  }
  report(context, autoscaler, [{ type: 'Normal', reason: 'SuccessfulRescale', message: size }]);
  // Without rules nobody looks back at changes.
  if (spec.behavior !== undefined) history.changed(scale.replicas, replicas, sight.at);
  return { type: 'scaled', to: replicas };
}

function report({ events }: AutoscalerContext, { namespace, name, uid, resourceVersion }: ApiObject, told: readonly ToldEvent[]): void {
  const about = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', namespace, name, uid, resourceVersion } as const;
  for (const { type, reason, message } of told) events.record({ about, type, reason, message });
}

/** Bound to the version that was seen; what has changed meanwhile is looked at again. */
async function writeStatus({ client, signal }: AutoscalerContext, autoscaler: ApiObject, status: JsonObject | undefined): Promise<void> {
  if (status === undefined) return;
  try {
    await client.update(AUTOSCALERS, { ...autoscaler.body, status }, { subresource: 'status', signal });
  } catch (error) {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  }
}
