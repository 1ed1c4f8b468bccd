/**
 * Formats the age of an object as upstream does: `5s`, `3m10s`, `5h12m`, `3d`, `2y45d`. The smaller unit appears only
 * while the count of the larger one is small. Does not read a clock.
 */

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

interface AgeStep {
  /** Durations below this many seconds use this step. */
  readonly below: number;
  readonly unit: number;
  readonly letter: string;
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

/**
 * Ages from this one down are invalid. Tolerates clock differences: less than two seconds in the future count as now.
 */
const TOLERANCE_SECONDS = -2;

/** Returns `<invalid>` for a time two or more seconds in the future, for example because of clock differences. */
export function formatAge(milliseconds: number): string {
  const seconds = Math.trunc(milliseconds / 1000);
  if (seconds <= TOLERANCE_SECONDS) return '<invalid>';
  if (seconds < 0) return '0s';
  for (const { below, unit, letter, minor } of STEPS) {
    if (seconds >= below) continue;
    const major = `${Math.floor(seconds / unit)}${letter}`;
    if (minor === undefined) return major;
    const minorCount = Math.floor((seconds % unit) / minor.unit);
    return minorCount === 0 ? major : `${major}${minorCount}${minor.letter}`;
  }
  return '<invalid>';
}
