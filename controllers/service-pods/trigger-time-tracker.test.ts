import { apiObject } from '../../shared/client/rest/api-object';
import { podView, type PodView } from './pod-view';
import { serviceView } from './service-view';
import { TriggerTimeTracker } from './trigger-time-tracker';

const service = serviceView(
  apiObject({ metadata: { namespace: 'n', name: 's', uid: '1', creationTimestamp: '2026-01-01T00:00:05Z' } }),
  'p',
);
const pod = (uid: string, time: string): PodView =>
  podView(
    apiObject({
      metadata: { namespace: 'n', name: uid, uid },
      status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: time }] },
    }),
  );

it('TriggerTimeTracker returns the earliest time of the changes since the previous call', () => {
  const tracker = new TriggerTimeTracker();
  const pod1 = pod('1', '2026-01-01T00:00:07Z');
  const pod2 = pod('2', '2026-01-01T00:00:06Z');
  // The Service was created before the pod became ready.
  expect(tracker.computeTriggerTime('k', service, [pod1])).toBe('2026-01-01T00:00:05Z');
  expect(tracker.computeTriggerTime('k', service, [pod1])).toBeUndefined();
  expect(tracker.computeTriggerTime('k', service, [pod1, pod2])).toBe('2026-01-01T00:00:06Z');
  // The removal of a pod has no time.
  expect(tracker.computeTriggerTime('k', service, [pod2])).toBeUndefined();
  expect(tracker.computeTriggerTime('k', service, [pod('2', '2026-01-01T00:00:09Z')])).toBe('2026-01-01T00:00:09Z');
  // Another Service of the name.
  expect(tracker.computeTriggerTime('k', { ...service, uid: '2' }, [])).toBe('2026-01-01T00:00:05Z');
  tracker.forget('k');
  expect(tracker.computeTriggerTime('k', service, [])).toBe('2026-01-01T00:00:05Z');
});
