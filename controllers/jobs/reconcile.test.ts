/**
 * Reconciles Jobs with delayed events, conflicts, failed writes and restarts during a sync, in any order: each pod is
 * counted once, no more pods succeed than requested, and the Job finishes.
 */
import * as fc from 'fast-check';
import type { BatchV1Job, BatchV1JobSpec, BatchV1JobStatus, CoreV1Pod } from '../../shared/api/types/generated/members';
import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import type { Pod, Job } from '../../shared/client/rest/typed-objects';
import { finishedConditionOf } from '../workload/finished-jobs';
import { indexCount, parseIndexes } from './index-intervals';
import { hasTrackingFinalizer, numberAnnotation } from './job';
import { podForJob } from './pod-template';
import { reconcileJob } from './reconcile';
import { statusAfter, statusBeforeUntracking } from './status';

const NOW = Date.UTC(2026, 0, 2);

/** The history of an object. */
interface Versions<Body extends JsonObject> {
  /** All versions, the newest last; undefined before the creation and after the deletion. */
  readonly states: (ApiObject<Body> | undefined)[];
  /** Index of the version that the informer shows. */
  observed: number;
}

type Phase = 'Succeeded' | 'Failed';

/** A Job and its pods on the server, and a controller with an informer that shows older versions of them. */
class JobCluster {
  private readonly pods = new Map<string, Versions<CoreV1Pod>>();
  private readonly job: Versions<BatchV1Job>;
  private version = 1;
  private createdPods = 0;
  // The controller's memory, which a restart loses: pods without the finalizer, the version of the Job that was written
  // last, and created pods that the informer does not show yet.
  private untracked = new Set<string>();
  private writtenVersion = 0;
  private expectedPods = new Set<string>();
  /** Pods that had the finalizer when they finished. */
  readonly finished = new Map<string, { readonly phase: Phase; readonly index: number | undefined }>();

  constructor(private spec: BatchV1JobSpec) {
    this.job = { states: [this.jobWith({})], observed: 0 };
  }

  get status(): BatchV1JobStatus {
    return latest(this.job)?.body.status ?? {};
  }

  get isFinished(): boolean {
    const job = latest(this.job);
    return job !== undefined && finishedConditionOf(job) !== undefined;
  }

  get running(): number {
    return this.runningPods().length;
  }

  changeSpec(spec: BatchV1JobSpec): void {
    this.spec = { ...this.spec, ...spec };
    if (!this.isFinished) this.job.states.push(this.jobWith(this.status));
  }

  finishPod(index: number, phase: Phase): void {
    const running = this.runningPods();
    const pod = running[index % Math.max(1, running.length)];
    const current = pod === undefined ? undefined : latest(pod);
    if (pod === undefined || current === undefined) return;
    if (hasTrackingFinalizer(current)) this.finished.set(current.uid, { phase, index: numberAnnotation(current, 'index') });
    this.change(pod, {
      ...current.body,
      status: { phase, containerStatuses: [{ state: { terminated: { exitCode: 1, finishedAt: '2025-01-01T00:00:00Z' } } }] },
    });
  }

  deliverEvents(index: number, count: number): void {
    const objects = [this.job, ...this.pods.values()];
    const object = objects[index % objects.length];
    if (object !== undefined) object.observed = Math.min(object.observed + count, object.states.length - 1);
  }

  deliverAllEvents(): void {
    for (const object of [this.job, ...this.pods.values()]) object.observed = object.states.length - 1;
  }

  /** A new process lists from the server before its first sync. */
  restart(): void {
    this.untracked = new Set();
    this.expectedPods = new Set();
    this.writtenVersion = 0;
    this.deliverAllEvents();
  }

  /**
   * One sync, as JobWriter executes it. `writes`: after how many writes the process is killed, and restarted; the sync
   * completes when it needs fewer.
   */
  sync(writes: number): void {
    const job = this.job.states[this.job.observed];
    if (job === undefined || finishedConditionOf(job) !== undefined || Number(job.resourceVersion) < this.writtenVersion) return;
    const pods = [...this.pods.values()].flatMap(({ states, observed }) => states[observed] ?? []);
    for (const uid of this.expectedPods) if (this.isObserved(uid)) this.expectedPods.delete(uid);
    this.untracked = new Set(pods.filter((pod) => hasTrackingFinalizer(pod) && this.untracked.has(pod.uid)).map(({ uid }) => uid));
    const isInformerBehind = this.expectedPods.size > 0;
    const actions = reconcileJob({ job, pods, untracked: this.untracked, isInformerBehind, backOffMs: 0, finishTime: () => 0, now: NOW });
    let writesLeft = writes;
    const mayWrite = (): boolean => (writesLeft -= 1) >= 0;
    let current: Job | undefined = job;
    if (actions.needsStatusFirst) {
      if (!mayWrite()) return this.restart();
      current = this.writeStatus(job, statusBeforeUntracking(actions));
      if (current === undefined) return;
    }
    const untracked = new Set<string>();
    const deleted = new Set<string>();
    for (const pod of actions.podsToUntrack) {
      if (!mayWrite()) return this.restart();
      if (!this.untrackPod(pod)) continue;
      untracked.add(pod.uid);
      this.untracked.add(pod.uid);
    }
    for (const pod of actions.podsToDelete.filter(
      (candidate) => untracked.has(candidate.uid) || !actions.podsToUntrack.includes(candidate),
    )) {
      if (!mayWrite()) return this.restart();
      this.deletePod(pod);
      deleted.add(pod.uid);
    }
    for (const newPod of actions.podsToCreate) {
      if (!mayWrite()) return this.restart();
      this.createPod(podForJob('platform', job, newPod));
    }
    if (!mayWrite()) return this.restart();
    this.writeStatus(current, statusAfter(actions, { untracked, deleted, created: actions.podsToCreate.length }).status);
  }

  /** The pods that run on the server, whatever the informer shows. */
  private runningPods(): readonly Versions<CoreV1Pod>[] {
    return [...this.pods.values()].filter((pod) => latest(pod)?.body.status?.phase === 'Running');
  }

  /** Whether the informer shows the pod, or has shown it before. */
  private isObserved(uid: string): boolean {
    const pod = this.pods.get(uid);
    return pod === undefined || pod.observed === pod.states.length - 1 || pod.states[pod.observed] !== undefined;
  }

  private createPod(body: CoreV1Pod): void {
    const uid = `pod-${(this.createdPods += 1)}`;
    const metadata = { ...body.metadata, namespace: 'n', name: uid, uid, resourceVersion: this.nextVersion() };
    const created = apiObject<CoreV1Pod>({ ...body, metadata, status: { phase: 'Running' } });
    this.pods.set(uid, { states: [undefined, created], observed: 0 });
    this.expectedPods.add(uid);
  }

  /** Whether the finalizer is removed: not when the pod has changed since it was observed. True for a pod that was removed. */
  private untrackPod(observed: Pod): boolean {
    const pod = this.pods.get(observed.uid);
    const current = pod === undefined ? undefined : latest(pod);
    if (pod === undefined || current === undefined) return true;
    if (current.resourceVersion !== observed.resourceVersion) return false;
    const { finalizers: _, ...metadata } = current.metadata;
    this.change(pod, { ...current.body, metadata });
    return true;
  }

  private deletePod({ uid }: Pod): void {
    const pod = this.pods.get(uid);
    if (pod !== undefined && latest(pod) !== undefined) pod.states.push(undefined);
  }

  private writeStatus(observed: Job, status: BatchV1JobStatus): Job | undefined {
    if (latest(this.job)?.resourceVersion !== observed.resourceVersion) return undefined;
    const written = this.jobWith(status);
    this.job.states.push(written);
    this.writtenVersion = Number(written.resourceVersion);
    return written;
  }

  private jobWith(status: BatchV1JobStatus): Job {
    const metadata = { namespace: 'n', name: 'j', uid: 'job', resourceVersion: this.nextVersion() };
    return apiObject<BatchV1Job>({ metadata, spec: this.spec, status });
  }

  private change(pod: Versions<CoreV1Pod>, body: CoreV1Pod): void {
    pod.states.push(apiObject<CoreV1Pod>({ ...body, metadata: { ...body.metadata, resourceVersion: this.nextVersion() } }));
  }

  private nextVersion(): string {
    return String((this.version += 1));
  }
}

const latest = <Body extends JsonObject>({ states }: Versions<Body>): ApiObject<Body> | undefined => states.at(-1);

const MAX_PARALLELISM = 4;
/** More writes than a sync needs: it completes. */
const ALL_WRITES = 99;

type Step =
  | { readonly type: 'sync'; readonly writes: number }
  | { readonly type: 'deliver-events'; readonly index: number; readonly count: number }
  | { readonly type: 'finish-pod'; readonly index: number; readonly phase: Phase }
  | { readonly type: 'deliver-job' }
  | { readonly type: 'change-spec'; readonly spec: BatchV1JobSpec }
  | { readonly type: 'restart' };

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('sync' as const), writes: fc.oneof(fc.nat(8), fc.constant(ALL_WRITES)) }) },
  {
    weight: 4,
    arbitrary: fc.record({ type: fc.constant('deliver-events' as const), index: fc.nat(20), count: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('finish-pod' as const),
      index: fc.nat(5),
      phase: fc.constantFrom<Phase>('Succeeded', 'Succeeded', 'Failed'),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ type: 'deliver-job' as const }) },
  {
    weight: 1,
    arbitrary: fc
      .oneof(fc.record({ suspend: fc.boolean() }), fc.record({ parallelism: fc.integer({ min: 0, max: MAX_PARALLELISM }) }))
      .map((spec) => ({ type: 'change-spec' as const, spec })),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'restart' as const }) },
);

function play(cluster: JobCluster, next: Step): void {
  switch (next.type) {
    case 'sync':
      return cluster.sync(next.writes);
    case 'deliver-events':
      return cluster.deliverEvents(next.index, next.count);
    case 'finish-pod':
      return cluster.finishPod(next.index, next.phase);
    case 'deliver-job':
      // The Job is the first object.
      return cluster.deliverEvents(0, 9);
    case 'change-spec':
      return cluster.changeSpec(next.spec);
    case 'restart':
      return cluster.restart();
  }
}

/** Throws by itself: called a hundred thousand times, `expect` takes ten times as long as the code under test. */
function checkAtMost(name: string, actual: number, limit: number): void {
  if (!(actual <= limit)) throw new Error(`${name}: ${actual}, and not at most ${limit}`);
}

/** No pod is counted that has not finished, and none is counted twice. An indexed Job counts an index once, whichever of its pods succeeded. */
function checkCounts(cluster: JobCluster, { isIndexed }: { readonly isIndexed: boolean }): void {
  checkAtMost('running', cluster.running, MAX_PARALLELISM);
  const finished = [...cluster.finished.values()];
  const finishedIn = (phase: Phase): number => finished.filter((pod) => pod.phase === phase).length;
  const { succeeded = 0, failed = 0, completedIndexes = '', uncountedTerminatedPods: uncounted } = cluster.status;
  checkAtMost('failed', failed + (uncounted?.failed ?? []).length, finishedIn('Failed'));
  if (!isIndexed) return checkAtMost('succeeded', succeeded + (uncounted?.succeeded ?? []).length, finishedIn('Succeeded'));
  const succeededIndexes = new Set(finished.filter(({ phase }) => phase === 'Succeeded').map(({ index }) => index));
  checkAtMost('succeeded', succeeded, succeededIndexes.size);
  const listed = indexCount(parseIndexes(completedIndexes, 100));
  if (listed !== succeeded) throw new Error(`${succeeded} succeeded, and ${listed} indexes are listed: ${completedIndexes}`);
}

it.each<[string, BatchV1JobSpec]>([
  ['non-indexed completions', {}],
  ['indexed completions', { completionMode: 'Indexed' }],
  ['indexed completions and backoffLimitPerIndex', { completionMode: 'Indexed', backoffLimitPerIndex: 100 }],
  ['podReplacementPolicy Failed', { podReplacementPolicy: 'Failed' }],
])('a Job with %s counts each pod exactly once', (_, spec) => {
  const isIndexed = spec.completionMode === 'Indexed';
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: MAX_PARALLELISM }),
      fc.array(step, { minLength: 40, maxLength: 120, size: 'max' }),
      (completions, parallelism, steps) => {
        const cluster = new JobCluster({ completions, parallelism, backoffLimit: 1000, ...spec });
        for (const next of steps) {
          play(cluster, next);
          checkCounts(cluster, { isIndexed });
        }
        // Without faults, and with every pod succeeding, the Job must finish.
        cluster.changeSpec({ suspend: false, parallelism: MAX_PARALLELISM });
        for (let left = 200; left > 0 && !cluster.isFinished; left -= 1) {
          cluster.deliverAllEvents();
          cluster.sync(ALL_WRITES);
          cluster.finishPod(0, 'Succeeded');
          checkCounts(cluster, { isIndexed });
        }
        expect(cluster.isFinished).toBe(true);
        const { succeeded = 0, failed = 0, uncountedTerminatedPods } = cluster.status;
        expect(uncountedTerminatedPods).toEqual({});
        const phases = [...cluster.finished.values()].map(({ phase }) => phase);
        expect(failed).toBe(phases.filter((phase) => phase === 'Failed').length);
        if (!isIndexed) expect(succeeded).toBe(phases.filter((phase) => phase === 'Succeeded').length);
        expect(succeeded).toBe(completions);
      },
    ),
    { numRuns: 80 },
  );
});
