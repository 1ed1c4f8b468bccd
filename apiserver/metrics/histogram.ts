/**
 * Histograms that cost a few additions per observation: series are looked up once, counts lie in typed arrays, text is made when someone
 * scrapes. prom-client's own cost several times more per observation, which counts on the path of every request.
 */
import { append } from '../../shared/values/append';

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

/** The lines of one series; `labels` as they stand between the braces. */
export function seriesLines(
  name: string,
  labels: string,
  buckets: readonly number[],
  series: Pick<HistogramSeries, 'counts' | 'sum'>,
): string[] {
  const before = labels === '' ? '' : `${labels},`;
  const lines: string[] = [];
  let total = 0;
  series.counts.forEach((count, index) => {
    total += count;
    lines.push(`${name}_bucket{${before}le="${buckets[index] ?? '+Inf'}"} ${total}`);
  });
  const braces = labels === '' ? '' : `{${labels}}`;
  lines.push(`${name}_sum${braces} ${series.sum}`, `${name}_count${braces} ${total}`);
  return lines;
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
    const labels = this.options.labels.map((label) => `${label}="${escaped(values[label])}"`).join(',');
    let series = this.series.get(labels);
    if (series === undefined) this.series.set(labels, (series = new HistogramSeries(this.options.buckets)));
    return series;
  }

  /** The exposition text; empty when there is no series. */
  text(): string {
    if (this.series.size === 0) return '';
    const { name, help, buckets } = this.options;
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} histogram`];
    for (const [labels, series] of this.series) append(lines, seriesLines(name, labels, buckets, series));
    return `${lines.join('\n')}\n`;
  }
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
