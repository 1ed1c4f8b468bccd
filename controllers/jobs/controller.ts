/**
 * Watches Jobs and pods; creates and deletes pods, removes their tracking finalizers and writes Job status. A second
 * queue removes the finalizer from orphan pods.
 */
import type { BatchV1Job, CoreV1Pod } from '../../shared/api/types/generated/members';
import { keyOf } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { DONE, runWorkers, type WorkOutcome } from '../../shared/client/work-queue/workers';
import type { WorkQueue } from '../../shared/client/work-queue/work-queue';
import { qualifiedNameInDialect } from '../../shared/names/dialect';
import { waitForSync, type Controller, type ControllerContext } from '../runtime/controller';
import { labelsOf } from '../runtime/pods';
import type { Pod, Job } from '../../shared/client/rest/typed-objects';
import { claimDependents } from '../workload/controller-ref-manager';
import { watchDependents } from '../workload/dependent-events';
import { DependentIndex } from '../workload/dependent-index';
import { Expectations } from '../workload/expectations';
import { finishedConditionOf } from '../workload/finished-jobs';
import { labelMatcherOf } from '../workload/label-matcher';
import { PodControl } from '../workload/pod-control';
import { BackOffStore } from './back-off-store';
import { FinalizerExpectations } from './finalizer-expectations';
import { hasTrackingFinalizer, JOB_NAMES, JOBS, PODS } from './job';
import { jobSpecOf } from './job-spec';
import { JobWriter } from './job-writer';
import { LiveJobReader } from './live-job-reader';
import { JobMetrics } from './metrics';
import { syncOrphanPod, watchOrphanPods } from './orphan-pods';
import { reconcileJob } from './reconcile';

/** Delay between a change of a pod and the sync of its Job. Milliseconds. */
const POD_BATCH_MS = 100;

export const jobController: Controller = {
  name: 'job',
  aliases: ['job-controller'],
  description: 'runs the pods of Jobs and counts their completions',
  isOnByDefault: true,
  account: 'job-controller',
  run,
};

/** What the syncs of all Jobs share. */
interface JobState {
  readonly jobs: Informer<BatchV1Job>;
  readonly pods: Informer<CoreV1Pod>;
  readonly podIndex: DependentIndex<CoreV1Pod>;
  readonly expectations: Expectations;
  readonly finalizerExpectations: FinalizerExpectations;
  readonly backOffs: BackOffStore;
  readonly liveJobs: LiveJobReader;
  readonly writer: JobWriter;
  /** The resourceVersions of the Jobs that this process wrote, by key. */
  readonly writtenVersions: Map<string, string>;
}

async function run(context: ControllerContext): Promise<void> {
  const { client, signal, settings, logger } = context;
  const state = newState(context);
  const { jobs, pods } = state;
  const queue = context.queue({ name: 'job' });
  const orphanQueue = context.queue({ name: 'job_orphan_pod' });
  const removeHandlers = [...watchJobs(state, queue, orphanQueue), watchOrphanPods(state, orphanQueue)];
  const concurrency = settings.concurrentJobSyncs;
  if (await waitForSync([jobs, pods], signal)) {
    const orphanOptions = { client, jobs, pods, signal };
    await Promise.all([
      runWorkers({ queue, concurrency, logger, signal, work: (key) => syncJob(context, state, key) }),
      runWorkers({ queue: orphanQueue, concurrency, logger, signal, work: (key) => syncOrphanPod(orphanOptions, key) }),
    ]);
  }
  for (const removeHandler of removeHandlers) removeHandler();
  state.podIndex.release();
}

function newState({ client, events, clock, informers, metrics, signal }: ControllerContext): JobState {
  const jobs = informers.of(JOBS);
  const pods = informers.of(PODS);
  const expectations = new Expectations(clock);
  const finalizerExpectations = new FinalizerExpectations();
  const writtenVersions = new Map<string, string>();
  return {
    jobs,
    pods,
    podIndex: new DependentIndex(pods),
    expectations,
    finalizerExpectations,
    backOffs: new BackOffStore(),
    liveJobs: new LiveJobReader({ client, expectations, finalizerExpectations, signal }),
    writer: new JobWriter({
      client,
      events,
      podControl: new PodControl({ client, events, resource: JOBS, signal }),
      expectations,
      finalizerExpectations,
      metrics: new JobMetrics(metrics),
      onStatusWritten: (job) => void writtenVersions.set(keyOf(job), job.resourceVersion),
      signal,
    }),
    writtenVersions,
  };
}

/**
 * A new or changed Job is enqueued at once; after a change of a pod its Job is enqueued with a delay of
 * {@link POD_BATCH_MS}, so that one status write covers several pods. A deleted Job enqueues its pods that still have the
 * finalizer as orphans. Returns functions that remove the handlers.
 */
function watchJobs(state: JobState, queue: WorkQueue, orphanQueue: WorkQueue): readonly (() => void)[] {
  const { jobs, pods, podIndex, expectations, finalizerExpectations, liveJobs } = state;
  return [
    jobs.handle({
      added: (job) => queue.add(keyOf(job)),
      updated: (_, job) => queue.add(keyOf(job)),
      deleted(job) {
        forgetJob(state, keyOf(job));
        liveJobs.forget(job);
        for (const pod of podIndex.ownedBy(job.uid)) if (hasTrackingFinalizer(pod)) orphanQueue.add(keyOf(pod));
      },
    }),
    watchDependents({
      dependents: pods,
      owners: jobs,
      ownerResource: JOBS,
      expectations,
      matches: wouldAdopt,
      onChange(job, { previous, current }) {
        if (current === undefined && previous !== undefined) finalizerExpectations.removalObserved(keyOf(job), previous.uid);
        queue.addAfter(keyOf(job), POD_BATCH_MS);
      },
    }),
  ];
}

/** A generated selector contains the Job's uid: comparing it first excludes nearly all Jobs cheaply. */
function wouldAdopt(job: Job, orphan: Pod): boolean {
  const labels = labelsOf(orphan);
  const isSelectorGenerated = job.body.spec?.manualSelector !== true;
  if (isSelectorGenerated && !Object.values(labels).includes(job.uid)) return false;
  return finishedConditionOf(job) === undefined && labelMatcherOf(job)?.(labels) === true;
}

/** Drops what is kept of a Job that is finished or deleted. */
function forgetJob({ expectations, finalizerExpectations, backOffs, writtenVersions }: JobState, key: string): void {
  expectations.delete(key);
  finalizerExpectations.delete(key);
  backOffs.delete(key);
  writtenVersions.delete(key);
}

/**
 * Syncs one Job, and requeues it for back-offs, deadlines and the expiry of expectations. Two things are unlike
 * upstream: the first sync of a started Job in this process reads the Job and its pods from the server (live-job-reader.ts),
 * and a sync is skipped while the informer shows an older version of the Job than this process has written.
 */
async function syncJob(context: ControllerContext, state: JobState, key: string): Promise<WorkOutcome> {
  const { client, clock, signal } = context;
  const { jobs, podIndex, expectations, liveJobs, writer, backOffs, writtenVersions } = state;
  const observedJob = jobs.byKey(key);
  if (observedJob === undefined) return DONE;
  if (finishedConditionOf(observedJob) !== undefined) {
    forgetJob(state, key);
    for (const pod of podIndex.ownedBy(observedJob.uid)) {
      if (hasTrackingFinalizer(pod)) await syncOrphanPod({ client, jobs, pods: state.pods, signal }, keyOf(pod));
    }
    return DONE;
  }
  // The informer is behind: the event of the newer version enqueues the Job again.
  if (Number(observedJob.resourceVersion) < Number(writtenVersions.get(key) ?? 0)) return DONE;
  const live = await liveJobs.readOnce(observedJob, () => podIndex.ownedBy(observedJob.uid));
  const job = live?.job ?? observedJob;
  if (finishedConditionOf(job) !== undefined) return DONE;
  const pods = await claimPods(context, job, live?.pods ?? podIndex.ownedBy(job.uid), podIndex.orphansIn(job.namespace));
  const untracked = state.finalizerExpectations.outstanding(key, podIndex.ownedBy(job.uid));
  const uncounted = pods.filter((pod) => hasTrackingFinalizer(pod) && !untracked.has(pod.uid));
  const now = clock.now();
  const backOff = backOffs.update(key, uncounted, { onlyReplacesFailedPods: jobSpecOf(job).onlyReplacesFailedPods, now });
  const actions = reconcileJob({ job, pods, untracked, isInformerBehind: !expectations.areSatisfied(key), ...backOff, now });
  await writer.execute(job, actions);
  const delays = [actions.requeueAfterMs, expectations.msUntilExpired(key)].filter((ms) => ms !== undefined);
  return delays.length === 0 ? DONE : { type: 'again', afterMs: Math.min(...delays) };
}

/** The pods of the Job. Adopts matching orphans and releases owned pods that do not match, if the Job has a selector. */
async function claimPods(
  { client, signal }: ControllerContext,
  job: Job,
  owned: readonly Pod[],
  orphans: readonly Pod[],
): Promise<readonly Pod[]> {
  const matches = labelMatcherOf(job);
  if (matches === undefined) return owned;
  const finalizer = qualifiedNameInDialect(client.dialect, JOB_NAMES.tracking);
  const options = { client, ownerResource: JOBS, resource: PODS, finalizer, signal };
  return claimDependents(options, job, (pod) => matches(labelsOf(pod)), [...owned, ...orphans]);
}
