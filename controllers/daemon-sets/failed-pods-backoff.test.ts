import { ManualClock } from '../../test/support/clock/manual-clock';
import { FailedPodsBackoff } from './failed-pods-backoff';

test('FailedPodsBackoff doubles the delay for each failed pod of a node', () => {
  const backoff = new FailedPodsBackoff(new ManualClock());
  expect(backoff.remainingMs('n/web', 'a')).toBe(0);
  backoff.next('n/web', 'a');
  expect(backoff.remainingMs('n/web', 'a')).toBe(1_000);
  expect(backoff.remainingMs('n/web', 'b')).toBe(0);
  backoff.next('n/web', 'a');
  expect(backoff.remainingMs('n/web', 'a')).toBe(2_000);
});

test('FailedPodsBackoff starts again with the first delay when no failed pod was replaced for half an hour', () => {
  const clock = new ManualClock();
  const backoff = new FailedPodsBackoff(clock);
  backoff.next('n/web', 'a');
  backoff.next('n/web', 'a');
  clock.advance(30 * 60_000);
  backoff.next('n/web', 'a');
  expect(backoff.remainingMs('n/web', 'a')).toBe(1_000);
});
