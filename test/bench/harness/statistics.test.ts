/** Medians, estimates and exponents, from samples with known results. */
import { estimate, fitExponent, median, type Point } from './statistics';

const points = (cost: (size: number) => number, relativeError = 0): readonly Point[] =>
  [1, 2, 4, 8, 16, 32].map((times) => ({
    size: 100 * times,
    cost: { value: cost(100 * times), error: relativeError * cost(100 * times) },
  }));

describe('median', () => {
  it('is the middle sample, or the mean of the two in the middle', () => {
    expect([median([3, 1, 2]), median([4, 1, 3, 2]), median([7])]).toEqual([2, 2.5, 7]);
  });
});

describe('estimate', () => {
  it('changes little with one disturbed sample', () => {
    const { value, error } = estimate([100, 101, 99, 102, 300]);
    expect([value, error < 1]).toEqual([101, true]);
  });

  it('has no error when all samples agree', () => {
    expect(estimate([5, 5, 5])).toEqual({ value: 5, error: 0 });
  });
});

describe('fitExponent', () => {
  it.each([0, 1, 1.5, 2])('finds the exponent %d', (exponent) => {
    expect(fitExponent(points((size) => 7 * size ** exponent)).value).toBeCloseTo(exponent, 10);
  });

  it('exceeds 1.1 for a linear cost with a quadratic part as large as it at the last size', () => {
    expect(fitExponent(points((size) => size + size ** 2 / 3200)).value).toBeGreaterThan(1.1);
  });

  it('has an error of the costs, divided by the range of sizes', () => {
    expect(fitExponent(points((size) => size, 0.03)).error).toBeCloseTo(0.03 / Math.log(2) / Math.sqrt(17.5), 10);
  });
});
