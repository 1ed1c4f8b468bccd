/**
 * Watches PodDisruptionBudgets, pods and the built-in workloads that own pods; writes the status of budgets and resets
 * stale `DisruptionTarget` conditions of pods. Never evicts. A change of a pod enqueues the budgets that select it or
 * did; a change of a workload's scale enqueues all budgets of the namespace. The resets of stale conditions are items of
 * the same queue.
 */
import type { CoreV1Pod, PolicyV1PodDisruptionBudget, PolicyV1PodDisruptionBudgetStatus } from '../../shared/api/types/generated/members';
import { ignoreNotFoundOrConflict } from '../../shared/client/rest/api-error';
import { keyOf } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { stringifyJson } from '../../shared/values/json';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { compareNames, podReference } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { BudgetPodIndex, type PodDisruptionBudget, type SelectedPod } from './budget-pod-index';
import { constraintOf, failSafeStatus, needsExpectedScale, reconcileBudget } from './reconcile';
import { KindNotDiscoveredError, ScaleFinder, UnknownScaleError } from './scale-finder';
import { conditionStaleAt, resetConditionPatch } from './stale-disruption-condition';

const BUDGETS = resourceOf('policy.v1.PodDisruptionBudget');
const PODS = resourceOf('core.v1.Pod');
/** Items of the queue processed at the same time. */
const CONCURRENCY = 4;
/** Delays the first sync of a budget: the informer of pods may lag behind, and not show pods that are older than the budget. */
const NEW_BUDGET_DELAY_MS = 100;
/** Precedes the key of a pod with a stale condition in the queue; other items are keys of budgets. */
const STALE_POD_PREFIX = 'stale:';

export const disruptionController: Controller = {
  name: 'disruption',
  aliases: ['disruption-controller'],
  description: 'writes the status of PodDisruptionBudgets: the number of pods that may be disrupted',
  isOnByDefault: true,
  component: 'controllermanager',
  account: 'disruption-controller',
  run,
};

/** What the syncs of all budgets share. */
interface DisruptionState {
  readonly budgets: Informer<PolicyV1PodDisruptionBudget>;
  readonly pods: Informer<CoreV1Pod>;
  readonly podIndex: BudgetPodIndex;
  readonly scaleFinder: ScaleFinder;
}

async function run(context: ControllerContext): Promise<void> {
  const { informers, logger, signal } = context;
  const budgets = informers.of(BUDGETS);
  const pods = informers.of(PODS);
  const queue = context.queue({ name: 'disruption' });
  const scaleFinder = new ScaleFinder(context);
  const podIndex = new BudgetPodIndex();
  const state: DisruptionState = { budgets, pods, podIndex, scaleFinder };
  const removeHandlers = [
    ...watch(context, state, queue),
    scaleFinder.onScaleChange((namespace) => {
      for (const key of podIndex.budgetsIn(namespace)) queue.add(key);
    }),
  ];
  const work = (item: string): Promise<WorkOutcome> =>
    item.startsWith(STALE_POD_PREFIX)
      ? syncStalePodDisruption(context, pods.byKey(item.slice(STALE_POD_PREFIX.length)))
      : syncBudget(context, state, budgets.byKey(item));
  if (await waitForSync([budgets, pods, ...scaleFinder.informers], signal)) {
    await runWorkers({ queue, concurrency: CONCURRENCY, logger, signal, work });
  }
  for (const removeHandler of removeHandlers) removeHandler();
}

function watch({ clock }: ControllerContext, { budgets, pods, podIndex }: DisruptionState, queue: WorkQueue): readonly (() => void)[] {
  const setBudget = (budget: PodDisruptionBudget, delayMs: number): void => {
    podIndex.setBudget(budget);
    queue.addAfter(keyOf(budget), delayMs);
  };
  const setPod = (previous: Pod | undefined, pod: Pod): void => {
    for (const key of podIndex.setPod(pod)) queue.add(key);
    const staleAt = conditionStaleAt(pod);
    const isStaleTimeNew = previous === undefined || conditionStaleAt(previous) !== staleAt;
    if (staleAt !== undefined && isStaleTimeNew) {
      queue.addAfter(STALE_POD_PREFIX + keyOf(pod), staleAt - clock.now());
    }
  };
  return [
    budgets.handle({
      added: (budget) => setBudget(budget, NEW_BUDGET_DELAY_MS),
      updated: (_, budget) => setBudget(budget, 0),
      deleted: (budget) => podIndex.removeBudget(budget),
    }),
    pods.handle({
      added: (pod) => setPod(undefined, pod),
      updated: setPod,
      deleted: (pod) => {
        for (const key of podIndex.removePod(pod)) queue.add(key);
      },
    }),
  ];
}

/**
 * While the expected scale is unknown, the budget allows no disruption and is retried with back-off. It keeps its status
 * while an unknown kind only waits for the next discovery.
 */
async function syncBudget(
  context: ControllerContext,
  state: DisruptionState,
  budget: PodDisruptionBudget | undefined,
): Promise<WorkOutcome> {
  if (budget === undefined) return DONE;
  const { events, clock } = context;
  const pods = state.podIndex.podsOf(budget);
  const about = budgetReference(budget);
  if (pods.length === 0) events.record({ about, type: 'Normal', reason: 'NoPods', message: 'No matching pods found' });
  let expectedPods: number;
  try {
    expectedPods = await expectedPodCount(context, budget, pods, state.scaleFinder);
  } catch (error) {
    if (error instanceof KindNotDiscoveredError) return { type: 'wait' };
    if (!(error instanceof UnknownScaleError)) throw error;
    const message = `Failed to calculate the number of expected pods: ${error.message}`;
    events.record({ about, type: 'Warning', reason: 'CalculateExpectedPodCountFailed', message });
    await writeStatus(context, budget, failSafeStatus(budget, error.message, clock.now()));
    return { type: 'wait' };
  }
  const { status, requeueAfterMs, notDeleted } = reconcileBudget({ budget, pods, expectedPods, now: clock.now() });
  for (const name of notDeleted) {
    const pod = state.pods.get(budget.namespace, name);
    const message = `Pod was expected by PDB ${keyOf(budget)} to be deleted but it wasn't`;
    if (pod !== undefined) events.record({ about: podReference(pod), type: 'Warning', reason: 'NotDeleted', message });
  }
  await writeStatus(context, budget, status);
  return requeueAfterMs === undefined ? DONE : { type: 'again', afterMs: requeueAfterMs };
}

/** 0 for a budget without a constraint. Throws the errors of {@link ScaleFinder.expectedScale}. */
async function expectedPodCount(
  { events }: ControllerContext,
  budget: PodDisruptionBudget,
  pods: readonly SelectedPod[],
  scaleFinder: ScaleFinder,
): Promise<number> {
  const constraint = constraintOf(budget);
  if (constraint.type === 'none') return 0;
  if (!needsExpectedScale(constraint)) return pods.length;
  // The status names the first controller without a scale, so the order of pods must be stable.
  const expected = await scaleFinder.expectedScale(budget.namespace, [...pods].sort(compareNames));
  if (expected.unmanaged > 0) {
    const selector = stringifyJson(budget.body.spec?.selector ?? {});
    const message =
      `Pods selected by this PodDisruptionBudget (selector: ${selector}) were found to be unmanaged. As a result, the status of the PDB ` +
      'cannot be calculated correctly, which may result in undefined behavior. To account for these pods please set ".spec.minAvailable" ' +
      'field of the PDB to an integer value.';
    events.record({ about: budgetReference(budget), type: 'Warning', reason: 'UnmanagedPods', message });
  }
  return expected.pods;
}

const budgetReference = ({ namespace, name, uid, resourceVersion }: PodDisruptionBudget) =>
  ({ apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', namespace, name, uid, resourceVersion }) as const;

/**
 * The write is conditional on the observed version, because the server changes the status of the budget when it admits
 * an eviction.
 */
async function writeStatus(
  { client, signal }: ControllerContext,
  budget: PodDisruptionBudget,
  status: PolicyV1PodDisruptionBudgetStatus | undefined,
): Promise<void> {
  if (status === undefined) return;
  await client
    .of(BUDGETS)
    .namespace(budget.namespace)
    .updateStatus({ ...budget.body, status }, { signal })
    .catch(ignoreNotFoundOrConflict);
}

async function syncStalePodDisruption({ client, clock, signal }: ControllerContext, pod: Pod | undefined): Promise<WorkOutcome> {
  const staleAt = pod === undefined ? undefined : conditionStaleAt(pod);
  if (pod === undefined || staleAt === undefined) return DONE;
  const now = clock.now();
  if (staleAt > now) return { type: 'again', afterMs: staleAt - now };
  const { namespace, name } = pod;
  const patch = resetConditionPatch(pod, now);
  await client.of(PODS).namespace(namespace).patch(name, 'merge', patch, { subresource: 'status', signal }).catch(ignoreNotFoundOrConflict);
  return DONE;
}
