/** Means and fits of repeated measurements, with their standard errors. */

export interface Estimate {
  readonly value: number;
  /** Standard error of `value`, in its unit. */
  readonly error: number;
}

export const formatEstimate = ({ value, error }: Estimate): string => `${value.toFixed(2)} ± ${error.toFixed(2)}`;

/** The standard deviation of a normal distribution over the median of its absolute deviations. */
const NORMAL_SPREAD = 1.4826;

/**
 * The median of the samples, with the standard error that a mean of as many would have. The error is calculated from the
 * median of the deviations, so that one disturbed sample changes it little.
 */
export function estimate(samples: readonly number[]): Estimate {
  const value = median(samples);
  const spread = NORMAL_SPREAD * median(samples.map((sample) => Math.abs(sample - value)));
  return { value, error: spread / Math.sqrt(samples.length) };
}

/** NaN without samples. */
export function median(samples: readonly number[]): number {
  const sorted = samples.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

/** The sample below which this part (0 to 1) of the samples lies. NaN without samples. */
export const quantile = (ascending: readonly number[], part: number): number =>
  ascending[Math.min(ascending.length - 1, Math.floor(ascending.length * part))] ?? Number.NaN;

/** The samples below which these parts lie, such as `1.2 / 8.0` for 0.5 and 0.99. */
export const formatQuantiles = (ascending: readonly number[], parts: readonly number[], digits = 0): string =>
  parts.map((part) => quantile(ascending, part).toFixed(digits)).join(' / ');

/** A measurement at one size. */
export interface Point {
  readonly size: number;
  readonly cost: Estimate;
}

/**
 * The exponent of the power of `size` that fits the costs best: least squares of the logarithms. The error follows from
 * those of the costs, not from their distance to the line, so that a cost that grows faster and faster is not taken for
 * noise.
 */
export function fitExponent(points: readonly Point[]): Estimate {
  const xs = points.map(({ size }) => Math.log(size));
  const ys = points.map(({ cost }) => Math.log(cost.value));
  const mean = xs.reduce((sum, x) => sum + x, 0) / xs.length;
  const distances = xs.map((x) => x - mean);
  const square = distances.reduce((sum, distance) => sum + distance ** 2, 0);
  const value = distances.reduce((sum, distance, index) => sum + distance * (ys[index] ?? Number.NaN), 0) / square;
  const errors = points.map(({ cost }, index) => ((distances[index] ?? Number.NaN) * cost.error) / cost.value);
  return { value, error: Math.hypot(...errors) / square };
}
