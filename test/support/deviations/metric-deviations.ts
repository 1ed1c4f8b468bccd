/**
 * Intended differences between this server's metrics and the recorded ones, read from metric-deviations.yaml. The
 * recordings stay as they were recorded.
 */
import { listOf, shape, text } from '../../replay/shape';
import { readTable } from '../read-table';

const isMissingFamilies = shape({ reason: text, names: listOf(text) });
const isTable = shape({
  series: listOf(shape({ reason: text, series: text })),
  uncountedSteps: listOf(text),
  missingFamilies: listOf(isMissingFamilies),
  missingFamiliesInUse: listOf(isMissingFamilies),
  emptyFamilies: listOf(text),
});

const table = readTable('test/support/deviations/metric-deviations.yaml', isTable);

/** Series of either server that comparisons ignore. */
export const SERIES_DEVIATIONS = table.series.map(({ reason, series }) => ({ reason, series: new RegExp(series) }));

/**
 * Titles of the recorded steps with requests that upstream does not count, because a filter or the router rejects them, or
 * that make upstream load a new kind.
 */
export const UNCOUNTED_STEPS: ReadonlySet<string> = new Set(table.uncountedSteps);

/** Whether comparisons ignore a series, which is given with its labels. */
export const isSeriesDeviation = (series: string): boolean => SERIES_DEVIATIONS.some((deviation) => deviation.series.test(series));

/** Families of the reference server that this server does not expose. */
export const MISSING_FAMILIES = table.missingFamilies;

/** Families that the reference server exposes once they have a series, and that this server does not expose at all. */
export const MISSING_FAMILIES_IN_USE = table.missingFamiliesInUse;

/** Families without a series: the tests have no aggregated API server. */
export const EMPTY_FAMILIES: ReadonlySet<string> = new Set(table.emptyFamilies);
