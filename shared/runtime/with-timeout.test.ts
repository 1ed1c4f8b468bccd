import { ManualClock } from '../../test/support/clock/manual-clock';
import { withTimeout } from './with-timeout';

const late = (): string => 'late';

it('withTimeout resolves or rejects as the promise does, and leaves no timer', async () => {
  const clock = new ManualClock();
  expect(await withTimeout(Promise.resolve('done'), clock, 10, late)).toBe('done');
  await expect(withTimeout(Promise.reject(new Error('no')), clock, 10, late)).rejects.toThrow('no');
  expect(clock.pending).toBe(0);
});

it('withTimeout returns the result of onTimeout at the timeout, and ignores a later rejection', async () => {
  const clock = new ManualClock();
  let fail: (error: Error) => void = () => undefined;
  const work = new Promise<string>((_resolve, reject) => (fail = reject));
  const result = withTimeout(work, clock, 10, late);
  const rejected = withTimeout(work, clock, 10, (): never => {
    throw new Error('too late');
  });
  clock.advance(10);
  expect(await result).toBe('late');
  await expect(rejected).rejects.toThrow('too late');
  fail(new Error('ignored'));
});
