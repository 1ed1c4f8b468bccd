/**
 * Keeps the status of quotas: what they limit, and how much of it is used. Counts anew when what counts changes, many changes at a time, and every quota now and
 * then. Never refuses anything: that is for admission.
 */
import { isNotFound } from '../../shared/client/rest/api-error';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { pause } from '../../shared/client/signals';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { equalJson, own } from '../../shared/values/json';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { indexInformer } from '../runtime/object-index';
import { runSteps } from '../../shared/scheduling/steps';
import { TimeSlice } from '../../shared/scheduling/yielding';
import { CountedKinds, keyOfKind } from './quota-monitor';
import { limitedBy, quotaOutcome } from './reconcile';

const QUOTAS = resourceOf('core.v1.ResourceQuota');
/** Changes of so long are counted together. Milliseconds. */
const TOGETHER_MS = 50;
/** After so long a usage that somebody else has written is counted again: what he counted may be gone since, and have been told of before his word. */
const SETTLED_MS = 5_000;

type QuotaContext = Pick<ControllerContext, 'client' | 'informers' | 'clock' | 'random' | 'logger' | 'signal' | 'queue'> & {
  readonly settings: Pick<ControllerContext['settings'], 'concurrentQuotaSyncs' | 'quotaSyncPeriodMs'>;
};

export const resourceQuotaController: Controller = {
  name: 'resourcequota',
  aliases: ['resourcequota-controller'],
  description: 'says of quotas how much of what they limit is used',
  isOnByDefault: true,
  account: 'resourcequota-controller',
  run: runResourceQuota,
};

export async function runResourceQuota(context: QuotaContext): Promise<void> {
  const { informers, logger, signal, settings } = context;
  const quotas = informers.of(QUOTAS);
  const index = indexInformer(quotas, { namespace: ({ namespace }) => [namespace] });
  const queue = context.queue({ name: 'resourcequota_primary' });
  const limits = (quota: ApiObject, kind: string): boolean => [...limitedBy(quota).values()].some((one) => keyOfKind(one.kind) === kind);
  const soon = addTogether(context, queue);
  const kinds = new CountedKinds(
    context,
    (kind, namespace) => {
      for (const quota of index.store.byIndex('namespace', namespace)) if (limits(quota, kind)) soon(keyOf(quota));
    },
    (renewed) => {
      for (const quota of quotas.list()) if ([...renewed].some((kind) => limits(quota, kind))) queue.add(keyOf(quota));
    },
  );
  const unhandle = quotas.handle({
    added: (quota) => queue.add(keyOf(quota)),
    // What it says of usage may be somebody's word who knows more already; what he knows is known here before long.
    updated: (then, now) => {
      if (!equalJson(own(then.body, 'spec'), own(now.body, 'spec'))) queue.add(keyOf(now));
      else if (!equalJson(own(then.body, 'status'), own(now.body, 'status'))) queue.addAfter(keyOf(now), SETTLED_MS);
    },
  });
  const work = (key: string): Promise<WorkOutcome> => sync(context, quotas.byKey(key), kinds);
  if (await waitForSync([quotas], signal)) {
    const again = (): void => quotas.list().forEach((quota) => queue.add(keyOf(quota)));
    await Promise.all([
      runWorkers({ queue, concurrency: settings.concurrentQuotaSyncs, logger, signal, work }),
      kinds.keepLooking(),
      periodically(context, settings.quotaSyncPeriodMs, again),
    ]);
  }
  unhandle();
  index.end();
  kinds.end();
}

/** Adds items to the queue a moment later, so that what changes much is counted seldom. */
function addTogether({ clock, signal }: QuotaContext, queue: WorkQueue): (key: string) => void {
  const waiting = new Set<string>();
  return (key) => {
    if (waiting.size === 0 && !signal.aborted) {
      clock.after(TOGETHER_MS, () => {
        for (const one of waiting) queue.add(one);
        waiting.clear();
      });
    }
    waiting.add(key);
  };
}

async function periodically({ clock, signal }: QuotaContext, ms: number, task: () => void): Promise<void> {
  while (await pause(clock, ms, signal)) task();
}

async function sync({ client, clock, signal }: QuotaContext, quota: ApiObject | undefined, kinds: CountedKinds): Promise<WorkOutcome> {
  if (quota === undefined) return DONE;
  const retries: number[] = [];
  for (const { kind } of limitedBy(quota).values()) retries.push((await kinds.follow(kind)) ?? Number.POSITIVE_INFINITY);
  const { status, againMs } = await runSteps(
    quotaOutcome(quota, (kind) => kinds.objects(kind, quota.namespace), clock.now()),
    new TimeSlice(clock, { stepsPerCheck: 1 }),
  );
  if (status !== undefined) {
    await client.update(QUOTAS, { ...quota.body, status }, { subresource: 'status', signal }).catch(unlessGone);
  }
  const afterMs = Math.min(againMs ?? Number.POSITIVE_INFINITY, ...retries);
  return Number.isFinite(afterMs) ? { type: 'again', afterMs } : DONE;
}

/** What is gone is told by its own event. */
function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
