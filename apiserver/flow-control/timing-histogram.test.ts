import { TimeShares } from './timing-histogram';

it('TimeShares counts every nanosecond of a value in the bucket whose bound is not less than it', () => {
  const shares = new TimeShares([0, 0.5, 1], 1_000);
  shares.set(0.5, 1_002);
  shares.set(0.6, 1_005);
  shares.set(7, 1_005.5);
  shares.pass(1_006);
  expect([...shares.counts]).toEqual([2_000_000, 3_000_000, 500_000, 500_000]);
  expect(shares.sum).toBe(0.5 * 3_000_000 + 0.6 * 500_000 + 7 * 500_000);
});

it('TimeShares continues the current value and ignores an earlier time', () => {
  const shares = new TimeShares([1], 0);
  shares.set(1, 0);
  shares.set(1, 3);
  shares.pass(2);
  shares.pass(4);
  expect([...shares.counts]).toEqual([4_000_000, 0]);
});
