/**
 * The number of runs of property tests. Seeds are random, so that runs add up; `PROPERTY_RUNS=10 npm run test:unit`
 * runs each property ten times as often.
 */
import process from 'node:process';

const factor = Number(process.env['PROPERTY_RUNS'] ?? 1);

/** Options for `fc.assert`; `runs` is the number without `PROPERTY_RUNS`. */
export function propertyRuns(runs: number): { readonly numRuns: number } {
  return { numRuns: Math.ceil(runs * factor) };
}
