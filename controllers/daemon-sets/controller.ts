/** Keeps one pod of a DaemonSet on every node that it may be on. Touches nothing for one that is being deleted; which node a pod goes to is said in the pod, and done by the scheduler. */
import { isConflict, isNotFound } from '../../shared/client/rest/api-error';
import { isBeingDeleted, keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { equalJson, objectAt, own, type JsonObject } from '../../shared/values/json';
import { msUntilAvailable } from '../workload/pod-activity';
import { claimDependents } from '../workload/controller-ref-manager';
import { DependentIndex } from '../workload/dependent-index';
import { Expectations } from '../workload/expectations';
import { watchDependents } from '../workload/dependent-events';
import { NamespaceTerminatingError, PodControl } from '../workload/pod-control';
import { slowStartBatch } from '../workload/slow-start';
import { eventReference } from '../workload/references';
import { labelSelectorOf } from '../workload/label-selector';
import { minReadySecondsOf, numberAt, templateOf } from '../workload/spec';
import { RevisionHistory } from '../workload/revision-history';
import { REVISION_LABEL, REVISIONS, revisionsBeyondLimit } from '../workload/controller-revision';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { labelsOf } from '../runtime/pods';
import { Failures } from './failures';
import { placementOf } from './placement';
import { daemonStatus, planDaemons, type DaemonPlan, type DaemonView, type EndedPod } from './plan';
import { hashOf, podFor } from './pod';

export const DAEMON_SETS = resourceOf('apps.v1.DaemonSet');
const PODS = resourceOf('core.v1.Pod');
const NODES = resourceOf('core.v1.Node');

export const daemonSetController: Controller = {
  name: 'daemonset',
  aliases: ['daemonset-controller'],
  description: 'keeps a pod of each DaemonSet on every node that it may be on',
  isOnByDefault: true,
  account: 'daemon-set-controller',
  run: runDaemonSets,
};

/** Pods that are asked for, or deleted, at a time. */
const BURST = 250;
const HISTORY_LIMIT = 10;
/** Sets. */
const AT_A_TIME = 2;

interface SeenDaemons {
  readonly sets: Informer;
  readonly nodes: Informer;
  readonly podsOf: DependentIndex;
  readonly revisionsOf: DependentIndex;
  readonly expectations: Expectations;
  readonly failures: Failures;
  readonly history: RevisionHistory;
  readonly keeper: PodControl;
}

/** What it uses of what it is given. */
export type DaemonContext = Pick<ControllerContext, 'client' | 'informers' | 'events' | 'clock' | 'signal' | 'logger' | 'queue'>;

export async function runDaemonSets(context: DaemonContext): Promise<void> {
  const { informers, client, events, clock, signal, logger } = context;
  const [sets, nodes] = [informers.of(DAEMON_SETS), informers.of(NODES)];
  const [pods, revisions] = [informers.of(PODS), informers.of(REVISIONS)];
  const seen: SeenDaemons = {
    sets,
    nodes,
    podsOf: new DependentIndex(pods),
    revisionsOf: new DependentIndex(revisions),
    expectations: new Expectations(clock),
    failures: new Failures(clock),
    history: new RevisionHistory({ client, resource: DAEMON_SETS, label: REVISION_LABEL, signal }),
    keeper: new PodControl({ client, events, resource: DAEMON_SETS, signal }),
  };
  const queue = context.queue({ name: 'daemonset' });
  const unhandle = follow(context, seen, { pods, revisions }, queue);
  const work = (key: string): Promise<WorkOutcome> => sync(context, seen, key);
  if (await waitForSync([sets, nodes, pods, revisions], signal)) await runWorkers({ queue, concurrency: AT_A_TIME, logger, signal, work });
  for (const remove of unhandle) remove();
  seen.podsOf.release();
  seen.revisionsOf.release();
}

function follow(
  { client }: DaemonContext,
  { sets, nodes, expectations }: SeenDaemons,
  { pods, revisions }: { readonly pods: Informer; readonly revisions: Informer },
  queue: WorkQueue,
): readonly (() => void)[] {
  const tell = (set: ApiObject): void => queue.add(keyOf(set));
  /** Those for which it makes a difference. */
  const tellAbout = (then: ApiObject | undefined, now: ApiObject | undefined): void => {
    for (const set of sets.list()) {
      const place = placementOf(objectAt(templateOf(set), 'spec') ?? {}, client.dialect);
      const [before, after] = [then, now].map((node) => (node === undefined ? undefined : place(node)));
      if (before?.runs !== after?.runs || before?.stays !== after?.stays) tell(set);
    }
  };
  const wants = (set: ApiObject, one: ApiObject): boolean => labelSelectorOf(set)?.(labelsOf(one)) === true;
  return [
    sets.handle({ added: tell, updated: (_, set) => tell(set), deleted: (set) => expectations.delete(keyOf(set)) }),
    nodes.handle({
      added: (node) => tellAbout(undefined, node),
      updated: (then, now) => {
        if (!isPlacedAlike(then, now)) tellAbout(then, now);
      },
      deleted: (node) => tellAbout(node, undefined),
    }),
    watchDependents({ dependents: pods, owners: sets, resource: DAEMON_SETS, expectations, matches: wants, onChange: tell }),
    // One that somebody deletes is made again.
    watchDependents({ dependents: revisions, owners: sets, resource: DAEMON_SETS, matches: wants, onChange: tell }),
  ];
}

/** A node reports itself often, and says the same of where pods may be. */
function isPlacedAlike(then: ApiObject, now: ApiObject): boolean {
  const [one, other] = [then, now].map(({ body }) => own(objectAt(body, 'spec') ?? {}, 'taints') ?? []);
  return equalJson(one ?? [], other ?? []) && equalJson(labelsOf(then), labelsOf(now));
}

async function sync(context: DaemonContext, seen: SeenDaemons, key: string): Promise<WorkOutcome> {
  const { client, clock, signal } = context;
  const { sets, nodes, podsOf, revisionsOf, expectations, failures, history } = seen;
  const set = sets.byKey(key);
  const matches = set === undefined ? undefined : labelSelectorOf(set);
  if (set === undefined || matches === undefined || isBeingDeleted(set)) return DONE;
  const claims = { client, ownerResource: DAEMON_SETS, signal };
  const isSelected = (one: ApiObject): boolean => matches(labelsOf(one));
  const pods = await claimDependents({ ...claims, resource: PODS }, set, isSelected, podsOf.candidatesFor(set));
  const revisions = await claimDependents({ ...claims, resource: REVISIONS }, set, isSelected, revisionsOf.candidatesFor(set));
  const known = numberAt(objectAt(set.body, 'status'), 'collisionCount') ?? 0;
  const { revision, collisions } = await history.ensureCurrent(set, revisions, known);
  const view: DaemonView = {
    set,
    pods,
    nodes: nodes.list(),
    place: placementOf(objectAt(templateOf(set), 'spec') ?? {}, client.dialect),
    hash: hashOf(revision),
    patience: (node) => failures.patience(key, node),
    now: clock.now(),
  };
  const isManaged = expectations.areSatisfied(key);
  const plan = isManaged ? planDaemons(view) : undefined;
  const failure = plan === undefined ? undefined : await carryOut(context, seen, view, plan);
  await writeStatus(context, set, daemonStatus(view, collisions));
  if (failure !== undefined) throw failure.error;
  const limit = numberAt(objectAt(set.body, 'spec'), 'revisionHistoryLimit') ?? HISTORY_LIMIT;
  const used = new Set(pods.map(hashOf));
  const live = new Set([revision, ...revisions.filter((one) => used.has(hashOf(one)))].map(({ name }) => name));
  await history.delete(revisionsBeyondLimit(revisions, live, limit));
  const waits = [msUntilAvailable(pods, minReadySecondsOf(set), clock.now()), expectations.msUntilExpired(key), plan?.againMs];
  const soonest = Math.min(...waits.filter((ms) => ms !== undefined));
  return Number.isFinite(soonest) ? { type: 'again', afterMs: soonest } : DONE;
}

/** The first failure. */
async function carryOut(
  context: DaemonContext,
  { expectations, keeper, failures }: SeenDaemons,
  { set, hash }: DaemonView,
  plan: DaemonPlan,
): Promise<{ readonly error: unknown } | undefined> {
  const { client } = context;
  const key = keyOf(set);
  const [created, deleted] = [plan.create.slice(0, BURST), plan.delete.slice(0, BURST)];
  for (const ended of plan.ended) {
    tellEnded(context, set, ended);
    if (ended.phase === 'Failed') failures.replaced(key, ended.node);
  }
  expectations.expectCreations(key, created.length);
  expectations.expectDeletions(key, deleted.map(keyOf));
  const origin = { dialect: client.dialect, resource: DAEMON_SETS, set, hash };
  const { succeeded, error } = await slowStartBatch(created.length, (index) => keeper.create(set, podFor(origin, created[index] ?? '')));
  expectations.creationObserved(key, created.length - succeeded);
  const outcomes = await Promise.allSettled(
    deleted.map(async (pod) => {
      const isSeen = await keeper.delete(set, pod).catch((refused: unknown) => {
        expectations.deletionObserved(key, keyOf(pod));
        throw refused;
      });
      if (!isSeen) expectations.deletionObserved(key, keyOf(pod));
    }),
  );
  if (succeeded < created.length && !(error instanceof NamespaceTerminatingError)) return { error };
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  return failed === undefined ? undefined : { error: failed.reason };
}

function tellEnded({ client, events }: DaemonContext, set: ApiObject, { pod, node, phase }: EndedPod): void {
  const about = eventReference(client.dialect, DAEMON_SETS, set);
  const [word, end] = phase === 'Failed' ? (['failed', 'kill'] as const) : (['succeeded', 'delete'] as const);
  const message = `Found ${word} daemon pod ${keyOf(pod)} on node ${node}, will try to ${end} it`;
  events.record({ about, type: phase === 'Failed' ? 'Warning' : 'Normal', reason: `${phase}DaemonPod`, message });
}

/** Bound to the version that was seen: what has changed meanwhile is told by its own event. */
async function writeStatus({ client, signal }: DaemonContext, set: ApiObject, status: JsonObject | undefined): Promise<void> {
  if (status === undefined) return;
  await client.update(DAEMON_SETS, { ...set.body, status }, { subresource: 'status', signal }).catch((error: unknown) => {
    if (!isNotFound(error) && !isConflict(error)) throw error;
  });
}
