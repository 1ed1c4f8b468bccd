/**
 * Runs Jobs: makes their pods, replaces those that fail, counts those that end, and says when all is done. Never changes what a pod is made of, and counts
 * each pod once, whatever is lost in between.
 */
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { qualifiedNameIn } from '../../shared/names/dialect';
import { claimDependents } from '../workload/controller-ref-manager';
import { DependentIndex } from '../workload/dependent-index';
import { finishedConditionOf } from '../workload/finished-jobs';
import { Expectations } from '../workload/expectations';
import { watchDependents } from '../workload/dependent-events';
import { PodControl } from '../workload/pod-control';
import { labelSelectorOf } from '../workload/label-selector';
import { objectAt } from '../../shared/values/json';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { labelsOf } from '../runtime/pods';
import { BackOffs } from './back-off';
import { Begun } from './begun';
import { JobCounts } from './counts';
import { isTracked, JOB_NAMES, JOBS, PODS } from './names';
import { followOrphans, freeOrphan } from './orphans';
import { planJob } from './reconcile';
import { wishesOf } from './spec';
import { Untracked } from './untracked';
import { JobWrites } from './writes';

/** Changes of pods wait so long for others: a status is written for several of them. Milliseconds. */
const BATCH_MS = 100;

export const jobController: Controller = {
  name: 'job',
  aliases: ['job-controller'],
  description: 'runs the pods of Jobs, and counts them',
  isOnByDefault: true,
  account: 'job-controller',
  run,
};

interface SeenJobs {
  readonly jobs: Informer;
  readonly podsOf: DependentIndex;
  readonly expectations: Expectations;
  readonly backOffs: BackOffs;
  readonly begun: Begun;
  readonly writes: JobWrites;
  readonly untracked: Untracked;
  /** The versions that were written here, by key: a look at an older one would do the same again. */
  readonly written: Map<string, string>;
}

async function run(context: ControllerContext): Promise<void> {
  const { informers, client, signal, settings, logger } = context;
  const [jobs, pods] = [informers.of(JOBS), informers.of(PODS)];
  const seen = seenJobs(context, jobs, pods);
  const queue = context.queue({ name: 'job' });
  const orphans = context.queue({ name: 'job_orphan_pod' });
  const unhandle = [...follow(seen, pods, queue, orphans), followOrphans(jobs, pods, orphans)];
  const work = (key: string): Promise<WorkOutcome> => sync(context, seen, key);
  const free = (key: string): Promise<WorkOutcome> => freeOrphan(client, jobs, pods, key, signal);
  const concurrency = settings.concurrentJobSyncs;
  if (await waitForSync([jobs, pods], signal)) {
    await Promise.all([
      runWorkers({ queue, concurrency, logger, signal, work }),
      runWorkers({ queue: orphans, concurrency, logger, signal, work: free }),
    ]);
  }
  for (const remove of unhandle) remove();
  seen.podsOf.release();
}

function seenJobs({ client, events, clock, metrics, signal }: ControllerContext, jobs: Informer, pods: Informer): SeenJobs {
  const expectations = new Expectations(clock);
  const keeper = new PodControl({ client, events, resource: JOBS, signal });
  const [untracked, written] = [new Untracked(), new Map<string, string>()];
  const onFreeing = (job: ApiObject, pod: ApiObject, isFree: boolean): void => untracked.freeing(keyOf(job), pod, isFree);
  const onWritten = (job: ApiObject): void => void written.set(keyOf(job), job.resourceVersion);
  return {
    jobs,
    podsOf: new DependentIndex(pods),
    expectations,
    backOffs: new BackOffs(),
    begun: new Begun({ client, expectations, onFreeing, signal }),
    writes: new JobWrites({ client, events, keeper, expectations, counts: new JobCounts(metrics), onFreeing, onWritten, signal }),
    untracked,
    written,
  };
}

function follow(seen: SeenJobs, pods: Informer, queue: WorkQueue, orphans: WorkQueue): readonly (() => void)[] {
  const { jobs, expectations, podsOf, untracked } = seen;
  return [
    jobs.handle({
      added: (job) => queue.add(keyOf(job)),
      updated: (_, job) => queue.add(keyOf(job)),
      deleted(job) {
        forget(seen, keyOf(job));
        seen.begun.forget(job);
        for (const pod of podsOf.ownedBy(job.uid)) if (isTracked(pod)) orphans.add(keyOf(pod));
      },
    }),
    watchDependents({
      dependents: pods,
      owners: jobs,
      resource: JOBS,
      expectations,
      matches: wants,
      onChange(job, { previous: then, current: now }) {
        if (now === undefined && then !== undefined) untracked.gone(keyOf(job), then.uid);
        queue.addAfter(keyOf(job), BATCH_MS);
      },
    }),
  ];
}

/** A selector that was made for its Job selects by the uid: of the many Jobs that there are, nearly all are done with at a glance. */
function wants(job: ApiObject, orphan: ApiObject): boolean {
  const labels = labelsOf(orphan);
  const isMade = objectAt(job.body, 'spec')?.['manualSelector'] !== true;
  if ((isMade && !Object.values(labels).includes(job.uid)) || finishedConditionOf(job) !== undefined) return false;
  return labelSelectorOf(job)?.(labels) === true;
}

function forget({ expectations, backOffs, untracked, written }: SeenJobs, key: string): void {
  expectations.delete(key);
  backOffs.forget(key);
  untracked.forget(key);
  written.delete(key);
}

async function sync(context: ControllerContext, seen: SeenJobs, key: string): Promise<WorkOutcome> {
  const { client, clock } = context;
  const { jobs, podsOf, expectations, begun, writes, backOffs, written } = seen;
  const found = jobs.byKey(key);
  if (found === undefined) return DONE;
  if (finishedConditionOf(found) !== undefined) {
    forget(seen, key);
    for (const pod of podsOf.ownedBy(found.uid))
      if (isTracked(pod)) await freeOrphan(client, jobs, context.informers.of(PODS), keyOf(pod), context.signal);
    return DONE;
  }
  // The event of what was written comes, and is another reason to look.
  if (Number(found.resourceVersion) < Number(written.get(key) ?? 0)) return DONE;
  const first = await begun.lookAt(found, () => podsOf.ownedBy(found.uid));
  const job = first?.job ?? found;
  if (finishedConditionOf(job) !== undefined) return DONE;
  const pods = await claimed(context, job, first?.pods ?? podsOf.ownedBy(job.uid), podsOf.orphansIn(job.namespace));
  const untracked = seen.untracked.left(key, podsOf.ownedBy(job.uid));
  const wishes = wishesOf(job);
  const uncounted = pods.filter((pod) => isTracked(pod) && !untracked.has(pod.uid));
  const now = clock.now();
  const backOff = backOffs.look(key, uncounted, wishes.isPatient, now);
  const plan = planJob({ job, pods, untracked, isBehind: !expectations.areSatisfied(key), ...backOff, now });
  await writes.carryOut(job, plan);
  const waits = [plan.againMs, expectations.msUntilExpired(key)].filter((ms) => ms !== undefined);
  return waits.length === 0 ? DONE : { type: 'again', afterMs: Math.min(...waits) };
}

async function claimed(
  { client, signal }: ControllerContext,
  job: ApiObject,
  own: readonly ApiObject[],
  orphans: readonly ApiObject[],
): Promise<readonly ApiObject[]> {
  const matches = labelSelectorOf(job);
  if (matches === undefined) return own;
  const finalizer = qualifiedNameIn(client.dialect, JOB_NAMES.tracking);
  const options = { client, ownerResource: JOBS, resource: PODS, finalizer, signal };
  return claimDependents(options, job, (pod) => matches(labelsOf(pod)), [...own, ...orphans]);
}
