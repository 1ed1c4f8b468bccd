/**
 * API Priority and Fairness as the filter uses it: classification, queuing, rejection and the allocation of seats, with
 * a manual clock.
 */
import type { UserInfo } from '../../shared/api/identity/user';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { ManualClock, flushPromises } from '../../test/support/clock/manual-clock';
import { FlowControl, type Admitted, type FlowMeter, type FlowRequest, type Queued, type Rejected } from './flow-control';
import { readFlowSchema, type RequestAttributes } from './flow-schema';
import { readPriorityLevel } from './priority-level';

const attributes: RequestAttributes = { kind: 'path', verb: 'get', path: '/x' };
const rules = [{ subjects: [{ kind: 'Group', group: { name: '*' } }], nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] }];

/** Flow control with 4 seats, one schema by user and one level, and the calls of the schema's meter as texts. */
function startFlowControl() {
  const clock = new ManualClock();
  const events: string[] = [];
  const meterFor = (schema: string): FlowMeter => ({
    queued: () => void events.push(`${schema} queued`),
    dispatched: (seats) => void events.push(`${schema} dispatched ${seats}`),
    rejected: (reason) => void events.push(`${schema} ${reason}`),
    finished: () => void events.push(`${schema} finished`),
  });
  const control = new FlowControl({ clock, seats: 4, maxWaitMs: 1_000, meterFor });
  const queuing = { queues: 16, handSize: 2, queueLengthLimit: 3 };
  control.setLevel(
    'level',
    readPriorityLevel({
      metadata: { name: 'level', uid: 'level-uid' },
      spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Queue', queuing } } },
    }),
  );
  control.setSchema(
    'schema',
    readFlowSchema(
      {
        metadata: { name: 'schema', uid: 'schema-uid' },
        spec: { matchingPrecedence: 5, priorityLevelConfiguration: { name: 'level' }, distinguisherMethod: { type: 'ByUser' }, rules },
      },
      GENERATED_NAMES.platform,
    ),
  );
  const request = (userName: string, seats = 1): FlowRequest => {
    const user: UserInfo = { name: userName, groups: ['g'] };
    return { user, attributes, seats: () => seats, deadline: clock.monotonic() + 60_000 };
  };
  const start = (userName: string, seats?: number): Admitted | Queued | Rejected => {
    const outcome = control.startRequest(request(userName, seats));
    if (outcome === undefined) throw new Error('no schema matches');
    return outcome;
  };
  return { clock, events, control, request, start };
}

const isAdmitted = (outcome: Admitted | Queued | Rejected): outcome is Admitted => 'done' in outcome;
const isQueued = (outcome: Admitted | Queued | Rejected): outcome is Queued => 'decision' in outcome;

/** The decision about a request that must have been queued. */
function decisionOf(outcome: Admitted | Queued | Rejected | undefined): Promise<Admitted | Rejected> {
  if (outcome === undefined || !isQueued(outcome)) throw new Error('the request was not queued');
  return outcome.decision;
}

it('FlowControl queues a request beyond its seats and admits it when another ends', async () => {
  const { start } = startFlowControl();
  const admitted = Array.from({ length: 4 }, () => start('a')).filter(isAdmitted);
  expect(admitted).toHaveLength(4);
  const waiting = start('a');
  admitted[0]?.done();
  expect(isAdmitted(await decisionOf(waiting))).toBe(true);
});

it('FlowControl releases the seats of a request once', async () => {
  const { events, start } = startFlowControl();
  const admitted = Array.from({ length: 4 }, () => start('a')).filter(isAdmitted);
  const waiting = [start('a'), start('a')].filter(isQueued);
  expect(waiting).toHaveLength(2);
  admitted[0]?.done();
  admitted[0]?.done();
  await flushPromises(2);
  expect(events.filter((line) => line === 'schema dispatched 1')).toHaveLength(5);
  expect(events.filter((line) => line === 'schema finished')).toHaveLength(1);
});

it('FlowControl rejects a request when the queues of its flow are full, and when it has waited too long', async () => {
  const { clock, events, start } = startFlowControl();
  for (let count = 0; count < 4; count += 1) start('a');
  // The flow is dealt two queues with a limit of three requests, and six requests fill both.
  const further = Array.from({ length: 7 }, () => start('a'));
  expect(further.filter(isQueued)).toHaveLength(6);
  expect(further.at(-1)).toMatchObject({ reason: 'queue-full' });
  clock.advance(1_000);
  expect(await decisionOf(further[0])).toMatchObject({ reason: 'time-out' });
  expect(events.filter((line) => line === 'schema time-out')).toHaveLength(6);
});

it('FlowControl admits a request of a quiet user before queued requests of a busy one', async () => {
  const { start } = startFlowControl();
  const running = Array.from({ length: 4 }, () => start('busy')).filter(isAdmitted);
  for (let count = 0; count < 6; count += 1) start('busy');
  const quiet = start('quiet');
  // The fair order is one request of each of the two queues of the busy user, then the quiet user's.
  running.slice(0, 3).forEach(({ done }) => done());
  expect(isAdmitted(await decisionOf(quiet))).toBe(true);
});

it('FlowControl drops a cancelled request and keeps no timer for it', () => {
  const { clock, events, start } = startFlowControl();
  const running = Array.from({ length: 4 }, () => start('a')).filter(isAdmitted);
  const waiting = start('a');
  if (isQueued(waiting)) waiting.cancel();
  running.forEach(({ done }) => done());
  expect(events).toContain('schema cancelled');
  // Only the timer of seat allocation is left.
  expect(clock.pending).toBe(1);
});

it('FlowControl does not limit requests without a matching schema or level', () => {
  const { control, request } = startFlowControl();
  control.setLevel('level', undefined);
  expect(control.startRequest(request('a'))).toBeUndefined();
  control.setSchema('schema', undefined);
  expect(control.startRequest(request('a'))).toBeUndefined();
});

it('FlowControl admits every request of an exempt level and counts one seat for it', () => {
  const { control, events, start } = startFlowControl();
  control.setLevel('level', readPriorityLevel({ metadata: { name: 'level' }, spec: { type: 'Exempt' } }));
  expect(Array.from({ length: 50 }, () => start('a', 10)).every(isAdmitted)).toBe(true);
  expect(new Set(events)).toEqual(new Set(['schema dispatched 1']));
});

it('FlowControl sets the target of a level to its nominal seats, and above them after a period with a higher demand', () => {
  const { clock, control, start } = startFlowControl();
  const targetSeats = (): readonly number[] => [...control.priorityLevels].map(({ targetSeats }) => targetSeats);
  expect(targetSeats()).toEqual([4]);
  const running = Array.from({ length: 4 }, () => start('a', 2));
  expect(running.filter(isAdmitted)).toHaveLength(2);
  clock.advance(10_000);
  expect(targetSeats()[0]).toBeGreaterThan(4);
});
