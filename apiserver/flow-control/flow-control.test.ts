import type { UserInfo } from '../../shared/api/identity/user';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { ManualClock, flushPromises } from '../../test/support/clock/manual-clock';
import { FlowControl, type Admitted, type FlowMeter, type FlowRequest, type Queued, type Rejected } from './flow-control';
import { readFlowSchema, type RequestAttributes } from './flow-schema';
import { readPriorityLevel } from './priority-level';

const attributes: RequestAttributes = { kind: 'path', verb: 'get', path: '/x' };
const rules = [{ subjects: [{ kind: 'Group', group: { name: '*' } }], nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] }];

let clock: ManualClock;
let events: string[];
let control: FlowControl;
const meterFor = (schema: string): FlowMeter => ({
  queued: () => void events.push(`${schema} queued`),
  dispatched: (seats) => void events.push(`${schema} dispatched ${seats}`),
  rejected: (reason) => void events.push(`${schema} ${reason}`),
  finished: () => void events.push(`${schema} finished`),
});

beforeEach(() => {
  clock = new ManualClock();
  events = [];
  control = new FlowControl({ clock, seats: 4, maxWaitMs: 1_000, meterFor });
  const queuing = { queues: 16, handSize: 2, queueLengthLimit: 3 };
  control.setLevel(
    'l',
    readPriorityLevel({
      metadata: { name: 'l', uid: 'level' },
      spec: { type: 'Limited', limited: { nominalConcurrencyShares: 1, limitResponse: { type: 'Queue', queuing } } },
    }),
  );
  control.setSchema(
    's',
    readFlowSchema(
      {
        metadata: { name: 's', uid: 'schema' },
        spec: { matchingPrecedence: 5, priorityLevelConfiguration: { name: 'l' }, distinguisherMethod: { type: 'ByUser' }, rules },
      },
      GENERATED_NAMES.platform,
    ),
  );
});
afterEach(() => control.stop());

const request = (name: string, seats = 1): FlowRequest => {
  const user: UserInfo = { name, groups: ['g'] };
  return { user, attributes, seats: () => seats, deadline: clock.monotonic() + 60_000 };
};
const start = (name: string, seats?: number): Admitted | Queued | Rejected => {
  const outcome = control.startRequest(request(name, seats));
  if (outcome === undefined) throw new Error('no schema matches');
  return outcome;
};
const isAdmitted = (outcome: Admitted | Queued | Rejected): outcome is Admitted => 'done' in outcome;

it('FlowControl admits requests within its seats, queues others, and rejects them when queues are full or the wait is too long', async () => {
  const first = Array.from({ length: 4 }, () => start('a'));
  expect(first.every(isAdmitted)).toBe(true);
  const waiting = start('a');
  expect('decision' in waiting).toBe(true);
  if (first[0] !== undefined && isAdmitted(first[0])) {
    first[0].done();
    first[0].done();
  }
  await flushPromises(2);
  const decided = 'decision' in waiting ? await waiting.decision : undefined;
  expect(decided !== undefined && isAdmitted(decided)).toBe(true);
  // The flow is dealt two queues of three places each, and six more requests fill both.
  const further = Array.from({ length: 7 }, () => start('a'));
  expect(further.filter((entry) => 'decision' in entry)).toHaveLength(6);
  expect(further.at(-1)).toMatchObject({ reason: 'queue-full' });
  const late = further[0];
  clock.advance(1_000);
  expect(late !== undefined && 'decision' in late ? await late.decision : undefined).toMatchObject({ reason: 'time-out' });
  expect(events.filter((line) => line === 's finished')).toHaveLength(1);
  expect(events.filter((line) => line === 's time-out')).toHaveLength(6);
});

it('FlowControl admits a request of a quiet user before queued requests of a busy one', async () => {
  const running = Array.from({ length: 4 }, () => start('flood')).filter(isAdmitted);
  for (let count = 0; count < 6; count += 1) start('flood');
  const calm = start('calm');
  // The fair order is one request of each of the two queues of the flood, then this one.
  running.slice(0, 3).forEach(({ done }) => done());
  await flushPromises(2);
  expect('decision' in calm && isAdmitted(await calm.decision)).toBe(true);
});

it('FlowControl drops a cancelled request and keeps no timer for it', () => {
  const running = Array.from({ length: 4 }, () => start('a')).filter(isAdmitted);
  const waiting = start('a');
  if ('cancel' in waiting) waiting.cancel();
  running.forEach(({ done }) => done());
  expect(events.at(-5)).toBe('s cancelled');
  expect(clock.pending).toBe(1);
});

it('FlowControl does not limit requests without a matching schema or level', () => {
  control.setLevel('l', undefined);
  expect(control.startRequest(request('a'))).toBeUndefined();
  control.setSchema('s', undefined);
  expect(control.startRequest(request('a'))).toBeUndefined();
});

it('FlowControl admits every request of an exempt level and counts one seat for it', () => {
  control.setLevel('l', readPriorityLevel({ metadata: { name: 'l' }, spec: { type: 'Exempt' } }));
  expect(Array.from({ length: 50 }, () => start('a', 10)).every(isAdmitted)).toBe(true);
  expect(new Set(events)).toEqual(new Set(['s dispatched 1']));
});

it('FlowControl sets the target of a level to its nominal seats, and above them after a period with a higher demand', () => {
  const targetSeats = (): readonly number[] => [...control.priorityLevels].map(({ targetSeats }) => targetSeats);
  expect(targetSeats()).toEqual([4]);
  const running = Array.from({ length: 4 }, () => start('a', 2));
  expect(running.filter(isAdmitted)).toHaveLength(2);
  clock.advance(10_000);
  expect(targetSeats()[0]).toBeGreaterThan(4);
});
