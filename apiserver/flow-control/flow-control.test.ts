/**
 * API Priority and Fairness as the filter uses it: classification, queuing, rejection and the allocation of seats, with
 * a manual clock.
 */
import type { UserInfo } from '../../shared/api/identity/user';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { ManualClock } from '../../test/support/clock/manual-clock';
import { FlowControl, type Admitted, type FlowMeter, type FlowRequest, type Queued, type Rejected } from './flow-control';
import { readFlowSchema, type RequestAttributes } from './flow-schema';
import { readPriorityLevel } from './priority-level';

/** What all requests are for, and the rules that match them. */
const attributes: RequestAttributes = { kind: 'path', verb: 'get', path: '/x' };
const rules = [{ subjects: [{ kind: 'Group', group: { name: '*' } }], nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] }];

const SEATS = 4;
const MAX_WAIT_MS = 1_000;

/**
 * Flow control with one level, which has all seats, and one schema that matches every request and has a flow for each
 * user. `events` are the calls of the schema's meter, as texts.
 */
function startFlowControl() {
  const clock = new ManualClock();
  const events: string[] = [];
  const meterFor = (schema: string): FlowMeter => ({
    queued: () => void events.push(`${schema} queued`),
    dispatched: (seats) => void events.push(`${schema} dispatched ${seats}`),
    rejected: (reason) => void events.push(`${schema} ${reason}`),
    finished: () => void events.push(`${schema} finished`),
  });
  const control = new FlowControl({ clock, seats: SEATS, maxWaitMs: MAX_WAIT_MS, meterFor });
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
  /** Starts a request that the schema matches. */
  const start = (userName: string, seats?: number): Admitted | Queued | Rejected => {
    const outcome = control.startRequest(request(userName, seats));
    if (outcome === undefined) throw new Error('no schema matches');
    return outcome;
  };
  /** Starts requests of one seat that use all seats. */
  const startOnAllSeats = (userName: string): readonly Admitted[] => {
    const admitted = Array.from({ length: SEATS }, () => start(userName)).filter(isAdmitted);
    if (admitted.length < SEATS) throw new Error('not all seats were available');
    return admitted;
  };
  return { clock, events, control, request, start, startOnAllSeats };
}

const isAdmitted = (outcome: Admitted | Queued | Rejected): outcome is Admitted => 'done' in outcome;
const isQueued = (outcome: Admitted | Queued | Rejected): outcome is Queued => 'decision' in outcome;

/** The decision about a request that must have been queued. */
function decisionOf(outcome: Admitted | Queued | Rejected | undefined): Promise<Admitted | Rejected> {
  if (outcome === undefined || !isQueued(outcome)) throw new Error('the request was not queued');
  return outcome.decision;
}

describe('FlowControl', () => {
  it('queues a request when all seats are in use, and admits it when another ends', async () => {
    const { start, startOnAllSeats } = startFlowControl();
    const [first] = startOnAllSeats('a');
    const queued = start('a');
    first?.done();
    expect(isAdmitted(await decisionOf(queued))).toBe(true);
  });

  it('releases the seats of a request at its first call of done only', async () => {
    const { events, start, startOnAllSeats } = startFlowControl();
    const [first] = startOnAllSeats('a');
    const queued = [start('a'), start('a')];
    first?.done();
    first?.done();
    await decisionOf(queued[0]);
    expect(events.filter((line) => line === 'schema dispatched 1')).toHaveLength(SEATS + 1);
    expect(events.filter((line) => line === 'schema finished')).toHaveLength(1);
  });

  it('rejects a request when the queues of its flow are full', () => {
    const { start, startOnAllSeats } = startFlowControl();
    startOnAllSeats('a');
    // The flow is dealt two queues with a limit of three requests, and six requests fill both.
    const queued = Array.from({ length: 6 }, () => start('a'));
    expect(queued.every(isQueued)).toBe(true);
    expect(start('a')).toMatchObject({ reason: 'queue-full' });
  });

  it('rejects a request that has waited for the maximum time', async () => {
    const { clock, events, start, startOnAllSeats } = startFlowControl();
    startOnAllSeats('a');
    const queued = start('a');
    clock.advance(MAX_WAIT_MS);
    expect(await decisionOf(queued)).toMatchObject({ reason: 'time-out' });
    expect(events).toContain('schema time-out');
  });

  it('admits a request of a user without other requests before most queued requests of a busy user', async () => {
    const { start, startOnAllSeats } = startFlowControl();
    const running = startOnAllSeats('busy');
    for (let count = 0; count < 6; count += 1) start('busy');
    const quiet = start('quiet');
    // The fair order is one request of each of the two queues of the busy user, then the quiet user's.
    running.slice(0, 3).forEach(({ done }) => done());
    expect(isAdmitted(await decisionOf(quiet))).toBe(true);
  });

  it('never admits a cancelled request, and keeps no timer for it', () => {
    const { clock, events, start, startOnAllSeats } = startFlowControl();
    const running = startOnAllSeats('a');
    const queued = start('a');
    if (isQueued(queued)) queued.cancel();
    running.forEach(({ done }) => done());
    expect(events).toContain('schema cancelled');
    expect(events.filter((line) => line === 'schema dispatched 1')).toHaveLength(SEATS);
    // Only the timer of seat allocation is left.
    expect(clock.pending).toBe(1);
  });

  it('does not limit a request when the level of its schema does not exist', () => {
    const { control, request } = startFlowControl();
    control.setLevel('level', undefined);
    expect(control.startRequest(request('a'))).toBeUndefined();
  });

  it('does not limit a request without a matching schema', () => {
    const { control, request } = startFlowControl();
    control.setSchema('schema', undefined);
    expect(control.startRequest(request('a'))).toBeUndefined();
  });

  it('admits every request of an exempt level and counts one seat for it', () => {
    const { control, events, start } = startFlowControl();
    control.setLevel('level', readPriorityLevel({ metadata: { name: 'level' }, spec: { type: 'Exempt' } }));
    const requests = Array.from({ length: 50 }, () => start('a', 10));
    expect(requests.every(isAdmitted)).toBe(true);
    expect(new Set(events)).toEqual(new Set(['schema dispatched 1']));
  });

  it('raises the target of a level above its nominal seats after a period with a higher demand', () => {
    const { clock, control, start } = startFlowControl();
    const targetSeats = (): readonly number[] => [...control.priorityLevels].map((level) => level.targetSeats);
    expect(targetSeats()).toEqual([SEATS]);
    // A demand of eight seats, of which four are available.
    for (let count = 0; count < 4; count += 1) start('a', 2);
    const allocationPeriodMs = 10_000;
    clock.advance(allocationPeriodMs);
    expect(targetSeats()[0]).toBeGreaterThan(SEATS);
  });
});
