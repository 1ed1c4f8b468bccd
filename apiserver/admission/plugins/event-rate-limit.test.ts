/** Rates of Events: a replay of the Events that release 1.31.1 rejected, refilling, eviction, and the configuration. */
import { StatusError } from '../../../shared/api/errors/status';
import { objectAt } from '../../../shared/values/json';
import { isBody } from '../../../test/replay/json-response';
import { requestRecording } from '../../../test/replay/requests/request-recording';
import { admissionRequest } from '../../../test/support/objects/admission-request';
import { ManualClock } from '../../../test/support/clock/manual-clock';
import type { AdmissionRequest } from '../../registry/admission';
import { buildResources } from '../../registry/resources';
import { EVENT_LIMIT_FORMAT, eventRateLimit, type EventLimits } from './event-rate-limit';

const LIMITS: EventLimits = [
  { type: 'Server', qps: 1000, burst: 1000 },
  { type: 'Namespace', qps: 1, burst: 6, cacheSize: 10 },
  { type: 'User', qps: 1, burst: 4, cacheSize: 10 },
  { type: 'SourceAndObject', qps: 1, burst: 2, cacheSize: 10 },
];
const EVENTS = buildResources().require('events');
/** Number of writes of Events in the recording. */
const RECORDED_WRITES = 19;

interface EventWrite {
  readonly namespace: string;
  readonly user: string;
  readonly object: AdmissionRequest['object'];
  readonly dryRun?: boolean;
}

const request = ({ user, ...write }: EventWrite): AdmissionRequest =>
  admissionRequest({ resource: EVENTS, name: 'e', user: { name: user, groups: [] }, ...write });

/** `admitted`, or the message of the rejection. */
function outcome(plugin: ReturnType<typeof eventRateLimit>, attributes: AdmissionRequest): string {
  try {
    void plugin.validate(attributes);
    return 'admitted';
  } catch (error) {
    if (error instanceof StatusError) return error.message;
    throw error;
  }
}

test('EventRateLimit rejects the Events that release 1.31.1 rejected', () => {
  // The clock stands still, so that no token is refilled.
  const plugin = eventRateLimit(LIMITS, new ManualClock(0));
  const createdEvents = new Map<unknown, AdmissionRequest['object']>();
  let compared = 0;
  for (const { request: recorded, answer } of requestRecording('admission/event-limits').cases) {
    const { method, path, as = '' } = recorded;
    const [, namespace = ''] = /\/namespaces\/([^/]+)\/events/.exec(path) ?? [];
    if (namespace === '' || method === 'DELETE') continue;
    const sent = isBody(recorded.body) ? recorded.body : {};
    const name = method === 'POST' ? objectAt(sent, 'metadata')?.['name'] : path.slice(path.lastIndexOf('/') + 1);
    const object = method === 'POST' ? sent : createdEvents.get(name);
    createdEvents.set(name, object);
    const actual = outcome(plugin, request({ namespace, user: as, object }));
    const rejection = isBody(answer.body) ? answer.body['message'] : undefined;
    expect([path, actual]).toEqual([path, answer.status === 429 ? rejection : 'admitted']);
    compared += 1;
  }
  expect(compared).toBe(RECORDED_WRITES);
});

test('EventRateLimit refills tokens over time, counts no dry run, and evicts the least recently used user', () => {
  const clock = new ManualClock(0);
  const plugin = eventRateLimit([{ type: 'User', qps: 1, burst: 1, cacheSize: 2 }], clock);
  const outcomeFor = (user: string, options: Pick<EventWrite, 'dryRun'> = {}): string =>
    outcome(plugin, request({ namespace: 'n', user, object: {}, ...options }));
  expect(outcomeFor('a', { dryRun: true })).toBe('admitted');
  expect(outcomeFor('a')).toBe('admitted');
  expect(outcomeFor('a')).toBe('Too many requests: limit reached on type User for key a');
  clock.advance(1000);
  expect(outcomeFor('a')).toBe('admitted');
  expect([outcomeFor('b'), outcomeFor('c'), outcomeFor('b'), outcomeFor('a')]).toEqual([
    'admitted',
    'admitted',
    'Too many requests: limit reached on type User for key b',
    'admitted',
  ]);
});

test('EventRateLimit configuration rejects a burst below qps and a limit type that occurs twice', () => {
  const limits: EventLimits = [
    { type: 'User', qps: 2, burst: 1 },
    { type: 'User', qps: 1, burst: 1 },
  ];
  expect(EVENT_LIMIT_FORMAT.validate?.({ limits })).toEqual([
    { path: 'limits[0].burst', reason: 'must not be less than qps' },
    { path: 'limits[1].type', reason: 'User may occur only once' },
  ]);
});
