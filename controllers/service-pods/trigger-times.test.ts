import { apiObject } from '../../shared/client/rest/api-object';
import { podView, type PodView } from './pod';
import { serviceView } from './service';
import { TriggerTimes } from './trigger-times';

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

it('TriggerTimes returns the earliest time of the changes since the previous call', () => {
  const times = new TriggerTimes();
  const [one, two] = [pod('1', '2026-01-01T00:00:07Z'), pod('2', '2026-01-01T00:00:06Z')];
  expect(times.next('k', service, [one])).toBe('2026-01-01T00:00:05Z');
  expect(times.next('k', service, [one])).toBeUndefined();
  expect(times.next('k', service, [one, two])).toBe('2026-01-01T00:00:06Z');
  expect(times.next('k', service, [two])).toBeUndefined();
  expect(times.next('k', service, [pod('2', '2026-01-01T00:00:09Z')])).toBe('2026-01-01T00:00:09Z');
  expect(times.next('k', { ...service, uid: '2' }, [])).toBe('2026-01-01T00:00:05Z');
  times.forget('k');
  expect(times.next('k', service, [])).toBe('2026-01-01T00:00:05Z');
});
