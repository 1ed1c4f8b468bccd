/**
 * What scenarios of autoscalers are made of. No other controller runs but those of accounts and namespaces: Deployments do nothing by themselves, and pods are what the
 * steps say. Metrics are put where support/metrics-server gives them back.
 */
import type { Body, Json } from '../reference';
import { pod, type PodWishes } from './pods';
import { create, patch, replace, type Act, type Look, type Scenario, type ScenarioStep } from './scenario';

export const APPS = '/apis/apps/v1/namespaces/$NS';
export const SCALERS = '/apis/autoscaling/v2/namespaces/$NS/horizontalpodautoscalers';
export const LOOKS: readonly Look[] = [
  { path: SCALERS, members: ['status'] },
  { path: `${APPS}/deployments`, members: ['spec'], leftOut: ['template', 'strategy', 'selector'] },
];
export const EVENTS: Look = { path: 'events', members: ['involvedObject', 'type', 'reason', 'message', 'source'] };
export const ASKED: Look = { path: '/apis/metrics.k8s.io/v1beta1/namespaces/$NS/asked', isAggregated: true };
const A = { app: 'a' };
const TEMPLATE = (labels: Body): Body => ({ metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } });

export const deployment = (replicas: number, name = 'web', labels: Body = A): Act[] => [
  create(`${APPS}/deployments`, { metadata: { name }, spec: { replicas, selector: { matchLabels: labels }, template: TEMPLATE(labels) } }),
  patch(`${APPS}/deployments/${name}/status`, { status: { replicas } }),
];
export const scaled = (replicas: number, name = 'web'): Act => patch(`${APPS}/deployments/${name}`, { spec: { replicas } });
export const WEB: Body = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' };
export const scaler = (spec: Body, name = 'h'): Act =>
  create(SCALERS, { metadata: { name }, spec: { scaleTargetRef: WEB, maxReplicas: 10, ...spec } });
export const changed = (spec: Body, name = 'h'): Act => patch(`${SCALERS}/${name}`, { spec });

const REQUESTS = { resources: { requests: { cpu: '100m', memory: '100Mi' } } };
const LONG_AGO = '$NOW-3600s';
/** One that has served for an hour, unless its wishes say otherwise, and asks for a tenth of a core. */
export const serving = (name: string, { started = LONG_AGO, since = started, is = 'True', ...wishes }: ServingWishes = {}): Act[] => [
  ...pod(name, { labels: A, container: REQUESTS, ...wishes }),
  patch(`pods/${name}/status`, {
    status: { phase: 'Running', startTime: started, conditions: [{ type: 'Ready', status: is, lastTransitionTime: since }] },
  }),
];
interface ServingWishes extends PodWishes {
  readonly started?: string;
  /** When it got or lost its readiness. */
  readonly since?: string;
  readonly is?: string;
}
export const pods = (count: number): Act[] => Array.from({ length: count }, (_, at) => serving(`p${at + 1}`)).flat();

export const resource = (target: Body, name = 'cpu'): Body => ({ type: 'Resource', resource: { name, target } });
export const utilization = (averageUtilization: number): Body => ({ type: 'Utilization', averageUtilization });
export const average = (averageValue: string): Body => ({ type: 'AverageValue', averageValue });
export const value = (amount: string): Body => ({ type: 'Value', value: amount });
export const containerResource = (target: Body, container = 'c'): Body => ({
  type: 'ContainerResource',
  containerResource: { name: 'cpu', container, target },
});
export const ofPods = (target: Body, metric: Body = {}): Body => ({
  type: 'Pods',
  pods: { metric: { name: 'requests', ...metric }, target },
});
export const INGRESS = { apiVersion: 'networking.k8s.io/v1', kind: 'Ingress', name: 'main' };
export const ofObject = (target: Body, describedObject: Body = INGRESS, metric: Body = {}): Body => ({
  type: 'Object',
  object: { describedObject, metric: { name: 'hits', ...metric }, target },
});
export const external = (target: Body, metric: Body = {}): Body => ({
  type: 'External',
  external: { metric: { name: 'queue', ...metric }, target },
});

export interface Usage {
  readonly cpu: string;
  readonly memory?: string;
  readonly at?: string;
  /** What other containers use, by their names. */
  readonly beside?: Readonly<Record<string, string>>;
}

/** What pods use, by their names; a text is that of the processor. */
export const used = (usage: Readonly<Record<string, string | Usage>>): Act =>
  replace('/apis/metrics.k8s.io/v1beta1/namespaces/$NS/pods', {
    kind: 'PodMetricsList',
    apiVersion: 'metrics.k8s.io/v1beta1',
    metadata: {},
    items: Object.entries(usage).map(([name, found]) => podMetrics(name, typeof found === 'string' ? { cpu: found } : found)),
  });

function podMetrics(name: string, { cpu, memory = '50Mi', at = '$NOW', beside = {} }: Usage): Body {
  const containers: Json[] = Object.entries({ c: cpu, ...beside }).map(([container, amount]) => ({
    name: container,
    usage: { cpu: amount, memory },
  }));
  return { metadata: { name, namespace: '$NS', labels: { app: 'a' } }, timestamp: at, window: '30s', containers };
}

const CUSTOM = '/apis/custom.metrics.k8s.io/v1beta2';
const measured = (described: Body, metric: string, amount: string): Body => ({
  describedObject: described,
  metric: { name: metric },
  timestamp: '$NOW',
  windowSeconds: 30,
  value: amount,
});
const values = (items: Json[]): Body => ({ kind: 'MetricValueList', apiVersion: 'custom.metrics.k8s.io/v1beta2', metadata: {}, items });
/** What was measured of pods, by their names. */
export const podsHave = (found: Readonly<Record<string, string>>): Act =>
  replace(
    `${CUSTOM}/namespaces/$NS/pods/all/requests`,
    values(
      Object.entries(found).map(([name, amount]) =>
        measured({ kind: 'Pod', namespace: '$NS', name, apiVersion: '/v1' }, 'requests', amount),
      ),
    ),
  );
export const objectHas = (amount: string, path = 'namespaces/$NS/ingresses.networking.k8s.io/main', described: Body = INGRESS): Act =>
  replace(`${CUSTOM}/${path}/hits`, values([measured({ ...described, namespace: '$NS' }, 'hits', amount)]));
export const queueHas = (...amounts: readonly string[]): Act =>
  replace('/apis/external.metrics.k8s.io/v1beta1/namespaces/$NS/queue', {
    kind: 'ExternalMetricValueList',
    apiVersion: 'external.metrics.k8s.io/v1beta1',
    metadata: {},
    items: amounts.map((amount) => ({ metricName: 'queue', metricLabels: { q: 'one' }, timestamp: '$NOW', value: amount })),
  });

export const scenario = (name: string, steps: readonly ScenarioStep[], more: Partial<Scenario> = {}): Scenario => ({
  name: `scaler-${name}`,
  looks: LOOKS,
  steps: steps.map((step) => ({ restMs: 3_500, ...step })),
  ...more,
});

/** By the processor. */
export const CPU: Body = { metrics: [resource(utilization(50))] };
/** Without a wait before fewer are wanted, and fast. */
export const AT_ONCE: Body = {
  behavior: { scaleDown: { stabilizationWindowSeconds: 0 }, scaleUp: { policies: [{ type: 'Pods', value: 50, periodSeconds: 1800 }] } },
};
/** As many pods use as much each. */
export const all = (count: number, amount: string): Act =>
  used(Object.fromEntries(Array.from({ length: count }, (_, at) => [`p${at + 1}`, amount])));
export const begin = (count: number, spec: Body): Act[] => [...deployment(count), ...pods(count), scaler({ ...AT_ONCE, ...spec })];

const POLICIES = '/apis/admissionregistration.k8s.io/v1';
/** Nobody may make it another number of pods than seven. */
export const SEVEN_ONLY: readonly Act[] = [
  create(`${POLICIES}/validatingadmissionpolicies`, {
    metadata: { name: '$NS-p' },
    spec: {
      matchConstraints: {
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': '$NS' } },
        resourceRules: [{ apiGroups: ['apps'], apiVersions: ['v1'], resources: ['deployments/scale'], operations: ['UPDATE'] }],
      },
      validations: [{ expression: 'object.spec.replicas == 7', message: 'seven it must be' }],
    },
  }),
  create(`${POLICIES}/validatingadmissionpolicybindings`, {
    metadata: { name: '$NS-b' },
    spec: { policyName: '$NS-p', validationActions: ['Deny'] },
  }),
];
export const SEVEN_LEFTOVERS: readonly string[] = [
  `${POLICIES}/validatingadmissionpolicybindings/$NS-b`,
  `${POLICIES}/validatingadmissionpolicies/$NS-p`,
];
