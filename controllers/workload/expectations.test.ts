import { ManualClock } from '../../test/support/clock/manual-clock';
import { Expectations } from './expectations';

const setUp = () => {
  const clock = new ManualClock();
  return { clock, expectations: new Expectations(clock) };
};

test('Expectations are satisfied once all expected creations and deletions are observed', () => {
  const { expectations } = setUp();
  expect(expectations.areSatisfied('n/a')).toBe(true);
  expectations.expectCreations('n/a', 2);
  expectations.expectDeletions('n/a', ['n/p']);
  expectations.creationObserved('n/a');
  expectations.creationObserved('n/a');
  expect(expectations.areSatisfied('n/a')).toBe(false);
  expect(expectations.areSatisfied('n/b')).toBe(true);
  expectations.deletionObserved('n/a', 'n/p');
  expect(expectations.areSatisfied('n/a')).toBe(true);
  expect(expectations.size).toBe(0);
});

test('Expectations count a deletion that is observed twice only once', () => {
  const { expectations } = setUp();
  expectations.expectDeletions('n/a', ['n/p', 'n/q']);
  expectations.deletionObserved('n/a', 'n/p');
  expectations.deletionObserved('n/a', 'n/p');
  expect(expectations.areSatisfied('n/a')).toBe(false);
});

test('Expectations ignore unexpected creations and count none of them against later expectations', () => {
  const { expectations } = setUp();
  expectations.creationObserved('n/a');
  expectations.expectCreations('n/a', 1);
  expectations.creationObserved('n/a', 3);
  expectations.expectCreations('n/a', 1);
  expect(expectations.areSatisfied('n/a')).toBe(false);
});

test('Expectations expire after five minutes', () => {
  const { clock, expectations } = setUp();
  expectations.expectCreations('n/a', 1);
  clock.advance(5 * 60_000 - 1);
  expect(expectations.areSatisfied('n/a')).toBe(false);
  expect(expectations.msUntilExpired('n/a')).toBe(1);
  clock.advance(1);
  expect(expectations.areSatisfied('n/a')).toBe(true);
  expect(expectations.size).toBe(0);
});
