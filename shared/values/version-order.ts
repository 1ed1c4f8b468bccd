/** Sorts the versions of an API group by priority: stable before beta before alpha, newer before older. */
import { compareBytes } from './json';

/** In the order of priority; a stable version has no stage in its name. */
const STAGES = ['', 'beta', 'alpha'];

/**
 * `v2` before `v1` before `v1beta2` before `v1beta1` before `v1alpha1` before all other texts, which are sorted by
 * name.
 */
export function compareApiVersions(a: string, b: string): number {
  const x = parseVersion(a);
  const y = parseVersion(b);
  if (x === undefined && y === undefined) return compareBytes(a, b);
  if (x === undefined) return 1;
  if (y === undefined) return -1;
  return x.stage - y.stage || y.major - x.major || y.minor - x.minor;
}

/** Major version, stage and minor version: `2`, `beta` and `1` of `v2beta1`. */
const VERSION = /^v([1-9]\d*)(?:(alpha|beta)([1-9]\d*))?$/;

function parseVersion(text: string): { readonly stage: number; readonly major: number; readonly minor: number } | undefined {
  const match = VERSION.exec(text);
  return match === null ? undefined : { stage: STAGES.indexOf(match[2] ?? ''), major: Number(match[1]), minor: Number(match[3] ?? 0) };
}
