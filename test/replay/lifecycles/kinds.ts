/**
 * The kinds whose whole life is played by requests alone: what an object of each looks like, how it is changed, and which of its parts can be written by themselves.
 * Names are upstream's; `$NS` is the namespace of the run and begins the names of what belongs to none.
 */
import type { Body } from '../reference';

export interface LivingKind {
  readonly name: string;
  /** `/api/v1` or `/apis/<group>/<version>`. */
  readonly root: string;
  readonly resource: string;
  readonly isClusterScoped?: true;
  /** Without metadata. */
  readonly body: Body;
  /** A merge patch, sent with a label. */
  readonly patch?: Body;
  /** In the place of the body's members, sent with an annotation. */
  readonly update?: Body;
  /** Sent to the endpoint of its status: as a merge patch, then as a whole. */
  readonly status?: readonly [patched: Body, put: Body];
  /** The numbers that are put and patched at the endpoint of its scale. */
  readonly scale?: readonly [put: number, patched: number];
}

const LABELS = { app: 'a' };
const SELECTOR = { matchLabels: LABELS };
const CONTAINERS = [{ name: 'c', image: 'one' }];
const TEMPLATE = { metadata: { labels: LABELS }, spec: { containers: CONTAINERS } };
const OTHER_TEMPLATE = { metadata: { labels: LABELS }, spec: { containers: [{ name: 'c', image: 'two' }] } };
const JOB_SPEC = { suspend: true, template: { spec: { restartPolicy: 'Never', containers: CONTAINERS } } };
const APPS = '/apis/apps/v1';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const TIME = '2026-01-02T03:04:05Z';
const MICRO_TIME = '2026-01-02T03:04:05.000001Z';

/** A condition, and the same with other words. */
const conditions = (type: string, more: Body = {}): readonly [Body, Body] => [
  { conditions: [{ type, status: 'True', reason: 'Patched', message: 'by a patch', ...more }] },
  { conditions: [{ type, status: 'True', reason: 'Put', message: 'as a whole', ...more }] },
];

const WORKLOADS: readonly LivingKind[] = [
  {
    name: 'deployment',
    root: APPS,
    resource: 'deployments',
    body: { spec: { replicas: 1, selector: SELECTOR, template: TEMPLATE } },
    patch: { spec: { replicas: 2, template: { spec: { terminationGracePeriodSeconds: 0 } } } },
    update: { spec: { replicas: 1, selector: SELECTOR, template: OTHER_TEMPLATE } },
    status: conditions('StatusUpdate'),
    scale: [2, 4],
  },
  {
    name: 'replica-set',
    root: APPS,
    resource: 'replicasets',
    body: { spec: { replicas: 1, selector: SELECTOR, template: TEMPLATE } },
    patch: { spec: { replicas: 3 } },
    update: { spec: { replicas: 2, selector: SELECTOR, template: OTHER_TEMPLATE } },
    status: conditions('StatusUpdate'),
    scale: [2, 4],
  },
  {
    name: 'replication-controller',
    root: '/api/v1',
    resource: 'replicationcontrollers',
    body: { spec: { replicas: 1, selector: LABELS, template: TEMPLATE } },
    patch: { spec: { replicas: 3 } },
    update: { spec: { replicas: 2, selector: LABELS, template: OTHER_TEMPLATE } },
    status: [{ readyReplicas: 1, replicas: 1 }, { replicas: 2 }],
    scale: [2, 4],
  },
  {
    name: 'stateful-set',
    root: APPS,
    resource: 'statefulsets',
    body: { spec: { replicas: 1, serviceName: 's', selector: SELECTOR, template: TEMPLATE } },
    patch: { spec: { replicas: 2 } },
    update: { spec: { replicas: 2, serviceName: 's', selector: SELECTOR, template: OTHER_TEMPLATE } },
    status: conditions('StatusUpdate'),
    scale: [2, 4],
  },
  {
    name: 'daemon-set',
    root: APPS,
    resource: 'daemonsets',
    body: { spec: { selector: SELECTOR, template: TEMPLATE } },
    patch: { spec: { minReadySeconds: 1 } },
    update: { spec: { selector: SELECTOR, template: OTHER_TEMPLATE } },
    status: conditions('StatusUpdate'),
  },
  {
    name: 'controller-revision',
    root: APPS,
    resource: 'controllerrevisions',
    body: { data: { spec: { a: 1 } }, revision: 1 },
    patch: { revision: 2 },
    update: { data: { spec: { a: 1 } }, revision: 3 },
  },
  {
    name: 'job',
    root: '/apis/batch/v1',
    resource: 'jobs',
    // With a selector of its own: nothing is made up that an update would have to repeat.
    body: {
      spec: { ...JOB_SPEC, manualSelector: true, selector: SELECTOR, template: { ...JOB_SPEC.template, metadata: { labels: LABELS } } },
    },
    patch: { spec: { parallelism: 2 } },
    status: [
      { conditions: [{ type: 'CustomConditionType', status: 'True', reason: 'Patched' }] },
      { startTime: null, conditions: [{ type: 'CustomConditionType', status: 'True', reason: 'Put' }] },
    ],
  },
  {
    name: 'cron-job',
    root: '/apis/batch/v1',
    resource: 'cronjobs',
    body: { spec: { schedule: '* */1 * * ?', suspend: true, concurrencyPolicy: 'Allow', jobTemplate: { spec: JOB_SPEC } } },
    patch: { spec: { concurrencyPolicy: 'Forbid' } },
    update: { spec: { schedule: '@daily', suspend: true, jobTemplate: { spec: JOB_SPEC } } },
    status: [{ lastScheduleTime: TIME }, { lastScheduleTime: '2026-01-03T03:04:05Z' }],
  },
  {
    name: 'disruption-budget',
    root: '/apis/policy/v1',
    resource: 'poddisruptionbudgets',
    body: { spec: { minAvailable: 1, selector: SELECTOR } },
    patch: { spec: { minAvailable: 2 } },
    update: { spec: { minAvailable: '40%', selector: SELECTOR } },
    status: [{ disruptedPods: { one: TIME } }, { observedGeneration: 3, disruptedPods: { two: TIME } }],
  },
];

const POLICY_SPEC = {
  failurePolicy: 'Fail',
  matchConstraints: {
    // Of a group that nobody serves: no other run is judged by it.
    resourceRules: [{ operations: ['CREATE'], apiGroups: ['nobody.example.com'], apiVersions: ['v1'], resources: ['things'] }],
  },
  validations: [{ expression: 'object.spec.replicas <= 5' }],
};
const webhooks = (type: 'mutating' | 'validating', expression: string): readonly Body[] => [
  {
    name: `${type}.example.com`,
    clientConfig: { url: 'https://127.0.0.1:1/none' },
    rules: [{ operations: ['CREATE'], apiGroups: ['nobody.example.com'], apiVersions: ['v1'], resources: ['things'] }],
    matchConditions: [{ name: 'one', expression }],
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  },
];
const configuration = (type: 'mutating' | 'validating'): LivingKind => ({
  name: `${type}-webhook`,
  root: ADMISSION,
  resource: `${type}webhookconfigurations`,
  isClusterScoped: true,
  body: { webhooks: [...webhooks(type, "request.name == 'a'")] },
  patch: { webhooks: [...webhooks(type, "request.name == 'b'")] },
  update: { webhooks: [...webhooks(type, "object.metadata.name != 'skip-me'")] },
});

const ADMITTING: readonly LivingKind[] = [
  {
    name: 'resource-quota',
    root: '/api/v1',
    resource: 'resourcequotas',
    body: { spec: { hard: { cpu: '500m', memory: '500Mi' } } },
    patch: { spec: { hard: { memory: '10Gi' } } },
    update: { spec: { hard: { cpu: '1', memory: '1Gi' } } },
    status: [{ hard: { cpu: '1', memory: '1Gi' } }, { hard: { cpu: '2' }, used: { cpu: '1' } }],
  },
  {
    name: 'limit-range',
    root: '/api/v1',
    resource: 'limitranges',
    body: { spec: { limits: [{ type: 'Container', min: { cpu: '50m' }, max: { cpu: '500m' }, default: { cpu: '100m' } }] } },
    patch: { spec: { limits: [{ type: 'Container', max: { cpu: '600m' } }] } },
    update: { spec: { limits: [{ type: 'Pod', maxLimitRequestRatio: { memory: '2' } }] } },
  },
  {
    name: 'runtime-class',
    root: '/apis/node.k8s.io/v1',
    resource: 'runtimeclasses',
    isClusterScoped: true,
    body: { handler: 'h', overhead: { podFixed: { cpu: '100m' } } },
    patch: { scheduling: { nodeSelector: { a: 'b' } } },
    update: { handler: 'h', overhead: { podFixed: { cpu: '200m' } } },
  },
  {
    name: 'service-account',
    root: '/api/v1',
    resource: 'serviceaccounts',
    body: { automountServiceAccountToken: true },
    patch: { automountServiceAccountToken: false },
    update: { automountServiceAccountToken: true, imagePullSecrets: [{ name: 's' }] },
  },
  {
    name: 'event',
    root: '/api/v1',
    resource: 'events',
    body: { involvedObject: { kind: 'ConfigMap', name: 'm', namespace: '$NS' }, type: 'Normal', reason: 'Test', message: 'one', count: 1 },
    patch: { message: 'two' },
    update: {
      involvedObject: { kind: 'ConfigMap', name: 'm', namespace: '$NS' },
      reason: 'Test',
      series: { count: 100, lastObservedTime: MICRO_TIME },
    },
  },
  {
    name: 'new-event',
    root: '/apis/events.k8s.io/v1',
    resource: 'events',
    body: {
      regarding: { kind: 'ConfigMap', name: 'm', namespace: '$NS' },
      eventTime: MICRO_TIME,
      reportingController: 'example.com/c',
      reportingInstance: 'i',
      action: 'Do',
      reason: 'Test',
      type: 'Normal',
      note: 'one',
    },
    patch: { series: { count: 2, lastObservedTime: MICRO_TIME } },
    update: { series: { count: 100, lastObservedTime: MICRO_TIME } },
  },
  {
    name: 'admission-policy',
    root: ADMISSION,
    resource: 'validatingadmissionpolicies',
    isClusterScoped: true,
    body: { spec: POLICY_SPEC },
    patch: { spec: { failurePolicy: 'Ignore' } },
    update: { spec: { ...POLICY_SPEC, variables: [{ name: 'v', expression: '1' }], validations: [{ expression: 'variables.v == 1' }] } },
    status: [
      { conditions: [{ type: 'Patched', status: 'True', reason: 'Patched', message: 'm', lastTransitionTime: TIME }] },
      { conditions: [{ type: 'Put', status: 'False', reason: 'Put', message: 'm', lastTransitionTime: TIME }] },
    ],
  },
  {
    name: 'admission-binding',
    root: ADMISSION,
    resource: 'validatingadmissionpolicybindings',
    isClusterScoped: true,
    body: { spec: { policyName: 'none.example.com', validationActions: ['Deny'] } },
    patch: { spec: { validationActions: ['Warn'] } },
    update: { spec: { policyName: 'none.example.com', validationActions: ['Deny', 'Audit'] } },
  },
  configuration('mutating'),
  configuration('validating'),
];

export const LIVING_KINDS: readonly LivingKind[] = [...WORKLOADS, ...ADMITTING];
