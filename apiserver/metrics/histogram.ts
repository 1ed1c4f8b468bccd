/**
 * Histograms that cost a few additions per observation: series are looked up once, counts lie in typed arrays, text is made when someone
 * scrapes. prom-client's own cost several times more per observation, which counts on the path of every request.
 */

/** The text that a scrape gets, in short pieces of whole lines: there may be very many of them. */
export type ExposedPieces = Iterable<string>;

/** One series. */
export class HistogramSeries {
  /** Per bucket, not cumulated; the last is +Inf. */
  readonly counts: Float64Array;
  sum = 0;

  constructor(private readonly bounds: readonly number[]) {
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    const { bounds, counts } = this;
    let at = 0;
    while (at < bounds.length && value > (bounds[at] ?? 0)) at += 1;
    counts[at] = (counts[at] ?? 0) + 1;
    this.sum += value;
  }

  get total(): number {
    return this.counts.reduce((total, count) => total + count, 0);
  }
}

/** What stands before the series of a metric. */
export const familyHead = (name: string, help: string, type: string): string => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`;

/** As it stands between the braces. */
export function labelText<Label extends string>(labels: readonly Label[], values: Readonly<Record<Label, string>>): string {
  return labels.map((label) => `${label}="${escaped(values[label])}"`).join(',');
}

export const escaped = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');

/** The lines of one series; `labels` as they stand between the braces. */
export function seriesLines(
  name: string,
  labels: string,
  buckets: readonly number[],
  series: Pick<HistogramSeries, 'counts' | 'sum'>,
): string {
  const before = labels === '' ? '' : `${labels},`;
  let lines = '';
  let total = 0;
  series.counts.forEach((count, index) => {
    total += count;
    lines += `${name}_bucket{${before}le="${buckets[index] ?? '+Inf'}"} ${total}\n`;
  });
  const braces = labels === '' ? '' : `{${labels}}`;
  return `${lines}${name}_sum${braces} ${series.sum}\n${name}_count${braces} ${total}\n`;
}

export interface HistogramOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
  /** Upper bounds, ascending, without +Inf. */
  readonly buckets: readonly number[];
}

/** All series of one metric. Callers keep the series; whoever makes labels up must bound them. */
export class Histogram<Label extends string> {
  private readonly series = new Map<string, HistogramSeries>();

  constructor(private readonly options: HistogramOptions<Label>) {}

  /** The series of these values, which is made when they are new. */
  add(values: Readonly<Record<Label, string>>): HistogramSeries {
    const labels = labelText(this.options.labels, values);
    let series = this.series.get(labels);
    if (series === undefined) this.series.set(labels, (series = new HistogramSeries(this.options.buckets)));
    return series;
  }

  /** Nothing when there is no series. */
  *exposed(): ExposedPieces {
    if (this.series.size === 0) return;
    const { name, help, buckets } = this.options;
    yield familyHead(name, help, 'histogram');
    for (const [labels, series] of this.series) yield seriesLines(name, labels, buckets, series);
  }
}
