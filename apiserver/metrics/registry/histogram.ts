/**
 * Histograms that cost a few additions per observation: series are looked up once, counts are in typed arrays, text is
 * created at scrape time. prom-client's histograms cost several times more per observation, which matters on the path
 * of every request.
 */

/** The exposition as short chunks of whole lines, because it can be large. */
export type ExpositionChunks = Iterable<string>;

/** One time series of a histogram. */
export class HistogramSeries {
  /** Count per bucket, not cumulative; the last bucket is +Inf. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(private readonly bounds: readonly number[]) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let bucket = 0;
    while (bucket < bounds.length && value > (bounds[bucket] ?? 0)) bucket += 1;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
    this.sum += value;
  }

  /** Number of observations. */
  get total(): number {
    return this.counts.reduce((total, count) => total + count, 0);
  }
}

/** The HELP and TYPE lines of a metric. */
export const familyHeader = (name: string, help: string, type: string): string => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;

/** The labels in exposition format, without braces. */
export function formatLabels<Label extends string>(labels: readonly Label[], values: Readonly<Record<Label, string>>): string {
  return labels.map((label) => `${label}="${escapeLabelValue(values[label])}"`).join(',');
}

/** Escapes a label value as the exposition format requires it between quotation marks. */
export const escapeLabelValue = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

/** The lines of one series; `labels` is in exposition format, without braces. */
export function formatHistogram(
  name: string,
  labels: string,
  buckets: readonly number[],
  series: Pick<HistogramSeries, 'counts' | 'sum'>,
): string {
  const prefix = labels === '' ? '' : `${labels},`;
  let lines = '';
  let total = 0;
  series.counts.forEach((count, index) => {
    total += count;
    lines += `${name}_bucket{${prefix}le="${buckets[index] ?? '+Inf'}"} ${total}\n`;
  });
  const braces = labels === '' ? '' : `{${labels}}`;
  return `${lines}${name}_sum${braces} ${series.sum}\n${name}_count${braces} ${total}\n`;
}

/** The name of a metric, its labels, and the bounds of its buckets. */
export interface HistogramOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
  /** Upper bounds, ascending, without +Inf. */
  readonly buckets: readonly number[];
}

/** All series of one metric. Callers keep the series that they use, and must bound the number of label values. */
export class Histogram<Label extends string> {
  private readonly series = new Map<string, HistogramSeries>();

  constructor(private readonly options: HistogramOptions<Label>) {}

  /** The series of these label values; created by the first call. */
  add(values: Readonly<Record<Label, string>>): HistogramSeries {
    const labels = formatLabels(this.options.labels, values);
    const existing = this.series.get(labels);
    if (existing !== undefined) return existing;
    const created = new HistogramSeries(this.options.buckets);
    this.series.set(labels, created);
    return created;
  }

  /** Yields nothing when there is no series. */
  *expose(): ExpositionChunks {
    if (this.series.size === 0) return;
    const { name, help, buckets } = this.options;
    yield familyHeader(name, help, 'histogram');
    for (const [labels, series] of this.series) yield formatHistogram(name, labels, buckets, series);
  }
}
