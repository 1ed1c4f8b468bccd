/**
 * Completes the Prometheus text exposition: metric names in the server's dialect, help texts with upstream's stability
 * level, and the count of metrics per level. The lines themselves are written by the recorders.
 */
import { messageInDialect, type Dialect } from '../../../shared/names/dialect';
import { CATALOGUE } from './catalogue';
import type { MetricRow, Stability } from './metric-row';
import { familyHeader } from './histogram';
import { UPSTREAM_STABILITY } from './upstream-stability';

/** The Content-Type of metrics pages. */
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
/** `# HELP apiserver_request_total Requests by verb, resource and code.`, up to the text, with the name as a group. */
const HELP = /^# HELP (\S+) /gm;

/** Upstream's stability level of a metric; empty for metrics that only this server has. */
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
const ALWAYS_ZERO: readonly { readonly name: string; readonly help: string }[] = [
  { name: 'disabled_metrics_total', help: 'Metrics that a flag disabled.' },
  { name: 'hidden_metrics_total', help: 'Deprecated metrics that are hidden.' },
];

/** The number of metrics per stability level, which is itself a metric. */
export class StabilityCounts {
  private readonly counts = new Map<Stability, number>();

  /** Counts one metric. */
  add(stability: Stability): void {
    this.counts.set(stability, (this.counts.get(stability) ?? 0) + 1);
  }

  /** The counts so far as exposition text, with the metrics that are always zero. */
  text(): string {
    const total = 'registered_metrics_total';
    const lines = [familyHeader(total, 'Exposed metrics, by stability level.', 'counter')];
    for (const [stability, count] of this.counts) lines.push(`${total}{deprecated_version="",stability_level="${stability}"} ${count}\n`);
    for (const { name, help } of ALWAYS_ZERO) lines.push(familyHeader(name, help, 'counter'), `${name} 0\n`);
    return lines.join('');
  }
}
