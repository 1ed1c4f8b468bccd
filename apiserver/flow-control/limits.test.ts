/** Compares with the limits that release 1.31.1 reports for its levels with 600 seats. */
import { assert, array, integer, property, record } from 'fast-check';
import { computeLimits, NO_DEMAND, allocateSeats, smooth } from './limits';

const LEVELS = [
  ['catch-all', 5, 0, 13, 13, 613, 30],
  ['global-default', 20, 50, 49, 24, 649, 56],
  ['leader-election', 10, 0, 25, 25, 625, 58],
  ['node-high', 40, 25, 98, 73, 698, 170],
  ['system', 30, 33, 74, 50, 674, 117],
  ['workload-high', 40, 50, 98, 49, 698, 114],
  ['workload-low', 100, 90, 245, 24, 845, 56],
] as const;

const SHARES = LEVELS.map(([name, shares, lendablePercent]) => ({ name, shares, lendablePercent, borrowingLimitPercent: undefined }));

it('limitsOf divides the seats by the shares of the levels', () => {
  expect(computeLimits(SHARES, 600)).toEqual(LEVELS.map(([, , , nominal, lower, upper]) => ({ nominal, lower, upper })));
});

it('share without demand distributes all seats in proportion to the minimum limits', () => {
  const levels = computeLimits([...SHARES, { name: 'exempt', shares: 0, lendablePercent: 0, borrowingLimitPercent: undefined }], 600).map(
    (limits, index) => ({
      limits,
      // The exempt level had demand.
      demand: index === LEVELS.length ? { ...NO_DEMAND, smoothed: 1 } : NO_DEMAND,
    }),
  );
  const { current } = allocateSeats(levels, 600);
  LEVELS.forEach(([, , , , , , seats], index) => expect(Math.abs((current[index] ?? 0) - seats)).toBeLessThanOrEqual(1));
});

it('share lends unused seats to busy levels and keeps the minimum limit of each', () => {
  const limits = computeLimits(SHARES, 600);
  const busy = { highest: 500, average: 400, deviation: 50, smoothed: 450 };
  const { current } = allocateSeats(
    limits.map((limit, index) => ({ limits: limit, demand: index === 6 ? busy : NO_DEMAND })),
    600,
  );
  expect(current[6]).toBeGreaterThan(245);
  current.forEach((seats, index) => expect(seats).toBeGreaterThanOrEqual(limits[index]?.lower ?? 0));
});

it('share exceeds the seats at most by rounding, for any demand', () => {
  const demand = integer({ min: 0, max: 2000 });
  assert(
    property(array(record({ highest: demand, smoothed: demand }), { minLength: 7, maxLength: 7 }), (demands) => {
      const limits = computeLimits(SHARES, 600);
      const { current } = allocateSeats(
        limits.map((limit, index) => ({ limits: limit, demand: { ...NO_DEMAND, ...demands[index] } })),
        600,
      );
      // Each nominal share and each level's allocation are rounded up.
      expect(current.reduce((sum, seats) => sum + seats, 0)).toBeLessThanOrEqual(600 + 2 * LEVELS.length);
      current.forEach((seats, index) => expect(seats).toBeLessThanOrEqual(limits[index]?.upper ?? 0));
    }),
  );
});

it('smooth follows an increase of the demand at once and a decrease slowly', () => {
  expect(smooth(0, { average: 10, deviation: 2 })).toBe(12);
  expect(smooth(100, { average: 0, deviation: 0 })).toBeCloseTo(97.7);
});
