import { memoizeBySource } from './memoize-by-source';

it('memoizeBySource computes its value on demand, once for each source', () => {
  let source = { n: 1 };
  const computed: number[] = [];
  const double = memoizeBySource(
    () => source,
    ({ n }) => {
      computed.push(n);
      return 2 * n;
    },
  );
  expect(computed).toEqual([]);
  expect(double()).toBe(2);
  expect(double()).toBe(2);
  expect(computed).toEqual([1]);
  source = { n: 2 };
  expect(double()).toBe(4);
  expect(double()).toBe(4);
  expect(computed).toEqual([1, 2]);
});
