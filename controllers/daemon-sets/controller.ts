/**
 * Runs one pod of a DaemonSet on every eligible node. A pod names its node in its affinity; the scheduler binds it. A
 * change of a node enqueues a DaemonSet only when it changes the node's eligibility. A sync requeues its DaemonSet for the
 * times at which a pod becomes available, expectations expire, or a failed pod may be replaced. Unlike upstream's, this
 * controller raises `observedGeneration` also while expectations are outstanding.
 */
import { ignoreNotFoundOrConflict } from '../../shared/client/rest/api-error';
import type {
  AppsV1ControllerRevision,
  AppsV1DaemonSet,
  AppsV1DaemonSetStatus,
  CoreV1Node,
  CoreV1Pod,
} from '../../shared/api/types/generated/members';
import { isBeingDeleted, keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { equalJson } from '../../shared/values/json';
import { msUntilAvailable } from '../workload/pod-activity';
import { claimDependents } from '../workload/controller-ref-manager';
import { DependentIndex } from '../workload/dependent-index';
import { Expectations } from '../workload/expectations';
import { watchDependents } from '../workload/dependent-events';
import { NamespaceTerminatingError, PodControl } from '../workload/pod-control';
import { slowStartBatch } from '../workload/slow-start';
import { eventReference } from '../workload/references';
import { labelMatcherOf } from '../workload/label-matcher';
import { minReadySecondsOf, templateOf } from '../workload/spec';
import { RevisionHistory } from '../workload/revision-history';
import { REVISION_LABEL, REVISIONS, revisionsBeyondLimit } from '../workload/controller-revision';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import type { Node } from '../runtime/nodes';
import { labelsOf } from '../runtime/pods';
import { newDaemonPod, revisionHashOf } from './daemon-pod';
import { DAEMON_SETS, revisionHistoryLimitOf, type DaemonSet } from './daemon-set';
import { FailedPodsBackoff } from './failed-pods-backoff';
import { nodeEligibility } from './node-eligibility';
import { planDaemonSet, type DaemonSetPlan, type DaemonSetView, type FinishedPod } from './reconcile';
import { calculateStatus } from './status';

const PODS = resourceOf('core.v1.Pod');
const NODES = resourceOf('core.v1.Node');

export const daemonSetController: Controller = {
  name: 'daemonset',
  aliases: ['daemonset-controller'],
  description: 'runs a pod of each DaemonSet on every eligible node',
  isOnByDefault: true,
  account: 'daemon-set-controller',
  run: runDaemonSets,
};

/** The most pods that one sync creates, and the most that it deletes. */
const BURST_REPLICAS = 250;
/** DaemonSets synced at the same time; upstream's default of `--concurrent-daemonset-syncs`. */
const CONCURRENT_SYNCS = 2;

/** What the syncs of all DaemonSets share. */
interface DaemonSetState {
  readonly sets: Informer<AppsV1DaemonSet>;
  readonly nodes: Informer<CoreV1Node>;
  readonly podIndex: DependentIndex<CoreV1Pod>;
  readonly revisionIndex: DependentIndex<AppsV1ControllerRevision>;
  readonly expectations: Expectations;
  readonly failedPodsBackoff: FailedPodsBackoff;
  readonly history: RevisionHistory;
  readonly podControl: PodControl;
}

/** The members of a ControllerContext that the controller uses. */
export type DaemonSetContext = Pick<ControllerContext, 'client' | 'informers' | 'events' | 'clock' | 'signal' | 'logger' | 'queue'>;

/** Resolves when the signal of the context is aborted and the syncs in progress have ended. */
export async function runDaemonSets(context: DaemonSetContext): Promise<void> {
  const { informers, client, events, clock, signal, logger } = context;
  const sets = informers.of(DAEMON_SETS);
  const nodes = informers.of(NODES);
  const pods = informers.of(PODS);
  const revisions = informers.of(REVISIONS);
  const state: DaemonSetState = {
    sets,
    nodes,
    podIndex: new DependentIndex(pods),
    revisionIndex: new DependentIndex(revisions),
    expectations: new Expectations(clock),
    failedPodsBackoff: new FailedPodsBackoff(clock),
    history: new RevisionHistory({ client, resource: DAEMON_SETS, label: REVISION_LABEL, signal }),
    podControl: new PodControl({ client, events, resource: DAEMON_SETS, signal }),
  };
  const queue = context.queue({ name: 'daemonset' });
  const removeHandlers = addHandlers(context, state, { pods, revisions }, queue);
  const work = (key: string): Promise<WorkOutcome> => syncDaemonSet(context, state, key);
  if (await waitForSync([sets, nodes, pods, revisions], signal)) {
    await runWorkers({ queue, concurrency: CONCURRENT_SYNCS, logger, signal, work });
  }
  for (const remove of removeHandlers) remove();
  state.podIndex.release();
  state.revisionIndex.release();
}

function addHandlers(
  { client }: DaemonSetContext,
  { sets, nodes, expectations }: DaemonSetState,
  { pods, revisions }: { readonly pods: Informer<CoreV1Pod>; readonly revisions: Informer<AppsV1ControllerRevision> },
  queue: WorkQueue,
): readonly (() => void)[] {
  const enqueue = (set: DaemonSet): void => queue.add(keyOf(set));
  const enqueueForNode = (previous: Node | undefined, current: Node | undefined): void => {
    for (const set of sets.list()) {
      const eligibilityOf = nodeEligibility(templateOf(set).spec ?? {}, client.dialect);
      const [before, after] = [previous, current].map((node) => (node === undefined ? undefined : eligibilityOf(node)));
      if (before?.shouldRun !== after?.shouldRun || before?.shouldContinueRunning !== after?.shouldContinueRunning) enqueue(set);
    }
  };
  const matches = (set: DaemonSet, dependent: ApiObject): boolean => labelMatcherOf(set)?.(labelsOf(dependent)) === true;
  return [
    sets.handle({ added: enqueue, updated: (_, set) => enqueue(set), deleted: (set) => expectations.delete(keyOf(set)) }),
    nodes.handle({
      added: (node) => enqueueForNode(undefined, node),
      updated: (previous, current) => {
        if (!haveSameTaintsAndLabels(previous, current)) enqueueForNode(previous, current);
      },
      deleted: (node) => enqueueForNode(node, undefined),
    }),
    watchDependents({ dependents: pods, owners: sets, ownerResource: DAEMON_SETS, expectations, matches, onChange: enqueue }),
    // A revision that a client deletes is created again.
    watchDependents({ dependents: revisions, owners: sets, ownerResource: DAEMON_SETS, matches, onChange: enqueue }),
  ];
}

/** Most updates of nodes are status reports, which do not change their eligibility. */
function haveSameTaintsAndLabels(a: Node, b: Node): boolean {
  return equalJson(a.body.spec?.taints ?? [], b.body.spec?.taints ?? []) && equalJson(labelsOf(a), labelsOf(b));
}

/** A DaemonSet that is being deleted is ignored: its dependents are left to the garbage collector. */
async function syncDaemonSet(context: DaemonSetContext, state: DaemonSetState, key: string): Promise<WorkOutcome> {
  const { client, clock, signal } = context;
  const { sets, nodes, podIndex, revisionIndex, expectations, failedPodsBackoff, history } = state;
  const set = sets.byKey(key);
  const matches = set === undefined ? undefined : labelMatcherOf(set);
  if (set === undefined || matches === undefined || isBeingDeleted(set)) return DONE;
  const options = { client, ownerResource: DAEMON_SETS, signal };
  const isSelected = (dependent: ApiObject): boolean => matches(labelsOf(dependent));
  const pods = await claimDependents({ ...options, resource: PODS }, set, isSelected, podIndex.candidatesFor(set));
  const revisions = await claimDependents({ ...options, resource: REVISIONS }, set, isSelected, revisionIndex.candidatesFor(set));
  const { revision, collisionCount } = await history.ensureCurrent(set, revisions, set.body.status?.collisionCount ?? 0);
  const view: DaemonSetView = {
    set,
    pods,
    nodes: nodes.list(),
    eligibilityOf: nodeEligibility(templateOf(set).spec ?? {}, client.dialect),
    hash: revisionHashOf(revision),
    backoffMs: (node) => failedPodsBackoff.remainingMs(key, node),
    now: clock.now(),
  };
  const plan = expectations.areSatisfied(key) ? planDaemonSet(view) : undefined;
  const failure = plan === undefined ? undefined : await syncNodes(context, state, view, plan);
  await updateStatus(context, set, calculateStatus(view, collisionCount));
  if (failure !== undefined) throw failure.error;
  const hashesInUse = new Set(pods.map(revisionHashOf));
  const liveRevisions = [revision, ...revisions.filter((candidate) => hashesInUse.has(revisionHashOf(candidate)))];
  await history.delete(revisionsBeyondLimit(revisions, new Set(liveRevisions.map(({ name }) => name)), revisionHistoryLimitOf(set)));
  const delays = [msUntilAvailable(pods, minReadySecondsOf(set), clock.now()), expectations.msUntilExpired(key), plan?.requeueAfterMs];
  const afterMs = Math.min(...delays.filter((ms) => ms !== undefined));
  return Number.isFinite(afterMs) ? { type: 'again', afterMs } : DONE;
}

/**
 * Creates and deletes the pods of the plan. Returns the first failed creation, else the first failed deletion, else
 * undefined. A creation that fails because the namespace is being deleted is no failure.
 */
async function syncNodes(
  context: DaemonSetContext,
  { expectations, podControl, failedPodsBackoff }: DaemonSetState,
  { set, hash }: DaemonSetView,
  plan: DaemonSetPlan,
): Promise<{ readonly error: unknown } | undefined> {
  const { client } = context;
  const key = keyOf(set);
  const nodes = plan.nodesNeedingPods.slice(0, BURST_REPLICAS);
  const podsToDelete = plan.podsToDelete.slice(0, BURST_REPLICAS);
  for (const finished of plan.finishedPods) {
    recordFinishedPod(context, set, finished);
    if (finished.phase === 'Failed') failedPodsBackoff.next(key, finished.node);
  }
  expectations.expectCreations(key, nodes.length);
  expectations.expectDeletions(key, podsToDelete.map(keyOf));
  const origin = { dialect: client.dialect, set, hash };
  const { succeeded, error } = await slowStartBatch(nodes.length, (index) =>
    podControl.create(set, newDaemonPod(origin, nodes[index] ?? '')),
  );
  expectations.creationObserved(key, nodes.length - succeeded);
  const outcomes = await Promise.allSettled(
    podsToDelete.map(async (pod) => {
      const wasDeleted = await podControl.delete(set, pod).catch((deleteError: unknown) => {
        expectations.deletionObserved(key, keyOf(pod));
        throw deleteError;
      });
      if (!wasDeleted) expectations.deletionObserved(key, keyOf(pod));
    }),
  );
  if (succeeded < nodes.length && !(error instanceof NamespaceTerminatingError)) return { error };
  const rejected = outcomes.find((outcome) => outcome.status === 'rejected');
  return rejected === undefined ? undefined : { error: rejected.reason };
}

function recordFinishedPod({ client, events }: DaemonSetContext, set: DaemonSet, { pod, node, phase }: FinishedPod): void {
  const about = eventReference(client.dialect, DAEMON_SETS, set);
  const [state, verb] = phase === 'Failed' ? (['failed', 'kill'] as const) : (['succeeded', 'delete'] as const);
  const message = `Found ${state} daemon pod ${keyOf(pod)} on node ${node}, will try to ${verb} it`;
  events.record({ about, type: phase === 'Failed' ? 'Warning' : 'Normal', reason: `${phase}DaemonPod`, message });
}

/**
 * The update carries the observed resourceVersion. A conflict is ignored: the change that caused it enqueues the
 * DaemonSet.
 */
async function updateStatus(
  { client, signal }: DaemonSetContext,
  set: DaemonSet,
  status: AppsV1DaemonSetStatus | undefined,
): Promise<void> {
  if (status === undefined) return;
  await client
    .of(DAEMON_SETS)
    .namespace(set.namespace)
    .updateStatus({ ...set.body, status }, { signal })
    .catch(ignoreNotFoundOrConflict);
}
