/**
 * Rollouts with delayed events, conflicts and restarts of the controller in any order: they stay within maxSurge and
 * maxUnavailable, and complete.
 */
import * as fc from 'fast-check';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import type {
  AppsV1Deployment,
  AppsV1DeploymentStatus,
  AppsV1DeploymentStrategy,
  AppsV1ReplicaSet,
  AppsV1ReplicaSetStatus,
  CoreV1PodTemplateSpec,
} from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import { qualifiedNameInDialect } from '../../shared/names/dialect';
import type { Deployment, ReplicaSet } from './deployment';
import { resolveFenceposts } from './fenceposts';
import { planDeployment } from './reconcile';
import { propertyRuns } from '../../test/support/property-runs';

const NOW = Date.UTC(2026, 0, 2);
const DESIRED = qualifiedNameInDialect('kubernetes', 'deployment.platform.io/desired-replicas');

/** A ReplicaSet with its pods, and all states that the API server has stored of it. */
interface SimulatedReplicaSet {
  readonly name: string;
  readonly creationTimestamp: string;
  template: CoreV1PodTemplateSpec;
  annotations: Record<string, string>;
  replicas: number;
  /** The number of its ready pods, which are also available. */
  ready: number;
  /** The number of its other pods. */
  unready: number;
  status: AppsV1ReplicaSetStatus;
  generation: number;
  /** The oldest first. The resourceVersion of a state is its index. */
  readonly states: ReplicaSet[];
  /** Index of the state that the Deployment's controller has observed. */
  observed: number;
  /** Index of the state that the Deployment's controller wrote last: it does not act on older ones. */
  written: number;
}

/** A Deployment and its ReplicaSets, with the three controllers that act on them: of Deployments, ReplicaSets and pods. */
class Cluster {
  readonly replicaSets = new Map<string, SimulatedReplicaSet>();
  private template: CoreV1PodTemplateSpec;
  private observedTemplate: CoreV1PodTemplateSpec;
  private status: AppsV1DeploymentStatus = {};
  private created = 0;

  constructor(
    private desiredReplicas: number,
    private strategy: AppsV1DeploymentStrategy,
  ) {
    this.template = templateOf(0);
    this.observedTemplate = this.template;
  }

  /** As its controller observes it. */
  get deployment(): Deployment {
    const { desiredReplicas: replicas, strategy, observedTemplate: template, status } = this;
    return apiObject<AppsV1Deployment>({
      metadata: { namespace: 'n', name: 'web', uid: 'u' },
      spec: { replicas, strategy, template },
      status,
    });
  }

  get pods(): number {
    return [...this.replicaSets.values()].reduce((sum, { ready, unready }) => sum + ready + unready, 0);
  }

  get available(): number {
    return [...this.replicaSets.values()].reduce((sum, { ready }) => sum + ready, 0);
  }

  get isComplete(): boolean {
    if (this.available !== this.desiredReplicas) return false;
    return [...this.replicaSets.values()].every(({ template, ready, unready }) => {
      const isNew = JSON.stringify(template.spec) === JSON.stringify(this.template.spec);
      return unready === 0 && ready === (isNew ? this.desiredReplicas : 0);
    });
  }

  setImage(number: number): void {
    this.template = templateOf(number);
  }

  scale(replicas: number): void {
    this.desiredReplicas = replicas;
  }

  setStrategy(strategy: AppsV1DeploymentStrategy): void {
    this.strategy = strategy;
  }

  /**
   * Sets another number of desired replicas in the annotation of a ReplicaSet, as a user or an older release may have
   * done.
   */
  annotate(index: number, desired: number): void {
    const replicaSet = this.at(index);
    if (replicaSet === undefined) return;
    replicaSet.annotations = { ...replicaSet.annotations, [DESIRED]: String(desired) };
    this.store(replicaSet);
  }

  /** The informers of the Deployment's controller show the Deployment, and the next states of one ReplicaSet. */
  observe(index: number, states = 1): void {
    this.observedTemplate = this.template;
    const replicaSet = this.at(index);
    if (replicaSet !== undefined) replicaSet.observed = Math.min(replicaSet.observed + states, replicaSet.states.length - 1);
  }

  /** The Deployment's controller ends after so many writes of a sync, and another one starts from the stored state. */
  restart(writes: number): void {
    this.sync(writes);
    this.observedTemplate = this.template;
    for (const replicaSet of this.replicaSets.values()) {
      replicaSet.observed = replicaSet.states.length - 1;
      replicaSet.written = 0;
    }
  }

  /** One sync of the Deployment, which ends after so many writes, or at the first conflict. */
  sync(writes = Infinity): void {
    if ([...this.replicaSets.values()].some(({ observed, written }) => observed < written)) return;
    const observedSets = [...this.replicaSets.values()].flatMap(({ states, observed }) => states[observed] ?? []);
    const plan = planDeployment({ deployment: this.deployment, replicaSets: observedSets, podsOf: () => [], now: NOW });
    for (const [index, { observed, name, replicas, annotations, template }] of plan.replicaSets.entries()) {
      if (index >= writes) return;
      if (observed === undefined) {
        if (this.replicaSets.has(name)) return;
        this.create(name, template, replicas, { ...annotations });
      } else {
        const replicaSet = this.replicaSets.get(name);
        if (replicaSet === undefined || observed.resourceVersion !== String(replicaSet.states.length - 1)) return;
        if (replicaSet.replicas !== replicas) replicaSet.generation += 1;
        replicaSet.replicas = replicas;
        replicaSet.annotations = { ...annotations };
        this.store(replicaSet);
        replicaSet.written = replicaSet.states.length - 1;
      }
    }
    if (plan.status !== undefined) this.status = plan.status;
  }

  /** The controller of a ReplicaSet creates missing pods or deletes surplus ones, and updates the status. */
  syncReplicaSet(index: number): void {
    const replicaSet = this.at(index);
    if (replicaSet === undefined) return;
    const surplus = Math.max(0, replicaSet.ready + replicaSet.unready - replicaSet.replicas);
    const missing = Math.max(0, replicaSet.replicas - replicaSet.ready - replicaSet.unready);
    replicaSet.unready += missing;
    const deletedUnready = Math.min(surplus, replicaSet.unready);
    replicaSet.unready -= deletedUnready;
    replicaSet.ready -= surplus - deletedUnready;
    this.updateStatus(replicaSet);
  }

  /** A pod becomes ready. */
  makePodReady(index: number): void {
    const replicaSet = this.at(index);
    if (replicaSet === undefined || replicaSet.unready === 0) return;
    replicaSet.unready -= 1;
    replicaSet.ready += 1;
  }

  /** Runs all controllers without delays until the rollout is complete, or until it takes far too many rounds. */
  runToCompletion(): void {
    for (let round = 0; round < 60 * (this.desiredReplicas + 2) && !this.isComplete; round += 1) {
      for (let index = 0; index < this.replicaSets.size; index += 1) {
        for (let pods = 0; pods < 3; pods += 1) this.makePodReady(index);
        this.syncReplicaSet(index);
        this.observe(index, 50);
      }
      this.observe(0);
      this.sync();
    }
  }

  private create(name: string, template: CoreV1PodTemplateSpec, replicas: number, annotations: Record<string, string>): void {
    this.created += 1;
    const creationTimestamp = formatTimestamp(NOW + this.created * 1000);
    const counters = { ready: 0, unready: 0, generation: 1, observed: 0, written: 0 };
    const replicaSet: SimulatedReplicaSet = {
      name,
      creationTimestamp,
      template,
      annotations,
      replicas,
      status: {},
      states: [],
      ...counters,
    };
    this.replicaSets.set(name, replicaSet);
    this.store(replicaSet);
  }

  private updateStatus(replicaSet: SimulatedReplicaSet): void {
    const { ready, unready, generation } = replicaSet;
    replicaSet.status = { replicas: ready + unready, readyReplicas: ready, availableReplicas: ready, observedGeneration: generation };
    this.store(replicaSet);
  }

  private store(replicaSet: SimulatedReplicaSet): void {
    const { name, creationTimestamp, annotations, template, replicas, status, generation, states } = replicaSet;
    const resourceVersion = String(states.length);
    const metadata = { namespace: 'n', name, uid: name, generation, resourceVersion, creationTimestamp, annotations };
    states.push(apiObject<AppsV1ReplicaSet>({ metadata, spec: { replicas, template }, status }));
  }

  /** One of the ReplicaSets for any index; undefined when there is none. */
  private at(index: number): SimulatedReplicaSet | undefined {
    const replicaSets = [...this.replicaSets.values()];
    return replicaSets[index % Math.max(1, replicaSets.length)];
  }
}

const templateOf = (number: number): CoreV1PodTemplateSpec => ({
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'c', image: `i${number}` }] },
});

type Step = (cluster: Cluster) => void;
const anyIndex = fc.nat({ max: 5 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Step>((cluster) => cluster.sync()) },
  { weight: 4, arbitrary: anyIndex.map<Step>((index) => (cluster) => cluster.observe(index)) },
  { weight: 2, arbitrary: anyIndex.map<Step>((index) => (cluster) => cluster.observe(index, 9)) },
  { weight: 2, arbitrary: anyIndex.map<Step>((index) => (cluster) => cluster.syncReplicaSet(index)) },
  { weight: 4, arbitrary: anyIndex.map<Step>((index) => (cluster) => cluster.makePodReady(index)) },
  { weight: 1, arbitrary: fc.nat({ max: 3 }).map<Step>((number) => (cluster) => cluster.setImage(number)) },
  { weight: 1, arbitrary: fc.nat({ max: 2 }).map<Step>((writes) => (cluster) => cluster.restart(writes)) },
);
const intOrPercent = fc.oneof(
  fc.nat({ max: 4 }),
  fc.nat({ max: 100 }).map((share) => `${share}%`),
);

test('a rolling update stays within maxSurge and maxUnavailable, and completes', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      intOrPercent,
      intOrPercent,
      fc.array(step, { minLength: 100, maxLength: 300, size: 'max' }),
      (desired, maxSurge, maxUnavailable, steps) => {
        const cluster = new Cluster(desired, { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } });
        cluster.runToCompletion();
        const { maxSurge: surge, maxUnavailable: unavailable } = resolveFenceposts(cluster.deployment);
        for (const next of steps) {
          next(cluster);
          expect(cluster.pods).toBeLessThanOrEqual(desired + surge);
          expect(cluster.available).toBeGreaterThanOrEqual(desired - unavailable);
        }
        cluster.runToCompletion();
        expect(cluster.isComplete).toBe(true);
      },
    ),
    propertyRuns(30),
  );
});

const anyStrategy: fc.Arbitrary<AppsV1DeploymentStrategy> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc
      .record({ maxSurge: intOrPercent, maxUnavailable: intOrPercent })
      .map((rollingUpdate) => ({ type: 'RollingUpdate', rollingUpdate })),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'Recreate' }) },
);
const stepOrScaling: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: step },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }).map<Step>((replicas) => (cluster) => cluster.scale(replicas)) },
  {
    weight: 1,
    arbitrary: fc.tuple(anyIndex, anyIndex).map<Step>(
      ([index, desired]) =>
        (cluster) =>
          cluster.annotate(index, desired),
    ),
  },
  { weight: 1, arbitrary: anyStrategy.map<Step>((next) => (cluster) => cluster.setStrategy(next)) },
);

test('a rollout completes after the Deployment is scaled, its strategy changes and its ReplicaSets are annotated in between', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      anyStrategy,
      fc.array(stepOrScaling, { minLength: 20, maxLength: 200, size: 'max' }),
      (desired, strategy, steps) => {
        const cluster = new Cluster(desired, strategy);
        cluster.runToCompletion();
        for (const next of steps) next(cluster);
        cluster.runToCompletion();
        expect(cluster.isComplete).toBe(true);
      },
    ),
    propertyRuns(60),
  );
});
