import { memoizeBySource } from './memoize-by-source';

it('derived computes its value on demand, once for each source', () => {
  let source = { n: 1 };
  const made: number[] = [];
  const double = memoizeBySource(
    () => source,
    ({ n }) => {
      made.push(n);
      return 2 * n;
    },
  );
  expect(made).toEqual([]);
  expect([double(), double()]).toEqual([2, 2]);
  source = { n: 2 };
  expect([double(), double()]).toEqual([4, 4]);
  expect(made).toEqual([1, 2]);
});
