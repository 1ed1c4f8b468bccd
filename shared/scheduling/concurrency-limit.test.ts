import { withConcurrencyLimit } from './concurrency-limit';

test('withConcurrencyLimit calls the task once for each item, with a limited number in progress', async () => {
  const done: number[] = [];
  let inProgress = 0;
  let maxInProgress = 0;
  await withConcurrencyLimit(3, [1, 2, 3, 4, 5, 6, 7], async (item) => {
    inProgress += 1;
    maxInProgress = Math.max(maxInProgress, inProgress);
    await Promise.resolve();
    inProgress -= 1;
    done.push(item);
  });
  expect(done.sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(maxInProgress).toBe(3);
});

test('withConcurrencyLimit starts no more tasks after a failure', async () => {
  const started: number[] = [];
  const failing = withConcurrencyLimit(2, [1, 2, 3, 4, 5, 6], async (item) => {
    started.push(item);
    await Promise.resolve();
    if (item === 1) throw new Error('one');
  });
  await expect(failing).rejects.toThrow('one');
  expect(started.length).toBeLessThan(5);
});
