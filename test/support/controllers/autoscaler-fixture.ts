/**
 * Runs the controller of HorizontalPodAutoscalers over the in-memory API server, with a clock that the test advances:
 * Deployments with a scale that can be read and updated, and an external metric with the length of a queue. Creates no
 * pods.
 */
import { runAutoscalers } from '../../../controllers/autoscalers/controller';
import type { AutoscalingSettings } from '../../../controllers/runtime/controller';
import type { EventReport } from '../../../shared/client/events/event-correlator';
import type { TransportRequest } from '../../../shared/client/transport/transport';
import { arrayAt, isObject, objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { jsonResponse, statusResponse, type FakeApi, type Interception } from './fake-api';
import { fakeClient } from './fake-client';
import { fakeContext } from './fake-context';
import { FixedRandom } from '../clock/fixed-random';

const AUTOSCALERS = '/apis/autoscaling/v2/horizontalpodautoscalers';
/** Upstream's default of `--horizontal-pod-autoscaler-sync-period`. */
export const PERIOD_MS = 15_000;
/** The path of a Deployment's scale, with its name. */
const SCALE = /^\/apis\/apps\/v1\/namespaces\/n\/deployments\/([^/]+)\/scale$/;
/** The external metrics API, in either dialect. */
const QUEUE = /^\/apis\/external\.metrics\.platform\.io\/|^\/apis\/external\.metrics\.k8s\.io\//;
/** Aggregated discovery, in which the controller finds the resource of a scale target. */
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
  /** The selector in the Deployment's scale; '' when the scale has none. */
  selector: string;
}

export interface AutoscalerFixture {
  readonly api: FakeApi;
  readonly clock: ReturnType<typeof fakeClient>['clock'];
  /** Deployments by name. */
  readonly targets: Map<string, FakeTarget>;
  /** The value of the external metric `queue`. */
  queueLength: number;
  /** Responds in place of the server, or fails the request. `undefined`: the server responds. */
  intercept: (request: TransportRequest) => Interception;
  /** What the controller has reported as Events, in order. */
  readonly events: EventReport[];
  /** The requests since the previous call, without watches: `GET …/web/scale`. */
  takeRequests(): readonly string[];
  /** Creates or replaces an autoscaler. `spec` and `metadata` replace members of {@link queueSpec} and of the metadata. */
  put(name: string, spec?: JsonObject, metadata?: JsonObject): void;
  /** Deletes an autoscaler. */
  remove(name: string): void;
  /** Status and reason by condition type: `True SucceededRescale`. */
  conditions(name: string): Readonly<Record<string, string>>;
  /** Empty when the autoscaler has no status. */
  statusOf(name: string): JsonObject;
  /** Resolves when the controller has stopped. */
  stop(): Promise<void>;
}

export interface AutoscalerFixtureOptions {
  /** The value of every random number, which decides when in its period an autoscaler is first reconciled. */
  readonly randomValue?: number;
  readonly settings?: Partial<AutoscalingSettings>;
  /** Called before the controller starts. */
  readonly prepare?: (fixture: Pick<AutoscalerFixture, 'put' | 'targets'>) => void;
}

/** Resolves when the controller follows its informers. */
export async function startAutoscalerFixture({
  randomValue = 0,
  settings = {},
  prepare = () => undefined,
}: AutoscalerFixtureOptions = {}): Promise<AutoscalerFixture> {
  const fake = fakeClient();
  const { clock, api } = fake;
  const targets = new Map<string, FakeTarget>();
  const events: EventReport[] = [];
  const abort = new AbortController();
  const put: AutoscalerFixture['put'] = (name, spec = {}, metadata = {}) => {
    const existing = api.get(AUTOSCALERS, 'n', name);
    api.put(AUTOSCALERS, { ...existing, metadata: { namespace: 'n', name, ...metadata }, spec: { ...queueSpec(name), ...spec } });
  };
  prepare({ put, targets });
  /** The number of requests that `takeRequests` has returned. */
  let takenCount = 0;
  let loop: Promise<void> = Promise.resolve();
  const fixture: AutoscalerFixture = {
    api,
    clock,
    targets,
    queueLength: 0,
    intercept: () => undefined,
    events,
    put,
    takeRequests: () => {
      const requests = api.requests.slice(takenCount).filter((request) => !request.includes('watch=1'));
      takenCount = api.requests.length;
      return requests;
    },
    remove: (name) => api.remove(AUTOSCALERS, 'n', name),
    statusOf: (name) => objectAt(api.get(AUTOSCALERS, 'n', name), 'status') ?? {},
    conditions: (name) => conditionsIn(fixture.statusOf(name)),
    stop: async () => {
      abort.abort();
      await clock.advanceAsync(0);
      await loop;
    },
  };
  api.intercept = async (request) => (await fixture.intercept(request)) ?? respondTo(fixture, request);
  loop = runAutoscalers({
    ...fakeContext(fake, abort.signal),
    random: new FixedRandom(randomValue),
    events: { record: (report) => void events.push(report) },
    settings: { autoscaling: { ...SETTINGS, ...settings } },
  });
  await clock.advanceAsync(0);
  fixture.takeRequests();
  return fixture;
}

/** An autoscaler that wants one pod for every ten items in the queue, for the Deployment of the same name. */
const queueSpec = (name: string): JsonObject => ({
  scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name },
  minReplicas: 1,
  maxReplicas: 100,
  metrics: [{ type: 'External', external: { metric: { name: 'queue' }, target: { type: 'AverageValue', averageValue: '10' } } }],
});

/** Responds to requests for discovery, the metric and scales; `undefined` for all others, to which the fake API server responds. */
function respondTo(fixture: AutoscalerFixture, { method, path, body }: TransportRequest): Interception {
  if (path === '/api') return jsonResponse(200, { items: [] });
  if (path === '/apis') return jsonResponse(200, { items: GROUPS });
  if (QUEUE.test(path))
    return jsonResponse(200, { items: [{ metricName: 'queue', timestamp: '2026-01-01T00:00:00Z', value: String(fixture.queueLength) }] });
  const name = SCALE.exec(path)?.[1];
  if (name === undefined) return undefined;
  const target = fixture.targets.get(name);
  if (target === undefined) return statusResponse(404, 'NotFound');
  const sent: JsonObject = method === 'PUT' && body !== undefined ? JSON.parse(body.toString()) : {};
  const requestedReplicas = objectAt(sent, 'spec')?.['replicas'];
  if (typeof requestedReplicas === 'number') target.replicas = requestedReplicas;
  const { replicas, selector } = target;
  return jsonResponse(200, {
    metadata: { namespace: 'n', name, uid: `of ${name}`, resourceVersion: '7' },
    spec: { replicas },
    status: { replicas, selector },
  });
}

function conditionsIn(status: JsonObject): Readonly<Record<string, string>> {
  const conditions = (arrayAt(status, 'conditions') ?? []).filter(isObject);
  return Object.fromEntries(
    conditions.map((condition) => [
      stringAt(condition, 'type') ?? '',
      `${stringAt(condition, 'status') ?? ''} ${stringAt(condition, 'reason') ?? ''}`,
    ]),
  );
}
