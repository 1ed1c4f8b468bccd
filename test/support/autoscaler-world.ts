/**
 * The loop of autoscalers over the API server in memory, with a clock that a test moves: Deployments whose scale can be asked and told, and queues of which somebody
 * measures how long they are. Nobody makes pods.
 */
import { runAutoscalers } from '../../controllers/autoscalers/controller';
import type { AutoscalingSettings } from '../../controllers/runtime/controller';
import type { EventReport } from '../../shared/client/events/event-correlator';
import type { TransportRequest } from '../../shared/client/transport/transport';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { reply, status, type FakeApi, type Interception } from './fake-api';
import { fakeClient } from './fake-client';
import { fakeContext } from './fake-context';
import { FixedRandom } from './fixed-random';

const SCALERS = '/apis/autoscaling/v2/horizontalpodautoscalers';
export const PERIOD_MS = 15_000;
const SCALE = /^\/apis\/apps\/v1\/namespaces\/n\/deployments\/([^/]+)\/scale$/;
const QUEUE = /^\/apis\/external\.metrics\.platform\.io\/|^\/apis\/external\.metrics\.k8s\.io\//;
const GROUPS = [
  {
    metadata: { name: 'apps' },
    versions: [
      {
        version: 'v1',
        resources: [
          { resource: 'deployments', responseKind: { kind: 'Deployment' }, scope: 'Namespaced', verbs: ['get'], subresources: [] },
        ],
      },
    ],
  },
];
const SETTINGS: AutoscalingSettings = {
  concurrentSyncs: 5,
  periodMs: PERIOD_MS,
  downscaleStabilizationMs: 300_000,
  tolerance: 0.1,
  readiness: { cpuInitializationMs: 0, readinessDelayMs: 0 },
};

export interface FakeTarget {
  replicas: number;
  /** As its scale says it; '' = it does not. */
  selector: string;
}

export interface AutoscalerWorld {
  readonly api: FakeApi;
  readonly clock: ReturnType<typeof fakeClient>['clock'];
  /** Deployments, by name. */
  readonly targets: Map<string, FakeTarget>;
  /** How long the queue is. */
  queue: number;
  /** Answers or breaks a request in the server's place. */
  intercept: (request: TransportRequest) => Interception;
  readonly events: EventReport[];
  /** What was asked since this was called last, without watches: `GET …/web/scale`. */
  asked(): readonly string[];
  put(name: string, spec?: JsonObject, metadata?: JsonObject): void;
  remove(name: string): void;
  /** `True SucceededRescale`, by the condition's type. */
  conditions(name: string): Readonly<Record<string, string>>;
  statusOf(name: string): JsonObject;
  /** Resolves when the loop has ended. */
  stop(): Promise<void>;
}

export interface WorldOptions {
  /** What chance says: when in its period an autoscaler has its first turn. */
  readonly chance?: number;
  readonly settings?: Partial<AutoscalingSettings>;
  /** Before the loop begins. */
  readonly prepare?: (world: Pick<AutoscalerWorld, 'put' | 'targets'>) => void;
}

export async function autoscalerWorld({
  chance = 0,
  settings = {},
  prepare = () => undefined,
}: WorldOptions = {}): Promise<AutoscalerWorld> {
  const fake = fakeClient();
  const { clock, api } = fake;
  const targets = new Map<string, FakeTarget>();
  const events: EventReport[] = [];
  const end = new AbortController();
  const put: AutoscalerWorld['put'] = (name, spec = {}, metadata = {}) => {
    const found = api.get(SCALERS, 'n', name);
    api.put(SCALERS, { ...found, metadata: { namespace: 'n', name, ...metadata }, spec: { ...wants(name), ...spec } });
  };
  prepare({ put, targets });
  let seen = 0;
  let stopped: Promise<void> = Promise.resolve();
  const world: AutoscalerWorld = {
    api,
    clock,
    targets,
    queue: 0,
    intercept: () => undefined,
    events,
    put,
    asked: () => {
      const asked = api.requests.slice(seen).filter((request) => !request.includes('watch=1'));
      seen = api.requests.length;
      return asked;
    },
    remove: (name) => api.drop(SCALERS, 'n', name),
    statusOf: (name) => objectAt(api.get(SCALERS, 'n', name), 'status') ?? {},
    conditions: (name) => conditionsIn(world.statusOf(name)),
    stop: async () => {
      end.abort();
      await clock.advanceAsync(0);
      await stopped;
    },
  };
  api.intercept = async (request) => (await world.intercept(request)) ?? answered(world, request);
  stopped = runAutoscalers({
    ...fakeContext(fake, end.signal),
    random: new FixedRandom(chance),
    events: { record: (report) => void events.push(report) },
    settings: { autoscaling: { ...SETTINGS, ...settings } },
  });
  await clock.advanceAsync(0);
  world.asked();
  return world;
}

/** Ten in the queue for each pod, of the Deployment of the same name. */
const wants = (name: string): JsonObject => ({
  scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
  minReplicas: 1,
  maxReplicas: 100,
  metrics: [{ type: 'External', external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '10' } } }],
});

function answered(world: AutoscalerWorld, { method, path, body }: TransportRequest): Interception {
  if (path === '/api') return reply(200, { items: [] });
  if (path === '/apis') return reply(200, { items: GROUPS });
  if (QUEUE.test(path))
    return reply(200, { items: [{ metricName: 'queue', timestamp: '2026-01-01T00:00:00Z', value: String(world.queue) }] });
  const name = SCALE.exec(path)?.[1];
  if (name === undefined) return undefined;
  const target = world.targets.get(name);
  if (target === undefined) return status(404, 'NotFound');
  const sent: JsonObject = method === 'PUT' && body !== undefined ? JSON.parse(body.toString()) : {};
  const told = objectAt(sent, 'spec')?.['replicas'];
  if (typeof told === 'number') target.replicas = told;
  const { replicas, selector } = target;
  return reply(200, {
    metadata: { namespace: 'n', name, uid: `of ${name}`, resourceVersion: '7' },
    spec: { replicas },
    status: { replicas, selector },
  });
}

function conditionsIn(status: JsonObject): Readonly<Record<string, string>> {
  const conditions = (arrayAt(status, 'conditions') ?? []).filter(isObject);
  return Object.fromEntries(
    conditions.map((one) => [stringAt(one, 'type') ?? '', `${stringAt(one, 'status') ?? ''} ${stringAt(one, 'reason') ?? ''}`]),
  );
}
