/** The text in which metrics are shown: the server's spelling of names, and in each help what upstream promises of the metric. */
import { textIn, type Dialect } from '../../shared/names/dialect';
import { CATALOGUE, type MetricRow, type Stability } from './catalogue';
import { PROMISED } from './promised';

export interface Scrape {
  readonly contentType: string;
  readonly text: string;
}

const ROWS: Readonly<Record<string, MetricRow>> = CATALOGUE;
const HELP = /^# HELP (\S+) /gm;

export function stabilityOf(name: string): Stability {
  return ROWS[name]?.stability ?? PROMISED.get(name) ?? '';
}

/** `all` = nothing is added; else how many metrics there are of each stability is one more of them. */
export function shown(text: string, naming: Dialect, isAll?: 'all'): Scrape {
  const counts = new Map<Stability, number>();
  const promised = text.replace(HELP, (line, name: string) => {
    const stability = stabilityOf(name);
    counts.set(stability, (counts.get(stability) ?? 0) + 1);
    return stability === '' ? line : `${line}[${stability}] `;
  });
  return {
    contentType: 'text/plain; version=0.0.4; charset=utf-8',
    text: textIn(naming, isAll === 'all' ? promised : `${promised}${registered(counts)}`),
  };
}

/** What cannot happen here, and is asked for all the same. */
const NEVER = [
  ['disabled_metrics_total', 'Metrics that a flag has turned off.'],
  ['hidden_metrics_total', 'Metrics that are not shown any more.'],
] as const;

function registered(counts: ReadonlyMap<Stability, number>): string {
  const name = 'registered_metrics_total';
  const lines = [`# HELP ${name} [BETA] Metrics that are shown, by what is promised of them.`, `# TYPE ${name} counter`];
  for (const [stability, count] of counts) lines.push(`${name}{deprecated_version="",stability_level="${stability}"} ${count}`);
  for (const [other, help] of NEVER) lines.push(`# HELP ${other} [BETA] ${help}`, `# TYPE ${other} counter`, `${other} 0`);
  return `${lines.join('\n')}\n`;
}
