import { ManualClock } from '../../test/support/manual-clock';
import { nowAndThen } from './now-and-then';

it('tells the first of what comes within a time', () => {
  const clock = new ManualClock();
  const told: number[] = [];
  const tell = nowAndThen(clock, 1_000, (n: number) => void told.push(n));
  tell(1);
  clock.advance(999);
  tell(2);
  clock.advance(1);
  tell(3);
  tell(4);
  expect(told).toEqual([1, 3]);
});
