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

/** The attributes of a write of an Event on which limits depend. */
interface EventWrite {
  readonly namespace: string;
  readonly user: string;
  readonly object: AdmissionRequest['object'];
  readonly dryRun?: boolean;
}

const request = ({ user, ...write }: EventWrite): AdmissionRequest =>
  admissionRequest({ resource: EVENTS, name: 'e', user: { name: user, groups: [] }, ...write });

/** `admitted`, or the message with which the plug-in rejects the write. */
function outcome(plugin: ReturnType<typeof eventRateLimit>, attributes: AdmissionRequest): string {
  try {
    void plugin.validate(attributes);
    return 'admitted';
  } catch (error) {
    if (error instanceof StatusError) return error.message;
    throw error;
  }
}

/** A recorded write, and whether release 1.31.1 admitted it. */
interface RecordedWrite {
  readonly path: string;
  readonly write: EventWrite;
  /** As {@link outcome} returns it. */
  readonly outcome: unknown;
}

/**
 * The creations and patches of Events in a recording. The object of a patch is the Event as it was created: the patches
 * do not change the members that limits depend on.
 */
function eventWritesOf(recording: string): readonly RecordedWrite[] {
  const createdEvents = new Map<unknown, AdmissionRequest['object']>();
  return requestRecording(recording).cases.flatMap(({ request: recorded, answer }) => {
    const { method, path, as = '' } = recorded;
    // `/api/v1/namespaces/a/events/e-1` -> `a`
    const [, namespace] = /\/namespaces\/([^/]+)\/events/.exec(path) ?? [];
    if (namespace === undefined || method === 'DELETE') return [];
    const sent = isBody(recorded.body) ? recorded.body : {};
    const name = method === 'POST' ? objectAt(sent, 'metadata')?.['name'] : path.slice(path.lastIndexOf('/') + 1);
    const object = method === 'POST' ? sent : createdEvents.get(name);
    createdEvents.set(name, object);
    const rejection = isBody(answer.body) ? answer.body['message'] : undefined;
    return [{ path, write: { namespace, user: as, object }, outcome: answer.status === 429 ? rejection : 'admitted' }];
  });
}

test('EventRateLimit rejects the Events that release 1.31.1 rejected', () => {
  // The clock stands still, so that no token is refilled.
  const plugin = eventRateLimit(LIMITS, new ManualClock(0));
  const writes = eventWritesOf('admission/event-limits');
  // The paths are compared as well, so that a failure shows them.
  const outcomes = writes.map(({ path, write }) => ({ path, outcome: outcome(plugin, request(write)) }));
  expect(outcomes).toEqual(writes.map(({ path, outcome: recorded }) => ({ path, outcome: recorded })));
  expect(writes).toHaveLength(RECORDED_WRITES);
});

describe('EventRateLimit with one token per user', () => {
  /** A limit with room for two users in its cache. `outcomeFor` is the outcome of one more write of the user. */
  function createLimit() {
    const clock = new ManualClock(0);
    const plugin = eventRateLimit([{ type: 'User', qps: 1, burst: 1, cacheSize: 2 }], clock);
    const outcomeFor = (user: string, options: Pick<EventWrite, 'dryRun'> = {}): string =>
      outcome(plugin, request({ namespace: 'n', user, object: {}, ...options }));
    return { clock, outcomeFor };
  }
  const rejectionOf = (user: string): string => `Too many requests: limit reached on type User for key ${user}`;

  it('refills the token after a second', () => {
    const { clock, outcomeFor } = createLimit();
    expect(outcomeFor('a')).toBe('admitted');
    expect(outcomeFor('a')).toBe(rejectionOf('a'));
    clock.advance(1000);
    expect(outcomeFor('a')).toBe('admitted');
  });

  it('takes no token for a dry run', () => {
    const { outcomeFor } = createLimit();
    expect(outcomeFor('a', { dryRun: true })).toBe('admitted');
    expect(outcomeFor('a')).toBe('admitted');
  });

  it('evicts the least recently used user, whose next write finds a full bucket', () => {
    const { outcomeFor } = createLimit();
    for (const user of ['a', 'b', 'c']) expect(outcomeFor(user)).toBe('admitted');
    // The write of `c` evicted `a`, and `b` has no token left.
    expect(outcomeFor('b')).toBe(rejectionOf('b'));
    expect(outcomeFor('a')).toBe('admitted');
  });
});

it.each<[title: string, limits: EventLimits, violation: { readonly path: string; readonly reason: string }]>([
  ['a burst below qps', [{ type: 'User', qps: 2, burst: 1 }], { path: 'limits[0].burst', reason: 'must not be less than qps' }],
  [
    'a limit type that occurs twice',
    [
      { type: 'User', qps: 1, burst: 1 },
      { type: 'User', qps: 1, burst: 1 },
    ],
    { path: 'limits[1].type', reason: 'User may occur only once' },
  ],
])('EventRateLimit configuration rejects %s', (_title, limits, violation) => {
  expect(EVENT_LIMIT_FORMAT.validate?.({ limits })).toEqual([violation]);
});
