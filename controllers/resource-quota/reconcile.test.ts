import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import type { GroupResource } from '../../shared/api/identity/identity';
import type { JsonObject } from '../../shared/values/json';
import { runStepsSync } from '../../shared/scheduling/steps';
import { limitedBy, quotaOutcome, type ObjectsOf } from './reconcile';

const quota = (hard: JsonObject, status: JsonObject = {}, spec: JsonObject = {}): ApiObject =>
  apiObject({ metadata: { namespace: 'n', name: 'q' }, spec: { hard, ...spec }, status });
const pod = (name: string, cpu: string, more: JsonObject = {}): ApiObject =>
  apiObject({ metadata: { namespace: 'n', name, ...more }, spec: { containers: [{ resources: { requests: { cpu } } }] } });
const outcome = (found: ApiObject, objectsOf: ObjectsOf, now: number) => runStepsSync(quotaOutcome(found, objectsOf, now));
const world = (objects: Readonly<Record<string, readonly ApiObject[]>>) => (kind: GroupResource) =>
  objects[`${kind.resource}.${kind.group}`];

test('quotaOutcome reports usage only for limited resources, under the names in the quota', () => {
  const hard = { pods: '5', 'requests.cpu': '4', 'count/ingresses.networking.k8s.io': '2', 'limits.cpu': '9' };
  const objectsOf = world({
    'pods.': [pod('a', '500m'), pod('b', '1')],
    'ingresses.networking.platform.io': [apiObject({ metadata: { name: 'i' } })],
  });
  expect(outcome(quota(hard), objectsOf, 0)).toEqual({
    status: { hard, used: { pods: '2', 'requests.cpu': '1500m', 'count/ingresses.networking.k8s.io': '1', 'limits.cpu': '0' } },
    againMs: undefined,
  });
});

test('limitedBy and quotaOutcome leave out resources that are not countable or not served', () => {
  const hard = { 'count/nothing.example.com': '5', 'example.com/thing': '2', pods: '1' };
  expect([...limitedBy(quota(hard)).keys()]).toEqual(['count/nothing.example.com', 'pods']);
  expect(outcome(quota(hard), world({ 'pods.': [] }), 0).status).toEqual({ hard, used: { pods: '0' } });
});

test.each<[string, JsonObject, boolean]>([
  ['writes nothing for an equal status', { hard: { cpu: '4' }, used: { cpu: '1500m' } }, true],
  ['writes nothing for a status with the same quantities in another notation', { hard: { cpu: '4000m' }, used: { cpu: '1.5' } }, true],
  ['updates a status with another limit', { hard: { cpu: '5' }, used: { cpu: '1500m' } }, false],
  ['updates a status with resources that the quota does not limit', { hard: { cpu: '4' }, used: { cpu: '1500m', pods: '1' } }, false],
  ['updates an empty status', {}, false],
])('quotaOutcome %s', (_, status, isRight) => {
  const { status: made } = outcome(quota({ cpu: '4' }, status), world({ 'pods.': [pod('a', '1500m')] }), 0);
  expect(made === undefined).toBe(isRight);
});

test('quotaOutcome ignores pods out of scope, and requeues when the grace period of a terminating pod ends', () => {
  const going = { deletionTimestamp: '1970-01-01T00:00:10Z', deletionGracePeriodSeconds: 30 };
  const objectsOf = world({ 'pods.': [pod('a', '1', going), pod('b', '0')] });
  const scoped = quota({ pods: '4' }, {}, { scopes: ['NotBestEffort'] });
  expect(outcome(scoped, objectsOf, 15_000)).toEqual({ status: { hard: { pods: '4' }, used: { pods: '1' } }, againMs: 25_001 });
  expect(outcome(scoped, objectsOf, 40_001)).toEqual({ status: { hard: { pods: '4' }, used: { pods: '0' } }, againMs: undefined });
});
