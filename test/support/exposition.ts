/** Parses metrics in the Prometheus text format, as far as tests need it. */
import type { ExpositionChunks } from '../../apiserver/metrics/registry/histogram';

export interface MetricFamily {
  readonly name: string;
  readonly type: string;
  /** From the help text: STABLE, BETA or ALPHA; empty when it names none. */
  readonly stability: string;
  /** Sorted, without `le` and `quantile`. */
  readonly labels: readonly string[];
  /** Upper bounds of a histogram, without the last. */
  readonly buckets: readonly number[];
}

export interface Exposition {
  readonly families: ReadonlyMap<string, MetricFamily>;
  /** By name and sorted labels. The value of a histogram or summary is its count. */
  readonly series: ReadonlyMap<string, number>;
}

interface FamilyBuilder {
  readonly name: string;
  readonly type: string;
  readonly stability: string;
  readonly labels: Set<string>;
  readonly buckets: Set<number>;
}

/** A label and its value; the value may contain escaped quotes. */
const LABEL = /(\w+)="((?:[^"\\]|\\.)*)"/g;
/** Name, labels and value of a series. */
const LINE = /^(\w+)(?:\{(.*)\})? (\S+)/;
/** The beginning of a help text, such as `[STABLE] `. */
const STABILITY = /^\[(\w+)\] /;
/** Types of which only the count is kept as a series. */
const COUNTED: ReadonlySet<string> = new Set(['histogram', 'summary']);

/** Ignores lines that are neither HELP, TYPE nor a series of the family above them. */
export function readExposition(text: string): Exposition {
  const families = new Map<string, FamilyBuilder>();
  const series = new Map<string, number>();
  let stability = '';
  let family: FamilyBuilder | undefined;
  for (const line of text.split('\n')) {
    const [hash, word, name = '', ...rest] = line.split(' ');
    if (hash === '#' && word === 'HELP') stability = STABILITY.exec(rest.join(' '))?.[1] ?? '';
    else if (hash === '#' && word === 'TYPE') {
      family = { name, type: rest[0] ?? '', stability, labels: new Set(), buckets: new Set() };
      families.set(name, family);
    } else if (family !== undefined) addLine(family, line, series);
  }
  const entries = Array.from(families.values(), (builder): [string, MetricFamily] => [builder.name, toFamily(builder)]);
  return { families: new Map(entries), series };
}

function toFamily({ name, type, stability, labels, buckets }: FamilyBuilder): MetricFamily {
  return { name, type, stability, labels: [...labels].sort(), buckets: [...buckets].sort((a, b) => a - b) };
}

/** Adds the labels and buckets of a line to its family, and its value to `series`. */
function addLine(family: FamilyBuilder, line: string, series: Map<string, number>): void {
  const [, name = '', labelText = '', value = ''] = LINE.exec(line) ?? [];
  if (name === '') return;
  const labels: string[] = [];
  for (const [, label = '', text = ''] of labelText.matchAll(LABEL)) {
    if (label === 'le' && text !== '+Inf') family.buckets.add(Number(text));
    if (label === 'le' || label === 'quantile') continue;
    family.labels.add(label);
    labels.push(`${label}="${text}"`);
  }
  if (COUNTED.has(family.type) && name !== `${family.name}_count`) return;
  const seriesName = labels.length === 0 ? family.name : `${family.name}{${labels.sort().join(',')}}`;
  series.set(seriesName, Number(value));
}

/** The difference of each series of `after` that is new or has changed. */
export function seriesGrowth(before: Exposition, after: Exposition): ReadonlyMap<string, number> {
  const grown = new Map<string, number>();
  for (const [name, value] of after.series) {
    const difference = value - (before.series.get(name) ?? 0);
    if (difference !== 0 && !Number.isNaN(difference)) grown.set(name, difference);
  }
  return grown;
}

/** The text of a response that is produced in chunks. */
export const joinChunks = (chunks: ExpositionChunks): string => [...chunks].join('');
