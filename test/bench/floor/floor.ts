/** The ratios of a server's costs to those of its floors, and a get divided by the code that runs. */
import type { FigureRow, PerformanceResults } from '../../support/documents/performance-page';
import { formatEstimate } from '../harness/statistics';
import type { Shares } from './filter-costs';
import { measureFloors, type Floor } from './floors';
import { profileGets } from './profile-gets';

/** Smaller shares are not shown. */
const SMALLEST_SHARE = 0.004;

/** Prints each floor as soon as it is measured, and then the shares of a get. Returns them for the performance page. */
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
