/**
 * The parts that several dashboards share: expressions of PromQL, and panels with one query. Names of metrics are left to
 * the dashboards.
 */
import type { Panel, Query, Unit, Variable } from './dashboard';

export const API_SERVER: Variable = { name: 'instance', label: 'API server', query: 'label_values(up{job="apiserver"}, instance)' };

/** The range of a rate, which Grafana derives from the scrape interval and the width of the panel. */
export const RANGE = '$__rate_interval';

/** The value below which the `fraction` of the observations of a histogram lies. */
export const quantile = (fraction: number, by: string, histogram: string): string =>
  `histogram_quantile(${fraction}, sum by (le, ${by}) (rate(${histogram}[${RANGE}])))`;

/** The ten largest series of a rate. */
export const largestRates = (by: string, counter: string): string => `topk(10, sum by (${by}) (rate(${counter}[${RANGE}])))`;

/** The sum of the rates of a counter for each value of the labels `by`. */
export const rates = (by: string, counter: string): string => `sum by (${by}) (rate(${counter}[${RANGE}]))`;

type Extras = Pick<Panel, 'thresholds' | 'width'>;

/** A panel with a time axis and one query. */
export const graph = (title: string, description: string, unit: Unit, { expr, legend }: Query, extras: Extras = {}): Panel => ({
  title,
  description,
  type: 'timeseries',
  unit,
  queries: [{ expr, ...(legend === undefined ? {} : { legend }) }],
  ...extras,
});

/** A panel with the current value of one query. */
export const stat = (title: string, description: string, unit: Unit, { expr, legend }: Query, extras: Extras = {}): Panel => ({
  ...graph(title, description, unit, { expr, ...(legend === undefined ? {} : { legend }) }, extras),
  type: 'stat',
});

/** A panel with a line for each current series of one query. */
export const table = (title: string, description: string, unit: Unit, expr: string, extras: Extras = {}): Panel => ({
  ...graph(title, description, unit, { expr }, extras),
  type: 'table',
});
