/**
 * The parts that several dashboards share: expressions of PromQL, and panels with one query. Names of metrics are left to
 * the dashboards.
 */
import type { Panel, Query, Variable } from './dashboard';

/** The choice of API servers. */
export const API_SERVER: Variable = { name: 'instance', label: 'API server', query: 'label_values(up{job="apiserver"}, instance)' };

/** The range of a rate, which Grafana derives from the scrape interval and the width of the panel. */
export const RANGE = '$__rate_interval';

/**
 * The value below which the `fraction` of the observations of a histogram lies.
 *
 * @param by labels, for each combination of which there is one series
 * @param histogram the metric with the suffix `_bucket` and its label matchers
 */
export const quantile = (fraction: number, by: string, histogram: string): string =>
  `histogram_quantile(${fraction}, sum by (le, ${by}) (rate(${histogram}[${RANGE}])))`;

/** The ten largest series of a rate. */
export const largestRates = (by: string, counter: string): string => `topk(10, sum by (${by}) (rate(${counter}[${RANGE}])))`;

/** The sum of the rates of a counter for each value of the labels `by`. */
export const rates = (by: string, counter: string): string => `sum by (${by}) (rate(${counter}[${RANGE}]))`;

/** A panel with one query. */
type QueryPanel = Omit<Panel, 'type' | 'queries'> & Query;

/** A panel with a time axis and one query. */
export const graph = (panel: QueryPanel): Panel => panelOf('timeseries', panel);

/** A panel with the current value of one query. */
export const stat = (panel: QueryPanel): Panel => panelOf('stat', panel);

/** A panel with a line for each current series of one query. */
export const table = (panel: Omit<QueryPanel, 'legend'>): Panel => panelOf('table', panel);

const panelOf = (type: Panel['type'], { expr, legend, ...panel }: QueryPanel): Panel => ({
  ...panel,
  type,
  queries: [{ expr, ...(legend === undefined ? {} : { legend }) }],
});
