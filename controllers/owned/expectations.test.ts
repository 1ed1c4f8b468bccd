import { ManualClock } from '../../test/support/manual-clock';
import { Expectations } from './expectations';

const made = () => {
  const clock = new ManualClock();
  return { clock, expectations: new Expectations(clock) };
};

test('an owner waits for all that was asked for', () => {
  const { expectations } = made();
  expect(expectations.areMet('n/a')).toBe(true);
  expectations.expectCreations('n/a', 2);
  expectations.expectDeletions('n/a', ['n/p']);
  expectations.created('n/a');
  expectations.created('n/a');
  expect(expectations.areMet('n/a')).toBe(false);
  expect(expectations.areMet('n/b')).toBe(true);
  expectations.deleted('n/a', 'n/p');
  expect(expectations.areMet('n/a')).toBe(true);
  expect(expectations.size).toBe(0);
});

test('a deletion that is told twice counts once', () => {
  const { expectations } = made();
  expectations.expectDeletions('n/a', ['n/p', 'n/q']);
  expectations.deleted('n/a', 'n/p');
  expectations.deleted('n/a', 'n/p');
  expect(expectations.areMet('n/a')).toBe(false);
});

test('creations that nobody asked for count for nothing later', () => {
  const { expectations } = made();
  expectations.created('n/a');
  expectations.expectCreations('n/a', 1);
  expectations.created('n/a', 3);
  expectations.expectCreations('n/a', 1);
  expect(expectations.areMet('n/a')).toBe(false);
});

test('what is never seen is forgotten after five minutes', () => {
  const { clock, expectations } = made();
  expectations.expectCreations('n/a', 1);
  clock.advance(299_999);
  expect(expectations.areMet('n/a')).toBe(false);
  expect(expectations.forgottenIn('n/a')).toBe(1);
  clock.advance(1);
  expect(expectations.areMet('n/a')).toBe(true);
  expect(expectations.size).toBe(0);
});
