import type { UserInfo } from '../../shared/api/identity/user';
import { GENERATED_NAMES } from '../../shared/names/dialect';
import { ManualClock, settle } from '../../test/support/manual-clock';
import { FlowControl, type Admitted, type FlowMeter, type FlowRequest, type Queued, type Refused } from './flow-control';
import { readFlowSchema, type Asked } from './flow-schema';
import { readLevel } from './priority-level';

const asked: Asked = { kind: 'path', verb: 'get', path: '/x' };
const rules = [{ subjects: [{ kind: 'Group', group: { name: '*' } }], nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }] }];

let clock: ManualClock;
let told: string[];
let control: FlowControl;
const meterOf = (schema: string): FlowMeter => ({
  queued: () => void told.push(`${schema} queued`),
  dispatched: (seats) => void told.push(`${schema} dispatched ${seats}`),
  refused: (reason) => void told.push(`${schema} ${reason}`),
  finished: () => void told.push(`${schema} finished`),
});

beforeEach(() => {
  clock = new ManualClock();
  told = [];
  control = new FlowControl({ clock, seats: 4, longestWaitMs: 1_000, meterOf });
  const queuing = { queues: 16, handSize: 2, queueLengthLimit: 3 };
  control.setLevel(
    'l',
    readLevel({
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
  return { user, asked, seats: () => seats, deadline: clock.monotonic() + 60_000 };
};
const enter = (name: string, seats?: number): Admitted | Queued | Refused => {
  const entered = control.enter(request(name, seats));
  if (entered === undefined) throw new Error('it falls under nothing');
  return entered;
};
const isAdmitted = (entered: Admitted | Queued | Refused): entered is Admitted => 'done' in entered;

it('FlowControl admits requests within its seats, queues others, and rejects them when queues are full or the wait is too long', async () => {
  const first = Array.from({ length: 4 }, () => enter('a'));
  expect(first.every(isAdmitted)).toBe(true);
  const waiting = enter('a');
  expect('decision' in waiting).toBe(true);
  if (first[0] !== undefined && isAdmitted(first[0])) {
    first[0].done();
    first[0].done();
  }
  await settle(2);
  const decided = 'decision' in waiting ? await waiting.decision : undefined;
  expect(decided !== undefined && isAdmitted(decided)).toBe(true);
  // Both of its queues are full after six more.
  const more = Array.from({ length: 7 }, () => enter('a'));
  expect(more.filter((one) => 'decision' in one)).toHaveLength(6);
  expect(more.at(-1)).toMatchObject({ reason: 'queue-full' });
  const late = more[0];
  clock.advance(1_000);
  expect(late !== undefined && 'decision' in late ? await late.decision : undefined).toMatchObject({ reason: 'time-out' });
  expect(told.filter((line) => line === 's finished')).toHaveLength(1);
  expect(told.filter((line) => line === 's time-out')).toHaveLength(6);
});

it('FlowControl admits a request of a quiet user before queued requests of a busy one', async () => {
  const running = Array.from({ length: 4 }, () => enter('flood')).filter(isAdmitted);
  for (let count = 0; count < 6; count += 1) enter('flood');
  const calm = enter('calm');
  // Its turn comes after one of each of the two queues of the flood.
  running.slice(0, 3).forEach(({ done }) => done());
  await settle(2);
  expect('decision' in calm && isAdmitted(await calm.decision)).toBe(true);
});

it('FlowControl drops a cancelled request and keeps no timer for it', () => {
  const running = Array.from({ length: 4 }, () => enter('a')).filter(isAdmitted);
  const waiting = enter('a');
  if ('cancel' in waiting) waiting.cancel();
  running.forEach(({ done }) => done());
  expect(told.at(-5)).toBe('s cancelled');
  expect(clock.pending).toBe(1);
});

it('FlowControl does not limit requests without a matching schema or level', () => {
  control.setLevel('l', undefined);
  expect(control.enter(request('a'))).toBeUndefined();
  control.setSchema('s', undefined);
  expect(control.enter(request('a'))).toBeUndefined();
});

it('FlowControl admits every request of an exempt level and counts one seat for it', () => {
  control.setLevel('l', readLevel({ metadata: { name: 'l' }, spec: { type: 'Exempt' } }));
  expect(Array.from({ length: 50 }, () => enter('a', 10)).every(isAdmitted)).toBe(true);
  expect(new Set(told)).toEqual(new Set(['s dispatched 1']));
});

it('sets the target of a level to its nominal seats, and above them when more were demanded since the last look', () => {
  const targets = (): readonly number[] => [...control.all].map(({ target }) => target);
  expect(targets()).toEqual([4]);
  const running = Array.from({ length: 4 }, () => enter('a', 2));
  expect(running.filter(isAdmitted)).toHaveLength(2);
  clock.advance(10_000);
  expect(targets()[0]).toBeGreaterThan(4);
});
