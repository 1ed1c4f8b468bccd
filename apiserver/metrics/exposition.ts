/** The text in which metrics are shown: the server's spelling of names, and in each help what upstream promises of the metric. */
import { messageInDialect, type Dialect } from '../../shared/names/dialect';
import { CATALOGUE, type MetricRow, type Stability } from './catalogue';
import { familyHead } from './histogram';
import { PROMISED } from './promised';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** In pieces of whole lines, each made when the one before it has been taken. */
export type Scrape = AsyncIterable<string>;

const ROWS: Readonly<Record<string, MetricRow>> = CATALOGUE;
const HELP = /^# HELP (\S+) /gm;

export function stabilityOf(name: string): Stability {
  return ROWS[name]?.stability ?? PROMISED.get(name) ?? '';
}

/** A piece of it; `promised` counts the metrics that begin in it. */
export function shown(piece: string, naming: Dialect, promised?: PromisedCounts): string {
  const text = piece.replace(HELP, (line, name: string) => {
    const stability = stabilityOf(name);
    promised?.add(stability);
    return stability === '' ? line : `${line}[${stability}] `;
  });
  return messageInDialect(naming, text);
}

/** What cannot happen here, and is asked for all the same. */
const NEVER = [
  ['disabled_metrics_total', 'Metrics that a flag has turned off.'],
  ['hidden_metrics_total', 'Metrics that are not shown any more.'],
] as const;

/** How many metrics there are of each stability, which are metrics themselves. */
export class PromisedCounts {
  private readonly counts = new Map<Stability, number>();

  add(stability: Stability): void {
    this.counts.set(stability, (this.counts.get(stability) ?? 0) + 1);
  }

  text(): string {
    const name = 'registered_metrics_total';
    const lines = [familyHead(name, 'Metrics that are shown, by what is promised of them.', 'counter')];
    for (const [stability, count] of this.counts) lines.push(`${name}{deprecated_version="",stability_level="${stability}"} ${count}\n`);
    for (const [other, help] of NEVER) lines.push(familyHead(other, help, 'counter'), `${other} 0\n`);
    return lines.join('');
  }
}
