/** Rollouts with reconciles, delayed events, conflicts and restarts in any order: they stay within the bounds and complete. */
import * as fc from 'fast-check';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import { qualifiedNameInDialect } from '../../shared/names/dialect';
import type { JsonObject } from '../../shared/values/json';
import { boundsOf } from './bounds';
import { planDeployment } from './reconcile';
import { propertyRuns } from '../../test/support/property-runs';

const NOW = Date.UTC(2026, 0, 2);
const DESIRED = qualifiedNameInDialect('kubernetes', 'deployment.platform.io/desired-replicas');

/** What runs of a set, and all states in which it has been told. */
interface LivingSet {
  readonly name: string;
  readonly createdAt: string;
  template: JsonObject;
  annotations: JsonObject;
  replicas: number;
  ready: number;
  unready: number;
  counted: JsonObject;
  generation: number;
  readonly told: ApiObject[];
  /** The state that the Deployment's controller has heard of, and the one that it wrote itself: it does not look at older ones. */
  heard: number;
  written: number;
}

class Cluster {
  readonly sets = new Map<string, LivingSet>();
  private template: JsonObject;
  private heardTemplate: JsonObject;
  private status: JsonObject = {};
  private made = 0;

  constructor(
    private wanted: number,
    private strategy: JsonObject,
  ) {
    this.template = image(0);
    this.heardTemplate = this.template;
  }

  get deployment(): ApiObject {
    const { wanted: replicas, strategy, heardTemplate: template, status } = this;
    return apiObject({ metadata: { namespace: 'n', name: 'web', uid: 'u' }, spec: { replicas, strategy, template }, status });
  }

  get pods(): number {
    return [...this.sets.values()].reduce((sum, { ready, unready }) => sum + ready + unready, 0);
  }

  get available(): number {
    return [...this.sets.values()].reduce((sum, { ready }) => sum + ready, 0);
  }

  get isSettled(): boolean {
    if (this.available !== this.wanted) return false;
    return [...this.sets.values()].every(({ template, ready, unready }) => {
      const isCurrent = JSON.stringify(template['spec']) === JSON.stringify(this.template['spec']);
      return unready === 0 && ready === (isCurrent ? this.wanted : 0);
    });
  }

  want(number: number): void {
    this.template = image(number);
  }

  scale(replicas: number): void {
    this.wanted = replicas;
  }

  setStrategy(strategy: JsonObject): void {
    this.strategy = strategy;
  }

  /** Sets another number of desired replicas in the annotation of a ReplicaSet, as a user or an older release may have done. */
  annotate(index: number, desired: number): void {
    const set = this.at(index);
    if (set === undefined) return;
    set.annotations = { ...set.annotations, [DESIRED]: String(desired) };
    this.tell(set);
  }

  /** The Deployment's controller hears of its Deployment, and of one set what is news there. */
  hear(index: number, states = 1): void {
    this.heardTemplate = this.template;
    const set = this.at(index);
    if (set !== undefined) set.heard = Math.min(set.heard + states, set.told.length - 1);
  }

  /** The Deployment's controller ends, in the middle of its writes maybe, and another one begins with what is there. */
  restart(writes: number): void {
    this.look(writes);
    this.heardTemplate = this.template;
    for (const set of this.sets.values()) {
      set.heard = set.told.length - 1;
      set.written = 0;
    }
  }

  /** A look of the Deployment's controller, which ends after so many writes; a write about an older state than the present one is lost. */
  look(writes = Infinity): void {
    if ([...this.sets.values()].some(({ heard, written }) => heard < written)) return;
    const known = [...this.sets.values()].flatMap(({ told, heard }) => told[heard] ?? []);
    const plan = planDeployment({ deployment: this.deployment, sets: known, podsOf: () => [], now: NOW });
    for (const [index, { seen, name, replicas, annotations, template }] of plan.sets.entries()) {
      if (index >= writes) return;
      if (seen === undefined) {
        if (this.sets.has(name)) return;
        this.add(name, template, replicas, { ...annotations });
      } else {
        const set = this.sets.get(name);
        if (set === undefined || seen.resourceVersion !== String(set.told.length - 1)) return;
        if (set.replicas !== replicas) set.generation += 1;
        set.replicas = replicas;
        set.annotations = { ...annotations };
        this.tell(set);
        set.written = set.told.length - 1;
      }
    }
    if (plan.status !== undefined) this.status = plan.status;
  }

  /** A set's controller makes what is missing or deletes what is too many, and writes down what there is. */
  keep(index: number): void {
    const set = this.at(index);
    if (set === undefined) return;
    const surplus = set.ready + set.unready - set.replicas;
    if (surplus < 0) set.unready -= surplus;
    const unready = Math.min(Math.max(0, surplus), set.unready);
    set.unready -= unready;
    set.ready -= Math.max(0, surplus) - unready;
    this.count(set);
  }

  /** A pod comes to serve. */
  serve(index: number): void {
    const set = this.at(index);
    if (set === undefined || set.unready === 0) return;
    set.unready -= 1;
    set.ready += 1;
  }

  /** Without any more delays. */
  settle(): void {
    for (let round = 0; round < 60 * (this.wanted + 2) && !this.isSettled; round += 1) {
      for (let index = 0; index < this.sets.size; index += 1) {
        for (let pods = 0; pods < 3; pods += 1) this.serve(index);
        this.keep(index);
        this.hear(index, 50);
      }
      this.hear(0);
      this.look();
    }
  }

  private add(name: string, template: JsonObject, replicas: number, annotations: JsonObject): void {
    this.made += 1;
    const createdAt = formatTimestamp(NOW + this.made * 1000);
    const set: LivingSet = {
      ...{ name, createdAt, template, annotations, replicas },
      ...{ ready: 0, unready: 0, counted: {}, generation: 1, told: [], heard: 0, written: 0 },
    };
    this.sets.set(name, set);
    this.tell(set);
  }

  private count(set: LivingSet): void {
    const { ready, unready, generation } = set;
    set.counted = { replicas: ready + unready, readyReplicas: ready, availableReplicas: ready, observedGeneration: generation };
    this.tell(set);
  }

  private tell(set: LivingSet): void {
    const { name, createdAt, annotations, template, replicas, counted, generation, told } = set;
    const metadata = {
      namespace: 'n',
      name,
      uid: name,
      generation,
      resourceVersion: String(told.length),
      creationTimestamp: createdAt,
      annotations,
    };
    told.push(apiObject({ metadata, spec: { replicas, template }, status: counted }));
  }

  private at(index: number): LivingSet | undefined {
    const sets = [...this.sets.values()];
    return sets[index % Math.max(1, sets.length)];
  }
}

const image = (number: number): JsonObject => ({
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'c', image: `i${number}` }] },
});

type Move = (cluster: Cluster) => void;
const some = fc.nat({ max: 5 });
const move: fc.Arbitrary<Move> = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Move>((cluster) => cluster.look()) },
  { weight: 4, arbitrary: some.map<Move>((index) => (cluster) => cluster.hear(index)) },
  { weight: 2, arbitrary: some.map<Move>((index) => (cluster) => cluster.hear(index, 9)) },
  { weight: 2, arbitrary: some.map<Move>((index) => (cluster) => cluster.keep(index)) },
  { weight: 4, arbitrary: some.map<Move>((index) => (cluster) => cluster.serve(index)) },
  { weight: 1, arbitrary: fc.nat({ max: 3 }).map<Move>((number) => (cluster) => cluster.want(number)) },
  { weight: 1, arbitrary: fc.nat({ max: 2 }).map<Move>((writes) => (cluster) => cluster.restart(writes)) },
);
const bound = fc.oneof(
  fc.nat({ max: 4 }),
  fc.nat({ max: 100 }).map((share) => `${share}%`),
);

test('a rolling update stays within maxSurge and maxUnavailable, and completes', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      bound,
      bound,
      fc.array(move, { minLength: 100, maxLength: 300, size: 'max' }),
      (wanted, maxSurge, maxUnavailable, moves) => {
        const cluster = new Cluster(wanted, { type: 'RollingUpdate', rollingUpdate: { maxSurge, maxUnavailable } });
        cluster.settle();
        const { surge, unavailable } = boundsOf(cluster.deployment);
        for (const next of moves) {
          next(cluster);
          expect(cluster.pods).toBeLessThanOrEqual(wanted + surge);
          expect(cluster.available).toBeGreaterThanOrEqual(wanted - unavailable);
        }
        cluster.settle();
        expect(cluster.isSettled).toBe(true);
      },
    ),
    propertyRuns(30),
  );
});

const strategy: fc.Arbitrary<JsonObject> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ maxSurge: bound, maxUnavailable: bound }).map((rollingUpdate) => ({ type: 'RollingUpdate', rollingUpdate })),
  },
  { weight: 1, arbitrary: fc.constant({ type: 'Recreate' }) },
);
const scaling: fc.Arbitrary<Move> = fc.oneof(
  { weight: 12, arbitrary: move },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 9 }).map<Move>((replicas) => (cluster) => cluster.scale(replicas)) },
  {
    weight: 1,
    arbitrary: fc.tuple(some, some).map<Move>(
      ([index, desired]) =>
        (cluster) =>
          cluster.annotate(index, desired),
    ),
  },
  { weight: 1, arbitrary: strategy.map<Move>((next) => (cluster) => cluster.setStrategy(next)) },
);

test('a rollout completes after the Deployment is scaled, its strategy changes and its ReplicaSets are annotated in between', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      strategy,
      fc.array(scaling, { minLength: 20, maxLength: 200, size: 'max' }),
      (wanted, first, moves) => {
        const cluster = new Cluster(wanted, first);
        cluster.settle();
        for (const next of moves) next(cluster);
        cluster.settle();
        expect(cluster.isSettled).toBe(true);
      },
    ),
    propertyRuns(60),
  );
});
