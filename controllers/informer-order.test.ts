/**
 * The order in which an informer lists its objects depends on the order of events and on when the informer started.
 * What controllers write must not depend on it. Each row is a controller's decision on objects that are listed in any
 * order.
 */
import fc from 'fast-check';
import { formatTimestamp } from '../shared/api/metadata/object-meta';
import type {
  CoreV1Pod,
  CoreV1PodSpec,
  CoreV1PodStatus,
  DiscoveryV1EndpointSlice,
  MetaV1ObjectMeta,
} from '../shared/api/types/generated/members';
import { apiObject, type ApiObject } from '../shared/client/rest/api-object';
import { GENERATED_NAMES } from '../shared/names/dialect';
import type { JsonObject } from '../shared/values/json';
import { runStepsSync } from '../shared/scheduling/steps';
import { reconcileAutoscaler, type AutoscalerState } from './autoscalers/reconcile';
import { ScalingHistory } from './autoscalers/scaling-history';
import { statusAfterScaling } from './autoscalers/status';
import { desiredRules } from './cluster-role-aggregation/reconcile';
import { reconcileCronJob } from './cron-jobs/reconcile';
import { planDeployment } from './deployments/reconcile';
import { reconcileBudget } from './disruption/reconcile';
import { desiredEndpoints } from './endpoint-slices/desired-endpoints';
import { NodeTopology } from './endpoint-slices/node-topology';
import { reconcileSlices } from './endpoint-slices/reconcile';
import { serviceOwner, sliceNames, sliceView } from './endpoint-slices/slice';
import { desiredSubsets, endpointsAction, endpointsNames } from './endpoints/reconcile';
import { reconcileJob } from './jobs/reconcile';
import { statusAfter as jobStatusAfter, statusBeforeUntracking } from './jobs/status';
import { withDeletionConditions } from './namespace/namespace-conditions';
import { calculateStatus } from './replica-sets/status';
import { reconcileQuota } from './resource-quota/reconcile';
import { podView } from './service-pods/pod-view';
import { serviceView } from './service-pods/service-view';
import { calculateStatus as calculateStatefulSetStatus } from './stateful-sets/status';
import { propertyRuns } from '../test/support/property-runs';

const NOW = Date.UTC(2026, 0, 2);
const TIME = formatTimestamp(NOW - 60_000);

/** Returns the items in another order. */
type Shuffle = <T>(items: readonly T[]) => readonly T[];

/** A pod of which name, uid, address, node and readiness follow from the index. */
function pod(index: number, spec: CoreV1PodSpec = {}, status: CoreV1PodStatus = {}, metadata: MetaV1ObjectMeta = {}): ApiObject<CoreV1Pod> {
  const ip = `10.9.${index >> 8}.${index & 255}`;
  const ready = index % 3 === 0 ? 'False' : 'True';
  // Two primes: names that are distinct, and sorted differently from the indexes.
  const number = (index * 7919) % 10_007;
  return apiObject({
    metadata: { namespace: 'n', name: `p${number}`, uid: `u${index}`, labels: { app: 'a' }, ...metadata },
    spec: {
      nodeName: `node${index % 5}`,
      containers: [{ name: 'c', ports: [{ name: 'web', containerPort: 8000 + (index % 3) }] }],
      ...spec,
    },
    status: { phase: 'Running', podIP: ip, conditions: [{ type: 'Ready', status: ready, lastTransitionTime: TIME }], ...status },
  });
}
const pods = (count: number, create = pod): readonly ApiObject<CoreV1Pod>[] => Array.from({ length: count }, (_, index) => create(index));

const service = serviceView(
  apiObject({
    metadata: { namespace: 'n', name: 's', uid: 's' },
    spec: {
      clusterIP: '10.0.0.1',
      selector: { app: 'a' },
      ports: ['web', 80, 81, 82].map((targetPort, index) => ({ name: `port${index}`, port: 90 + index, protocol: 'TCP', targetPort })),
    },
  }),
  'platform.io',
);

function endpointsOf(shuffle: Shuffle, count: number): unknown {
  const desired = desiredSubsets(service, shuffle(pods(count)).map(podView));
  return endpointsAction({
    service,
    existing: undefined,
    desired,
    names: endpointsNames(GENERATED_NAMES.platform),
    triggerTime: undefined,
  });
}

const NAMES = sliceNames(GENERATED_NAMES.platform);
const nodes = Array.from({ length: 5 }, (_, index) =>
  apiObject({
    metadata: { name: `node${index}`, labels: { 'topology.platform.io/zone': `zone${index % 3}` } },
    status: { allocatable: { cpu: `${100 + 333 * index}m` }, conditions: [{ type: 'Ready', status: 'True' }] },
  }),
);

/** The changes of EndpointSlices for a Service with `count` pods and the existing slices. */
function slicesOf(shuffle: Shuffle, count: number, existing: readonly DiscoveryV1EndpointSlice[]): ReturnType<typeof reconcileSlices> {
  const listed = shuffle(nodes);
  const informer = { get: (_: string, name: string) => listed.find((node) => node.name === name), list: () => listed };
  const topology = new NodeTopology(informer, 'platform.io');
  const { groups } = desiredEndpoints(service, shuffle(pods(count)).map(podView), (name) => topology.get(name));
  const slices = shuffle(
    existing.map((body, index) => apiObject({ ...body, metadata: { namespace: 'n', name: `slice${index}`, uid: `${index}` } })),
  );
  return reconcileSlices(
    {
      owner: serviceOwner(service, NAMES),
      addressTypes: ['IPv4'],
      topology: 'auto',
      needsPlaceholder: true,
      slices: slices.map(sliceView),
      groups,
      triggerTime: undefined,
      cpus: topology.cpusByZone(),
    },
    { maxEndpointsPerSlice: 10, names: NAMES },
  );
}
const KEEP_ORDER: Shuffle = (items) => items;

// Each of the functions below returns what one controller writes.

const template = (image: string): JsonObject => ({ metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image }] } });
function deploymentOf(shuffle: Shuffle): unknown {
  const sets = Array.from({ length: 6 }, (_, index) =>
    apiObject({
      metadata: { namespace: 'n', name: `set${index}`, uid: `s${index}`, creationTimestamp: formatTimestamp(NOW - index * 1000) },
      spec: { replicas: index, template: template(`image${index}`) },
      status: {
        replicas: index,
        conditions:
          index === 3 ? [] : [{ type: 'ReplicaFailure', status: 'True', reason: `r${index}`, message: 'm', lastTransitionTime: TIME }],
      },
    }),
  );
  const conditions = shuffle(['Available', 'Progressing', 'Others', 'Else']).map((type) => ({
    type,
    status: 'False',
    reason: 'Reason',
    message: 'm',
  }));
  const deployment = apiObject({
    metadata: { namespace: 'n', name: 'd', uid: 'd', generation: 1 },
    spec: { replicas: 9, template: template('image3'), progressDeadlineSeconds: 600 },
    status: { conditions: [...conditions] },
  });
  return planDeployment({ deployment, replicaSets: shuffle(sets), podsOf: () => [], now: NOW }).status;
}

const FAILING = { podFailurePolicy: { rules: [{ action: 'FailJob', onExitCodes: { operator: 'In', values: [1, 2, 3] } }] } };
function jobOf(shuffle: Shuffle, spec: JsonObject): unknown {
  const ended = (index: number): ApiObject<CoreV1Pod> => {
    const phase = ['Running', 'Succeeded', 'Failed'][index % 3] ?? '';
    const containerStatuses = [{ name: 'c', state: { terminated: { exitCode: (index % 4) + 1 } } }];
    const annotations = { 'batch.platform.io/job-completion-index': String(index) };
    return pod(index, {}, { phase, containerStatuses }, { finalizers: ['batch.platform.io/job-tracking'], annotations });
  };
  const job = apiObject({
    metadata: { namespace: 'n', name: 'j', uid: 'j' },
    spec: { parallelism: 700, completions: 900, backoffLimit: 900, template: template('i'), ...spec },
    status: { startTime: TIME, uncountedTerminatedPods: { succeeded: ['u1', 'u4'] } },
  });
  const actions = reconcileJob({
    job,
    pods: shuffle(pods(20, ended)),
    untracked: new Set(),
    isInformerBehind: false,
    backOffMs: 0,
    finishTime: () => NOW,
    now: NOW,
  });
  const untracked = new Set(actions.podsToUntrack.map(({ uid }) => uid));
  return [statusBeforeUntracking(actions), jobStatusAfter(actions, { untracked, deleted: new Set(), created: 0 })];
}

function autoscalerOf(shuffle: Shuffle): unknown {
  const ambiguous: AutoscalerState = {
    autoscaler: apiObject({ metadata: { namespace: 'n', name: 'h', uid: 'h' } }),
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' },
      minReplicas: 1,
      maxReplicas: 100,
      metrics: [{ type: 'Resource', resource: 'cpu', target: { type: 'utilization', percent: 50 } }],
      behavior: undefined,
    },
    scale: { specReplicas: 20, statusReplicas: 20, selector: 'app=a' },
    pods: shuffle(pods(20, (index) => pod(index, {}, { startTime: formatTimestamp(NOW - 3_600_000) }))),
    selectingAutoscalers: shuffle(['n/h', 'n/i', 'n/j']),
    measurements: [
      {
        type: 'pods',
        metrics: new Map(shuffle(pods(20)).map(({ name }, index) => [name, { milli: BigInt(index), timestamp: NOW, windowMs: 0 }])),
      },
    ],
    history: new ScalingHistory(),
    settings: { tolerance: 0.1, downscaleStabilizationMs: 0, readiness: { cpuInitializationMs: 0, readinessDelayMs: 0 } },
    now: NOW,
    monotonicNow: 0,
  };
  const sole: AutoscalerState = { ...ambiguous, selectingAutoscalers: ['n/h'] };
  return [ambiguous, sole].map((state) => statusAfterScaling(state, reconcileAutoscaler(state), { type: 'unchanged' }));
}

function cronOf(shuffle: Shuffle): unknown {
  const cron = apiObject({
    metadata: { namespace: 'n', name: 'c', uid: 'c', creationTimestamp: TIME },
    spec: { schedule: '* * * * *', suspend: true, successfulJobsHistoryLimit: 2 },
    status: { active: [0, 1, 2].map((index) => ({ name: `j${index}`, uid: `j${index}` })) },
  });
  const jobs = Array.from({ length: 8 }, (_, index) =>
    apiObject({
      metadata: { namespace: 'n', name: `j${index}`, uid: `j${index}` },
      status: { startTime: TIME, completionTime: TIME, conditions: [{ type: 'Complete', status: index === 1 ? 'False' : 'True' }] },
    }),
  );
  const { status, jobsToDelete } = reconcileCronJob({ cronJob: cron, jobs: shuffle(jobs), missing: new Set(), now: NOW });
  return [status, jobsToDelete.map(({ name }) => name)];
}

const ROWS: readonly (readonly [string, (shuffle: Shuffle) => unknown])[] = [
  ['Endpoints', (shuffle) => endpointsOf(shuffle, 30)],
  ['Endpoints over capacity', (shuffle) => endpointsOf(shuffle, 1_300)],
  ['new EndpointSlices', (shuffle) => slicesOf(shuffle, 30, [])],
  ['changed EndpointSlices', (shuffle) => slicesOf(shuffle, 40, slicesOf(KEEP_ORDER, 25, []).creates)],
  ['a Deployment', deploymentOf],
  ['a Job', (shuffle) => jobOf(shuffle, {})],
  ['a Job with indexes', (shuffle) => jobOf(shuffle, { completionMode: 'Indexed', backoffLimitPerIndex: 0 })],
  ['a Job that fails', (shuffle) => jobOf(shuffle, FAILING)],
  ['a CronJob', cronOf],
  ['a HorizontalPodAutoscaler', autoscalerOf],
  [
    'a ReplicaSet',
    (shuffle) =>
      calculateStatus(apiObject({ metadata: { name: 's' }, spec: { template: template('i') } }), shuffle(pods(20)), undefined, NOW),
  ],
  [
    'a StatefulSet',
    (shuffle) =>
      calculateStatefulSetStatus(
        {
          set: apiObject({ metadata: { name: 's' }, spec: {} }),
          pods: shuffle(pods(20)),
          currentRevision: 'a',
          updateRevision: 'b',
          now: NOW,
        },
        0,
      ),
  ],
  [
    'a PodDisruptionBudget',
    (shuffle) => {
      const budget = apiObject({
        metadata: { namespace: 'n', name: 'b', generation: 1 },
        spec: { minAvailable: 3 },
        status: { disruptedPods: Object.fromEntries(pods(6).map(({ name }) => [name, formatTimestamp(NOW - 1_000)])) },
      });
      const selected = pods(20).map(({ name }, index) => ({
        name,
        controller: undefined,
        isReady: index % 2 === 0,
        isBeingDeleted: index % 7 === 0,
      }));
      // The keys of a map are sorted when it is stored.
      return withSortedKeys(reconcileBudget({ budget, pods: shuffle(selected), expectedPods: 20, now: NOW }).status);
    },
  ],
  [
    'a ResourceQuota',
    (shuffle) => {
      const quota = apiObject({
        metadata: { namespace: 'n', name: 'q' },
        spec: { hard: { pods: '9', 'requests.cpu': '4', configmaps: '2' } },
      });
      const objects = pods(20, (index) => pod(index, { containers: [{ resources: { requests: { cpu: `${index * 37}m` } } }] }));
      return runStepsSync(reconcileQuota(quota, () => shuffle(objects), NOW)).status;
    },
  ],
  [
    'a namespace that is deleted',
    (shuffle) => {
      const remaining = ['a', 'b', 'c'].map((resource, index) => ({
        resource,
        count: index + 1,
        graceSeconds: 0,
        examples: [],
        finalizers: new Map(shuffle(['x/y', 'z/w']).map((name) => [name, index])),
      }));
      const attempt = {
        staleVersions: shuffle(['g/v1', 'h/v2']),
        malformedVersions: shuffle(['x', 'y']),
        failures: shuffle(['f', 'g']),
        remaining: shuffle(remaining),
      };
      return withDeletionConditions({ metadata: { name: 'n' } }, attempt, TIME);
    },
  ],
  [
    'an aggregated ClusterRole',
    (shuffle) => {
      const roles = Array.from({ length: 9 }, (_, index) =>
        apiObject({ metadata: { name: `r${index}`, labels: { part: 'x' } }, rules: [{ verbs: ['get'], resources: [`r${index % 4}`] }] }),
      );
      const aggregated = apiObject({
        metadata: { name: 'aggregated' },
        aggregationRule: { clusterRoleSelectors: [{ matchLabels: { part: 'x' } }] },
      });
      return desiredRules(aggregated, shuffle([...roles, aggregated]));
    },
  ],
];

/** A copy in which the members of all objects are sorted by name. */
function withSortedKeys(value: JsonObject | undefined): unknown {
  const text = JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
  return JSON.parse(text);
}

test.each(ROWS)('the order of a list from an informer does not change what is written for %s', (_, decide) => {
  const expected = JSON.stringify(decide(KEEP_ORDER));
  fc.assert(
    fc.property(fc.infiniteStream(fc.nat()), (chance) => {
      const shuffle: Shuffle = (items) =>
        items
          .map((item) => ({ item, key: Number(chance.next().value) }))
          .sort((a, b) => a.key - b.key)
          .map(({ item }) => item);
      expect(JSON.stringify(decide(shuffle))).toBe(expected);
    }),
    propertyRuns(5),
  );
});
