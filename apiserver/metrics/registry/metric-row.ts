/** The rows of the catalogue of metrics, by type. Metrics without a stability are specific to this server. */

/** Upstream's level; '' for metrics that only this server has. */
export type Stability = 'STABLE' | 'BETA' | 'ALPHA' | '';

interface MetricRowBase {
  readonly stability: Stability;
  readonly help: string;
  readonly labels: readonly string[];
  /** Maximum number of series; further label values are counted under `other`. 2,000 when absent. */
  readonly maxSeries?: number;
}

/** A value that only grows. */
export interface CounterRow extends MetricRowBase {
  readonly type: 'counter';
}

/** Set by the code that changes the value. */
export interface GaugeRow extends MetricRowBase {
  readonly type: 'gauge';
}

/** Observations by bucket. */
export interface HistogramRow extends MetricRowBase {
  readonly type: 'histogram';
  /** Upper bounds, ascending, without +Inf. */
  readonly buckets: readonly number[];
}

/** Only the count and the sum of the observations. */
export interface SummaryRow extends MetricRowBase {
  readonly type: 'summary';
}

/** A row of the catalogue. */
export type MetricRow = CounterRow | GaugeRow | HistogramRow | SummaryRow;

/** Exponential buckets: each bound is `factor` times the previous one. */
export function exponentialBuckets(factor: number, first: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => Number((first * factor ** index).toPrecision(12)));
}
