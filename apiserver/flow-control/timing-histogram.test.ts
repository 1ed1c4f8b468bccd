import { TimingHistogram } from './timing-histogram';

it('TimingHistogram counts every nanosecond of a value in the bucket whose bound is not less than it', () => {
  const shares = new TimingHistogram([0, 0.5, 1], 1_000);
  shares.set(0.5, 1_002);
  shares.set(0.6, 1_005);
  shares.set(7, 1_005.5);
  shares.advanceTo(1_006);
  expect([...shares.counts]).toEqual([2_000_000, 3_000_000, 500_000, 500_000]);
  expect(shares.sum).toBe(0.5 * 3_000_000 + 0.6 * 500_000 + 7 * 500_000);
});

it('TimingHistogram continues the current value and ignores an earlier time', () => {
  const shares = new TimingHistogram([1], 0);
  shares.set(1, 0);
  shares.set(1, 3);
  shares.advanceTo(2);
  shares.advanceTo(4);
  expect([...shares.counts]).toEqual([4_000_000, 0]);
});
