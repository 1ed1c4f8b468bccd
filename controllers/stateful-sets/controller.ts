/**
 * Keeps a StatefulSet's pods: each with a name and claims of its own, which the next one of that name has again. Touches nothing for one that is being deleted.
 */
import { isBeingDeleted, keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { qualifiedNameIn } from '../../shared/names/dialect';
import { objectAt, stringAt } from '../../shared/values/json';
import { msUntilAvailable } from '../workload/pod-activity';
import { claimDependents } from '../workload/controller-ref-manager';
import { DependentIndex } from '../workload/dependent-index';
import { Expectations } from '../workload/expectations';
import { watchDependents } from '../workload/dependent-events';
import { labelSelectorOf } from '../workload/label-selector';
import { minReadySecondsOf, numberAt } from '../workload/spec';
import { RevisionHistory } from '../workload/revision-history';
import { REVISIONS, revisionsBeyondLimit } from '../workload/controller-revision';
import { waitForSync, type Controller, type ControllerContext, type ControllerSettings } from '../runtime/controller';
import { labelsOf } from '../runtime/pods';
import { ordinalOf, revisionOf } from './identity';
import { planSet, type SetView } from './plan';
import { setStatus } from './status';
import { CLAIMS, PODS, SetWrites, STATEFUL_SETS } from './writes';

export const statefulSetController: Controller = {
  name: 'statefulset',
  aliases: ['statefulset-controller'],
  description: 'keeps the pods of StatefulSets, and what belongs to each of them',
  isOnByDefault: true,
  account: 'statefulset-controller',
  run: runStatefulSets,
};

interface SeenSets {
  readonly sets: Informer;
  readonly podsOf: DependentIndex;
  readonly revisionsOf: DependentIndex;
  readonly expectations: Expectations;
  readonly history: RevisionHistory;
  readonly writes: SetWrites;
}

const HISTORY_LIMIT = 10;
/** Spelled as the stock command line knows it. */
const REVISION_HASH = qualifiedNameIn('kubernetes', 'controller.platform.io/hash');

/** What it uses of what it is given. */
export type SetContext = Pick<ControllerContext, 'client' | 'informers' | 'events' | 'clock' | 'signal' | 'logger' | 'queue'> & {
  readonly settings: Pick<ControllerSettings, 'concurrentStatefulSetSyncs'>;
};

export async function runStatefulSets(context: SetContext): Promise<void> {
  const { informers, client, events, clock, signal, settings, logger } = context;
  const [sets, pods] = [informers.of(STATEFUL_SETS), informers.of(PODS)];
  const [revisions, claims] = [informers.of(REVISIONS), informers.of(CLAIMS)];
  const expectations = new Expectations(clock);
  const seen: SeenSets = {
    sets,
    podsOf: new DependentIndex(pods),
    revisionsOf: new DependentIndex(revisions),
    expectations,
    history: new RevisionHistory({ client, resource: STATEFUL_SETS, label: REVISION_HASH, signal }),
    writes: new SetWrites({ client, events, claims, expectations, signal }),
  };
  const queue = context.queue({ name: 'statefulset' });
  const unhandle = follow(seen, pods, queue);
  const work = (key: string): Promise<WorkOutcome> => sync(context, seen, key);
  const concurrency = settings.concurrentStatefulSetSyncs;
  if (await waitForSync([sets, pods, revisions, claims], signal)) await runWorkers({ queue, concurrency, logger, signal, work });
  for (const remove of unhandle) remove();
  seen.podsOf.release();
  seen.revisionsOf.release();
}

function follow({ sets, expectations }: SeenSets, pods: Informer, queue: WorkQueue): readonly (() => void)[] {
  const tell = (set: ApiObject): void => queue.add(keyOf(set));
  return [
    sets.handle({
      added: tell,
      updated: (_, set) => tell(set),
      deleted: (set) => expectations.delete(keyOf(set)),
    }),
    watchDependents({ dependents: pods, owners: sets, resource: STATEFUL_SETS, expectations, matches: isPodOf, onChange: tell }),
  ];
}

const isPodOf = (set: ApiObject, pod: ApiObject): boolean =>
  ordinalOf(set.name, pod.name) !== undefined && labelSelectorOf(set)?.(labelsOf(pod)) === true;

async function sync(context: SetContext, seen: SeenSets, key: string): Promise<WorkOutcome> {
  const { client, clock, signal } = context;
  const { sets, podsOf, revisionsOf, expectations, history, writes } = seen;
  const set = sets.byKey(key);
  const matches = set === undefined ? undefined : labelSelectorOf(set);
  if (set === undefined || matches === undefined) return DONE;
  if (!expectations.areSatisfied(key)) return { type: 'again', afterMs: expectations.msUntilExpired(key) ?? 0 };
  const claims = { client, ownerResource: STATEFUL_SETS, signal };
  const pods = await claimDependents({ ...claims, resource: PODS }, set, (pod) => isPodOf(set, pod), podsOf.candidatesFor(set));
  const isSelected = (one: ApiObject): boolean => matches(labelsOf(one));
  const revisions = await claimDependents({ ...claims, resource: REVISIONS }, set, isSelected, revisionsOf.candidatesFor(set));

  if (isBeingDeleted(set)) return DONE;
  const status = objectAt(set.body, 'status') ?? {};
  const { revision: update, collisions } = await history.ensureCurrent(set, revisions, numberAt(status, 'collisionCount') ?? 0);
  const current = revisions.find(({ name }) => name === stringAt(status, 'currentRevision')) ?? update;
  const view: SetView = { set, pods, current: current.name, update: update.name, now: clock.now() };
  try {
    await writes.carryOut(set, planSet(view), { current, update });
  } finally {
    await writes.writeStatus(set, setStatus(view, collisions));
  }
  const live = new Set([current.name, update.name, ...pods.map(revisionOf)]);
  const limit = numberAt(objectAt(set.body, 'spec'), 'revisionHistoryLimit') ?? HISTORY_LIMIT;
  await history.delete(revisionsBeyondLimit(revisions, live, limit));
  const waitMs = msUntilAvailable(pods, minReadySecondsOf(set), clock.now());
  return waitMs === undefined ? DONE : { type: 'again', afterMs: waitMs };
}
