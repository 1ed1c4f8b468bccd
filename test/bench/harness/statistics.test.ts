/** Medians, estimates and exponents, from samples with known results. */
import { estimate, fitExponent, median, type Point } from './statistics';

/** The costs at six sizes from 100 to 3200, each twice the size before. */
const points = (costAt: (size: number) => number, relativeError = 0): readonly Point[] =>
  [100, 200, 400, 800, 1600, 3200].map((size) => ({
    size,
    cost: { value: costAt(size), error: relativeError * costAt(size) },
  }));

describe('median', () => {
  it('is the middle sample of an odd number of samples', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([7])).toBe(7);
  });

  it('is the mean of the two middle samples of an even number', () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
  });
});

describe('estimate', () => {
  it('changes little with one disturbed sample', () => {
    const { value, error } = estimate([100, 101, 99, 102, 300]);
    expect(value).toBe(101);
    expect(error).toBeLessThan(1);
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

  it('has the relative error of the costs, divided by the spread of the sizes', () => {
    // In doublings, six sizes are 0.5, 1.5 and 2.5 from their mean on both sides: the sum of the squares is 17.5.
    expect(fitExponent(points((size) => size, 0.03)).error).toBeCloseTo(0.03 / Math.log(2) / Math.sqrt(17.5), 10);
  });
});
