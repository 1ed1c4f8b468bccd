/**
 * Compares a timeline with the recorded one of the reference: the same changes must happen as often, the first and the
 * last of each at about the same time. Since the times are compared, so is the order of changes that are further apart
 * than the tolerance. The functions are pure.
 *
 * A time counts from the last step that changed the cluster, or from a later moment at which a node became unreachable,
 * so that an earlier deviation within the tolerance is not counted again.
 */
import type { ProbeReport, Timeline } from './timeline';

/**
 * Seconds. Kubelets renew Leases and report the status of pods every 10 s; the remainder is the time in which
 * containers start on a busy machine.
 */
export const TOLERANCE = 12;
/**
 * Seconds, for the changes that only controllers make. Below the 5 s between two of their checks of nodes, so that a
 * change that comes a check late is reported.
 */
export const CONTROLLER_TOLERANCE = 3;
/** The changes that only controllers make. */
const CONTROLLER_CHANGES: ReadonlySet<string> = new Set([
  'taint node.kubernetes.io/unreachable:NoSchedule',
  'taint node.kubernetes.io/unreachable:NoExecute',
  'DisruptionTarget True',
  'deletion requested',
]);
/**
 * A kubelet that was resumed may report for some seconds that its runtime does not respond, or may not, so that neither
 * the report nor the taints that follow it are compared.
 */
const NOT_READY_CHANGE = /^node \S+: (Ready False|(no )?taint \S+\/not-ready:\w+)$/;
/** The change of a node that becomes unreachable. */
const UNREACHABLE = 'Ready Unknown';
/** Begins the names of steps that change nothing. */
const WAITING = 'wait';

/** The differences as sentences; empty when the timelines agree. */
export function compareTimelines(actual: Timeline, reference: Timeline): readonly string[] {
  const expected = timesByChange(reference);
  const observed = timesByChange(actual);
  const differences: string[] = [];
  for (const [key, { change }] of new Map([...expected, ...observed])) {
    const tolerance = CONTROLLER_CHANGES.has(change) ? CONTROLLER_TOLERANCE : TOLERANCE;
    const difference = compareTimes(observed.get(key)?.times ?? [], expected.get(key)?.times ?? [], tolerance);
    if (difference !== undefined) differences.push(`${key}: ${difference}`);
  }
  return [
    ...differences,
    ...compareOutage('requests of the API', actual.requests, reference.requests),
    ...compareOutage('connections to the Service', actual.service, reference.service),
  ];
}

interface ChangeTimes {
  readonly change: string;
  /** For each occurrence, the seconds since the moment from which its time counts (see above). */
  readonly times: readonly number[];
}

/** The changes that are compared, by subject and change. */
function timesByChange({ steps, events }: Timeline): ReadonlyMap<string, ChangeTimes> {
  const stepTimes = steps.filter(({ name }) => !name.startsWith(WAITING)).map(({ at }) => at);
  const anchors = [...stepTimes, ...events.filter(({ change }) => change === UNREACHABLE).map(({ at }) => at)];
  const times = new Map<string, ChangeTimes>();
  for (const { at, subject, change } of events) {
    const candidates = change === UNREACHABLE ? stepTimes : anchors;
    const anchor = Math.max(0, ...candidates.filter((candidate) => candidate <= at));
    const key = `${subject}: ${change}`;
    if (NOT_READY_CHANGE.test(key)) continue;
    times.set(key, { change, times: [...(times.get(key)?.times ?? []), at - anchor] });
  }
  return times;
}

/** The difference between the times of one change; `undefined` when there is none. */
function compareTimes(observed: readonly number[], expected: readonly number[], tolerance: number): string | undefined {
  if (observed.length !== expected.length)
    return `${observed.length} times${formatTimes(observed)} instead of ${expected.length}${formatTimes(expected)}`;
  const isClose = (index: number): boolean => Math.abs((observed.at(index) ?? 0) - (expected.at(index) ?? 0)) <= tolerance;
  return isClose(0) && isClose(-1) ? undefined : `after${formatTimes(observed)} instead of${formatTimes(expected)}`;
}

const formatTimes = (times: readonly number[]): string =>
  times.length === 0 ? '' : ` ${times.map((time) => `${time.toFixed(1)} s`).join(', ')}`;

/** Neither a shorter outage nor one that is longer within the tolerance is a difference. */
function compareOutage(label: string, actual: ProbeReport, reference: ProbeReport): readonly string[] {
  if (actual.longestOutage <= reference.longestOutage + TOLERANCE) return [];
  return [`${label} failed for ${actual.longestOutage} s instead of ${reference.longestOutage} s`];
}
