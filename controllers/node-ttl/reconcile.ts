/** How long nodes may go on with what they know of Secrets and ConfigMaps: longer the more nodes ask. Pure. Seen at release 1.31.1. */

interface Step {
  /** The step is left below and above these numbers of nodes; they overlap, so that a node that comes and goes changes nothing. */
  readonly least: number;
  readonly most: number;
  readonly seconds: number;
}

const STEPS: readonly [Step, ...Step[]] = [
  { least: 0, most: 100, seconds: 0 },
  { least: 90, most: 500, seconds: 15 },
  { least: 450, most: 1_000, seconds: 30 },
  { least: 900, most: 2_000, seconds: 60 },
  { least: 1_800, most: Number.POSITIVE_INFINITY, seconds: 300 },
];

/** The step for so many nodes, as near to the present one as may be. */
export function stepFor(nodes: number, present: number): number {
  let step = present;
  while (nodes > (STEPS[step]?.most ?? Number.POSITIVE_INFINITY)) step += 1;
  while (nodes < (STEPS[step]?.least ?? 0)) step -= 1;
  return step;
}

export const secondsOf = (step: number): string => String((STEPS[step] ?? STEPS[0]).seconds);
