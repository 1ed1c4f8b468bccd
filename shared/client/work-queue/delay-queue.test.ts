import { ManualClock } from '../../../test/support/clock/manual-clock';
import { DelayQueue } from './delay-queue';

test('DelayQueue delivers items in the order of their times, and an item once that is added with ever earlier times', () => {
  const clock = new ManualClock();
  const delivered: string[] = [];
  const queue = new DelayQueue<string>(clock, (item) => delivered.push(`${item} at ${clock.monotonic()}`));
  queue.add('b', 500);
  for (let ms = 10_000; ms > 100; ms -= 1) queue.add('a', ms);
  queue.add('c', 101);
  expect(queue.length).toBe(3);
  clock.advance(20_000);
  expect(delivered).toEqual(['a at 101', 'c at 101', 'b at 500']);
  expect(queue.length).toBe(0);
  expect(clock.pending).toBe(0);
});

test('DelayQueue delivers no cleared item, unless it is added again', () => {
  const clock = new ManualClock();
  const delivered: string[] = [];
  const queue = new DelayQueue<string>(clock, (item) => delivered.push(item));
  queue.add('a', 100);
  queue.clear();
  queue.add('a', 200);
  clock.advance(150);
  expect(delivered).toEqual([]);
  clock.advance(50);
  expect(delivered).toEqual(['a']);
});
