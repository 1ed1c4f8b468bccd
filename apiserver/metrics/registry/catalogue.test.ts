/**
 * Metrics that are exposed only once they are used have the names, types, labels, buckets and stability of the
 * reference server.
 */
import { readCases } from '../../../test/replay/recording';
import { listOf, number, shape, text } from '../../../test/replay/shape';
import { MISSING_FAMILIES_IN_USE } from '../../../test/support/deviations/metric-deviations';
import { CATALOGUE } from './catalogue';
import { stabilityOf } from './exposition';
import type { MetricRow } from './metric-row';

const RECORDED = readCases(
  'metrics/in-use',
  shape({ name: text, type: text, stability: text, labels: listOf(text), buckets: listOf(number) }),
);
const ROWS: Readonly<Record<string, MetricRow>> = CATALOGUE;
const missing = new Set(MISSING_FAMILIES_IN_USE.flatMap(({ names }) => names));

test.each(RECORDED.map((family) => [family.name, family] as const))(
  '%s has the type, stability, labels and buckets of upstream',
  (name, { type, stability, labels, buckets }) => {
    expect(stabilityOf(name)).toBe(missing.has(name) ? '' : stability);
    const row = ROWS[name];
    if (row === undefined) return;
    const actual = { type: row.type, labels: [...row.labels].sort(), buckets: row.type === 'histogram' ? row.buckets : [] };
    expect(actual).toEqual({ type, labels, buckets });
  },
);
