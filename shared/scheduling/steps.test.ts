import { runStepsSync, runSteps, type Steps } from './steps';

function* counting(done: string[]): Steps<string> {
  for (const step of ['one', 'two']) {
    done.push(step);
    yield;
  }
  return 'all';
}

it('runStepsSync runs all steps synchronously', () => {
  const done: string[] = [];
  expect(runStepsSync(counting(done))).toBe('all');
  expect(done).toEqual(['one', 'two']);
});

it('runSteps waits between the steps for the promise that its yielder returns', async () => {
  const done: string[] = [];
  const pending: (() => void)[] = [];
  const whole = runSteps(counting(done), {
    yieldIfDue: () => (done.length === 1 ? new Promise((resolve) => pending.push(resolve)) : undefined),
  });
  expect(done).toEqual(['one']);
  pending[0]?.();
  expect(await whole).toBe('all');
  expect(done).toEqual(['one', 'two']);
});
