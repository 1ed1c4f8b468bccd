/**
 * The Prometheus text exposition: metric names in the server's dialect, and help texts with upstream's stability level.
 */
import { messageInDialect, type Dialect } from '../../../shared/names/dialect';
import { CATALOGUE } from './catalogue';
import type { MetricRow, Stability } from './metric-row';
import { familyHeader } from './histogram';
import { UPSTREAM_STABILITY } from './upstream-stability';

export const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Chunks of whole lines; each is created after the previous one was consumed. */
export type Scrape = AsyncIterable<string>;

/** The metrics pages of a server. */
export interface MetricsPages {
  /** `/metrics` */
  scrape(): Scrape;
  /** `/metrics/slis` */
  scrapeSlis(): Scrape;
}

const ROWS: Readonly<Record<string, MetricRow>> = CATALOGUE;
const HELP = /^# HELP (\S+) /gm;

export function stabilityOf(name: string): Stability {
  return ROWS[name]?.stability ?? UPSTREAM_STABILITY.get(name) ?? '';
}

/** Renders one chunk; `stabilities` counts the metrics that start in it. */
export function renderChunk(chunk: string, naming: Dialect, stabilities?: StabilityCounts): string {
  const text = chunk.replace(HELP, (line, name: string) => {
    const stability = stabilityOf(name);
    stabilities?.add(stability);
    return stability === '' ? line : `${line}[${stability}] `;
  });
  return messageInDialect(naming, text);
}

/** Metrics that are always 0 here, but that scrapers expect. */
const ALWAYS_ZERO = [
  ['disabled_metrics_total', 'Metrics that a flag disabled.'],
  ['hidden_metrics_total', 'Deprecated metrics that are hidden.'],
] as const;

/** The number of metrics per stability level, which is itself a metric. */
export class StabilityCounts {
  private readonly counts = new Map<Stability, number>();

  add(stability: Stability): void {
    this.counts.set(stability, (this.counts.get(stability) ?? 0) + 1);
  }

  text(): string {
    const name = 'registered_metrics_total';
    const lines = [familyHeader(name, 'Exposed metrics, by stability level.', 'counter')];
    for (const [stability, count] of this.counts) lines.push(`${name}{deprecated_version="",stability_level="${stability}"} ${count}\n`);
    for (const [zeroName, help] of ALWAYS_ZERO) lines.push(familyHeader(zeroName, help, 'counter'), `${zeroName} 0\n`);
    return lines.join('');
  }
}
