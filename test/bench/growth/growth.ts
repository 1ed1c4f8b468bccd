/** How costs grow with the number of items, and whether they grow more than their bounds allow. */
import type { FigureRow, PerformanceResults } from '../../support/documents/performance-page';
import { textOption } from '../harness/settings';
import { formatEstimate } from '../harness/statistics';
import { deployments, services } from './controller-subjects';
import { isAboveBound, measureGrowth, sizesOf, type Series } from './measure-growth';
import { definitions, namespaces, objects, roles } from './stored-subjects';
import { GROWTH_BOUNDS, type Subject } from './subject';
import { watches } from './watch-subject';

/** What grows, in the order of the measurements. */
const SUBJECTS: readonly Subject[] = [objects, watches, namespaces, definitions, roles, deployments, services];

/** Sets the exit code to 1 when an exponent is above its bound. */
export async function growth(): Promise<PerformanceResults> {
  const only = textOption('only') ?? '';
  const rows: FigureRow[] = [];
  for (const subject of SUBJECTS.filter(({ name }) => name.includes(only))) {
    console.log(`\n${subject.name}, ${sizesOf(subject).join(', ')}`);
    for (const series of await measureGrowth(subject)) {
      printSeries(series);
      rows.push(growthRow(series));
      if (isAboveBound(series)) process.exitCode = 1;
    }
  }
  return { figures: { growth: rows } };
}

const growthRow = ({ name, growth: kind, points, exponent }: Series): FigureRow => {
  const ends = [points[0], points.at(-1)].map((point) => (point === undefined ? '' : `${formatCost(point.cost.value)} at ${point.size}`));
  return { name, bound: `≤ ${GROWTH_BOUNDS[kind]}`, figure: `${formatEstimate(exponent)} (${ends.join(', ')})` };
};

function printSeries(series: Series): void {
  const { name, growth: kind, points, exponent, lastExponent } = series;
  const costs = points.map(({ cost }) => formatCost(cost.value)).join(' ');
  const verdict = isAboveBound(series) ? 'ABOVE' : 'within';
  console.log(
    `${name.padEnd(64)} ${exponent.value.toFixed(3)} ± ${exponent.error.toFixed(3)} ${verdict} ${GROWTH_BOUNDS[kind]}, ` +
      `last ${lastExponent.value.toFixed(2)} ± ${lastExponent.error.toFixed(2)}  [${costs}]`,
  );
}

const formatCost = (value: number): string => (value >= 1000 ? Math.round(value).toString() : value.toPrecision(3));
