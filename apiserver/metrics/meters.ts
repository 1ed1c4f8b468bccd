/** Counts and times by the rows of the catalogue. Counting costs an addition where the series is kept, and a look into a map where it is not; the text is made when asked for. */
import { CATALOGUE, type CountedName, type LabelValues, type MetricName, type MetricRow, type ObservedName } from './catalogue';
import { escaped, familyHead, HistogramSeries, seriesLines, type ExposedPieces } from './histogram';

/** One number that is counted. */
export class Count {
  value = 0;

  add(by = 1): void {
    this.value += by;
  }
}

/** What is observed, one series. */
export interface Observer {
  observe(value: number): void;
}

/** A kept series of the type of its row. */
interface Kept {
  readonly labels: string;
  readonly count: Count;
  readonly observed: HistogramSeries;
}

const MOST_SERIES = 2_000;
const OTHER = 'other';
const NO_BUCKETS: readonly number[] = [];

export class Meters {
  private readonly series = new Map<MetricName, Map<string, Kept>>();

  count<N extends CountedName>(name: N, ...values: LabelValues<N>): Count {
    return this.kept(name, values).count;
  }

  observer<N extends ObservedName>(name: N, ...values: LabelValues<N>): Observer {
    return this.kept(name, values).observed;
  }

  *exposed(): ExposedPieces {
    for (const [name, kept] of this.series) {
      const row = CATALOGUE[name];
      yield familyHead(name, row.help, row.type);
      for (const series of kept.values()) yield linesOf(name, row, series);
    }
  }

  private kept(name: MetricName, values: readonly string[]): Kept {
    const row: MetricRow = CATALOGUE[name];
    let family = this.series.get(name);
    if (family === undefined) this.series.set(name, (family = new Map<string, Kept>()));
    const key = values.length === 1 ? (values[0] ?? '') : values.join('\n');
    const found = family.get(key);
    if (found !== undefined) return found;
    if (family.size >= (row.most ?? MOST_SERIES) && !values.every((value) => value === OTHER)) {
      this.count('cardinality_enforcement_unexpected_categorizations_total').add();
      return this.kept(
        name,
        values.map(() => OTHER),
      );
    }
    const labels = row.labels.map((label, at) => `${label}="${escaped(values[at] ?? '')}"`).join(',');
    const made: Kept = { labels, count: new Count(), observed: new HistogramSeries(row.type === 'histogram' ? row.buckets : NO_BUCKETS) };
    family.set(key, made);
    return made;
  }
}

function linesOf(name: string, row: MetricRow, { labels, count, observed }: Kept): string {
  const braces = labels === '' ? '' : `{${labels}}`;
  switch (row.type) {
    case 'counter':
    case 'gauge':
      return `${name}${braces} ${count.value}\n`;
    case 'histogram':
      return seriesLines(name, labels, row.buckets, observed);
    case 'summary':
      return `${name}_sum${braces} ${observed.sum}\n${name}_count${braces} ${observed.total}\n`;
  }
}
