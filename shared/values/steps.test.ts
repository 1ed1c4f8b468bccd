import { atOnce, runSteps, type Steps } from './steps';

function* counting(done: string[]): Steps<string> {
  for (const step of ['one', 'two']) {
    done.push(step);
    yield;
  }
  return 'all';
}

it('atOnce runs all steps synchronously', () => {
  const done: string[] = [];
  expect(atOnce(counting(done))).toBe('all');
  expect(done).toEqual(['one', 'two']);
});

it('runSteps waits between the steps for the promise that its callback returns', async () => {
  const done: string[] = [];
  const resting: (() => void)[] = [];
  const whole = runSteps(counting(done), () => (done.length === 1 ? new Promise((resolve) => resting.push(resolve)) : undefined));
  expect(done).toEqual(['one']);
  resting[0]?.();
  expect(await whole).toBe('all');
  expect(done).toEqual(['one', 'two']);
});
