/** Events that components report: aggregation, limits and retries, on a fake API server. */
import { ownMember, stringAt } from '../../values/json';
import { silentLogger } from '../../runtime/logger';
import { statusResponse } from '../../../test/support/controllers/fake-api';
import { fakeClient } from '../../../test/support/controllers/fake-client';
import { EventRecorder } from './event-recorder';
import { ConnectionError } from '../transport/transport';

const EVENTS = '/api/v1/events';
const about = { apiVersion: 'v1', kind: 'Pod', namespace: 'n', name: 'p', uid: 'u' };

/** `shown` returns the message and the count of each stored Event. */
function recorder() {
  const fake = fakeClient();
  const abort = new AbortController();
  const events = new EventRecorder({ ...fake, logger: silentLogger, component: 'test-controller', signal: abort.signal });
  const shown = () => fake.api.objectsIn(EVENTS).map((event) => [stringAt(event, 'message'), ownMember(event, 'count')]);
  return { ...fake, events, abort, shown };
}

test('EventRecorder counts equal events in one Event object', async () => {
  const { api, clock, events, shown } = recorder();
  for (let i = 0; i < 3; i += 1) {
    events.record({ about, type: 'Warning', reason: 'Failed', message: 'no' });
    await events.flush();
    clock.advance(1_000);
  }
  expect(shown()).toEqual([['no', 3]]);
  expect(api.objectsIn(EVENTS)[0]).toMatchObject({
    metadata: { namespace: 'n' },
    involvedObject: { kind: 'Pod', namespace: 'n', name: 'p', uid: 'u' },
    type: 'Warning',
    reason: 'Failed',
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:02Z',
    source: { component: 'test-controller' },
  });
});

test('EventRecorder combines events that differ in their message only after nine different messages', async () => {
  const { events, shown } = recorder();
  for (let i = 0; i < 14; i += 1) events.record({ about, type: 'Warning', reason: 'Failed', message: `attempt ${i}` });
  await events.flush();
  // Nine Events of their own; the other five are counted in one.
  expect(shown()).toHaveLength(10);
  expect(shown()).toContainEqual(['(combined from similar events): attempt 13', 5]);
});

test('EventRecorder limits an object to a burst of 25 events and one more every five minutes', async () => {
  const { api, clock, events } = recorder();
  const report = () => events.record({ about, type: 'Normal', reason: 'Again', message: 'x' });
  for (let i = 0; i < 100; i += 1) report();
  await events.flush();
  expect(api.requests).toHaveLength(25);
  clock.advance(300_000);
  report();
  await events.flush();
  expect(api.requests).toHaveLength(26);
});

test('EventRecorder creates an expired Event again, and drops an event that the server rejects', async () => {
  const { api, events, shown } = recorder();
  const report = (message: string) => events.record({ about, type: 'Normal', reason: 'R', message });
  report('x');
  await events.flush();
  for (const event of api.objectsIn(EVENTS)) api.remove(EVENTS, 'n', stringAt(Object(event['metadata']), 'name') ?? '');
  report('x');
  await events.flush();
  expect(shown()).toEqual([['x', 1]]);
  api.intercept = () => statusResponse(403, 'Forbidden');
  report('y');
  await events.flush();
  api.intercept = () => undefined;
  report('z');
  await events.flush();
  expect(shown()).toEqual([
    ['x', 1],
    ['z', 1],
  ]);
});

test('EventRecorder writes events about cluster-scoped objects to the namespace default', async () => {
  const { api, events } = recorder();
  events.record({ about: { ...about, kind: 'Node', namespace: '' }, type: 'Normal', reason: 'R', message: 'm' });
  await events.flush();
  expect(api.objectsIn(EVENTS, 'default')).toHaveLength(1);
});

test('EventRecorder retries a lost request under the same name, and treats AlreadyExists as success', async () => {
  const { api, clock, events, shown } = recorder();
  const names: unknown[] = [];
  api.intercept = ({ body }) => {
    names.push(stringAt(Object(ownMember(Object(JSON.parse(String(body))), 'metadata')), 'name'));
    if (names.length < 3) return new ConnectionError('cut', { wasSent: true });
    return names.length === 3 ? statusResponse(500, 'InternalError') : undefined;
  };
  events.record({ about, type: 'Normal', reason: 'R', message: 'x' });
  await clock.advanceAsync(10_000);
  expect(new Set(names).size).toBe(1);
  expect(names).toHaveLength(4);
  expect(shown()).toEqual([['x', 1]]);
  // As if an earlier attempt had created the Event and its response had been lost.
  api.intercept = () => statusResponse(409, 'AlreadyExists');
  events.record({ about, type: 'Normal', reason: 'R', message: 'y' });
  await events.flush();
  expect(api.requests).toHaveLength(5);
});

test('EventRecorder tries to send an Event at most 12 times, and not again once its signal is aborted', async () => {
  const { api, clock, events, abort } = recorder();
  api.intercept = () => new ConnectionError('cut', { wasSent: true });
  events.record({ about, type: 'Normal', reason: 'R', message: 'x' });
  await clock.advanceAsync(600_000);
  await events.flush();
  expect(api.requests).toHaveLength(12);
  events.record({ about, type: 'Normal', reason: 'R', message: 'y' });
  await clock.advanceAsync(0);
  abort.abort();
  await events.flush();
  expect(api.requests).toHaveLength(13);
});
