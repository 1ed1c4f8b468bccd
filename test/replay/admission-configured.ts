/**
 * What is asked of the admission plug-ins that a file configures or that have to be asked for, a suite for each. The file is {@link CONFIGURATION}; steps are taken by the
 * administrator unless they name somebody.
 */
import type { AdmissionStep, AdmissionSuite } from './admission-steps';
import type { Body, Json } from './reference';

export const CONFIGURATION = `
apiVersion: apiserver.config.k8s.io/v1
kind: AdmissionConfiguration
plugins:
- name: PodNodeSelector
  configuration:
    podNodeSelectorPluginConfig:
      clusterDefaultNodeSelector: "pool=main"
      rec-node-selectors-listed: "env=listed,zone=x"
- name: PodTolerationRestriction
  configuration:
    apiVersion: podtolerationrestriction.admission.k8s.io/v1alpha1
    kind: Configuration
    default:
    - {key: by-default, operator: Exists, effect: NoSchedule}
- name: EventRateLimit
  path: events.yaml
- name: PodSecurity
  configuration:
    apiVersion: pod-security.admission.config.k8s.io/v1
    kind: PodSecurityConfiguration
    defaults: {enforce: baseline, enforce-version: v1.30, warn: restricted}
    exemptions:
      usernames: [trusted]
      namespaces: [rec-pod-security-exempt]
      runtimeClasses: [boxed]
- name: ResourceQuota
  configuration:
    apiVersion: apiserver.config.k8s.io/v1
    kind: ResourceQuotaConfiguration
    limitedResources:
    - resource: pods
      matchScopes:
      - {scopeName: PriorityClass, operator: In, values: [rec-costly]}
    - resource: persistentvolumeclaims
      matchContains: [gold.storageclass.storage.k8s.io/requests.storage]
    - apiGroup: apps
      resource: deployments
      matchContains: [count/deployments.apps]
`;

export const EVENT_LIMITS = `
apiVersion: eventratelimit.admission.k8s.io/v1alpha1
kind: Configuration
limits:
- {type: Server, qps: 1000, burst: 1000}
- {type: Namespace, qps: 1, burst: 6, cacheSize: 10}
- {type: User, qps: 1, burst: 4, cacheSize: 10}
- {type: SourceAndObject, qps: 1, burst: 2, cacheSize: 10}
`;

const NAMESPACES = '/api/v1/namespaces';
const RBAC = '/apis/rbac.authorization.k8s.io/v1';
const MERGE = 'application/merge-patch+json';

const post = (path: string, body: Body): AdmissionStep => ({ method: 'POST', path, body });
const put = (path: string, body: Body): AdmissionStep => ({ method: 'PUT', path, body });
const patch = (path: string, body: Body): AdmissionStep => ({ method: 'PATCH', path, body, type: MERGE });
const by = (as: string, step: AdmissionStep): AdmissionStep => ({ ...step, as });
const named = (name: string, more: Body = {}): Body => ({ metadata: { name }, ...more });

/** With the account that pods need. */
function namespace(name: string, metadata: Body = {}): readonly AdmissionStep[] {
  return [
    post(NAMESPACES, { metadata: { name, ...metadata } }),
    post(`${NAMESPACES}/${name}/serviceaccounts`, named('default', { automountServiceAccountToken: false })),
  ];
}

let count = 0;

function podSpec(spec: Body = {}): Body {
  return { containers: [{ name: 'c', image: 'i' }], ...spec };
}

const pod = (at: string, spec: Body = {}, metadata: Body = {}): AdmissionStep =>
  post(`${NAMESPACES}/${at}/pods`, { metadata: { name: `q${++count}`, ...metadata }, spec: podSpec(spec) });

function nodeSelectors(): AdmissionSuite {
  const note = (value: string): Body => ({ annotations: { 'scheduler.alpha.kubernetes.io/node-selector': value } });
  const names: readonly (readonly [string, Body])[] = [
    ['rec-node-selectors', {}],
    ['rec-node-selectors-listed', {}],
    ['rec-node-selectors-noted', note('env=noted')],
    ['rec-node-selectors-empty', note('')],
    ['rec-node-selectors-odd', note('env=a,env=b')],
    ['rec-node-selectors-bad', note('a in (b)')],
  ];
  return {
    leaves: names.slice(1).map(([name]) => `${NAMESPACES}/${name}`),
    steps: names.flatMap(([name, metadata]) => [
      ...namespace(name, metadata),
      pod(name),
      pod(name, { nodeSelector: { env: 'listed' } }),
      pod(name, { nodeSelector: { env: 'noted', own: 'x' } }),
      pod(name, { nodeSelector: { pool: 'other' } }),
      patch(`${NAMESPACES}/${name}/pods/q${count}`, { metadata: { labels: { a: 'b' } } }),
    ]),
  };
}

const toleration = (key: string, more: Body = {}): Body => ({ key, operator: 'Exists', effect: 'NoSchedule', ...more });

function podTolerations(): AdmissionSuite {
  const notes = (given: Json, allowed?: Json): Body => {
    const text = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
    const annotations: Body = {};
    if (given !== null) annotations['scheduler.alpha.kubernetes.io/defaultTolerations'] = text(given);
    if (allowed !== undefined) annotations['scheduler.alpha.kubernetes.io/tolerationsWhitelist'] = text(allowed);
    return { annotations };
  };
  const equal = { key: 'own', operator: 'Equal', value: 'x', effect: 'NoSchedule' };
  const names: readonly (readonly [string, Body])[] = [
    ['rec-pod-tolerations', {}],
    ['rec-pod-tolerations-given', notes([toleration('given'), { ...equal, key: 'given', value: 'y' }])],
    ['rec-pod-tolerations-none', notes([])],
    ['rec-pod-tolerations-text', notes('')],
    ['rec-pod-tolerations-odd', notes('[{')],
    ['rec-pod-tolerations-listed', notes(null, [toleration('own'), toleration('given', { effect: '' })])],
    ['rec-pod-tolerations-both', notes([toleration('given')], [{ operator: 'Exists' }])],
    ['rec-pod-tolerations-clash', notes([toleration('given')], [toleration('own')])],
    ['rec-pod-tolerations-no-list', notes(null, [])],
    ['rec-pod-tolerations-bad-list', notes(null, 'x')],
  ];
  const request = { resources: { requests: { memory: '1Mi' } } };
  return {
    leaves: names.slice(1).map(([name]) => `${NAMESPACES}/${name}`),
    steps: names.flatMap(([name, metadata]) => [
      ...namespace(name, metadata),
      pod(name),
      pod(name, { tolerations: [equal] }),
      pod(name, { tolerations: [toleration('own'), toleration('own'), toleration('given')] }),
      pod(name, {
        tolerations: [
          toleration('given', { effect: 'NoExecute', tolerationSeconds: 5 }),
          toleration('by-default', { operator: 'Equal', value: 'z' }),
        ],
      }),
      pod(name, { tolerations: [{ operator: 'Exists' }] }),
      pod(name, { containers: [{ name: 'c', image: 'i', ...request }] }),
      patch(`${NAMESPACES}/${name}/pods/q${count}`, { metadata: { labels: { a: 'b' } } }),
      patch(`${NAMESPACES}/${name}/pods/q${count}`, { spec: { tolerations: [toleration('own')] } }),
      patch(`${NAMESPACES}/${name}/pods/q${count - 5}`, { metadata: { labels: { a: 'b' } } }),
    ]),
  };
}

function podSecurity(): AdmissionSuite {
  const names: readonly (readonly [string, Body])[] = [
    ['rec-pod-security', {}],
    ['rec-pod-security-exempt', {}],
    [
      'rec-pod-security-labelled',
      { labels: { 'pod-security.kubernetes.io/enforce': 'restricted', 'pod-security.kubernetes.io/warn': 'privileged' } },
    ],
    ['rec-pod-security-versioned', { labels: { 'pod-security.kubernetes.io/enforce-version': 'v1.0' } }],
    ['rec-pod-security-free', { labels: { 'pod-security.kubernetes.io/enforce': 'privileged' } }],
    ['rec-pod-security-odd', { labels: { 'pod-security.kubernetes.io/enforce': 'all' } }],
  ];
  const host = { hostNetwork: true };
  const boxed = { runtimeClassName: 'boxed' };
  const hosting: Body = {
    replicas: 0,
    selector: { matchLabels: { a: 'b' } },
    template: { metadata: { labels: { a: 'b' } }, spec: podSpec(host) },
  };
  return {
    leaves: [
      ...names.slice(1).map(([name]) => `${NAMESPACES}/${name}`),
      '/apis/node.k8s.io/v1/runtimeclasses/boxed',
      `${RBAC}/clusterrolebindings/rec-trusted`,
    ],
    steps: [
      post('/apis/node.k8s.io/v1/runtimeclasses', named('boxed', { handler: 'h' })),
      post(`${RBAC}/clusterrolebindings`, {
        metadata: { name: 'rec-trusted' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'trusted' }],
      }),
      ...names.flatMap(([name, metadata]): readonly AdmissionStep[] => [
        ...namespace(name, metadata),
        pod(name),
        pod(name, host),
        pod(name, { ...host, ...boxed }),
        by('trusted', pod(name, host)),
        post(`/apis/apps/v1/namespaces/${name}/replicasets`, named('d', { spec: hosting })),
        patch(`${NAMESPACES}/${name}`, { metadata: { labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } } }),
      ]),
    ],
  };
}

function limitedResources(): AdmissionSuite {
  const at = 'rec-limited-resources';
  const scoped = { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In', values: ['rec-costly'] }] } };
  const costly = { priorityClassName: 'rec-costly' };
  const quota = (name: string, hard: Body, more: Body = {}): readonly AdmissionStep[] => {
    const used = Object.fromEntries(Object.keys(hard).map((key) => [key, '0']));
    const spec = { hard, ...more };
    return [
      post(`${NAMESPACES}/${at}/resourcequotas`, named(name, { spec })),
      put(`${NAMESPACES}/${at}/resourcequotas/${name}/status`, named(name, { spec, status: { hard, used } })),
    ];
  };
  const claim = (storageClassName: string): AdmissionStep =>
    post(
      `${NAMESPACES}/${at}/persistentvolumeclaims`,
      named(`c${++count}`, { spec: { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } }),
    );
  const deployment = (): AdmissionStep => {
    const spec = { replicas: 0, selector: { matchLabels: { a: 'b' } }, template: { metadata: { labels: { a: 'b' } }, spec: podSpec() } };
    return post(`/apis/apps/v1/namespaces/${at}/deployments`, named(`d${++count}`, { spec }));
  };
  return {
    leaves: ['/apis/scheduling.k8s.io/v1/priorityclasses/rec-costly'],
    steps: [
      post('/apis/scheduling.k8s.io/v1/priorityclasses', named('rec-costly', { value: 5 })),
      ...namespace(at),
      pod(at),
      pod(at, costly),
      claim('gold'),
      claim('silver'),
      deployment(),
      ...quota('pods', { pods: '9' }),
      pod(at, costly),
      ...quota('costly', { pods: '1' }, scoped),
      pod(at, costly),
      pod(at, costly),
      ...quota('gold', { 'gold.storageclass.storage.k8s.io/requests.storage': '1Gi' }),
      claim('gold'),
      claim('gold'),
      ...quota('deployments', { 'count/deployments.apps': '1' }),
      deployment(),
      deployment(),
      patch(`/apis/apps/v1/namespaces/${at}/deployments/d${count - 1}`, { metadata: { labels: { a: 'b' } } }),
    ],
  };
}

const owner = (kind: string, more: Body = {}): Body => ({ apiVersion: 'v1', kind, name: 'o', uid: 'u', ...more });
const BLOCKS = { blockOwnerDeletion: true };

function ownerReferences(): AdmissionSuite {
  const at = 'rec-owner-references';
  const maps = `${NAMESPACES}/${at}/configmaps`;
  const owned = (owners: readonly Body[], more: Body = {}): Body => ({
    metadata: { name: `m${++count}`, ownerReferences: [...owners], ...more },
  });
  const replica = owner('ReplicaSet', { apiVersion: 'apps/v1' });
  const rule = (group: string, resources: string[], verbs: string[], names: string[] = []): Body => ({
    apiGroups: [group],
    resources,
    verbs,
    ...(names.length === 0 ? {} : { resourceNames: names }),
  });
  const write = ['create', 'update', 'patch', 'get'];
  const role = (name: string, rules: Body[]): readonly AdmissionStep[] => [
    post(`${RBAC}/clusterroles`, { metadata: { name: `rec-${name}` }, rules }),
    post(`${RBAC}/clusterrolebindings`, {
      metadata: { name: `rec-${name}` },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: `rec-${name}` },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name }],
    }),
  ];
  const users = ['writer', 'remover', 'finalizer', 'single'];
  const tries = (user: string): readonly AdmissionStep[] => {
    const create = (owners: readonly Body[], more: Body = {}): AdmissionStep => by(user, post(maps, owned(owners, more)));
    const change = (metadata: Body): AdmissionStep => by(user, patch(`${maps}/m${count}`, { metadata }));
    return [
      create([]),
      change({ labels: { a: 'b' } }),
      change({ ownerReferences: [owner('Pod')] }),
      change({ ownerReferences: [owner('Pod', BLOCKS)] }),
      change({ ownerReferences: [owner('Pod', { ...BLOCKS, uid: 'v' })] }),
      change({ ownerReferences: [owner('Pod', { ...BLOCKS, name: 'p' })] }),
      change({ ownerReferences: null }),
      create([owner('Pod')]),
      create([owner('Pod', BLOCKS)]),
      create([owner('Pod', { blockOwnerDeletion: false }), { ...replica, ...BLOCKS }]),
      change({ labels: { a: 'b' } }),
      change({ ownerReferences: [replica] }),
      create([owner('Node', BLOCKS)]),
      create([owner('None', BLOCKS)]),
      create([owner('None', { apiVersion: 'a/b/c', ...BLOCKS })]),
      create([owner('Pod', { name: 'other', ...BLOCKS }), owner('None', BLOCKS)]),
      create([{ ...replica, ...BLOCKS, apiVersion: 'apps/v9' }]),
    ];
  };
  return {
    leaves: users.flatMap((name) => [`${RBAC}/clusterroles/rec-${name}`, `${RBAC}/clusterrolebindings/rec-${name}`]),
    steps: [
      ...role('writer', [rule('', ['configmaps', 'pods'], write)]),
      ...role('remover', [rule('', ['configmaps', 'pods'], [...write, 'delete'])]),
      ...role('finalizer', [
        rule('', ['configmaps'], write),
        rule('', ['pods/finalizers', 'nodes/finalizers'], ['update']),
        rule('apps', ['*/finalizers'], ['update']),
      ]),
      ...role('single', [
        rule('', ['configmaps'], write),
        rule('', ['configmaps'], ['delete'], ['none']),
        rule('', ['pods/finalizers'], ['update'], ['o']),
      ]),
      ...namespace(at),
      ...['admin', ...users].flatMap((user) =>
        user === 'admin' ? tries('trusted-admin').map(({ as: _as, ...step }) => step) : tries(user),
      ),
      ...['writer', 'remover'].map((user) =>
        by(user, post(`${NAMESPACES}/${at}/pods`, { metadata: owned([owner('Pod', BLOCKS)])['metadata'] ?? {}, spec: podSpec() })),
      ),
    ],
  };
}

function eventLimits(): AdmissionSuite {
  let events = 0;
  const event = (at: string, name: string, component = 'c'): AdmissionStep =>
    post(`${NAMESPACES}/${at}/events`, {
      metadata: { name: `e-${++events}` },
      involvedObject: { kind: 'Pod', namespace: at, name },
      reason: 'r',
      source: { component },
    });
  const users = ['one', 'two', 'three'];
  const [first, second] = ['rec-event-limits', 'rec-event-limits-more'] as const;
  return {
    leaves: [`${NAMESPACES}/${second}`, `${RBAC}/clusterroles/rec-events`, `${RBAC}/clusterrolebindings/rec-events`],
    steps: [
      post(`${RBAC}/clusterroles`, {
        metadata: { name: 'rec-events' },
        rules: [{ apiGroups: ['', 'events.k8s.io'], resources: ['events'], verbs: ['*'] }],
      }),
      post(`${RBAC}/clusterrolebindings`, {
        metadata: { name: 'rec-events' },
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'rec-events' },
        subjects: users.map((name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name })),
      }),
      ...namespace(first),
      ...namespace(second),
      ...[1, 2, 3].map(() => by('one', event(first, 'same'))),
      by('one', event(first, 'same', 'other')),
      by('one', event(first, 'next')),
      by('one', event(first, 'last')),
      by('one', patch(`${NAMESPACES}/${first}/events/e-1`, { reason: 's' })),
      by('one', { method: 'DELETE', path: `${NAMESPACES}/${first}/events/e-1` }),
      ...[1, 2, 3].map((n) => by('two', event(first, `two-${n}`))),
      by('one', event(first, 'same')),
      ...[1, 2, 3, 4].map((n) => by('two', event(second, `two-${n}`))),
      ...[1, 2, 3, 4].map((n) => by('three', event(second, `three-${n}`))),
      by('three', { method: 'DELETE', path: `${NAMESPACES}/${second}/events` }),
    ],
  };
}

export const CONFIGURED_SUITES: Readonly<Record<string, AdmissionSuite>> = {
  'node-selectors': nodeSelectors(),
  'pod-tolerations': podTolerations(),
  'pod-security': podSecurity(),
  'limited-resources': limitedResources(),
  'owner-references': ownerReferences(),
  'event-limits': eventLimits(),
};
