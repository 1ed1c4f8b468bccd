/** The nanoseconds that a changing value spends in each bucket. All times are in milliseconds. */
import { TimingHistogram } from './timing-histogram';

it('TimingHistogram counts every nanosecond of a value in the first bucket with a bound that is not less', () => {
  // The values: 0 for 2 ms, 0.5 for 3 ms, then 0.6 and 7 for half a millisecond each.
  const histogram = new TimingHistogram([0, 0.5, 1], 1_000);
  histogram.set(0.5, 1_002);
  histogram.set(0.6, 1_005);
  histogram.set(7, 1_005.5);
  histogram.advanceTo(1_006);
  expect([...histogram.counts]).toEqual([2_000_000, 3_000_000, 500_000, 500_000]);
  expect(histogram.sum).toBe(0.5 * 3_000_000 + 0.6 * 500_000 + 7 * 500_000);
});

it('TimingHistogram ignores a time before that of the last call', () => {
  const histogram = new TimingHistogram([1], 0);
  histogram.set(1, 0);
  histogram.advanceTo(3);
  histogram.advanceTo(2);
  histogram.advanceTo(4);
  expect([...histogram.counts]).toEqual([4_000_000, 0]);
});
