/**
 * Keeps the status of disruption budgets: how many pods they speak of serve, and how many of those may be disrupted. A budget is looked at as soon as one of its
 * pods changes, so that evictions one after the other are not held up. Never evicts.
 */
import { isConflict, isNotFound } from '../../shared/client/rest/api-error';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { objectAt, stringifyJson, type JsonObject } from '../../shared/values/json';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { compareNames, podReference } from '../runtime/pods';
import { Coverage, type CoveredPod } from './budget-pod-index';
import { KindUnsettled, Owners, UnknownScale } from './scale-finder';
import { asksOwners, boundOf, budgetOutcome, failedStatus } from './reconcile';
import { staleAt, withoutMark } from './stale-disruption-condition';

const BUDGETS = resourceOf('policy.v1.PodDisruptionBudget');
const PODS = resourceOf('core.v1.Pod');
const CONCURRENCY = 4;
/** Pods that were made before a budget may be heard of a moment after it. Milliseconds. */
const NEW_MS = 100;
/** Before a pod's key, in the queue that pods share with budgets. */
const MARKED = 'marked:';

export const disruptionController: Controller = {
  name: 'disruption',
  aliases: ['disruption-controller'],
  description: 'says of disruption budgets how many of their pods may go',
  isOnByDefault: true,
  component: 'controllermanager',
  account: 'disruption-controller',
  run,
};

async function run(context: ControllerContext): Promise<void> {
  const { informers, logger, signal } = context;
  const [budgets, pods] = [informers.of(BUDGETS), informers.of(PODS)];
  const queue = context.queue({ name: 'disruption' });
  const owners = new Owners(context);
  const coverage = new Coverage();
  const unhandle = [
    ...follow(context, { budgets, pods, queue, coverage }),
    owners.onChange((namespace) => coverage.budgetsIn(namespace).forEach((key) => queue.add(key))),
  ];
  const work = (item: string): Promise<WorkOutcome> =>
    item.startsWith(MARKED)
      ? unmark(context, pods.byKey(item.slice(MARKED.length)))
      : sync(context, budgets.byKey(item), { pods, owners, coverage });
  if (await waitForSync([budgets, pods, ...owners.all], signal))
    await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work });
  for (const remove of unhandle) remove();
}

interface Followed {
  readonly budgets: Informer;
  readonly pods: Informer;
  readonly queue: WorkQueue;
  readonly coverage: Coverage;
}

function follow({ clock }: ControllerContext, { budgets, pods, queue, coverage }: Followed): readonly (() => void)[] {
  const setBudget = (budget: ApiObject, ms: number): void => {
    coverage.setBudget(budget);
    queue.addAfter(keyOf(budget), ms);
  };
  const setPod = (then: ApiObject | undefined, pod: ApiObject): void => {
    for (const key of coverage.setPod(pod)) queue.add(key);
    const at = staleAt(pod);
    if (at !== undefined && (then === undefined || staleAt(then) !== at)) queue.addAfter(MARKED + keyOf(pod), at - clock.now());
  };
  return [
    budgets.handle({
      added: (budget) => setBudget(budget, NEW_MS),
      updated: (_, budget) => setBudget(budget, 0),
      deleted: (budget) => coverage.removeBudget(budget),
    }),
    pods.handle({
      added: (pod) => setPod(undefined, pod),
      updated: setPod,
      deleted: (pod) => coverage.removePod(pod).forEach((key) => queue.add(key)),
    }),
  ];
}

interface Seen {
  readonly pods: Informer;
  readonly owners: Owners;
  readonly coverage: Coverage;
}

async function sync(context: ControllerContext, budget: ApiObject | undefined, seen: Seen): Promise<WorkOutcome> {
  if (budget === undefined) return DONE;
  const { events, clock } = context;
  const pods = seen.coverage.podsOf(budget);
  const about = referenceOf(budget);
  if (pods.length === 0) events.record({ about, type: 'Normal', reason: 'NoPods', message: 'No matching pods found' });
  let expectedPods: number;
  try {
    expectedPods = await expected(context, budget, pods, seen.owners);
  } catch (error) {
    if (error instanceof KindUnsettled) return { type: 'wait' };
    if (!(error instanceof UnknownScale)) throw error;
    const message = `Failed to calculate the number of expected pods: ${error.message}`;
    events.record({ about, type: 'Warning', reason: 'CalculateExpectedPodCountFailed', message });
    await writeStatus(context, budget, failedStatus(budget, error.message, clock.now()));
    return { type: 'wait' };
  }
  const { status, againMs, notDeleted } = budgetOutcome({ budget, pods, expectedPods, now: clock.now() });
  for (const name of notDeleted) {
    const pod = seen.pods.get(budget.namespace, name);
    const message = `Pod was expected by PDB ${keyOf(budget)} to be deleted but it wasn't`;
    if (pod !== undefined) events.record({ about: podReference(pod), type: 'Warning', reason: 'NotDeleted', message });
  }
  await writeStatus(context, budget, status);
  return againMs === undefined ? DONE : { type: 'again', afterMs: againMs };
}

async function expected({ events }: ControllerContext, budget: ApiObject, pods: readonly CoveredPod[], owners: Owners): Promise<number> {
  const bound = boundOf(budget);
  if (bound.type === 'none') return 0;
  if (!asksOwners(bound)) return pods.length;
  // The status names the first owner that cannot be resolved, so the order of pods must be stable.
  const found = await owners.expected(budget.namespace, [...pods].sort(compareNames));
  if (found.unmanaged > 0) {
    const selector = stringifyJson(objectAt(objectAt(budget.body, 'spec'), 'selector') ?? {});
    const message =
      `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. As a result, the status of the PDB ` +
      'cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" ' +
      'field of the PDB to an integer value.';
    events.record({ about: referenceOf(budget), type: 'Warning', reason: 'UnmanagedPods', message });
  }
  return found.pods;
}

const referenceOf = ({ namespace, name, uid, resourceVersion }: ApiObject) =>
  ({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', namespace, name, uid, resourceVersion }) as const;

/** Bound to the version that was seen: a budget that the server has charged meanwhile is looked at again. */
async function writeStatus({ client, signal }: ControllerContext, budget: ApiObject, status: JsonObject | undefined): Promise<void> {
  if (status === undefined) return;
  await client.update(BUDGETS, { ...budget.body, status }, { subresource: 'status', signal }).catch(unlessOvertaken);
}

async function unmark({ client, clock, signal }: ControllerContext, pod: ApiObject | undefined): Promise<WorkOutcome> {
  const at = pod === undefined ? undefined : staleAt(pod);
  if (pod === undefined || at === undefined) return DONE;
  const now = clock.now();
  if (at > now) return { type: 'again', afterMs: at - now };
  const { namespace, name } = pod;
  const place = { namespace, name, subresource: 'status' };
  await client.patch(PODS, place, 'merge', withoutMark(pod, now), { signal }).catch(unlessOvertaken);
  return DONE;
}

/** What is gone or has changed is told by its own event, and there is nothing to wait for until then. */
function unlessOvertaken(error: unknown): void {
  if (!isNotFound(error) && !isConflict(error)) throw error;
}
