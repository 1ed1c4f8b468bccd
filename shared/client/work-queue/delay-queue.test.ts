import { ManualClock } from '../../../test/support/clock/manual-clock';
import { DelayQueue } from './delay-queue';

test('DelayQueue delivers items in the order of their times, each once, however often it is added earlier', () => {
  const clock = new ManualClock();
  const came: string[] = [];
  const line = new DelayQueue<string>(clock, (item) => came.push(`${item} at ${clock.monotonic()}`));
  line.add('b', 500);
  for (let ms = 10_000; ms > 100; ms -= 1) line.add('a', ms);
  line.add('c', 101);
  expect(line.length).toBe(3);
  clock.advance(20_000);
  expect(came).toEqual(['a at 101', 'c at 101', 'b at 500']);
  expect(line.length).toBe(0);
  expect(clock.pending).toBe(0);
});

test('DelayQueue delivers no cleared item, unless it is added again', () => {
  const clock = new ManualClock();
  const came: string[] = [];
  const line = new DelayQueue<string>(clock, (item) => came.push(item));
  line.add('a', 100);
  line.clear();
  line.add('a', 200);
  clock.advance(150);
  expect(came).toEqual([]);
  clock.advance(50);
  expect(came).toEqual(['a']);
});
