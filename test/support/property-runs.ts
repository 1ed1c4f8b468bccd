/**
 * How often a property is tried in one run of the tests. Seeds are random, so that runs add up; `PROPERTY_RUNS=10 npm run test:unit` tries each property ten times as
 * often.
 */
import process from 'node:process';

const factor = Number(process.env['PROPERTY_RUNS'] ?? 1);

/** For `fc.assert`. */
export function propertyRuns(usual: number): { readonly numRuns: number } {
  return { numRuns: Math.ceil(usual * factor) };
}
