import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { staleAt, withoutMark } from './stale-disruption-condition';

const SINCE = Date.UTC(2026, 0, 1);
const mark = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', lastTransitionTime: '2026-01-01T00:00:00Z' };
const ready = { type: 'Ready', status: 'True' };
const pod = (condition: JsonObject, metadata: JsonObject = {}, phase = 'Running'): ApiObject =>
  apiObject({ metadata: { name: 'p', uid: 'u', resourceVersion: '7', ...metadata }, status: { phase, conditions: [ready, condition] } });

test('staleAt reports a DisruptionTarget condition as stale after two minutes', () => expect(staleAt(pod(mark))).toBe(SINCE + 120_000));

test.each<[string, ApiObject]>([
  ['a DisruptionTarget condition with status False', pod({ ...mark, status: 'False' })],
  ['a DisruptionTarget condition that the kubelet set', pod({ ...mark, reason: 'TerminationByKubelet' })],
  ['a DisruptionTarget condition on a pod that is being deleted', pod(mark, { deletionTimestamp: 'now' })],
  ['a DisruptionTarget condition on a failed pod', pod(mark, {}, 'Failed')],
  ['a pod without a DisruptionTarget condition', pod({ type: 'Initialized', status: 'True' })],
])('staleAt ignores %s', (_, found) => expect(staleAt(found)).toBeUndefined());

test('withoutMark sets the condition to False without a reason, with the resourceVersion as precondition', () => {
  expect(withoutMark(pod(mark), SINCE + 120_000)).toEqual({
    metadata: { uid: 'u', resourceVersion: '7' },
    status: {
      conditions: [ready, { type: 'DisruptionTarget', status: 'False', lastProbeTime: null, lastTransitionTime: '2026-01-01T00:02:00Z' }],
    },
  });
});
