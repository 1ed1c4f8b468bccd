/**
 * Runs a controller of pods over the API server in memory with delays and faults: watches that are held back or end, writes that are rejected or fail, restarts in the
 * middle of a reconcile. Plays the kubelet, and runs the caller's check before every write.
 */
import fc from 'fast-check';
import type { ControllerContext } from '../../controllers/runtime/controller';
import { isPodReady } from '../../controllers/runtime/pods';
import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import { EventRecorder } from '../../shared/client/events/event-recorder';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import { objectAt, type JsonObject } from '../../shared/values/json';
import { status, type FakeApi } from './fake-api';
import { fakeClient } from './fake-client';
import { fakeContext } from './fake-context';

const PODS = '/api/v1/pods';
export const REVISIONS = '/apis/apps/v1/controllerrevisions';
const LABELS = { app: 'a' };
const DELETED = /\/pods\/([^/]+)$/;
const MANY = 200;

export type LateContext = Pick<ControllerContext, 'client' | 'informers' | 'events' | 'clock' | 'signal' | 'logger' | 'queue'>;

type Fault = readonly [code: number, reason: string];

export interface LateOptions {
  /** `/apis/apps/v1/statefulsets`. */
  readonly collection: string;
  readonly spec: JsonObject;
  readonly run: (context: LateContext) => Promise<void>;
  readonly prepare?: (api: FakeApi) => void;
  /** Throws where something is not as it must be; `deleted` is the name of a pod that is about to go. */
  readonly check: (pods: readonly ApiObject[], deleted: string | undefined) => void;
}

export class LateWorld {
  private readonly fake = fakeClient();
  private end = new AbortController();
  private ended: Promise<void> = Promise.resolve();
  /** What becomes of the next writes. */
  private readonly faults: Fault[] = [];
  private violation: Error | undefined;
  private isChecked = false;

  private constructor(private readonly options: LateOptions) {
    const { api } = this.fake;
    options.prepare?.(api);
    const metadata = { namespace: 'n', name: 'web', uid: 'w', generation: 1 };
    api.put(options.collection, { metadata, spec: { ...options.spec, selector: { matchLabels: LABELS }, template: template(0) } });
    api.intercept = ({ method, path }) => {
      if (method === 'GET' || path.includes('/events')) return undefined;
      this.check(method === 'DELETE' ? DELETED.exec(path)?.[1] : undefined);
      const fault = this.faults.shift();
      // Another object of the same name is not there to be deleted in a pod's place.
      return fault === undefined ? undefined : method === 'DELETE' ? status(500, 'InternalError') : status(...fault);
    };
  }

  /** Come to rest, with all pods ready; from then on it is checked. */
  static async begin(options: LateOptions): Promise<LateWorld> {
    const world = new LateWorld(options);
    world.start();
    await world.settle();
    world.isChecked = true;
    return world;
  }

  get pods(): readonly ApiObject[] {
    return this.fake.api.all(PODS).map(apiObject);
  }

  want(image: number): void {
    const { api } = this.fake;
    const found = api.get(this.options.collection, 'n', 'web') ?? {};
    api.put(this.options.collection, { ...found, spec: { ...objectAt(found, 'spec'), template: template(image) } });
  }

  /** A pod comes to serve. */
  serve(index: number): void {
    const waiting = this.pods.filter((pod) => !isPodReady(pod));
    const pod = waiting[index % Math.max(1, waiting.length)];
    if (pod === undefined) return;
    const lastTransitionTime = formatTimestamp(this.fake.clock.now());
    this.fake.api.put(PODS, {
      ...pod.body,
      status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime }] },
    });
  }

  hold(collection: string): void {
    this.fake.api.hold(collection);
  }

  release(): void {
    for (const collection of this.collections) this.fake.api.release(collection);
  }

  cut(): void {
    this.release();
    this.fake.api.cutWatches();
  }

  /** One of the next writes is not carried out. */
  refuse(fault: Fault): void {
    if (this.faults.length < 3) this.faults.push(fault);
  }

  async pass(ms: number): Promise<void> {
    await this.fake.clock.advanceAsync(ms);
    this.check();
  }

  async restart(): Promise<void> {
    await this.stop();
    this.start();
    await this.pass(0);
  }

  async stop(): Promise<void> {
    this.end.abort();
    await this.fake.clock.advanceAsync(0);
    await this.ended;
  }

  /** Without any more delays. */
  async settle(): Promise<void> {
    this.release();
    this.faults.length = 0;
    for (let left = MANY; left > 0; left -= 1) {
      const before = this.fake.api.version;
      await this.pass(10_000);
      if (this.fake.api.version === before && this.pods.every(isPodReady)) return;
      while (this.pods.some((pod) => !isPodReady(pod))) this.serve(0);
    }
    throw new Error('it does not come to rest');
  }

  get collections(): readonly string[] {
    return [PODS, REVISIONS, this.options.collection];
  }

  private check(deleted?: string): void {
    if (!this.isChecked) return;
    try {
      this.options.check(this.pods, deleted);
    } catch (error) {
      this.violation ??= error instanceof Error ? error : new Error(String(error));
    }
    if (this.violation !== undefined) throw this.violation;
  }

  private start(): void {
    this.end = new AbortController();
    const context = fakeContext(this.fake, this.end.signal);
    this.ended = this.options.run({ ...context, events: new EventRecorder({ ...context, component: 'test' }) });
  }
}

const template = (image: number): JsonObject => ({
  metadata: { labels: LABELS },
  spec: { containers: [{ name: 'c', image: `i${image}` }] },
});

type LateMove = (world: LateWorld) => void | Promise<void>;

const move = <T>(weight: number, values: fc.Arbitrary<T>, act: (world: LateWorld, value: T) => void | Promise<void>) => ({
  weight,
  arbitrary: values.map(
    (value): LateMove =>
      (world) =>
        act(world, value),
  ),
});
const always = fc.constant(undefined);

/** Any sequence of changes, delays and faults. */
export const lateMoves: fc.Arbitrary<readonly LateMove[]> = fc.array(
  fc.oneof(
    move(6, fc.constantFrom(0, 0, 10, 100, 1_000), (world, ms) => world.pass(ms)),
    move(5, fc.nat({ max: 5 }), (world, index) => world.serve(index)),
    move(2, fc.nat({ max: 3 }), (world, image) => world.want(image)),
    move(2, fc.nat({ max: 2 }), (world, at) => world.hold(world.collections[at] ?? '')),
    move(2, always, (world) => world.release()),
    move(1, always, (world) => world.cut()),
    move(2, fc.constantFrom<Fault>([409, 'Conflict'], [500, 'InternalError']), (world, fault) => world.refuse(fault)),
    move(1, always, (world) => world.restart()),
  ),
  { minLength: 30, maxLength: 90, size: 'max' },
);

/** Plays them, and comes to rest. */
export async function playLate(options: LateOptions, moves: readonly LateMove[]): Promise<readonly ApiObject[]> {
  const world = await LateWorld.begin(options);
  for (const move of moves) {
    await move(world);
    await world.pass(0);
  }
  await world.settle();
  await world.stop();
  return world.pods;
}
