/**
 * Records the metrics of the catalogue. Recording costs an addition when the caller keeps the series, and a map lookup
 * otherwise; text is created at scrape time.
 */
import { CATALOGUE, type NumberMetricName, type LabelValues, type MetricName, type ObservedMetricName } from './catalogue';
import type { MetricRow } from './metric-row';
import { escapeLabelValue, familyHeader, HistogramSeries, formatHistogram, type ExpositionChunks } from './histogram';

/** One series of a counter or gauge. */
export class NumberSeries {
  value = 0;

  /** Adds to the value; gauges may also be decreased or set. */
  add(by = 1): void {
    this.value += by;
  }
}

/** One series of a histogram or summary. */
export interface Observer {
  observe(value: number): void;
}

/** A series of a metric of any type; only the member for the type is used. */
interface CatalogueSeries {
  readonly labels: string;
  readonly number: NumberSeries;
  readonly histogram: HistogramSeries;
}

/** Limit of series per metric without a limit in its row. Beyond it, new label values are replaced by `other`. */
const MAX_SERIES = 2_000;
/** The label value that replaces all others beyond the limit. */
const OTHER = 'other';
const NO_BUCKETS: readonly number[] = [];

/** The series of all metrics of the catalogue, created on first use. Label values are given in the order of the row. */
export class Meters {
  /** By metric, and by joined label values. */
  private readonly series = new Map<MetricName, Map<string, CatalogueSeries>>();

  /** The series of a counter or gauge; the same object for equal label values. */
  counter<N extends NumberMetricName>(name: N, ...values: LabelValues<N>): NumberSeries {
    return this.seriesOf(name, values).number;
  }

  /** The series of a histogram or summary; the same object for equal label values. */
  observer<N extends ObservedMetricName>(name: N, ...values: LabelValues<N>): Observer {
    return this.seriesOf(name, values).histogram;
  }

  /** All metrics with at least one series. */
  *expose(): ExpositionChunks {
    for (const [name, family] of this.series) {
      const row = CATALOGUE[name];
      yield familyHeader(name, row.help, row.type);
      for (const series of family.values()) yield formatSeries(name, row, series);
    }
  }

  /** The series of a metric, by their joined label values. */
  private familyOf(name: MetricName): Map<string, CatalogueSeries> {
    const existing = this.series.get(name);
    if (existing !== undefined) return existing;
    const created = new Map<string, CatalogueSeries>();
    this.series.set(name, created);
    return created;
  }

  /** The series of these label values; beyond the limit, that of `other`. */
  private seriesOf(name: MetricName, values: readonly string[]): CatalogueSeries {
    const row: MetricRow = CATALOGUE[name];
    const family = this.familyOf(name);
    const key = values.length === 1 ? (values[0] ?? '') : values.join('\n');
    const existing = family.get(key);
    if (existing !== undefined) return existing;
    if (family.size >= (row.maxSeries ?? MAX_SERIES) && !values.every((value) => value === OTHER)) {
      this.counter('cardinality_enforcement_unexpected_categorizations_total').add();
      const otherValues = values.map(() => OTHER);
      return this.seriesOf(name, otherValues);
    }
    const labels = row.labels.map((label, index) => `${label}="${escapeLabelValue(values[index] ?? '')}"`).join(',');
    const created: CatalogueSeries = {
      labels,
      number: new NumberSeries(),
      histogram: new HistogramSeries(row.type === 'histogram' ? row.buckets : NO_BUCKETS),
    };
    family.set(key, created);
    return created;
  }
}

function formatSeries(name: string, row: MetricRow, { labels, number, histogram }: CatalogueSeries): string {
  const braces = labels === '' ? '' : `{${labels}}`;
  switch (row.type) {
    case 'counter':
    case 'gauge':
      return `${name}${braces} ${number.value}\n`;
    case 'histogram':
      return formatHistogram(name, labels, row.buckets, histogram);
    case 'summary':
      return `${name}_sum${braces} ${histogram.sum}\n${name}_count${braces} ${histogram.total}\n`;
  }
}
