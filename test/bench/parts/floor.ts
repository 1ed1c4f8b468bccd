/** Parts of the benchmark with bounds: the floors of requests, and the growth of costs. */
import { measureFloors, type Floor } from '../floor/floors';
import { profileGets } from '../floor/profile-gets';
import type { Shares } from '../floor/filter-costs';
import { isAboveBound, measureGrowth, sizesOf, type Series } from '../growth/measure-growth';
import { GROWTH_BOUNDS, type Subject } from '../growth/subject';
import { deployments, services } from '../growth/controller-subjects';
import { definitions, namespaces, objects, roles } from '../growth/stored-subjects';
import { watches } from '../growth/watch-subject';
import type { Estimate } from '../harness/statistics';
import type { FigureRow, PerformanceResults } from '../../support/documents/performance-page';
import { textOption } from '../harness/settings';

/** In the order in which they are measured. */
const SUBJECTS: readonly Subject[] = [objects, watches, namespaces, definitions, roles, deployments, services];

/** Smaller shares are not shown. */
const SMALLEST_SHARE = 0.004;

/** The ratios of a server's costs to those of its floors, which have bounds, and the shares of filters in a GET. */
export async function floor(): Promise<PerformanceResults> {
  console.log('\nCPU of the server per request, over that of its floor');
  const floors: Floor[] = [];
  await measureFloors((measured) => {
    floors.push(measured);
    printFloor(measured);
  });
  const { byFilter, byFolder, micros, requests } = await profileGets();
  console.log(`\na get by filters: ${micros.toFixed(1)} µs of the event loop under a profiler (${requests} gets)`);
  printShares(byFilter, micros);
  console.log('\na get by the folders of the code that runs');
  printShares(byFolder, micros);
  return {
    figures: { floors: floors.map(floorRow) },
    shares: shownShares(byFilter).map(([name, share]) => [name, (share * micros).toFixed(1), (share * 100).toFixed(1)]),
  };
}

const floorRow = ({ name, bound, ratio, comparison: { subjectMicros } }: Floor): FigureRow => ({
  name,
  bound: bound === undefined ? '' : `≤ ${bound}`,
  figure: `${formatEstimate(ratio)} (${subjectMicros.toFixed(1)} µs)`,
});

const formatEstimate = ({ value, error }: Estimate): string => `${value.toFixed(2)} ± ${error.toFixed(2)}`;

function printFloor({ name, bound, ratio, comparison }: Floor): void {
  const { subjectMicros, baselineMicros, rounds, requests } = comparison;
  const verdict = bound === undefined ? 'no bound' : `${ratio.value > bound ? 'ABOVE' : 'within'} ${bound}`;
  console.log(
    `${name.padEnd(34)} ${ratio.value.toFixed(3)} ± ${ratio.error.toFixed(3)}  ${verdict}  ` +
      `(${subjectMicros.toFixed(1)} over ${baselineMicros.toFixed(1)} µs, ${requests} requests in ${rounds} rounds)`,
  );
}

const shownShares = (shares: Shares): readonly (readonly [string, number])[] => [...shares].filter(([, share]) => share >= SMALLEST_SHARE);

function printShares(shares: Shares, micros: number): void {
  for (const [name, share] of shownShares(shares))
    console.log(`${name.padEnd(46)} ${(share * micros).toFixed(1).padStart(7)} µs ${(share * 100).toFixed(1).padStart(6)} %`);
}

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
