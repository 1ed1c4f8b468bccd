import { ManualClock } from '../../../test/support/clock/manual-clock';
import { PeriodicCheck } from './periodic-check';

const INTERVAL_MS = 5_000;

/** Started checks of `count` members; `checked` has the members in the order of their checks. */
function startChecks(count: number) {
  const clock = new ManualClock();
  const members = new Set(Array.from({ length: count }, (_, index) => index));
  const checked: number[] = [];
  const check = new PeriodicCheck(
    clock,
    INTERVAL_MS,
    () => members.values(),
    (member) => checked.push(member),
  );
  check.start();
  return { clock, members, checked, check };
}

it('PeriodicCheck checks 1,000 members over several turns of the event loop, each once per interval', () => {
  const { clock, checked } = startChecks(1_000);
  clock.advance(INTERVAL_MS);
  // One turn checks 256 members.
  expect(checked).toHaveLength(256);
  clock.advance(1);
  expect(checked).toHaveLength(2 * 256);
  clock.advance(10);
  expect(new Set(checked).size).toBe(1_000);
  expect(checked).toHaveLength(1_000);
  clock.advance(INTERVAL_MS + 10);
  expect(checked).toHaveLength(2_000);
});

it('PeriodicCheck ends its timer when no member is left, and starts again', () => {
  const { clock, members, checked, check } = startChecks(1);
  clock.advance(INTERVAL_MS);
  members.clear();
  clock.advance(INTERVAL_MS);
  expect(checked).toEqual([0]);
  expect(clock.pending).toBe(0);
  members.add(7);
  check.start();
  clock.advance(INTERVAL_MS);
  expect(checked).toEqual([0, 7]);
});

it('PeriodicCheck checks no further member after stop, also within a round', () => {
  const { clock, checked, check } = startChecks(1_000);
  clock.advance(INTERVAL_MS);
  check.stop();
  clock.advance(10 * INTERVAL_MS);
  expect(checked).toHaveLength(256);
});
