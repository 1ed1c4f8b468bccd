/**
 * Formats the age of an object as upstream does: `5s`, `3m10s`, `5h12m`, `3d`, `2y45d`. The smaller unit appears only
 * while the count of the larger one is small. Does not read a clock.
 */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** How durations of some length are printed; units are in seconds. */
interface AgeStep {
  /** Durations below this many seconds, and not below that of an earlier step, use this step. */
  readonly below: number;
  readonly unit: number;
  readonly letter: string;
  /** The smaller unit, which is printed unless its count is 0. */
  readonly minor?: { readonly unit: number; readonly letter: string };
}

const STEPS: readonly AgeStep[] = [
  { below: 2 * MINUTE, unit: 1, letter: 's' },
  { below: 10 * MINUTE, unit: MINUTE, letter: 'm', minor: { unit: 1, letter: 's' } },
  { below: 3 * HOUR, unit: MINUTE, letter: 'm' },
  { below: 8 * HOUR, unit: HOUR, letter: 'h', minor: { unit: MINUTE, letter: 'm' } },
  { below: 2 * DAY, unit: HOUR, letter: 'h' },
  { below: 8 * DAY, unit: DAY, letter: 'd', minor: { unit: HOUR, letter: 'h' } },
  { below: 2 * YEAR, unit: DAY, letter: 'd' },
  { below: 8 * YEAR, unit: YEAR, letter: 'y', minor: { unit: DAY, letter: 'd' } },
  { below: Infinity, unit: YEAR, letter: 'y' },
];

/** Clocks differ: an object that was created less than this time in the future has the age 0. */
const MAX_CLOCK_DIFFERENCE_SECONDS = 2;

/** Returns `<invalid>` for a time that is two or more seconds in the future. */
export function formatAge(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds <= -MAX_CLOCK_DIFFERENCE_SECONDS) return '<invalid>';
  if (seconds < 0) return '0s';
  for (const { below, unit, letter, minor } of STEPS) {
    if (seconds >= below) continue;
    const major = `${Math.floor(seconds / unit)}${letter}`;
    if (minor === undefined) return major;
    const minorCount = Math.floor((seconds % unit) / minor.unit);
    return minorCount === 0 ? major : `${major}${minorCount}${minor.letter}`;
  }
  // Only NaN reaches this line: every number is below the last step.
  return '<invalid>';
}
