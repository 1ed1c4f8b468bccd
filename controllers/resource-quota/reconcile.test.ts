import type {
  CoreV1Pod,
  CoreV1ResourceQuota,
  CoreV1ResourceQuotaSpec,
  CoreV1ResourceQuotaStatus,
  MetaV1ObjectMeta,
} from '../../shared/api/types/generated/members';
import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import type { GroupResource } from '../../shared/api/identity/identity';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { runStepsSync } from '../../shared/scheduling/steps';
import { countedLimits, reconcileQuota, type CountedBody, type ListObjects, type ResourceQuota } from './reconcile';

const quota = (hard: Record<string, string>, status: CoreV1ResourceQuotaStatus = {}, spec: CoreV1ResourceQuotaSpec = {}): ResourceQuota =>
  apiObject<CoreV1ResourceQuota>({ metadata: { namespace: 'n', name: 'q' }, spec: { hard, ...spec }, status });
const pod = (name: string, cpu: string, metadata: MetaV1ObjectMeta = {}): Pod =>
  apiObject<CoreV1Pod>({ metadata: { namespace: 'n', name, ...metadata }, spec: { containers: [{ resources: { requests: { cpu } } }] } });
const reconcile = (reconciled: ResourceQuota, listObjects: ListObjects, now: number) =>
  runStepsSync(reconcileQuota(reconciled, listObjects, now));
const listsOf =
  (objects: Readonly<Record<string, readonly ApiObject<CountedBody>[]>>): ListObjects =>
  ({ group, resource }: GroupResource) =>
    objects[`${resource}.${group}`];

test('reconcileQuota reports usage only for limited resources, under the names in the quota', () => {
  const hard = { pods: '5', 'requests.cpu': '4', 'count/ingresses.networking.k8s.io': '2', 'limits.cpu': '9' };
  const listObjects = listsOf({
    'pods.': [pod('a', '500m'), pod('b', '1')],
    'ingresses.networking.platform.io': [apiObject({ metadata: { name: 'i' } })],
  });
  expect(reconcile(quota(hard), listObjects, 0)).toEqual({
    status: { hard, used: { pods: '2', 'requests.cpu': '1500m', 'count/ingresses.networking.k8s.io': '1', 'limits.cpu': '0' } },
    requeueAfterMs: undefined,
  });
});

test('countedLimits and reconcileQuota leave out resources that are not countable or not served', () => {
  const hard = { 'count/nothing.example.com': '5', 'example.com/thing': '2', pods: '1' };
  expect([...countedLimits(quota(hard)).keys()]).toEqual(['count/nothing.example.com', 'pods']);
  expect(reconcile(quota(hard), listsOf({ 'pods.': [] }), 0).status).toEqual({ hard, used: { pods: '0' } });
});

test.each<[string, CoreV1ResourceQuotaStatus, boolean]>([
  ['writes nothing for an equal status', { hard: { cpu: '4' }, used: { cpu: '1500m' } }, true],
  ['writes nothing for a status with the same quantities in another notation', { hard: { cpu: '4000m' }, used: { cpu: '1.5' } }, true],
  ['updates a status with another limit', { hard: { cpu: '5' }, used: { cpu: '1500m' } }, false],
  ['updates a status with resources that the quota does not limit', { hard: { cpu: '4' }, used: { cpu: '1500m', pods: '1' } }, false],
  ['updates an empty status', {}, false],
])('reconcileQuota %s', (_, status, isUpToDate) => {
  const { status: newStatus } = reconcile(quota({ cpu: '4' }, status), listsOf({ 'pods.': [pod('a', '1500m')] }), 0);
  expect(newStatus === undefined).toBe(isUpToDate);
});

test('reconcileQuota ignores pods out of scope, and requeues when the grace period of a terminating pod ends', () => {
  const terminating = { deletionTimestamp: '1970-01-01T00:00:10Z', deletionGracePeriodSeconds: 30 };
  const listObjects = listsOf({ 'pods.': [pod('a', '1', terminating), pod('b', '0')] });
  const scoped = quota({ pods: '4' }, {}, { scopes: ['NotBestEffort'] });
  expect(reconcile(scoped, listObjects, 15_000)).toEqual({ status: { hard: { pods: '4' }, used: { pods: '1' } }, requeueAfterMs: 25_001 });
  expect(reconcile(scoped, listObjects, 40_001)).toEqual({
    status: { hard: { pods: '4' }, used: { pods: '0' } },
    requeueAfterMs: undefined,
  });
});
