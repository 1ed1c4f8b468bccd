/**
 * Jobs with reconciles, delayed events, conflicts, failed writes and restarts during a plan in any order: each pod is counted once, no more succeed than
 * requested, and the Job finishes.
 */
import * as fc from 'fast-check';
import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import { arrayAt, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { finishedConditionOf } from '../workload/finished-jobs';
import { parseIndexes, sizeOf } from './indexes';
import { annotatedCount, isTracked } from './names';
import { podOf } from './pod-template';
import { planJob } from './reconcile';
import { recordOf, statusAfter } from './status';
import { numberAt } from '../workload/spec';

const NOW = Date.UTC(2026, 0, 2);

/** All versions of an object that were told, the last one first; undefined = it is gone. */
interface Told {
  readonly states: (ApiObject | undefined)[];
  heard: number;
}

type Phase = 'Succeeded' | 'Failed';

class JobCluster {
  private readonly pods = new Map<string, Told>();
  private job: Told;
  private version = 1;
  private made = 0;
  /** What the controller remembers; lost when it is started again. */
  private untracked = new Set<string>();
  private written = 0;
  private awaited = new Set<string>();
  /** What became of pods that had the finalizer when they ended. */
  readonly ended = new Map<string, { readonly phase: Phase; readonly index: number | undefined }>();
  /** Pods that were told to go while they worked. */
  readonly dismissed = new Set<string>();

  constructor(private spec: JsonObject) {
    this.job = { states: [this.jobWith({})], heard: 0 };
  }

  get status(): JsonObject {
    return objectAt(last(this.job)?.body ?? {}, 'status') ?? {};
  }

  get hasEnded(): boolean {
    const job = last(this.job);
    return job !== undefined && finishedConditionOf(job) !== undefined;
  }

  get running(): number {
    return [...this.pods.values()].filter((pod) => stringAt(objectAt(last(pod)?.body ?? {}, 'status'), 'phase') === 'Running').length;
  }

  want(spec: JsonObject): void {
    this.spec = { ...this.spec, ...spec };
    if (!this.hasEnded) this.job.states.push(this.jobWith(this.status));
  }

  /** A pod that works ends. */
  end(index: number, phase: Phase): void {
    const working = [...this.pods.values()].filter((pod) => {
      const now = last(pod);
      return now !== undefined && stringAt(objectAt(now.body, 'status'), 'phase') === 'Running';
    });
    const pod = working[index % Math.max(1, working.length)];
    const now = pod === undefined ? undefined : last(pod);
    if (pod === undefined || now === undefined) return;
    if (isTracked(now)) this.ended.set(now.uid, { phase, index: annotatedCount(now, 'index') });
    this.change(pod, {
      ...now.body,
      status: { phase, containerStatuses: [{ state: { terminated: { exitCode: 1, finishedAt: '2025-01-01T00:00:00Z' } } }] },
    });
  }

  hear(index: number, states: number): void {
    const all = [this.job, ...this.pods.values()];
    const one = all[index % all.length];
    if (one !== undefined) one.heard = Math.min(one.heard + states, one.states.length - 1);
  }

  hearAll(): void {
    for (const one of [this.job, ...this.pods.values()]) one.heard = one.states.length - 1;
  }

  /** Whoever begins anew asks the server before he looks. */
  restart(): void {
    this.untracked = new Set();
    this.awaited = new Set();
    this.written = 0;
    this.hearAll();
  }

  /** `writes` = how many writes succeed before the process is killed. */
  look(writes: number): void {
    const job = this.job.states[this.job.heard];
    if (job === undefined || finishedConditionOf(job) !== undefined || Number(job.resourceVersion) < this.written) return;
    const pods = [...this.pods.values()].flatMap(({ states, heard }) => states[heard] ?? []);
    for (const uid of this.awaited) if (this.isHeard(uid)) this.awaited.delete(uid);
    this.untracked = new Set(pods.filter((pod) => isTracked(pod) && this.untracked.has(pod.uid)).map(({ uid }) => uid));
    const view = { job, pods, untracked: this.untracked, isBehind: this.awaited.size > 0, backOffMs: 0, endedAt: () => 0, now: NOW };
    const plan = planJob(view);
    let left = writes;
    const mayWrite = (): boolean => (left -= 1) >= 0;
    let base: ApiObject | undefined = job;
    if (plan.isRecorded) {
      if (!mayWrite()) return this.restart();
      base = this.writeStatus(job, recordOf(plan));
      if (base === undefined) return;
    }
    const [freed, removed] = [new Set<string>(), new Set<string>()];
    for (const pod of plan.freed) {
      if (!mayWrite()) return this.restart();
      if (!this.free(pod)) continue;
      freed.add(pod.uid);
      this.untracked.add(pod.uid);
    }
    for (const pod of plan.removed.filter((one) => freed.has(one.uid) || !plan.freed.includes(one))) {
      if (!mayWrite()) return this.restart();
      this.remove(pod);
      removed.add(pod.uid);
    }
    for (const wish of plan.made) {
      if (!mayWrite()) return this.restart();
      this.make(podOf('platform', job, wish));
    }
    if (!mayWrite()) return this.restart();
    this.writeStatus(base, statusAfter(plan, { freed, removed, made: plan.made.length }).status);
  }

  private isHeard(uid: string): boolean {
    const pod = this.pods.get(uid);
    return pod === undefined || pod.heard === pod.states.length - 1 || pod.states[pod.heard] !== undefined;
  }

  private make(body: JsonObject): void {
    const uid = `pod-${(this.made += 1)}`;
    const metadata = { ...objectAt(body, 'metadata'), namespace: 'n', name: uid, uid, resourceVersion: this.next() };
    const made = apiObject({ ...body, metadata, status: { phase: 'Running' } });
    this.pods.set(uid, { states: [undefined, made], heard: 0 });
    this.awaited.add(uid);
  }

  /** Fails where the pod has changed since it was seen. */
  private free(seen: ApiObject): boolean {
    const pod = this.pods.get(seen.uid);
    const now = pod === undefined ? undefined : last(pod);
    if (pod === undefined || now === undefined) return true;
    if (now.resourceVersion !== seen.resourceVersion) return false;
    const { finalizers: _, ...metadata } = objectAt(now.body, 'metadata') ?? {};
    this.change(pod, { ...now.body, metadata });
    return true;
  }

  private remove({ uid }: ApiObject): void {
    const pod = this.pods.get(uid);
    if (pod === undefined || last(pod) === undefined) return;
    if (!this.ended.has(uid)) this.dismissed.add(uid);
    pod.states.push(undefined);
  }

  private writeStatus(seen: ApiObject, status: JsonObject): ApiObject | undefined {
    if (last(this.job)?.resourceVersion !== seen.resourceVersion) return undefined;
    const written = this.jobWith(status);
    this.job.states.push(written);
    this.written = Number(written.resourceVersion);
    return written;
  }

  private jobWith(status: JsonObject): ApiObject {
    return apiObject({ metadata: { namespace: 'n', name: 'j', uid: 'job', resourceVersion: this.next() }, spec: this.spec, status });
  }

  private change(pod: Told, body: JsonObject): void {
    pod.states.push(apiObject({ ...body, metadata: { ...objectAt(body, 'metadata'), resourceVersion: this.next() } }));
  }

  private next(): string {
    return String((this.version += 1));
  }
}

const last = ({ states }: Told): ApiObject | undefined => states.at(-1);

const MOST = 4;

type Move =
  | { readonly type: 'look'; readonly writes: number }
  | { readonly type: 'hear'; readonly index: number; readonly states: number }
  | { readonly type: 'end'; readonly index: number; readonly phase: Phase }
  | { readonly type: 'hear-job' }
  | { readonly type: 'want'; readonly spec: JsonObject }
  | { readonly type: 'restart' };

const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ type: fc.constant('look' as const), writes: fc.oneof(fc.nat(8), fc.constant(99)) }) },
  { weight: 4, arbitrary: fc.record({ type: fc.constant('hear' as const), index: fc.nat(20), states: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('end' as const),
      index: fc.nat(5),
      phase: fc.constantFrom<Phase>('Succeeded', 'Succeeded', 'Failed'),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ type: 'hear-job' as const }) },
  {
    weight: 1,
    arbitrary: fc
      .oneof(fc.record({ suspend: fc.boolean() }), fc.record({ parallelism: fc.integer({ min: 0, max: MOST }) }))
      .map((spec) => ({ type: 'want' as const, spec })),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'restart' as const }) },
);

function play(cluster: JobCluster, one: Move): void {
  switch (one.type) {
    case 'look':
      return cluster.look(one.writes);
    case 'hear':
      return cluster.hear(one.index, one.states);
    case 'end':
      return cluster.end(one.index, one.phase);
    case 'hear-job':
      return cluster.hear(0, 9);
    case 'want':
      return cluster.want(one.spec);
    case 'restart':
      return cluster.restart();
  }
}

const count = (cluster: JobCluster, member: string): number => numberAt(cluster.status, member) ?? 0;

/** Thrown by hand: asked a hundred thousand times, `expect` takes ten times as long as all that is tested. */
function atMost(what: string, found: number, most: number): void {
  if (!(found <= most)) throw new Error(`${what}: ${found}, and not at most ${most}`);
}

/** No pod is counted that did not end, and none twice. */
function checkCounts(cluster: JobCluster, isIndexed: boolean): void {
  atMost('running', cluster.running, MOST);
  const ended = [...cluster.ended.values()];
  const phases = (phase: Phase): number => ended.filter((one) => one.phase === phase).length;
  const waiting = objectAt(cluster.status, 'uncountedTerminatedPods');
  const uncounted = (member: string): number => (arrayAt(waiting, member) ?? []).length;
  atMost('failed', count(cluster, 'failed') + uncounted('failed'), phases('Failed'));
  if (!isIndexed) return atMost('succeeded', count(cluster, 'succeeded') + uncounted('succeeded'), phases('Succeeded'));
  const done = new Set(ended.filter(({ phase }) => phase === 'Succeeded').map(({ index }) => index));
  const [succeeded, indexes] = [count(cluster, 'succeeded'), stringAt(cluster.status, 'completedIndexes') ?? ''];
  atMost('succeeded', succeeded, done.size);
  const listed = sizeOf(parseIndexes(indexes, 100));
  if (listed !== succeeded) throw new Error(`${succeeded} succeeded, and ${listed} indexes are listed: ${indexes}`);
}

it.each([
  ['non-indexed completions', {}],
  ['indexed completions', { completionMode: 'Indexed' }],
  ['indexed completions and backoffLimitPerIndex', { completionMode: 'Indexed', backoffLimitPerIndex: 100 }],
  ['podReplacementPolicy Failed', { podReplacementPolicy: 'Failed' }],
])('a Job with %s counts each pod exactly once', (_name, more) => {
  const isIndexed = 'completionMode' in more;
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 6 }),
      fc.integer({ min: 1, max: MOST }),
      fc.array(move, { minLength: 40, maxLength: 120, size: 'max' }),
      (completions, parallelism, moves) => {
        const cluster = new JobCluster({ completions, parallelism, backoffLimit: 1000, ...more });
        for (const one of moves) {
          play(cluster, one);
          checkCounts(cluster, isIndexed);
        }
        cluster.want({ suspend: false, parallelism: MOST });
        for (let left = 200; left > 0 && !cluster.hasEnded; left -= 1) {
          cluster.hearAll();
          cluster.look(99);
          cluster.end(0, 'Succeeded');
          checkCounts(cluster, isIndexed);
        }
        expect(cluster.hasEnded).toBe(true);
        expect(cluster.status['uncountedTerminatedPods']).toEqual({});
        const ended = [...cluster.ended.values()].map(({ phase }) => phase);
        expect(count(cluster, 'failed')).toBe(ended.filter((phase) => phase === 'Failed').length);
        if (!isIndexed) expect(count(cluster, 'succeeded')).toBe(ended.filter((phase) => phase === 'Succeeded').length);
        expect(count(cluster, 'succeeded')).toBe(completions);
      },
    ),
    { numRuns: 80 },
  );
});
