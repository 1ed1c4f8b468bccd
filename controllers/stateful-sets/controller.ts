/**
 * Creates and deletes the pods of StatefulSets. Each has an ordinal in its name, and claims that its successor reuses.
 * Writes pods, claims, ControllerRevisions and the status. A change of a StatefulSet or its pods enqueues it, and so
 * does a ready pod that becomes available after `minReadySeconds`. Unlike upstream it has expectations: a sync waits
 * until the informer shows the pods that earlier ones created or deleted, or the expectations expire.
 */
import { isBeingDeleted, keyOf } from '../../shared/client/rest/api-object';
import type { AppsV1ControllerRevision, AppsV1StatefulSet, CoreV1Pod } from '../../shared/api/types/generated/members';
import type { Informer } from '../../shared/client/informer/informer';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { qualifiedNameInDialect } from '../../shared/names/dialect';
import { msUntilAvailable } from '../workload/pod-activity';
import { claimDependents } from '../workload/controller-ref-manager';
import { DependentIndex } from '../workload/dependent-index';
import { Expectations } from '../workload/expectations';
import { watchDependents } from '../workload/dependent-events';
import { labelMatcherOf } from '../workload/label-matcher';
import { minReadySecondsOf } from '../workload/spec';
import { RevisionHistory } from '../workload/revision-history';
import { REVISIONS, revisionsBeyondLimit } from '../workload/controller-revision';
import { waitForSync, type Controller, type ControllerContext, type ControllerSettings } from '../runtime/controller';
import { labelsOf } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { ordinalOf, podRevisionOf } from './identity';
import { reconcilePods, type StatefulSetView } from './reconcile';
import { CLAIMS, PODS, revisionHistoryLimitOf, STATEFUL_SETS, type StatefulSet } from './stateful-set';
import { StatefulSetWriter } from './stateful-set-writer';
import { calculateStatus } from './status';

export const statefulSetController: Controller = {
  name: 'statefulset',
  aliases: ['statefulset-controller'],
  description: 'keeps the pods and claims of StatefulSets',
  isOnByDefault: true,
  account: 'statefulset-controller',
  run: runStatefulSets,
};

/** What the syncs of all StatefulSets share. */
interface StatefulSetState {
  readonly sets: Informer<AppsV1StatefulSet>;
  readonly podIndex: DependentIndex<CoreV1Pod>;
  readonly revisionIndex: DependentIndex<AppsV1ControllerRevision>;
  readonly expectations: Expectations;
  readonly history: RevisionHistory;
  readonly writer: StatefulSetWriter;
}

/** The label of a revision with the hash of its data, in upstream's spelling in both dialects. */
const REVISION_HASH_LABEL = qualifiedNameInDialect('kubernetes', 'controller.platform.io/hash');

/** The members of a ControllerContext that the controller uses. */
export type StatefulSetContext = Pick<ControllerContext, 'client' | 'informers' | 'events' | 'clock' | 'signal' | 'logger' | 'queue'> & {
  readonly settings: Pick<ControllerSettings, 'concurrentStatefulSetSyncs'>;
};

/** Resolves when the signal of the context is aborted and the syncs in progress have ended. */
export async function runStatefulSets(context: StatefulSetContext): Promise<void> {
  const { informers, client, events, clock, signal, settings, logger } = context;
  const sets = informers.of(STATEFUL_SETS);
  const pods = informers.of(PODS);
  const revisions = informers.of(REVISIONS);
  const claims = informers.of(CLAIMS);
  const expectations = new Expectations(clock);
  const state: StatefulSetState = {
    sets,
    podIndex: new DependentIndex(pods),
    revisionIndex: new DependentIndex(revisions),
    expectations,
    history: new RevisionHistory({ client, resource: STATEFUL_SETS, label: REVISION_HASH_LABEL, signal }),
    writer: new StatefulSetWriter({ client, events, claims, expectations, signal }),
  };
  const queue = context.queue({ name: 'statefulset' });
  const removeHandlers = addHandlers(state, pods, queue);
  const work = (key: string): Promise<WorkOutcome> => syncStatefulSet(context, state, key);
  const concurrency = settings.concurrentStatefulSetSyncs;
  if (await waitForSync([sets, pods, revisions, claims], signal)) await runWorkers({ queue, concurrency, logger, signal, work });
  for (const remove of removeHandlers) remove();
  state.podIndex.release();
  state.revisionIndex.release();
}

function addHandlers({ sets, expectations }: StatefulSetState, pods: Informer<CoreV1Pod>, queue: WorkQueue): readonly (() => void)[] {
  const enqueue = (set: StatefulSet): void => queue.add(keyOf(set));
  return [
    sets.handle({
      added: enqueue,
      updated: (_, set) => enqueue(set),
      deleted: (set) => expectations.delete(keyOf(set)),
    }),
    watchDependents({ dependents: pods, owners: sets, ownerResource: STATEFUL_SETS, expectations, matches: isMemberOf, onChange: enqueue }),
  ];
}

const isMemberOf = (set: StatefulSet, pod: Pod): boolean =>
  ordinalOf(set.name, pod.name) !== undefined && labelMatcherOf(set)?.(labelsOf(pod)) === true;

/** A StatefulSet that is being deleted keeps its dependents as they are: they are left to the garbage collector. */
async function syncStatefulSet(context: StatefulSetContext, state: StatefulSetState, key: string): Promise<WorkOutcome> {
  const { client, clock, signal } = context;
  const { sets, podIndex, revisionIndex, expectations, history, writer } = state;
  const set = sets.byKey(key);
  const matches = set === undefined ? undefined : labelMatcherOf(set);
  if (set === undefined || matches === undefined) return DONE;
  if (!expectations.areSatisfied(key)) return { type: 'again', afterMs: expectations.msUntilExpired(key) ?? 0 };
  const options = { client, ownerResource: STATEFUL_SETS, signal };
  const pods = await claimDependents({ ...options, resource: PODS }, set, (pod) => isMemberOf(set, pod), podIndex.candidatesFor(set));
  const revisions = await claimDependents(
    { ...options, resource: REVISIONS },
    set,
    (revision) => matches(labelsOf(revision)),
    revisionIndex.candidatesFor(set),
  );
  if (isBeingDeleted(set)) return DONE;
  const { status } = set.body;
  const { revision: update, collisionCount } = await history.ensureCurrent(set, revisions, status?.collisionCount ?? 0);
  const current = revisions.find(({ name }) => name === status?.currentRevision) ?? update;
  const view: StatefulSetView = { set, pods, currentRevision: current.name, updateRevision: update.name, now: clock.now() };
  try {
    await writer.apply(set, reconcilePods(view), { current, update });
  } finally {
    // The status counts the pods that exist, so it is written also when an action fails.
    await writer.updateStatus(set, calculateStatus(view, collisionCount));
  }
  const liveRevisions = new Set([current.name, update.name, ...pods.map(podRevisionOf)]);
  await history.delete(revisionsBeyondLimit(revisions, liveRevisions, revisionHistoryLimitOf(set)));
  const availableInMs = msUntilAvailable(pods, minReadySecondsOf(set), clock.now());
  return availableInMs === undefined ? DONE : { type: 'again', afterMs: availableInMs };
}
