/** The usage of objects for quotas, resource by resource. */
import type { JsonObject } from '../values/json';
import { formatQuantity } from '../values/quantity';
import { addAmounts } from './amounts';
import { parseCountedResource, objectCountName } from './counted-resource';
import { podResourceAmounts } from './pod-amounts';
import { isInQuotaScopes, quotaScopesOf } from './scopes';
import { quotaUsageOf, quotaReleasedAt } from './usage';

const PODS = { group: '', resource: 'pods' };
const shown = (amounts: ReadonlyMap<string, Parameters<typeof formatQuantity>[0]>) =>
  Object.fromEntries([...amounts].map(([name, amount]) => [name, formatQuantity(amount)]));
const container = (requests: JsonObject, limits: JsonObject = {}, more: JsonObject = {}): JsonObject => ({
  resources: { requests, limits },
  ...more,
});
const pod = (spec: JsonObject, more: JsonObject = {}): JsonObject => ({ metadata: { name: 'p' }, spec, ...more });

describe('parseCountedResource', () => {
  test.each<[string, string, string]>([
    ['requests.cpu', 'requests.cpu', 'pods.'],
    ['hugepages-2Mi', 'hugepages-2Mi', 'pods.'],
    ['requests.hugepages-2Mi', 'requests.hugepages-2Mi', 'pods.'],
    ['requests.example.com/gpu', 'requests.example.com/gpu', 'pods.'],
    ['services.nodeports', 'services.nodeports', 'services.'],
    ['requests.storage', 'requests.storage', 'persistentvolumeclaims.'],
    ['secrets', 'secrets', 'secrets.'],
    ['count/secrets', 'count/secrets', 'secrets.'],
    ['count/deployments.apps', 'count/deployments.apps', 'deployments.apps'],
    ['count/ingresses.networking.k8s.io', 'count/ingresses.networking.platform.io', 'ingresses.networking.platform.io'],
    [
      'gold.storageclass.storage.k8s.io/requests.storage',
      'gold.storageclass.storage.platform.io/requests.storage',
      'persistentvolumeclaims.',
    ],
    [
      'a.storageclass.b.storageclass.storage.platform.io/persistentvolumeclaims',
      'a.storageclass.b.storageclass.storage.platform.io/persistentvolumeclaims',
      'persistentvolumeclaims.',
    ],
  ])('maps the quota resource %s to its canonical name and the kind that it counts', (name, canonical, kind) => {
    const counted = parseCountedResource(name);
    expect([counted?.name, `${counted?.kind.resource}.${counted?.kind.group}`]).toEqual([canonical, kind]);
  });

  test.each([
    'example.com/gpu',
    'limits.example.com/gpu',
    'gold.storageclass.storage.k8s.io/other',
    'gold.storageclass.example.com/requests.storage',
    'requests.kubernetes.io/x',
    'storage',
  ])('returns undefined for the quota resource %s', (name) => expect(parseCountedResource(name)).toBeUndefined());
});

describe('podResourceAmounts', () => {
  test('adds up containers, and counts an init container where it is larger', () => {
    const spec = {
      containers: [container({ cpu: '1', memory: '1Gi' }), container({ cpu: '500m' })],
      initContainers: [container({ cpu: '2', memory: '10Mi' }), container({ memory: '3Gi' })],
    };
    expect(shown(podResourceAmounts(pod(spec), 'requests'))).toEqual({ cpu: '2', memory: '3Gi' });
  });

  test('adds a sidecar container to all containers that start after it', () => {
    const spec = {
      containers: [container({ cpu: '1' })],
      initContainers: [container({ cpu: '3' }), container({ cpu: '2' }, {}, { restartPolicy: 'Always' }), container({ cpu: '1500m' })],
    };
    expect(shown(podResourceAmounts(pod(spec), 'requests'))).toEqual({ cpu: '3500m' });
  });

  test('adds overhead to requests, and to limits only of resources that have one', () => {
    const spec = { containers: [container({ cpu: '1' }, { cpu: '2' })], overhead: { cpu: '250m', memory: '64Mi' } };
    expect(shown(podResourceAmounts(pod(spec), 'requests'))).toEqual({ cpu: '1250m', memory: '64Mi' });
    expect(shown(podResourceAmounts(pod(spec), 'limits'))).toEqual({ cpu: '2250m' });
  });
});

test('addAmounts formats a sum in binary when one of its parts is binary, in either order', () => {
  const parts = ['512M', '1Gi', '0'].map((memory) => podResourceAmounts(pod({ containers: [container({ memory })] }), 'requests'));
  for (const order of [parts, [...parts].reverse()]) {
    const sum = new Map();
    for (const part of order) addAmounts(sum, part);
    expect(shown(sum)).toEqual({ memory: '1548576Ki' });
  }
});

describe('quotaUsageOf', () => {
  const spec = {
    containers: [container({ cpu: '1', 'example.com/gpu': '2', 'hugepages-2Mi': '4Mi' }, { cpu: '2', 'example.com/gpu': '2' })],
  };
  const whole = {
    'count/pods': '1',
    pods: '1',
    cpu: '1',
    'requests.cpu': '1',
    'limits.cpu': '2',
    'requests.example.com/gpu': '2',
    'hugepages-2Mi': '4Mi',
    'requests.hugepages-2Mi': '4Mi',
  };
  test('counts the number and resources of a pod', () => expect(shown(quotaUsageOf(PODS, pod(spec), 0))).toEqual(whole));

  test('counts only count/pods for a terminated pod', () => {
    for (const phase of ['Succeeded', 'Failed'])
      expect(shown(quotaUsageOf(PODS, pod(spec, { status: { phase } }), 0))).toEqual({ 'count/pods': '1' });
  });

  test('counts a terminating pod until its grace period ends', () => {
    const terminating = pod(spec, { metadata: { deletionTimestamp: '2026-01-01T00:00:30Z', deletionGracePeriodSeconds: 30 } });
    const releasedAt = Date.UTC(2026, 0, 1, 0, 1);
    expect(quotaReleasedAt(PODS, terminating)).toBe(releasedAt);
    expect(shown(quotaUsageOf(PODS, terminating, releasedAt))).toEqual(whole);
    expect(shown(quotaUsageOf(PODS, terminating, releasedAt + 1))).toEqual({ 'count/pods': '1' });
    expect(quotaReleasedAt(PODS, pod(spec))).toBeUndefined();
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['ClusterIP', {}, {}],
    ['NodePort', {}, { 'services.nodeports': '2' }],
    ['LoadBalancer', {}, { 'services.nodeports': '2', 'services.loadbalancers': '1' }],
    ['LoadBalancer', { allocateLoadBalancerNodePorts: false }, { 'services.nodeports': '1', 'services.loadbalancers': '1' }],
  ])('counts node ports and load balancers of a %s Service with %j', (type, more, used) => {
    const service = { spec: { type, ports: [{ port: 80, nodePort: 30_000 }, { port: 81 }], ...more } };
    expect(shown(quotaUsageOf({ group: '', resource: 'services' }, service, 0))).toEqual({ 'count/services': '1', services: '1', ...used });
  });

  test.each<[string, JsonObject]>([
    ['spec.storageClassName', { spec: { storageClassName: 'gold', resources: { requests: { storage: '1Gi' } } } }],
    [
      'the annotation volume.beta.kubernetes.io/storage-class',
      {
        metadata: { annotations: { 'volume.beta.kubernetes.io/storage-class': 'gold' } },
        spec: { storageClassName: 'tin', resources: { requests: { storage: '1Gi' } } },
      },
    ],
  ])('counts a PersistentVolumeClaim against the storage class of %s', (_, claim) => {
    expect(shown(quotaUsageOf({ group: '', resource: 'persistentvolumeclaims' }, claim, 0))).toEqual({
      'count/persistentvolumeclaims': '1',
      persistentvolumeclaims: '1',
      'requests.storage': '1Gi',
      'gold.storageclass.storage.platform.io/persistentvolumeclaims': '1',
      'gold.storageclass.storage.platform.io/requests.storage': '1Gi',
    });
  });

  test('counts only the number of objects of other resources', () => {
    expect(shown(quotaUsageOf({ group: '', resource: 'secrets' }, {}, 0))).toEqual({ 'count/secrets': '1', secrets: '1' });
    expect(shown(quotaUsageOf({ group: 'apps', resource: 'secrets' }, {}, 0))).toEqual({
      [objectCountName({ group: 'apps', resource: 'secrets' })]: '1',
    });
  });
});

describe('isInQuotaScopes', () => {
  const only = (scopeName: string, operator: string, ...values: string[]): JsonObject => ({
    scopeSelector: { matchExpressions: [{ scopeName, operator, values }] },
  });
  const term = (more: JsonObject, member = 'requiredDuringSchedulingIgnoredDuringExecution'): JsonObject => ({
    affinity: { podAffinity: { [member]: [member.startsWith('required') ? more : { weight: 1, podAffinityTerm: more }] } },
  });
  const plain = { containers: [container({})] };
  test.each<[JsonObject, JsonObject, boolean]>([
    [{}, plain, true],
    [{ scopes: ['Terminating'] }, { activeDeadlineSeconds: 0 }, true],
    [{ scopes: ['Terminating'] }, plain, false],
    [{ scopes: ['NotTerminating'] }, plain, true],
    [{ scopes: ['BestEffort'] }, plain, true],
    [{ scopes: ['BestEffort'] }, { containers: [container({ cpu: '0', 'example.com/gpu': '1' })] }, true],
    [{ scopes: ['NotBestEffort'] }, { containers: [container({}, { memory: '1' })] }, true],
    [{ scopes: ['NotBestEffort'] }, { initContainers: [container({ cpu: '1' })] }, true],
    [{ scopes: ['BestEffort', 'Terminating'] }, plain, false],
    [{ scopes: ['PriorityClass'] }, { priorityClassName: 'high' }, true],
    [{ scopes: ['PriorityClass'] }, plain, false],
    [only('PriorityClass', 'In', 'high'), { priorityClassName: 'high' }, true],
    [only('PriorityClass', 'In', 'high'), plain, false],
    [only('PriorityClass', 'NotIn', 'high'), plain, true],
    [only('PriorityClass', 'NotIn', 'high'), { priorityClassName: 'high' }, false],
    [only('PriorityClass', 'DoesNotExist'), plain, true],
    [only('PriorityClass', 'Like'), plain, false],
    [{ scopes: ['CrossNamespacePodAffinity'] }, term({ namespaces: ['a'] }), true],
    [{ scopes: ['CrossNamespacePodAffinity'] }, term({ namespaceSelector: {} }, 'preferredDuringSchedulingIgnoredDuringExecution'), true],
    [{ scopes: ['CrossNamespacePodAffinity'] }, term({}), false],
    [{ scopes: ['Unknown'] }, plain, false],
  ])('of the quota %j and a pod with %j is %s', (quota, spec, expected) =>
    expect(isInQuotaScopes(PODS, pod(spec), quotaScopesOf(quota))).toBe(expected),
  );

  test('is false for a quota with scopes and a resource other than pods', () => {
    expect(isInQuotaScopes({ group: '', resource: 'services' }, pod(plain), quotaScopesOf({ scopes: ['NotTerminating'] }))).toBe(false);
    expect(isInQuotaScopes({ group: '', resource: 'services' }, pod(plain), quotaScopesOf({}))).toBe(true);
  });
});
