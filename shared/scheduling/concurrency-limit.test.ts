import { withConcurrencyLimit } from './concurrency-limit';

test('so many are under way at once, and each comes once', async () => {
  const done: number[] = [];
  let underWay = 0;
  let most = 0;
  await withConcurrencyLimit(3, [1, 2, 3, 4, 5, 6, 7], async (item) => {
    underWay += 1;
    most = Math.max(most, underWay);
    await Promise.resolve();
    underWay -= 1;
    done.push(item);
  });
  expect(done.sort()).toEqual([1, 2, 3, 4, 5, 6, 7]);
  expect(most).toBe(3);
});

test('a failure begins no more', async () => {
  const begun: number[] = [];
  const failing = withConcurrencyLimit(2, [1, 2, 3, 4, 5, 6], async (item) => {
    begun.push(item);
    await Promise.resolve();
    if (item === 1) throw new Error('one');
  });
  await expect(failing).rejects.toThrow('one');
  expect(begun.length).toBeLessThan(5);
});
