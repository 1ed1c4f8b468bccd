/** Quotas and what counts against them. Nothing goes beyond a limit here: that is for admission. */
import type { Body, Json } from '../reference';
import { create, patch, remove, type Act, type Look, type Scenario } from './scenario';
import { pod, status } from './pods';

const LOOKS: readonly Look[] = [{ path: 'resourcequotas', members: ['spec', 'status'] }];
const CLASSES = '/apis/scheduling.k8s.io/v1/priorityclasses';
const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const GADGETS = '/apis/housekeeping.example.com/v1/namespaces/$NS/$NS-gadgets';

const quota = (name: string, hard: Body, spec: Body = {}): Act => create('resourcequotas', { metadata: { name }, spec: { hard, ...spec } });
const named = (path: string, name: string, more: Body = {}): Act => create(path, { metadata: { name }, ...more });
const requests = (requested: Body, limits: Body = {}): Body => ({ resources: { requests: requested, limits } });
const claim = (name: string, size: string, spec: Body = {}): Act =>
  named('persistentvolumeclaims', name, { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: size } }, ...spec } });
const service = (name: string, type: string, spec: Body = {}): Act =>
  named('services', name, {
    spec: {
      type,
      selector: { a: 'b' },
      ports: [
        { name: 'x', port: 80 },
        { name: 'y', port: 81 },
      ],
      ...spec,
    },
  });
const only = (scopeName: string, operator: string, ...values: string[]): Body => ({
  scopeSelector: { matchExpressions: [{ scopeName, operator, ...(values.length === 0 ? {} : { values }) }] },
});

const OBJECTS: readonly Scenario[] = [
  {
    name: 'quota-objects',
    looks: LOOKS,
    steps: [
      {
        title: 'a quota of objects',
        acts: [
          quota('q', {
            configmaps: '10',
            secrets: '10',
            services: '10',
            resourcequotas: '2',
            replicationcontrollers: '3',
            'count/configmaps': '10',
            'count/deployments.apps': '4',
            'count/ingresses.networking.k8s.io': '4',
            'count/endpointslices.discovery.k8s.io': '9',
          }),
        ],
      },
      {
        title: 'objects come',
        acts: [
          named('configmaps', 'a'),
          named('configmaps', 'b'),
          named('secrets', 's'),
          named('/apis/apps/v1/namespaces/$NS/deployments', 'd', {
            spec: {
              selector: { matchLabels: { a: 'b' } },
              template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
            },
          }),
          named('/apis/networking.k8s.io/v1/namespaces/$NS/ingresses', 'i', {
            spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
          }),
        ],
      },
      { title: 'and go', acts: [remove('configmaps/a'), remove('secrets/s')] },
      {
        title: 'other limits',
        acts: [patch('resourcequotas/q', { spec: { hard: { configmaps: null, secrets: '5', 'count/secrets': '6' } } })],
      },
      { title: 'a second quota', acts: [quota('r', { 'count/resourcequotas': '3', configmaps: '8' })] },
      {
        title: 'its status is overwritten',
        acts: [patch('resourcequotas/q/status', { status: { used: { secrets: '4' }, hard: { secrets: '7' } } })],
      },
    ],
  },
  {
    name: 'quota-custom',
    looks: [...LOOKS, { path: DEFINITIONS, members: ['status'] }],
    leftovers: [`${DEFINITIONS}/$NS-gadgets.housekeeping.example.com`],
    steps: [
      {
        title: 'a kind of its own',
        acts: [
          named(DEFINITIONS, '$NS-gadgets.housekeeping.example.com', {
            spec: {
              group: 'housekeeping.example.com',
              scope: 'Namespaced',
              names: { plural: '$NS-gadgets', kind: 'Gadget' },
              versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
            },
          }),
        ],
        restMs: 40_000,
      },
      { title: 'a quota', acts: [quota('q', { 'count/$NS-gadgets.housekeeping.example.com': '5' })] },
      {
        title: 'counted',
        acts: [
          create(GADGETS, { apiVersion: 'housekeeping.example.com/v1', kind: 'Gadget', metadata: { name: 'g' } }),
          create(GADGETS, { apiVersion: 'housekeeping.example.com/v1', kind: 'Gadget', metadata: { name: 'h' } }),
        ],
      },
      { title: 'one goes', acts: [remove(`${GADGETS}/g`)] },
    ],
  },
  {
    name: 'quota-unknown',
    looks: LOOKS,
    steps: [
      {
        title: 'what nobody counts',
        acts: [
          quota('q', {
            'count/nothing.example.com': '5',
            'count/gadgets': '5',
            'example.com/thing': '2',
            'requests.example.com/thing': '3',
            'limits.example.com/thing': '3',
            pods: '3',
          }),
        ],
      },
    ],
  },
  {
    name: 'quota-services',
    looks: LOOKS,
    steps: [
      {
        title: 'a quota of services',
        acts: [quota('q', { services: '10', 'services.loadbalancers': '5', 'services.nodeports': '20', 'count/services': '10' })],
      },
      {
        title: 'kinds of services',
        acts: [
          service('a', 'ClusterIP'),
          service('b', 'NodePort'),
          service('c', 'LoadBalancer'),
          service('d', 'LoadBalancer', { allocateLoadBalancerNodePorts: false }),
          named('services', 'e', { spec: { type: 'ExternalName', externalName: 'example.com' } }),
        ],
      },
      { title: 'another type', acts: [patch('services/b', { spec: { type: 'ClusterIP' } })] },
      { title: 'one goes', acts: [remove('services/c')] },
    ],
  },
  {
    name: 'quota-claims',
    looks: LOOKS,
    steps: [
      {
        title: 'a quota of classes',
        acts: [
          quota('q', {
            persistentvolumeclaims: '10',
            'requests.storage': '100Gi',
            'count/persistentvolumeclaims': '10',
            'gold.storageclass.storage.k8s.io/requests.storage': '50Gi',
            'gold.storageclass.storage.k8s.io/persistentvolumeclaims': '5',
            'tin.storageclass.storage.k8s.io/requests.storage': '50Gi',
          }),
        ],
      },
      {
        title: 'claims of classes',
        acts: [
          claim('a', '1Gi', { storageClassName: 'gold' }),
          claim('b', '1500Mi', { storageClassName: 'gold' }),
          claim('c', '2Gi', { storageClassName: 'tin' }),
          claim('d', '3Gi', { storageClassName: '' }),
          create('persistentvolumeclaims', {
            metadata: { name: 'e', annotations: { 'volume.beta.kubernetes.io/storage-class': 'gold' } },
            spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '4Gi' } } },
          }),
        ],
      },
      { title: 'some go', acts: [remove('persistentvolumeclaims/b'), remove('persistentvolumeclaims/e')] },
    ],
  },
];

const COMPUTE: Body = {
  cpu: '20',
  memory: '20Gi',
  'requests.cpu': '20',
  'requests.memory': '20Gi',
  'limits.cpu': '40',
  'limits.memory': '40Gi',
  'requests.ephemeral-storage': '10Gi',
  'ephemeral-storage': '10Gi',
  'limits.ephemeral-storage': '10Gi',
  pods: '10',
  'count/pods': '20',
  'hugepages-2Mi': '100Mi',
  'requests.hugepages-2Mi': '100Mi',
  'requests.example.com/device': '9',
};
const whole = (cpu: string, memory: string): Body =>
  requests({ cpu, memory, 'ephemeral-storage': '1Gi' }, { cpu: '4', memory: '3Gi', 'ephemeral-storage': '2Gi' });

const PODS: readonly Scenario[] = [
  {
    name: 'quota-compute',
    looks: LOOKS,
    steps: [
      { title: 'a quota of amounts', acts: [quota('q', COMPUTE)] },
      {
        title: 'pods with requests and limits',
        acts: [
          ...pod('a', { container: whole('500m', '1Gi') }),
          ...pod('b', { container: whole('0.25', '512M') }),
          ...pod('c', {
            container: requests(
              { cpu: '100m', memory: '1Mi', 'ephemeral-storage': '1Mi', 'hugepages-2Mi': '4Mi', 'example.com/device': '2' },
              { cpu: '100m', memory: '1Mi', 'ephemeral-storage': '1Mi', 'hugepages-2Mi': '4Mi', 'example.com/device': '2' },
            ),
          }),
        ],
      },
      {
        title: 'containers that come first',
        acts: [
          ...pod('i', {
            container: whole('1', '1Gi'),
            spec: {
              initContainers: [
                { name: 'one', image: 'i', ...whole('3', '100Mi') },
                { name: 'side', image: 'i', restartPolicy: 'Always', ...whole('200m', '200Mi') },
                { name: 'two', image: 'i', ...whole('1', '2Gi') },
              ],
            },
          }),
        ],
      },
      { title: 'some end', acts: [status('a', { phase: 'Succeeded' }), status('b', { phase: 'Failed' })] },
      { title: 'some go', acts: [remove('pods/a'), remove('pods/c')] },
    ],
  },
  {
    name: 'quota-held-pods',
    looks: LOOKS,
    steps: [
      { title: 'a quota of pods', acts: [quota('q', { pods: '5', 'count/pods': '5' })] },
      {
        title: 'pods that are held',
        acts: [
          ...pod('a', { metadata: { finalizers: ['nobody.example.com/f'] }, spec: { nodeName: '$NS-n' } }),
          ...pod('b', { metadata: { finalizers: ['nobody.example.com/f'] }, spec: { nodeName: '$NS-n' } }),
        ],
      },
      {
        title: 'one goes at once, one after its grace',
        acts: [remove('pods/a', { gracePeriodSeconds: 0 }), remove('pods/b', { gracePeriodSeconds: 600 })],
      },
      { title: 'another change', acts: [...pod('c'), remove('pods/c')] },
    ],
  },
];

const scoped = (): Act[] => [
  quota('ending', { pods: '9', 'requests.cpu': '9' }, { scopes: ['Terminating'] }),
  quota('lasting', { pods: '9', 'requests.cpu': '9' }, { scopes: ['NotTerminating'] }),
  quota('best', { pods: '9' }, { scopes: ['BestEffort'] }),
  quota('better', { pods: '9', 'requests.cpu': '9' }, { scopes: ['NotBestEffort'] }),
  quota('both', { pods: '9' }, { scopes: ['NotBestEffort', 'Terminating'] }),
];
const CPU: Body = requests({ cpu: '100m' });
const affinity = (term: Body): Body => ({
  affinity: {
    podAntiAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'kubernetes.io/hostname', labelSelector: {}, ...term }] as Json[],
    },
  },
});

const SCOPES: readonly Scenario[] = [
  {
    name: 'quota-scopes',
    looks: LOOKS,
    steps: [
      { title: 'quotas of some pods', acts: scoped() },
      {
        title: 'pods of all sorts',
        acts: [
          ...pod('a', { container: CPU }),
          ...pod('b', { container: CPU, spec: { activeDeadlineSeconds: 600 } }),
          ...pod('c', { container: CPU, spec: { activeDeadlineSeconds: 600 } }),
        ],
      },
      { title: 'one goes', acts: [remove('pods/c')] },
    ],
  },
  {
    name: 'quota-best-effort',
    looks: LOOKS,
    steps: [
      {
        title: 'quotas of those and of the others',
        acts: [quota('best', { pods: '9' }, { scopes: ['BestEffort'] }), quota('better', { pods: '9' }, { scopes: ['NotBestEffort'] })],
      },
      {
        title: 'pods that ask for nothing, or for something',
        acts: [
          ...pod('a'),
          ...pod('b', { container: requests({}, { memory: '1Mi' }) }),
          ...pod('c', { container: requests({ 'example.com/device': '1' }, { 'example.com/device': '1' }) }),
          ...pod('d', { spec: { initContainers: [{ name: 'i', image: 'i', ...requests({ cpu: '1' }) }] } }),
          ...pod('e', { container: requests({ 'ephemeral-storage': '1Mi' }) }),
          ...pod('f', { container: requests({ cpu: '0' }) }),
        ],
      },
    ],
  },
  {
    name: 'quota-priority',
    looks: LOOKS,
    leftovers: [`${CLASSES}/$NS-high`, `${CLASSES}/$NS-low`],
    steps: [
      {
        title: 'quotas of priorities',
        acts: [
          create(CLASSES, { metadata: { name: '$NS-high' }, value: 1000 }),
          create(CLASSES, { metadata: { name: '$NS-low' }, value: 10 }),
          quota('in', { pods: '9' }, only('PriorityClass', 'In', '$NS-high', 'other')),
          quota('not-in', { pods: '9' }, only('PriorityClass', 'NotIn', '$NS-high')),
          quota('some', { pods: '9' }, only('PriorityClass', 'Exists')),
          quota('none', { pods: '9' }, only('PriorityClass', 'DoesNotExist')),
          quota('scope', { pods: '9' }, { scopes: ['PriorityClass'] }),
        ],
      },
      {
        title: 'pods with and without',
        acts: [
          ...pod('a', { spec: { priorityClassName: '$NS-high' } }),
          ...pod('b', { spec: { priorityClassName: '$NS-low' } }),
          ...pod('c', { spec: { priorityClassName: '$NS-low' } }),
          ...pod('d'),
        ],
      },
    ],
  },
  {
    name: 'quota-affinity',
    looks: LOOKS,
    steps: [
      {
        title: 'quotas of pods that look across namespaces',
        acts: [
          quota('scope', { pods: '9' }, { scopes: ['CrossNamespacePodAffinity'] }),
          quota('selected', { pods: '9' }, only('CrossNamespacePodAffinity', 'Exists')),
        ],
      },
      {
        title: 'pods that look across namespaces',
        acts: [
          ...pod('a'),
          ...pod('b', { spec: affinity({}) }),
          ...pod('c', { spec: affinity({ namespaces: ['default'] }) }),
          ...pod('d', { spec: affinity({ namespaceSelector: {} }) }),
          ...pod('e', { spec: affinity({ namespaces: ['$NS'] }) }),
        ],
      },
    ],
  },
];

export const RESOURCE_QUOTAS: readonly Scenario[] = [...OBJECTS, ...PODS, ...SCOPES];
