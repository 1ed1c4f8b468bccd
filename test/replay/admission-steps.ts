/** What is asked of the admission plug-ins that are on by default, a suite for each, in a namespace of its own. Accepted, changed and refused. */
import type { Body } from './reference';

export interface AdmissionStep {
  readonly method: string;
  readonly path: string;
  readonly type?: string;
  readonly body?: Body;
  /** Who takes it; absent = the administrator. */
  readonly as?: string;
}

export interface AdmissionSuite {
  readonly steps: readonly AdmissionStep[];
  /** Paths outside of the namespace that are to be deleted. */
  readonly leaves?: readonly string[];
}

const MERGE = 'application/merge-patch+json';
const post = (path: string, body: Body): AdmissionStep => ({ method: 'POST', path, body });
const put = (path: string, body: Body): AdmissionStep => ({ method: 'PUT', path, body });
const patch = (path: string, body: Body): AdmissionStep => ({ method: 'PATCH', path, body, type: MERGE });
const remove = (path: string): AdmissionStep => ({ method: 'DELETE', path: `${path}?gracePeriodSeconds=0` });
const named = (name: string, more: Body = {}): Body => ({ metadata: { name }, ...more });
const inside = (suite: string): string => `/api/v1/namespaces/rec-${suite}`;

/** The namespace and its account. */
const begin = (suite: string, account: Body = {}): readonly AdmissionStep[] => [
  post('/api/v1/namespaces', named(`rec-${suite}`)),
  post(`${inside(suite)}/serviceaccounts`, named('default', account)),
];

let count = 0;

/** Every pod has a name of its own. */
function pod(suite: string, spec: Body = {}, metadata: Body = {}): AdmissionStep {
  const body = { metadata: { name: `p${++count}`, ...metadata }, spec: { containers: [{ name: 'c', image: 'i' }], ...spec } };
  return post(`${inside(suite)}/pods`, body);
}

const MIRROR = { annotations: { 'kubernetes.io/config.mirror': 'x' } };
const container = (more: Body, name = 'c'): Body => ({ name, image: 'i', ...more });

function accounts(): AdmissionSuite {
  const at = 'service-account';
  const list = `${inside(at)}/serviceaccounts`;
  const mount = { name: 'own', mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' };
  const projected = {
    sources: [{ serviceAccountToken: { path: 'token' } }],
  };
  return {
    steps: [
      post('/api/v1/namespaces', named(`rec-${at}`)),
      pod(at),
      pod(at, { serviceAccountName: 'none' }),
      post(list, named('default', { imagePullSecrets: [{ name: 'pull' }, { name: 'more' }] })),
      pod(at),
      pod(at, { serviceAccountName: 'none' }),
      pod(at, { serviceAccount: 'none' }),
      pod(at, { serviceAccountName: 'default' }),
      pod(at, { imagePullSecrets: [{ name: 'own' }] }),
      pod(at, { imagePullSecrets: [] }),
      pod(at, { automountServiceAccountToken: false }),
      pod(at, { automountServiceAccountToken: true }),
      pod(at, { initContainers: [container({}, 'init')], containers: [container({}, 'a'), container({ volumeMounts: [] }, 'b')] }),
      pod(at, {
        volumes: [{ name: 'own', emptyDir: {} }],
        containers: [container({ volumeMounts: [mount] }, 'a'), container({}, 'b')],
      }),
      pod(at, { volumes: [{ name: 'own', emptyDir: {} }], containers: [container({ volumeMounts: [mount] })] }),
      pod(at, {
        volumes: [{ name: 'own', emptyDir: {} }],
        containers: [container({ volumeMounts: [{ ...mount, mountPath: `${mount.mountPath}/` }] })],
      }),
      pod(at, { volumes: [{ name: 'kube-api-access-mine', projected }] }),
      pod(at, {
        volumes: [{ name: 'kube-api-access-mine', projected }],
        containers: [container({ volumeMounts: [{ name: 'kube-api-access-mine', mountPath: '/x' }] })],
      }),
      pod(at, { volumes: [{ name: 'default-token-abcde', secret: { secretName: 'x' } }] }),
      post(list, named('plain')),
      pod(at, { serviceAccountName: 'plain' }),
      post(list, named('off', { automountServiceAccountToken: false })),
      pod(at, { serviceAccountName: 'off' }),
      pod(at, { serviceAccountName: 'off', automountServiceAccountToken: true }),
      pod(at, { volumes: [{ name: 'v', secret: { secretName: 's' } }] }),
      post(list, {
        metadata: { name: 'strict', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
        secrets: [{ name: 'known' }],
        imagePullSecrets: [{ name: 'pull' }],
      }),
      ...['known', 'other'].flatMap((name): AdmissionStep[] => [
        pod(at, { serviceAccountName: 'strict', volumes: [{ name: 'v', secret: { secretName: name } }] }),
        pod(at, {
          serviceAccountName: 'strict',
          containers: [container({ env: [{ name: 'E', valueFrom: { secretKeyRef: { name, key: 'k' } } }] })],
        }),
        pod(at, { serviceAccountName: 'strict', containers: [container({ envFrom: [{ secretRef: { name } }] })] }),
        pod(at, {
          serviceAccountName: 'strict',
          initContainers: [container({ env: [{ name: 'E', valueFrom: { secretKeyRef: { name, key: 'k' } } }] }, 'init')],
        }),
        pod(at, { serviceAccountName: 'strict', initContainers: [container({ envFrom: [{ secretRef: { name } }] }, 'init')] }),
      ]),
      ...['pull', 'other'].map((name) => pod(at, { serviceAccountName: 'strict', imagePullSecrets: [{ name }] })),
      pod(at, {}, MIRROR),
      pod(at, { nodeName: 'n' }, MIRROR),
      pod(at, { nodeName: 'n', serviceAccountName: 'default' }, MIRROR),
      pod(at, { nodeName: 'n', serviceAccountName: 'none' }, MIRROR),
      pod(at, { nodeName: 'n', volumes: [{ name: 'v', secret: { secretName: 's' } }] }, MIRROR),
      pod(at, { nodeName: 'n', volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] }, MIRROR),
      pod(at, { nodeName: 'n', volumes: [{ name: 'v', projected: { sources: [{ secret: { name: 's' } }] } }] }, MIRROR),
      pod(
        at,
        { nodeName: 'n', containers: [container({ env: [{ name: 'E', valueFrom: { secretKeyRef: { name: 's', key: 'k' } } }] })] },
        MIRROR,
      ),
      pod(at, { nodeName: 'n', imagePullSecrets: [{ name: 's' }] }, MIRROR),
      post(`${inside(at)}/pods`, { metadata: { generateName: 'g-' }, spec: { serviceAccountName: 'none', containers: [container({})] } }),
      pod(at, { serviceAccountName: 'Not_A_Name' }),
      pod(at, { containers: [] }),
    ],
  };
}

function priorities(): AdmissionSuite {
  const at = 'priority';
  const list = '/apis/scheduling.k8s.io/v1/priorityclasses';
  return {
    leaves: ['rec-low', 'rec-high', 'rec-default', 'rec-calm', 'rec-second'].map((name) => `${list}/${name}`),
    steps: [
      ...begin(at, { automountServiceAccountToken: false }),
      pod(at),
      pod(at, { priorityClassName: 'none' }),
      pod(at, { priority: 5 }),
      pod(at, { priority: 0 }),
      pod(at, { preemptionPolicy: 'Never' }),
      pod(at, { preemptionPolicy: 'PreemptLowerPriority' }),
      pod(at, { priorityClassName: 'system-node-critical' }),
      pod(at, { priorityClassName: 'system-cluster-critical' }),
      post(list, named('rec-high', { value: 1000 })),
      post(list, named('rec-calm', { value: -5, preemptionPolicy: 'Never' })),
      pod(at, { priorityClassName: 'rec-high' }),
      pod(at, { priorityClassName: 'rec-high', priority: 1000 }),
      pod(at, { priorityClassName: 'rec-high', priority: 1001 }),
      pod(at, { priorityClassName: 'rec-high', preemptionPolicy: 'Never' }),
      pod(at, { priorityClassName: 'rec-calm' }),
      pod(at, { priorityClassName: 'rec-calm', preemptionPolicy: 'PreemptLowerPriority' }),
      post(list, named('rec-default', { value: 7, globalDefault: true })),
      pod(at),
      pod(at, { priority: 0 }),
      pod(at, { priority: 7 }),
      post(list, named('rec-second', { value: 3, globalDefault: true })),
      patch(`${list}/rec-high`, { globalDefault: true }),
      patch(`${list}/rec-default`, { description: 'x' }),
      post(list, named('rec-low', { value: 3 })),
      remove(`${list}/rec-default`),
      post(list, named('rec-second', { value: 3, globalDefault: true, preemptionPolicy: 'Never' })),
      pod(at),
      patch(`${list}/rec-high`, { globalDefault: true }),
    ],
  };
}

function tolerations(): AdmissionSuite {
  const at = 'default-toleration-seconds';
  const mine = (toleration: Body): AdmissionStep => pod(at, { tolerations: [toleration] });
  return {
    steps: [
      ...begin(at, { automountServiceAccountToken: false }),
      pod(at),
      mine({ key: 'a', operator: 'Exists' }),
      mine({ operator: 'Exists' }),
      mine({ operator: 'Exists', effect: 'NoExecute' }),
      mine({ operator: 'Exists', effect: 'NoSchedule' }),
      mine({ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 5 }),
      mine({ key: 'node.kubernetes.io/not-ready', operator: 'Exists' }),
      mine({ key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoSchedule' }),
      mine({ key: 'node.kubernetes.io/unreachable', value: 'x', effect: 'NoExecute' }),
      mine({ key: 'node.kubernetes.io/unreachable', operator: 'Equal', effect: 'NoExecute' }),
      pod(at, { containers: [container({ resources: { requests: { cpu: '1', memory: '1Mi' } } })] }),
      post(`${inside(at)}/pods`, named('kept', { spec: { containers: [container({})] } })),
      put(`${inside(at)}/pods/kept`, named('kept', { spec: { containers: [container({ image: 'j' })], serviceAccountName: 'default' } })),
    ],
  };
}

function runtimes(): AdmissionSuite {
  const at = 'runtime-class';
  const list = '/apis/node.k8s.io/v1/runtimeclasses';
  const toleration = (key: string): Body => ({ key, operator: 'Exists', effect: 'NoSchedule' });
  return {
    leaves: ['rec-plain', 'rec-heavy', 'rec-placed'].map((name) => `${list}/${name}`),
    steps: [
      ...begin(at, { automountServiceAccountToken: false }),
      pod(at, { runtimeClassName: 'none' }),
      pod(at, { overhead: { cpu: '1' } }),
      post(list, named('rec-plain', { handler: 'h' })),
      post(list, named('rec-heavy', { handler: 'h', overhead: { podFixed: { cpu: '250m', memory: '120Mi' } } })),
      post(
        list,
        named('rec-placed', {
          handler: 'h',
          scheduling: { nodeSelector: { a: 'b', c: 'd' }, tolerations: [toleration('x'), toleration('own')] },
        }),
      ),
      pod(at, { runtimeClassName: 'rec-plain' }),
      pod(at, { runtimeClassName: 'rec-plain', overhead: { cpu: '1' } }),
      pod(at, { runtimeClassName: 'rec-heavy' }),
      pod(at, { runtimeClassName: 'rec-heavy', overhead: { cpu: '250m', memory: '120Mi' } }),
      pod(at, { runtimeClassName: 'rec-heavy', overhead: { cpu: '0.25', memory: '120Mi' } }),
      pod(at, { runtimeClassName: 'rec-heavy', overhead: { cpu: '1' } }),
      pod(at, { runtimeClassName: 'rec-placed' }),
      pod(at, { runtimeClassName: 'rec-placed', nodeSelector: { a: 'b', e: 'f' }, tolerations: [toleration('own'), toleration('y')] }),
      pod(at, { runtimeClassName: 'rec-placed', nodeSelector: { a: 'x' } }),
    ],
  };
}

function storage(): AdmissionSuite {
  const at = 'storage-class';
  const list = '/apis/storage.k8s.io/v1/storageclasses';
  const claims = `${inside(at)}/persistentvolumeclaims`;
  const MARK = 'storageclass.kubernetes.io/is-default-class';
  const claim = (name: string, spec: Body = {}, metadata: Body = {}): AdmissionStep =>
    post(claims, {
      metadata: { name, ...metadata },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } }, ...spec },
    });
  const cls = (name: string, annotations: Body, more: Body = {}): AdmissionStep =>
    post(list, { metadata: { name, annotations }, provisioner: 'example.com/p', ...more });
  const grow = (name: string): AdmissionStep => patch(`${claims}/${name}`, { spec: { resources: { requests: { storage: '2Gi' } } } });
  const bound = (name: string): AdmissionStep =>
    patch(`${claims}/${name}/status`, { status: { phase: 'Bound', capacity: { storage: '1Gi' } } });
  return {
    leaves: ['rec-a', 'rec-b', 'rec-c'].map((name) => `${list}/${name}`),
    steps: [
      ...begin(at),
      claim('none'),
      cls('rec-a', { [MARK]: 'false' }),
      claim('unmarked'),
      cls('rec-b', { [MARK]: 'true' }, { allowVolumeExpansion: true }),
      claim('a'),
      claim('empty', { storageClassName: '' }),
      claim('own', { storageClassName: 'other' }),
      claim('null', { storageClassName: null }),
      claim('old', {}, { annotations: { 'volume.beta.kubernetes.io/storage-class': 'x' } }),
      claim('fixed', { storageClassName: 'rec-a' }),
      grow('a'),
      bound('a'),
      bound('fixed'),
      bound('own'),
      bound('empty'),
      grow('a'),
      grow('fixed'),
      grow('own'),
      grow('empty'),
      remove(`${list}/rec-b`),
      cls('rec-c', { 'storageclass.beta.kubernetes.io/is-default-class': 'true' }),
      claim('beta'),
    ],
  };
}

function taints(): AdmissionSuite {
  const at = 'taint-nodes';
  return {
    leaves: ['rec-n1', 'rec-n2', 'rec-n3', 'rec-n4'].map((name) => `/api/v1/nodes/${name}`),
    steps: [
      ...begin(at),
      post('/api/v1/nodes', named('rec-n1')),
      post('/api/v1/nodes', named('rec-n2', { spec: { taints: [{ key: 'a', effect: 'NoExecute' }] } })),
      post('/api/v1/nodes', named('rec-n3', { spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] } })),
      post('/api/v1/nodes', named('rec-n4', { spec: { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }] } })),
      put('/api/v1/nodes/rec-n1', named('rec-n1', { spec: { taints: [] } })),
    ],
  };
}

/** What is added to a pod that runs, where its account is strict. */
function ephemeralSecrets(): AdmissionSuite {
  const at = 'ephemeral-secrets';
  const variable = (name: string, secret: string, more: Body = {}): Body => ({
    name,
    valueFrom: { secretKeyRef: { name: secret, key: 'k', ...more } },
  });
  const add = (to: string, more: Body): AdmissionStep => ({
    method: 'PATCH',
    path: `${inside(at)}/pods/${to}/ephemeralcontainers?dryRun=All`,
    type: 'application/strategic-merge-patch+json',
    body: { spec: { ephemeralContainers: [container(more, 'e')] } },
  });
  const free = { automountServiceAccountToken: false };
  return {
    steps: [
      ...begin(at),
      post(`${inside(at)}/serviceaccounts`, {
        metadata: { name: 'strict', annotations: { 'kubernetes.io/enforce-mountable-secrets': 'true' } },
        secrets: [{ name: 'known' }],
      }),
      pod(at, { ...free, serviceAccountName: 'strict' }, { name: 'strict' }),
      pod(at, free, { name: 'free' }),
      pod(at, { nodeName: 'n' }, { name: 'mirror', ...MIRROR }),
      ...['strict', 'free', 'mirror'].flatMap((to): AdmissionStep[] => [
        add(to, {}),
        add(to, { env: [variable('E', 'known')] }),
        add(to, { env: [variable('E', 'known'), variable('F', 'other')], envFrom: [{ secretRef: { name: 'more' } }] }),
        add(to, { env: [variable('E', 'other', { optional: true })] }),
        add(to, { envFrom: [{ secretRef: { name: 'other' } }] }),
      ]),
      remove(`${inside(at)}/serviceaccounts/strict`),
      add('strict', {}),
      patch(`${inside(at)}/pods/strict`, { metadata: { labels: { a: 'b' } } }),
    ],
  };
}

/** What a limit range refuses, and what the rules of the kind have refused before. */
function rulesBeforeLimits(): AdmissionSuite {
  const at = 'rules-before-limits';
  const claim = (resources: Body, name: string): AdmissionStep =>
    post(`${inside(at)}/persistentvolumeclaims`, named(name, { spec: { accessModes: ['ReadWriteOnce'], resources } }));
  const asks = (requests: Body): AdmissionStep => pod(at, { containers: [container({ resources: { requests } })] });
  return {
    steps: [
      ...begin(at, { automountServiceAccountToken: false }),
      post(`${inside(at)}/limitranges`, {
        metadata: { name: 'l' },
        spec: {
          limits: [
            { type: 'Container', default: { cpu: '200m' }, max: { cpu: '1', memory: '1Gi' } },
            { type: 'Pod', maxLimitRequestRatio: { memory: '2' } },
            { type: 'PersistentVolumeClaim', min: { storage: '1Gi' }, max: { storage: '2Gi' } },
          ],
        },
      }),
      asks({ cpu: '300m', memory: '10Mi' }),
      asks({ cpu: '100m', memory: '10Mi' }),
      asks({ cpu: '100m', memory: '2Gi' }),
      claim({}, 'none'),
      claim({ requests: { storage: '1Mi' } }, 'small'),
      claim({ requests: { storage: '-1Gi' } }, 'negative'),
    ],
  };
}

export const ADMISSION_SUITES: Readonly<Record<string, AdmissionSuite>> = {
  'service-account': accounts(),
  priority: priorities(),
  'default-toleration-seconds': tolerations(),
  'runtime-class': runtimes(),
  'storage-class': storage(),
  'taint-nodes': taints(),
  'ephemeral-secrets': ephemeralSecrets(),
  'rules-before-limits': rulesBeforeLimits(),
};

function optional(): AdmissionSuite {
  const at = 'asked-for';
  const services = `${inside(at)}/services`;
  const service = (name: string, ips: string[] | null): Body => named(name, { spec: { ports: [{ port: 80 }], externalIPs: ips } });
  const apart = (topologyKey: string, list = 'requiredDuringSchedulingIgnoredDuringExecution'): AdmissionStep => {
    const term = { topologyKey, labelSelector: { matchLabels: { a: 'b' } } };
    const terms = list.startsWith('required') ? [term] : [{ weight: 1, podAffinityTerm: term }];
    return pod(at, { affinity: { podAntiAffinity: { [list]: terms } } });
  };
  const needs = (amounts: Body, spec: Body = {}): AdmissionStep =>
    pod(at, { containers: [container({ resources: { limits: amounts } })], ...spec });
  const selectors = (namespace: string, selector: string): AdmissionStep =>
    post('/api/v1/namespaces', { metadata: { name: namespace, annotations: { 'scheduler.alpha.kubernetes.io/node-selector': selector } } });
  const inOther = (namespace: string, spec: Body = {}): AdmissionStep =>
    post(`/api/v1/namespaces/${namespace}/pods`, named(`p${++count}`, { spec: { containers: [{ name: 'c', image: 'i' }], ...spec } }));
  return {
    leaves: ['a', 'b', 'c'].map((name) => `/api/v1/namespaces/rec-selected-${name}`),
    steps: [
      ...begin(at, { automountServiceAccountToken: false }),
      pod(at, {
        initContainers: [container({ imagePullPolicy: 'Never' }, 'init')],
        containers: [container({ imagePullPolicy: 'IfNotPresent' })],
      }),
      post(services, service('none', null)),
      post(services, service('some', ['192.0.2.1'])),
      patch(`${services}/none`, { spec: { externalIPs: ['192.0.2.1'] } }),
      patch(`${services}/none`, { metadata: { labels: { a: 'b' } } }),
      apart('kubernetes.io/hostname'),
      apart('topology.kubernetes.io/zone'),
      apart('topology.kubernetes.io/zone', 'preferredDuringSchedulingIgnoredDuringExecution'),
      needs({ 'example.com/gpu': '1', cpu: '1' }),
      needs({ 'example.com/gpu': '0' }),
      needs({ 'example.com/b': '1', 'example.com/a': '1', 'hugepages-2Mi': '2Mi', memory: '1Mi' }),
      needs({ 'example.com/gpu': '1' }, { tolerations: [{ key: 'example.com/gpu', operator: 'Exists', effect: 'NoSchedule' }] }),
      needs({ 'example.com/gpu': '1' }, { tolerations: [{ key: 'example.com/gpu', operator: 'Exists' }] }),
      ...[
        ['a', 'env=test,zone=x'],
        ['b', 'not a selector'],
        ['c', ''],
      ].flatMap(([name = '', selector = '']): AdmissionStep[] => [
        selectors(`rec-selected-${name}`, selector),
        post(`/api/v1/namespaces/rec-selected-${name}/serviceaccounts`, named('default', { automountServiceAccountToken: false })),
        inOther(`rec-selected-${name}`),
        inOther(`rec-selected-${name}`, { nodeSelector: { env: 'test', own: 'y' } }),
        inOther(`rec-selected-${name}`, { nodeSelector: { env: 'other' } }),
      ]),
    ],
  };
}

/** Of plug-ins that the reference has to be told to have. */
export const OPTIONAL_SUITES: Readonly<Record<string, AdmissionSuite>> = { 'asked-for': optional() };
