import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import type { AppsV1ReplicaSet, CoreV1Pod } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { BURST_REPLICAS, reconcileReplicas } from './reconcile';
import type { ReplicaOwner } from './replica-kinds';
import { calculateStatus } from './status';

const NOW = Date.UTC(2026, 0, 2);
const LABELS: Record<string, string> = { app: 'a' };

function replicaSet(replicas: number, { spec = {}, metadata = {}, status = {} }: AppsV1ReplicaSet = {}): ReplicaOwner {
  return apiObject<AppsV1ReplicaSet>({
    metadata: { namespace: 'n', name: 'set', uid: 'u', generation: 2, ...metadata },
    spec: { replicas, template: { metadata: { labels: LABELS } }, ...spec },
    status: { replicas: 0, ...status },
  });
}

function pod(name: string, { isReady = false, labels = LABELS } = {}): Pod {
  const conditions = isReady ? [{ type: 'Ready', status: 'True', lastTransitionTime: formatTimestamp(NOW - 10_000) }] : [];
  return apiObject<CoreV1Pod>({
    metadata: { namespace: 'n', name, uid: name, labels },
    spec: {},
    status: { phase: 'Running', conditions },
  });
}
const pods = (count: number): readonly Pod[] => Array.from({ length: count }, (_, index) => pod(`p${index}`));

test.each<[string, ReplicaOwner, readonly Pod[], unknown]>([
  ['creates the missing pods', replicaSet(3), pods(1), { type: 'create', count: 2 }],
  ['does nothing with as many pods as replicas', replicaSet(3), pods(3), { type: 'none' }],
  ['creates at most one burst of pods', replicaSet(2 * BURST_REPLICAS), [], { type: 'create', count: BURST_REPLICAS }],
  [
    'creates no pods for a ReplicaSet that is being deleted',
    replicaSet(3, { metadata: { deletionTimestamp: formatTimestamp(NOW) } }),
    [],
    { type: 'none' },
  ],
])('reconcileReplicas %s', (_, owner, present, action) => {
  expect(reconcileReplicas(owner, present, () => present, NOW)).toEqual(action);
});

test('reconcileReplicas deletes unready pods before ready ones', () => {
  const unready = pod('b');
  const present = [pod('a', { isReady: true }), unready, pod('c', { isReady: true })];
  expect(reconcileReplicas(replicaSet(2), present, () => present, NOW)).toEqual({ type: 'delete', pods: [unready] });
});

test('reconcileReplicas deletes at most one burst of pods', () => {
  const action = reconcileReplicas(replicaSet(0), pods(BURST_REPLICAS + 7), () => [], NOW);
  expect(action.type === 'delete' && action.pods.length).toBe(BURST_REPLICAS);
});

test('calculateStatus counts pods and omits fields that are zero', () => {
  const present = [
    pod('a', { isReady: true }),
    pod('b'),
    pod('c', { isReady: true, labels: { app: 'a', more: 'm' } }),
    pod('d', { labels: {} }),
  ];
  expect(calculateStatus(replicaSet(3), present, undefined, NOW)).toEqual({
    replicas: 4,
    fullyLabeledReplicas: 3,
    readyReplicas: 2,
    availableReplicas: 2,
    observedGeneration: 2,
  });
  const withMinReadySeconds = replicaSet(3, { spec: { minReadySeconds: 11 } });
  expect(calculateStatus(withMinReadySeconds, [pod('a', { isReady: true })], undefined, NOW)).toEqual({
    replicas: 1,
    fullyLabeledReplicas: 1,
    readyReplicas: 1,
    observedGeneration: 2,
  });
});

test('calculateStatus returns nothing when the status is unchanged', () => {
  const status = { replicas: 1, fullyLabeledReplicas: 1, readyReplicas: 0, observedGeneration: 2 };
  expect(calculateStatus(replicaSet(1, { status }), [pod('a')], undefined, NOW)).toBeUndefined();
});

test('calculateStatus keeps the first failure in ReplicaFailure, and removes the condition after a sync without a failure', () => {
  const failure = { reason: 'FailedCreate', message: 'no room' } as const;
  const condition = { type: 'ReplicaFailure', status: 'True', lastTransitionTime: formatTimestamp(NOW), ...failure };
  expect(calculateStatus(replicaSet(1), [], failure, NOW)).toEqual({ replicas: 0, observedGeneration: 2, conditions: [condition] });
  const failing = replicaSet(1, { status: { observedGeneration: 2, conditions: [condition] } });
  expect(calculateStatus(failing, [], { ...failure, message: 'still none' }, NOW + 5_000)).toBeUndefined();
  expect(calculateStatus(failing, [], undefined, NOW)).toEqual({ replicas: 0, observedGeneration: 2 });
});
