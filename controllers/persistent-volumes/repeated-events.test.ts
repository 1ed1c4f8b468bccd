import { ManualClock } from '../../test/support/clock/manual-clock';
import { RepeatedEvents } from './repeated-events';

const C = { namespace: 'n', name: 'c', uid: 'u' };
const WAITING = { type: 'Normal', reason: 'WaitForFirstConsumer', message: 'waiting' } as const;
const FAILED = { type: 'Warning', reason: 'ProvisioningFailed', message: 'failed' } as const;

test('RepeatedEvents records an Event again after five minutes, a different one at once', () => {
  const clock = new ManualClock();
  const events = new RepeatedEvents(clock);
  expect(events.shouldRecord(C, WAITING)).toBe(true);
  expect(events.shouldRecord(C, WAITING)).toBe(false);
  expect(events.shouldRecord({ ...C, name: 'd' }, WAITING)).toBe(true);
  clock.advance(299_999);
  expect(events.shouldRecord(C, WAITING)).toBe(false);
  clock.advance(1);
  expect(events.shouldRecord(C, WAITING)).toBe(true);
  expect(events.shouldRecord(C, FAILED)).toBe(true);
  expect(events.shouldRecord(C, WAITING)).toBe(true);
});

test('RepeatedEvents records an Event about a new object of the name at once', () => {
  const events = new RepeatedEvents(new ManualClock());
  events.shouldRecord(C, WAITING);
  expect(events.shouldRecord({ ...C, uid: 'later' }, WAITING)).toBe(true);
  events.forget('n/c');
  expect(events.shouldRecord(C, WAITING)).toBe(true);
});
