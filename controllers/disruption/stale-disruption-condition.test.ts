import type { CoreV1Pod, CoreV1PodCondition, MetaV1ObjectMeta } from '../../shared/api/types/generated/members';
import { apiObject } from '../../shared/client/rest/api-object';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { conditionStaleAt, resetConditionPatch } from './stale-disruption-condition';

const TRANSITION = Date.UTC(2026, 0, 1);
const disruptionTarget = {
  type: 'DisruptionTarget',
  status: 'True',
  reason: 'EvictionByEvictionAPI',
  lastTransitionTime: '2026-01-01T00:00:00Z',
};
const ready = { type: 'Ready', status: 'True' };
const pod = (condition: CoreV1PodCondition, metadata: MetaV1ObjectMeta = {}, phase = 'Running'): Pod =>
  apiObject<CoreV1Pod>({
    metadata: { name: 'p', uid: 'u', resourceVersion: '7', ...metadata },
    status: { phase, conditions: [ready, condition] },
  });

test('conditionStaleAt reports a DisruptionTarget condition as stale after two minutes', () =>
  expect(conditionStaleAt(pod(disruptionTarget))).toBe(TRANSITION + 120_000));

test.each<[string, Pod]>([
  ['a DisruptionTarget condition with status False', pod({ ...disruptionTarget, status: 'False' })],
  ['a DisruptionTarget condition that the kubelet set', pod({ ...disruptionTarget, reason: 'TerminationByKubelet' })],
  ['a DisruptionTarget condition on a pod that is being deleted', pod(disruptionTarget, { deletionTimestamp: 'now' })],
  ['a DisruptionTarget condition on a failed pod', pod(disruptionTarget, {}, 'Failed')],
  ['a pod without a DisruptionTarget condition', pod({ type: 'Initialized', status: 'True' })],
])('conditionStaleAt ignores %s', (_, ignored) => expect(conditionStaleAt(ignored)).toBeUndefined());

test('resetConditionPatch sets the condition to False without a reason, with the resourceVersion as precondition', () => {
  expect(resetConditionPatch(pod(disruptionTarget), TRANSITION + 120_000)).toEqual({
    metadata: { uid: 'u', resourceVersion: '7' },
    status: {
      conditions: [ready, { type: 'DisruptionTarget', status: 'False', lastProbeTime: null, lastTransitionTime: '2026-01-01T00:02:00Z' }],
    },
  });
});
