/**
 * What managers may want of each kind, for random sequences (sequences.ts): every type of list and map that the kinds have, at the top and nested.
 * In canonical spelling. Values are valid with few exceptions, and need nothing that a server would allocate.
 */
import { items, map, nonEmpty, object, one, some, type Maker } from './dice';
import type { Body } from './reference';

export interface Wishes {
  readonly resource: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
  /** What a creation needs. */
  readonly base: Body;
  /** Every intent has the base: what lacks it would be given more than it asks for. */
  readonly whole?: boolean;
  /** What a manager may want on top, below the object's own members. */
  readonly wish: Maker;
  /** Absent = no status endpoint. */
  readonly status?: Maker;
}

const values = one('1', '2', '');
const quantity = one('1', '2', '500m', '1000m');
const labels = map(['a', 'b', 'c.d/e'], one('1', '2'));

/** Of every kind. */
export const METADATA: Maker = object(
  {},
  {
    labels,
    annotations: map(['x', 'y', 'z'], one('<1>', '2', '')),
    finalizers: some('a.b/x', 'a.b/y', 'a.b/z'),
    ownerReferences: items(
      [{ uid: 'u1' }, { uid: 'u2' }, { uid: 'u3' }],
      object({ apiVersion: one('v1'), kind: one('ConfigMap'), name: one('n', 'm') }),
    ),
  },
);

const condition = object({ status: one('True', 'False'), lastTransitionTime: one(null) }, { reason: one('R', 'S'), message: one('', 'm') });
const conditions = items([{ type: 'A' }, { type: 'B' }, { type: 'C' }], condition);
/** With every member, as newer kinds demand it. */
const fullConditions = items(
  [{ type: 'A' }, { type: 'B' }, { type: 'C' }],
  object({ status: one('True', 'False'), lastTransitionTime: one('2024-01-01T00:00:00Z'), reason: one('R', 'S'), message: one('', 'm') }),
);

const container = object(
  { image: one('i', 'j') },
  {
    command: some('c', 'd', 'e'),
    env: items([{ name: 'E' }, { name: 'F' }, { name: 'G' }], object({}, { value: values })),
    envFrom: some({ prefix: 'p', configMapRef: { name: 'n' } }, { secretRef: { name: 's' } }),
    ports: items(
      [{ containerPort: 80 }, { containerPort: 443, protocol: 'TCP' }, { containerPort: 53, protocol: 'UDP' }, { containerPort: 53 }],
      object({}, { hostIP: one('1.2.3.4', '') }),
    ),
    resources: object({}, { limits: map(['cpu', 'memory'], quantity) }),
    volumeMounts: items([{ mountPath: '/a' }, { mountPath: '/b' }], object({ name: one('v', 'w') }, { readOnly: one(true, false) })),
    securityContext: object({}, { capabilities: object({}, { add: some('A', 'B'), drop: some('C') }), runAsUser: one(0, 1) }),
  },
);
const podSpec: Record<string, Maker> = {
  containers: items([{ name: 'c' }, { name: 'd' }, { name: 'e' }], container),
  initContainers: items([{ name: 'i' }, { name: 'k' }], container),
  volumes: items(
    [{ name: 'v' }, { name: 'w' }],
    object({}, { emptyDir: object({}), configMap: object({ name: one('n') }, { items: some({ key: 'k', path: 'p' }) }) }),
  ),
  tolerations: some({ key: 't', operator: 'Exists' }, { key: 'u', value: '1' }),
  hostAliases: items([{ ip: '1.1.1.1' }, { ip: '2.2.2.2' }], object({}, { hostnames: some('h', 'g') })),
  nodeSelector: map(['n', 'm'], one('1', '2')),
  imagePullSecrets: items([{ name: 'p' }, { name: 'q' }], object({})),
  topologySpreadConstraints: items(
    [
      { topologyKey: 't', whenUnsatisfiable: 'DoNotSchedule' },
      { topologyKey: 't', whenUnsatisfiable: 'ScheduleAnyway' },
    ],
    object({ maxSkew: one(1, 2) }, { labelSelector: object({}, { matchLabels: labels }) }),
  ),
  securityContext: object({}, { runAsUser: one(0, 1), sysctls: some({ name: 'a.b', value: '1' }), supplementalGroups: some(1, 2) }),
  terminationGracePeriodSeconds: one(30, 5),
  affinity: object(
    {},
    { nodeAffinity: object({}, { preferredDuringSchedulingIgnoredDuringExecution: some({ weight: 1, preference: {} }) }) },
  ),
};
const template = object({}, { metadata: object({}, { annotations: map(['t'], values) }), spec: object({}, podSpec) });
const podTemplate: Body = { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
const selector: Body = { matchLabels: { app: 'a' } };

const NOT_READY = { key: 'node.platform.io/not-ready', effect: 'NoSchedule' };

export const WISHES: readonly Wishes[] = [
  {
    resource: 'configmaps',
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespaced: true,
    base: {},
    wish: object({}, { data: map(['a', 'b', 'c', 'd'], values), binaryData: map(['p', 'q'], one('AQ==', 'Ag==')) }),
  },
  {
    resource: 'secrets',
    apiVersion: 'v1',
    kind: 'Secret',
    namespaced: true,
    base: {},
    wish: object({}, { data: map(['a', 'b', 'c'], one('AQ==', 'Ag==')), stringData: map(['a', 'z'], one('1', '2')) }),
  },
  {
    resource: 'serviceaccounts',
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    namespaced: true,
    base: {},
    wish: object(
      {},
      {
        secrets: items(
          [{ name: 'a' }, { name: 'b' }, { name: 'c' }, { name: 'd' }],
          object({}, { namespace: one('n', 'm'), kind: one('K') }),
        ),
        imagePullSecrets: some({ name: 'a' }, { name: 'b' }),
        automountServiceAccountToken: one(true, false),
      },
    ),
  },
  {
    resource: 'services',
    apiVersion: 'v1',
    kind: 'Service',
    namespaced: true,
    base: { spec: { type: 'ExternalName', externalName: 'x.example' } },
    whole: true,
    wish: object(
      {},
      {
        spec: object(
          {},
          {
            ports: items(
              [
                { port: 80, name: 'a' },
                { port: 80, protocol: 'UDP', name: 'b' },
                { port: 443, protocol: 'TCP', name: 'c' },
                { port: 53, name: 'd' },
              ],
              object({}, { targetPort: one(8080, 'http'), appProtocol: one('x', 'y') }),
            ),
            selector: map(['s', 't'], one('1', '2')),
            externalIPs: some('1.1.1.1', '2.2.2.2'),
            sessionAffinity: one('None'),
            externalName: one('x.example', 'y.example'),
          },
        ),
      },
    ),
    status: object({}, { conditions: fullConditions }),
  },
  {
    resource: 'endpoints',
    apiVersion: 'v1',
    kind: 'Endpoints',
    namespaced: true,
    base: {},
    wish: object(
      {},
      {
        subsets: some(
          { addresses: [{ ip: '10.1.1.1' }], ports: [{ port: 80, name: 'a' }] },
          { notReadyAddresses: [{ ip: '10.1.1.2', targetRef: { kind: 'Pod', name: 'p' } }], ports: [{ port: 81 }] },
        ),
      },
    ),
  },
  {
    resource: 'leases',
    apiVersion: 'coordination.platform.io/v1',
    kind: 'Lease',
    namespaced: true,
    base: {},
    wish: object(
      {},
      {
        spec: object(
          {},
          {
            holderIdentity: one('h', 'i'),
            leaseDurationSeconds: one(10, 20),
            leaseTransitions: one(0, 1),
            renewTime: one('2024-01-01T00:00:00Z', '2024-01-01T00:00:00.000001Z'),
          },
        ),
      },
    ),
  },
  {
    resource: 'nodes',
    apiVersion: 'v1',
    kind: 'Node',
    namespaced: false,
    // A taint that admission would add, so that everyone's nodes have it.
    base: { spec: { taints: [NOT_READY] } },
    whole: true,
    wish: object(
      {},
      {
        spec: object(
          {},
          {
            taints: one([NOT_READY], [NOT_READY, { key: 't', effect: 'NoSchedule' }]),
            unschedulable: one(true, false),
            podCIDRs: some('10.0.0.0/24', 'fd00::/64'),
          },
        ),
      },
    ),
    status: object(
      {},
      {
        conditions,
        addresses: items([{ type: 'Hostname' }, { type: 'InternalIP' }], object({ address: one('1.2.3.4', 'h') })),
        capacity: map(['cpu', 'memory'], quantity),
        images: some({ names: ['a'], sizeBytes: 1 }, { names: ['b', 'c'] }),
        nodeInfo: object({}, { kernelVersion: one('1', '2') }),
        volumesInUse: some('v', 'w'),
        daemonEndpoints: object({}, { kubeletEndpoint: object({ Port: one(1, 2) }) }),
      },
    ),
  },
  {
    resource: 'deployments',
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    namespaced: true,
    base: { spec: { selector, template: podTemplate } },
    wish: object(
      {},
      {
        spec: object(
          {},
          {
            replicas: one(0, 1, 2),
            template,
            strategy: object(
              {},
              { type: one('RollingUpdate'), rollingUpdate: object({}, { maxSurge: one(1, '25%'), maxUnavailable: one(1, '50%') }) },
            ),
            paused: one(true, false),
          },
        ),
      },
    ),
    status: object({}, { conditions, replicas: one(1, 2), observedGeneration: one(1) }),
  },
  {
    resource: 'pods',
    apiVersion: 'v1',
    kind: 'Pod',
    namespaced: true,
    base: { spec: { containers: [{ name: 'c', image: 'i' }], automountServiceAccountToken: false } },
    whole: true,
    wish: object(
      {},
      { spec: object({}, { containers: items([{ name: 'c' }], object({}, { image: one('i', 'j') })), activeDeadlineSeconds: one(9) }) },
    ),
    status: object(
      {},
      {
        conditions,
        phase: one('Running', 'Pending'),
        podIPs: items([{ ip: '1.2.3.4' }, { ip: 'fd00::1' }], object({})),
        hostIP: one('1.1.1.1'),
      },
    ),
  },
  {
    resource: 'statefulsets',
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    namespaced: true,
    base: { spec: { selector, serviceName: 's', template: podTemplate } },
    wish: object(
      {},
      { spec: object({}, { replicas: one(0, 1), template, minReadySeconds: one(0, 5), ordinals: object({}, { start: one(0, 1) }) }) },
    ),
    status: object({ replicas: one(1, 2) }, { conditions, currentRevision: one('a', 'b') }),
  },
  {
    resource: 'cronjobs',
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    namespaced: true,
    base: {
      spec: {
        schedule: '0 0 * * *',
        jobTemplate: { spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } } } },
      },
    },
    wish: object(
      {},
      {
        spec: object(
          {},
          {
            schedule: one('0 0 * * *', '1 1 * * *'),
            suspend: one(true, false),
            jobTemplate: object({}, { metadata: object({}, { labels }), spec: object({}, { parallelism: one(1, 2), template }) }),
          },
        ),
      },
    ),
    status: object({}, { active: some({ name: 'a' }, { name: 'b', uid: 'u' }), lastScheduleTime: one('2024-01-01T00:00:00Z') }),
  },
  {
    resource: 'networkpolicies',
    apiVersion: 'networking.platform.io/v1',
    kind: 'NetworkPolicy',
    namespaced: true,
    base: { spec: { podSelector: {} } },
    wish: object(
      {},
      {
        spec: object(
          {},
          {
            podSelector: one({}, { matchLabels: { a: '1' } }, { matchLabels: { b: '2' } }),
            ingress: nonEmpty(some({}, { ports: [{ port: 80 }] }, { from: [{ podSelector: {} }] })),
            policyTypes: one(['Ingress'], ['Egress'], ['Ingress', 'Egress']),
          },
        ),
      },
    ),
  },
  {
    resource: 'ingresses',
    apiVersion: 'networking.platform.io/v1',
    kind: 'Ingress',
    namespaced: true,
    base: { spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } } },
    wish: object(
      {},
      {
        spec: object(
          {},
          {
            defaultBackend: object({ service: object({ name: one('s', 't'), port: one({ number: 80 }, { name: 'h' }) }) }),
            rules: some(
              { host: 'a.b' },
              {
                host: 'c.d',
                http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service: { name: 's', port: { number: 1 } } } }] },
              },
            ),
            tls: some({ hosts: ['a.b'] }, { secretName: 's' }),
          },
        ),
      },
    ),
    status: object({}, { loadBalancer: object({}, { ingress: some({ ip: '1.1.1.1' }, { hostname: 'h' }) }) }),
  },
  {
    resource: 'poddisruptionbudgets',
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    namespaced: true,
    base: { spec: {} },
    wish: object(
      {},
      {
        spec: object(
          {},
          {
            minAvailable: one(1, '50%'),
            selector: object({}, { matchLabels: labels, matchExpressions: some({ key: 'k', operator: 'Exists' }) }),
          },
        ),
      },
    ),
    status: object(
      { disruptionsAllowed: one(0, 1), currentHealthy: one(1), desiredHealthy: one(1), expectedPods: one(2) },
      { conditions: fullConditions, disruptedPods: map(['p', 'q'], one('2024-01-01T00:00:00Z')) },
    ),
  },
  {
    resource: 'clusterroles',
    apiVersion: 'rbac.authorization.platform.io/v1',
    kind: 'ClusterRole',
    namespaced: false,
    base: {},
    wish: object(
      {},
      {
        rules: some({ apiGroups: [''], resources: ['pods'], verbs: ['get'] }, { nonResourceURLs: ['/x'], verbs: ['get', 'put'] }),
        aggregationRule: object({}, { clusterRoleSelectors: some({ matchLabels: { a: 'b' } }, { matchLabels: { c: 'd' } }) }),
      },
    ),
  },
  {
    resource: 'csinodes',
    apiVersion: 'storage.platform.io/v1',
    kind: 'CSINode',
    namespaced: false,
    base: { spec: { drivers: [] } },
    wish: object(
      {},
      {
        spec: object({
          drivers: items(
            [{ name: 'd.e' }, { name: 'f.g' }],
            object({ nodeID: one('n') }, { topologyKeys: some('t', 'u'), allocatable: object({}, { count: one(1) }) }),
          ),
        }),
      },
    ),
  },
  {
    resource: 'resourcequotas',
    apiVersion: 'v1',
    kind: 'ResourceQuota',
    namespaced: true,
    base: {},
    wish: object(
      {},
      { spec: object({}, { hard: map(['pods', 'cpu', 'count/configmaps.x'], quantity), scopes: one(['BestEffort'], ['NotBestEffort']) }) },
    ),
    status: object({}, { hard: map(['pods', 'cpu'], quantity), used: map(['pods', 'cpu'], quantity) }),
  },
  {
    resource: 'endpointslices',
    apiVersion: 'discovery.platform.io/v1',
    kind: 'EndpointSlice',
    namespaced: true,
    base: { addressType: 'IPv4', endpoints: [{ addresses: ['10.1.1.3'] }] },
    wish: object(
      {},
      {
        addressType: one('IPv4'),
        endpoints: one(
          [{ addresses: ['10.1.1.1'] }],
          [{ addresses: ['10.1.1.2'], conditions: { ready: true } }, { addresses: ['10.1.1.1'] }],
        ),
        ports: some({ port: 80, name: 'a' }, { port: 81, name: 'b', protocol: 'UDP' }),
      },
    ),
  },
  {
    resource: 'mutatingwebhookconfigurations',
    apiVersion: 'admissionregistration.platform.io/v1',
    kind: 'MutatingWebhookConfiguration',
    namespaced: false,
    base: {},
    wish: object(
      {},
      {
        webhooks: nonEmpty(
          items(
            [{ name: 'a.b.c' }, { name: 'd.e.f' }],
            object(
              {
                admissionReviewVersions: one(['v1']),
                sideEffects: one('None', 'NoneOnDryRun'),
                clientConfig: one({ url: 'https://nowhere.example' }),
                // Matches nothing that exists.
                rules: one([{ apiGroups: ['none.example'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['nones'] }]),
              },
              {
                failurePolicy: one('Ignore', 'Fail'),
                timeoutSeconds: one(5, 10),
                matchConditions: items([{ name: 'm' }, { name: 'n' }], object({ expression: one('true') })),
              },
            ),
          ),
        ),
      },
    ),
  },
];
