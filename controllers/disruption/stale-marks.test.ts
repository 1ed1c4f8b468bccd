import { apiObject, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { staleAt, withoutMark } from './stale-marks';

const SINCE = Date.UTC(2026, 0, 1);
const mark = { type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI', lastTransitionTime: '2026-01-01T00:00:00Z' };
const ready = { type: 'Ready', status: 'True' };
const pod = (condition: JsonObject, metadata: JsonObject = {}, phase = 'Running'): ApiObject =>
  apiObject({ metadata: { name: 'p', uid: 'u', resourceVersion: '7', ...metadata }, status: { phase, conditions: [ready, condition] } });

test('a mark is stale after two minutes', () => expect(staleAt(pod(mark))).toBe(SINCE + 120_000));

test.each<[string, ApiObject]>([
  ['one that is taken back', pod({ ...mark, status: 'False' })],
  ['one of a node', pod({ ...mark, reason: 'TerminationByKubelet' })],
  ['one on a pod that goes', pod(mark, { deletionTimestamp: 'now' })],
  ['one on a pod that has ended', pod(mark, {}, 'Failed')],
  ['no mark', pod({ type: 'Initialized', status: 'True' })],
])('%s is left alone', (_, found) => expect(staleAt(found)).toBeUndefined());

test('it is taken back without a reason, in the state that was seen', () => {
  expect(withoutMark(pod(mark), SINCE + 120_000)).toEqual({
    metadata: { uid: 'u', resourceVersion: '7' },
    status: {
      conditions: [ready, { type: 'DisruptionTarget', status: 'False', lastProbeTime: null, lastTransitionTime: '2026-01-01T00:02:00Z' }],
    },
  });
});
