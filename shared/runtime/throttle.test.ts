import { ManualClock } from '../../test/support/manual-clock';
import { throttleByKey, throttle } from './throttle';

it('nowAndThen calls its function for the first call of each interval', () => {
  const clock = new ManualClock();
  const told: number[] = [];
  const tell = throttle(clock, 1_000, (n: number) => void told.push(n));
  tell(1);
  clock.advance(999);
  tell(2);
  clock.advance(1);
  tell(3);
  tell(4);
  expect(told).toEqual([1, 3]);
});

it('eachNowAndThen limits the calls of each key apart, and forgets old keys when there are many', () => {
  const clock = new ManualClock();
  const told: string[] = [];
  const tell = throttleByKey(
    clock,
    1_000,
    (kind: string, _n: number) => kind,
    (kind, n) => void told.push(`${kind}${n}`),
  );
  tell('a', 1);
  tell('b', 1);
  tell('a', 2);
  clock.advance(1_000);
  tell('a', 3);
  expect(told).toEqual(['a1', 'b1', 'a3']);
  for (let n = 0; n < 1_000; n += 1) tell(`other ${n} `, 0);
  tell('a', 4);
  expect(told.at(-1)).toBe('a4');
});
