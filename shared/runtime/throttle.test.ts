import { ManualClock } from '../../test/support/clock/manual-clock';
import { throttleByKey, throttle } from './throttle';

it('throttle calls its function for the first call of each interval', () => {
  const clock = new ManualClock();
  const calls: number[] = [];
  const throttled = throttle(clock, 1_000, (n: number) => void calls.push(n));
  throttled(1);
  clock.advance(999);
  throttled(2);
  clock.advance(1);
  throttled(3);
  throttled(4);
  expect(calls).toEqual([1, 3]);
});

it('throttleByKey limits the calls of each key separately', () => {
  const clock = new ManualClock();
  const calls: string[] = [];
  const throttled = throttleByKey(
    clock,
    1_000,
    (kind: string, _n: number) => kind,
    (kind, n) => void calls.push(`${kind}${n}`),
  );
  throttled('a', 1);
  throttled('b', 1);
  throttled('a', 2);
  clock.advance(1_000);
  throttled('a', 3);
  expect(calls).toEqual(['a1', 'b1', 'a3']);
});

it('throttleByKey drops its keys, and with them their intervals, when there are more than 1,000', () => {
  const clock = new ManualClock();
  const calls: string[] = [];
  const throttled = throttleByKey(
    clock,
    1_000,
    (key: string) => key,
    (key) => void calls.push(key),
  );
  throttled('a');
  for (let n = 0; n < 1_000; n += 1) throttled(`other ${n}`);
  throttled('a');
  expect(calls.at(-1)).toBe('a');
});
