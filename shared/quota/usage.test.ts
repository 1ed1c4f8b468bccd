/** The usage of objects for quotas, resource by resource. */
import type { GroupResource } from '../api/identity/identity';
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
  const SERVICES = { group: '', resource: 'services' };
  const CLAIMS = { group: '', resource: 'persistentvolumeclaims' };
  const SECRETS = { group: '', resource: 'secrets' };

  test.each<[string, GroupResource]>([
    ['requests.cpu', PODS],
    ['hugepages-2Mi', PODS],
    ['requests.hugepages-2Mi', PODS],
    ['requests.example.com/gpu', PODS],
    ['services.nodeports', SERVICES],
    ['requests.storage', CLAIMS],
    ['secrets', SECRETS],
    ['count/secrets', SECRETS],
    ['count/deployments.apps', { group: 'apps', resource: 'deployments' }],
    ['a.storageclass.b.storageclass.storage.platform.io/persistentvolumeclaims', CLAIMS],
  ])('maps the quota resource %s to the kind that it counts', (name, kind) => {
    expect(parseCountedResource(name)).toEqual({ name, kind });
  });

  test('returns the canonical spelling of the API group in a name', () => {
    expect(parseCountedResource('count/ingresses.networking.k8s.io')).toEqual({
      name: 'count/ingresses.networking.platform.io',
      kind: { group: 'networking.platform.io', resource: 'ingresses' },
    });
    expect(parseCountedResource('gold.storageclass.storage.k8s.io/requests.storage')).toEqual({
      name: 'gold.storageclass.storage.platform.io/requests.storage',
      kind: CLAIMS,
    });
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
  const priorityClass = (operator: string, ...values: string[]): JsonObject => ({
    scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator, values }] },
  });
  const requiredTerm = (term: JsonObject): JsonObject => ({
    affinity: { podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } },
  });
  const preferredTerm = (term: JsonObject): JsonObject => ({
    affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: term }] } },
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
    [priorityClass('In', 'high'), { priorityClassName: 'high' }, true],
    [priorityClass('In', 'high'), plain, false],
    [priorityClass('NotIn', 'high'), plain, true],
    [priorityClass('NotIn', 'high'), { priorityClassName: 'high' }, false],
    [priorityClass('DoesNotExist'), plain, true],
    [priorityClass('UnknownOperator'), plain, false],
    [{ scopes: ['CrossNamespacePodAffinity'] }, requiredTerm({ namespaces: ['a'] }), true],
    [{ scopes: ['CrossNamespacePodAffinity'] }, preferredTerm({ namespaceSelector: {} }), true],
    [{ scopes: ['CrossNamespacePodAffinity'] }, requiredTerm({}), false],
    [{ scopes: ['Unknown'] }, plain, false],
  ])('of the quota %j and a pod with %j is %s', (quota, spec, expected) =>
    expect(isInQuotaScopes(PODS, pod(spec), quotaScopesOf(quota))).toBe(expected),
  );

  test('for an object that is no pod is true without scopes and false with scopes', () => {
    expect(isInQuotaScopes({ group: '', resource: 'services' }, {}, quotaScopesOf({}))).toBe(true);
    expect(isInQuotaScopes({ group: '', resource: 'services' }, {}, quotaScopesOf({ scopes: ['NotTerminating'] }))).toBe(false);
  });
});
