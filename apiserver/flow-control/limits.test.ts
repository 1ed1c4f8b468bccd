/** The division of a server's seats among its priority levels, compared with what release 1.31.1 reports. */
import { assert, array, integer, property, record } from 'fast-check';
import { computeLimits, NO_DEMAND, allocateSeats, smoothDemand } from './limits';

const SERVER_SEATS = 600;

/**
 * What release 1.31.1 reports for its levels with 600 seats: the limits `nominal`, `lower` and `upper`, and with
 * `idleSeats` the current limit while no level has demand.
 */
const LEVELS = [
  { name: 'catch-all', shares: 5, lendablePercent: 0, nominal: 13, lower: 13, upper: 613, idleSeats: 30 },
  { name: 'global-default', shares: 20, lendablePercent: 50, nominal: 49, lower: 24, upper: 649, idleSeats: 56 },
  { name: 'leader-election', shares: 10, lendablePercent: 0, nominal: 25, lower: 25, upper: 625, idleSeats: 58 },
  { name: 'node-high', shares: 40, lendablePercent: 25, nominal: 98, lower: 73, upper: 698, idleSeats: 170 },
  { name: 'system', shares: 30, lendablePercent: 33, nominal: 74, lower: 50, upper: 674, idleSeats: 117 },
  { name: 'workload-high', shares: 40, lendablePercent: 50, nominal: 98, lower: 49, upper: 698, idleSeats: 114 },
  { name: 'workload-low', shares: 100, lendablePercent: 90, nominal: 245, lower: 24, upper: 845, idleSeats: 56 },
];
const SHARES = LEVELS.map(({ name, shares, lendablePercent }) => ({ name, shares, lendablePercent, borrowingLimitPercent: undefined }));
const indexOfLevel = (name: string): number => LEVELS.findIndex((level) => level.name === name);

it('computeLimits divides the seats by the shares of the levels', () => {
  expect(computeLimits(SHARES, SERVER_SEATS)).toEqual(LEVELS.map(({ nominal, lower, upper }) => ({ nominal, lower, upper })));
});

it('allocateSeats without demand distributes all seats in proportion to the minimum limits', () => {
  const levels = computeLimits(
    [...SHARES, { name: 'exempt', shares: 0, lendablePercent: 0, borrowingLimitPercent: undefined }],
    SERVER_SEATS,
  ).map((limits, index) => ({
    limits,
    // As when the values were recorded, only the exempt level has demand.
    demand: index === LEVELS.length ? { ...NO_DEMAND, smoothed: 1 } : NO_DEMAND,
  }));
  const { current } = allocateSeats(levels, SERVER_SEATS);
  // Rounding may differ by one seat.
  LEVELS.forEach(({ idleSeats }, index) => expect(Math.abs((current[index] ?? 0) - idleSeats)).toBeLessThanOrEqual(1));
});

it('allocateSeats lends unused seats to busy levels and keeps the minimum limit of each', () => {
  const limits = computeLimits(SHARES, SERVER_SEATS);
  const busyLevel = indexOfLevel('workload-low');
  const highDemand = { highest: 500, average: 400, deviation: 50, smoothed: 450 };
  const { current } = allocateSeats(
    limits.map((limit, index) => ({ limits: limit, demand: index === busyLevel ? highDemand : NO_DEMAND })),
    SERVER_SEATS,
  );
  expect(current[busyLevel]).toBeGreaterThan(limits[busyLevel]?.nominal ?? Infinity);
  current.forEach((seats, index) => expect(seats).toBeGreaterThanOrEqual(limits[index]?.lower ?? 0));
});

it('allocateSeats exceeds the seats at most by rounding, for any demand', () => {
  const demand = integer({ min: 0, max: 2000 });
  assert(
    property(array(record({ highest: demand, smoothed: demand }), { minLength: LEVELS.length, maxLength: LEVELS.length }), (demands) => {
      const limits = computeLimits(SHARES, SERVER_SEATS);
      const { current } = allocateSeats(
        limits.map((limit, index) => ({ limits: limit, demand: { ...NO_DEMAND, ...demands[index] } })),
        SERVER_SEATS,
      );
      // Each nominal share is rounded up, and each level's allocation to the nearest integer.
      expect(current.reduce((sum, seats) => sum + seats, 0)).toBeLessThanOrEqual(SERVER_SEATS + 2 * LEVELS.length);
      current.forEach((seats, index) => expect(seats).toBeLessThanOrEqual(limits[index]?.upper ?? 0));
    }),
  );
});

it('smoothDemand follows an increase to the average plus the deviation at once', () => {
  expect(smoothDemand(0, { average: 10, deviation: 2 })).toBe(12);
});

it('smoothDemand follows a decrease slowly', () => {
  expect(smoothDemand(100, { average: 0, deviation: 0 })).toBeCloseTo(97.7);
});
