/**
 * Runs a controller of pods over the in-memory API server with delays and faults: watches that are held back or end,
 * writes that are rejected or fail, and restarts in the middle of a reconcile. Simulates the kubelet, and runs the
 * check of the caller before every write except those of Events, and after every advance of the clock.
 */
import fc from 'fast-check';
import type { ControllerContext } from '../../../controllers/runtime/controller';
import { isPodReady } from '../../../controllers/runtime/pods';
import { apiObject, type ApiObject } from '../../../shared/client/rest/api-object';
import { EventRecorder } from '../../../shared/client/events/event-recorder';
import { formatTimestamp } from '../../../shared/api/metadata/object-meta';
import { objectAt, type JsonObject } from '../../../shared/values/json';
import { statusResponse, type FakeApi } from './fake-api';
import { fakeClient } from './fake-client';
import { fakeContext } from './fake-context';

const PODS = '/api/v1/pods';
export const REVISIONS = '/apis/apps/v1/controllerrevisions';
const LABELS = { app: 'a' };
const POD_PATH = /\/pods\/([^/]+)$/;
/** A controller that still writes after so many rounds does not converge. */
const MAX_ROUNDS = 200;

export type SimulationContext = Pick<ControllerContext, 'client' | 'informers' | 'events' | 'clock' | 'signal' | 'logger' | 'queue'>;

/** The rejection of a write. */
type Fault = readonly [code: number, reason: string];

export interface SimulationOptions {
  /** `/apis/apps/v1/statefulsets`. */
  readonly collection: string;
  /** The spec of the workload, without selector and template. */
  readonly spec: JsonObject;
  /** Runs the controller until the signal of the context is aborted. */
  readonly run: (context: SimulationContext) => Promise<void>;
  /** Called before the controller starts. */
  readonly prepare?: (api: FakeApi) => void;
  /** Throws when an invariant is violated; `deleted` is the name of the pod that the next write deletes. */
  readonly check: (pods: readonly ApiObject[], deleted: string | undefined) => void;
}

export class PodControllerSimulation {
  private readonly fake = fakeClient();
  private abort = new AbortController();
  private controller: Promise<void> = Promise.resolve();
  /** The failures of the next writes. */
  private readonly faults: Fault[] = [];
  private violation: Error | undefined;
  private isCheckEnabled = false;

  private constructor(private readonly options: SimulationOptions) {
    const { api } = this.fake;
    options.prepare?.(api);
    const metadata = { namespace: 'n', name: 'web', uid: 'w', generation: 1 };
    api.put(options.collection, { metadata, spec: { ...options.spec, selector: { matchLabels: LABELS }, template: template(0) } });
    api.intercept = ({ method, path }) => {
      if (method === 'GET' || path.includes('/events')) return undefined;
      this.check(method === 'DELETE' ? POD_PATH.exec(path)?.[1] : undefined);
      const fault = this.faults.shift();
      if (fault === undefined) return undefined;
      // A deletion conflicts only when another object has the pod's name by then, which never happens here.
      return method === 'DELETE' ? statusResponse(500, 'InternalError') : statusResponse(...fault);
    };
  }

  /** Runs the controller until it is steady with all pods ready. The check is enabled from then on. */
  static async create(options: SimulationOptions): Promise<PodControllerSimulation> {
    const simulation = new PodControllerSimulation(options);
    simulation.start();
    await simulation.runUntilSteady();
    simulation.isCheckEnabled = true;
    return simulation;
  }

  get pods(): readonly ApiObject[] {
    return this.fake.api.objectsIn(PODS).map(apiObject);
  }

  /** Changes the template of the workload. */
  setImage(image: number): void {
    const { api } = this.fake;
    const existing = api.get(this.options.collection, 'n', 'web') ?? {};
    api.put(this.options.collection, { ...existing, spec: { ...objectAt(existing, 'spec'), template: template(image) } });
  }

  /** Makes one of the pods that are not ready, ready. `index` chooses it; any number is valid. */
  makeReady(index: number): void {
    const unready = this.pods.filter((pod) => !isPodReady(pod));
    const pod = unready[index % Math.max(1, unready.length)];
    if (pod === undefined) return;
    const lastTransitionTime = formatTimestamp(this.fake.clock.now());
    this.fake.api.put(PODS, {
      ...pod.body,
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }] },
    });
  }

  /** Holds back the watches of a collection until {@link release} or {@link cut}. */
  hold(collection: string): void {
    this.fake.api.holdWatches(collection);
  }

  /** Ends all holds. */
  release(): void {
    for (const collection of this.collections) this.fake.api.releaseWatches(collection);
  }

  /** Breaks all watches, held ones included. */
  cut(): void {
    this.release();
    this.fake.api.cutWatches();
  }

  /**
   * Queues a fault: each one fails one of the next writes, in order. A deletion fails with 500 whatever the fault is.
   * Ignored while three faults are queued, because a controller gives up a write after more attempts than that.
   */
  failNextWrite(fault: Fault): void {
    if (this.faults.length < 3) this.faults.push(fault);
  }

  async advance(ms: number): Promise<void> {
    await this.fake.clock.advanceAsync(ms);
    this.check();
  }

  /** Ends the controller, also in the middle of a reconcile, and starts a new one without its memory. */
  async restart(): Promise<void> {
    await this.stop();
    this.start();
    await this.advance(0);
  }

  async stop(): Promise<void> {
    this.abort.abort();
    await this.fake.clock.advanceAsync(0);
    await this.controller;
  }

  /** Runs the controller without further delays or faults, and makes pods ready, until nothing changes. */
  async runUntilSteady(): Promise<void> {
    this.release();
    this.faults.length = 0;
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const before = this.fake.api.version;
      await this.advance(10_000);
      if (this.fake.api.version === before && this.pods.every(isPodReady)) return;
      while (this.pods.some((pod) => !isPodReady(pod))) this.makeReady(0);
    }
    throw new Error('the controller does not become steady');
  }

  /** The collections that the controller watches. */
  get collections(): readonly string[] {
    return [PODS, REVISIONS, this.options.collection];
  }

  private check(deleted?: string): void {
    if (!this.isCheckEnabled) return;
    try {
      this.options.check(this.pods, deleted);
    } catch (error) {
      this.violation ??= error instanceof Error ? error : new Error(String(error));
    }
    if (this.violation !== undefined) throw this.violation;
  }

  private start(): void {
    this.abort = new AbortController();
    const context = fakeContext(this.fake, this.abort.signal);
    this.controller = this.options.run({ ...context, events: new EventRecorder({ ...context, component: 'test' }) });
  }
}

const template = (image: number): JsonObject => ({
  metadata: { labels: LABELS },
  spec: { containers: [{ name: 'c', image: `i${image}` }] },
});

type SimulationStep = (simulation: PodControllerSimulation) => void | Promise<void>;

/** Steps with an arbitrary value, as an option of `fc.oneof` with this weight. */
const step = <T>(
  weight: number,
  values: fc.Arbitrary<T>,
  act: (simulation: PodControllerSimulation, value: T) => void | Promise<void>,
) => ({
  weight,
  arbitrary: values.map(
    (value): SimulationStep =>
      (simulation) =>
        act(simulation, value),
  ),
});
const noValue = fc.constant(undefined);

/** Arbitrary sequences of changes, delays and faults. */
export const simulationSteps: fc.Arbitrary<readonly SimulationStep[]> = fc.array(
  fc.oneof(
    step(6, fc.constantFrom(0, 0, 10, 100, 1_000), (simulation, ms) => simulation.advance(ms)),
    step(5, fc.nat({ max: 5 }), (simulation, index) => simulation.makeReady(index)),
    step(2, fc.nat({ max: 3 }), (simulation, image) => simulation.setImage(image)),
    step(2, fc.nat({ max: 2 }), (simulation, index) => simulation.hold(simulation.collections[index] ?? '')),
    step(2, noValue, (simulation) => simulation.release()),
    step(1, noValue, (simulation) => simulation.cut()),
    step(2, fc.constantFrom<Fault>([409, 'Conflict'], [500, 'InternalError']), (simulation, fault) => simulation.failNextWrite(fault)),
    step(1, noValue, (simulation) => simulation.restart()),
  ),
  { minLength: 30, maxLength: 90, size: 'max' },
);

/** Runs the steps, and then the controller until it is steady. Returns the pods at the end. */
export async function runSimulation(options: SimulationOptions, steps: readonly SimulationStep[]): Promise<readonly ApiObject[]> {
  const simulation = await PodControllerSimulation.create(options);
  for (const step of steps) {
    await step(simulation);
    await simulation.advance(0);
  }
  await simulation.runUntilSteady();
  await simulation.stop();
  return simulation.pods;
}
