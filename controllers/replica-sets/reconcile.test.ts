import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { BURST, planOf, replicaStatus } from './reconcile';

const NOW = Date.UTC(2026, 0, 2);
const LABELS = { app: 'a' };

function set(replicas: number, { spec = {}, metadata = {}, status = {} }: Readonly<Record<string, JsonObject>> = {}): ApiObject {
  return apiObject({
    metadata: { namespace: 'n', name: 'set', uid: 'u', generation: 2, ...metadata },
    spec: { replicas, template: { metadata: { labels: LABELS } }, ...spec },
    status: { replicas: 0, ...status },
  });
}

function pod(name: string, isReady = false, labels: JsonObject = LABELS): ApiObject {
  const conditions = isReady ? [{ type: 'Ready', status: 'True', lastTransitionTime: formatTimestamp(NOW - 10_000) }] : [];
  return apiObject({ metadata: { namespace: 'n', name, uid: name, labels }, spec: {}, status: { phase: 'Running', conditions } });
}
const pods = (count: number): readonly ApiObject[] => Array.from({ length: count }, (_, index) => pod(`p${index}`));

test.each<[string, ApiObject, readonly ApiObject[], unknown]>([
  ['creates the missing pods', set(3), pods(1), { type: 'create', count: 2 }],
  ['does nothing with as many pods as replicas', set(3), pods(3), { type: 'none' }],
  ['creates at most one burst of pods', set(2 * BURST), [], { type: 'create', count: BURST }],
  [
    'creates no pods for a ReplicaSet that is being deleted',
    set(3, { metadata: { deletionTimestamp: formatTimestamp(NOW) } }),
    [],
    { type: 'none' },
  ],
])('planOf %s', (_, owner, present, plan) => {
  expect(planOf(owner, present, () => present, NOW)).toEqual(plan);
});

test('planOf deletes unready pods before ready ones, and at most one burst', () => {
  const present = [pod('a', true), pod('b'), pod('c', true)];
  const plan = planOf(set(2), present, () => present, NOW);
  expect(plan.type === 'delete' && plan.pods.map(({ name }) => name)).toEqual(['b']);
  const all = planOf(set(0), pods(BURST + 7), () => [], NOW);
  expect(all.type === 'delete' && all.pods.length).toBe(BURST);
});

test('replicaStatus counts pods and omits fields that are zero', () => {
  const present = [pod('a', true), pod('b'), pod('c', true, { app: 'a', more: 'm' }), pod('d', false, {})];
  expect(replicaStatus(set(3), present, undefined, NOW)).toEqual({
    replicas: 4,
    fullyLabeledReplicas: 3,
    readyReplicas: 2,
    availableReplicas: 2,
    observedGeneration: 2,
  });
  const patient = set(3, { spec: { minReadySeconds: 11 } });
  expect(replicaStatus(patient, [pod('a', true)], undefined, NOW)).toEqual({
    replicas: 1,
    fullyLabeledReplicas: 1,
    readyReplicas: 1,
    observedGeneration: 2,
  });
});

test('replicaStatus returns nothing when the status is unchanged', () => {
  const status = { replicas: 1, fullyLabeledReplicas: 1, readyReplicas: 0, observedGeneration: 2 };
  expect(replicaStatus(set(1, { status }), [pod('a')], undefined, NOW)).toBeUndefined();
});

test('replicaStatus sets ReplicaFailure once and removes it when the failure is over', () => {
  const fault = { reason: 'FailedCreate', message: 'no room' } as const;
  const said = { type: 'ReplicaFailure', status: 'True', lastTransitionTime: formatTimestamp(NOW), ...fault };
  expect(replicaStatus(set(1), [], fault, NOW)).toEqual({ replicas: 0, observedGeneration: 2, conditions: [said] });
  const known = set(1, { status: { observedGeneration: 2, conditions: [said] } });
  expect(replicaStatus(known, [], { ...fault, message: 'still none' }, NOW + 5_000)).toBeUndefined();
  expect(replicaStatus(known, [], undefined, NOW)).toEqual({ replicas: 0, observedGeneration: 2 });
});
