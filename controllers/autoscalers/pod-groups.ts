/**
 * Groups the pods of a target by what they count for in a calculation: ready, unready, without a metric, or ignored.
 * Also sums their resource requests. The functions are pure.
 */
import { parseTimestamp } from '../../shared/api/metadata/object-meta';
import type { CoreV1Container } from '../../shared/api/types/generated/members';
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import { ownMember } from '../../shared/values/json';
import { conditionOf } from '../runtime/conditions';
import { isPodReady } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { parseMilli } from './quantities';

/** A measurement of one pod, in thousandths. */
export interface PodMetric {
  readonly milli: bigint;
  /** Milliseconds since 1970. */
  readonly timestamp: number;
  /** The time over which the metric was gathered, before `timestamp`. Milliseconds. */
  readonly windowMs: number;
}

/** By the pods' names. */
export type PodMetrics = ReadonlyMap<string, PodMetric>;

/** When the CPU usage of a starting pod does not count yet. */
export interface Readiness {
  /** After its start a pod's CPU usage counts only if it was measured while the pod was ready. Milliseconds. */
  readonly cpuInitializationMs: number;
  /** A pod has never been ready if its Ready condition last changed within this time after its start. Milliseconds. */
  readonly readinessDelayMs: number;
}

/** Pods by what they count for. */
export interface GroupedPods {
  readonly readyCount: number;
  /** Names of pods that do not count yet: pending ones, and those with the CPU usage of their start. */
  readonly unready: readonly string[];
  /** Names of pods without a metric. */
  readonly missing: readonly string[];
  /** Names of pods that are being deleted or have failed. */
  readonly ignored: readonly string[];
}

/** `now`: milliseconds since 1970. `isCpu`: the usage of a starting pod does not count. */
export function groupPods(
  pods: readonly Pod[],
  metrics: PodMetrics,
  { isCpu, now, readiness }: { readonly isCpu: boolean; readonly now: number; readonly readiness: Readiness },
): GroupedPods {
  let readyCount = 0;
  const unready: string[] = [];
  const missing: string[] = [];
  const ignored: string[] = [];
  for (const pod of pods) {
    const phase = pod.body.status?.phase;
    const metric = metrics.get(pod.name);
    if (isBeingDeleted(pod) || phase === 'Failed') ignored.push(pod.name);
    else if (phase === 'Pending') unready.push(pod.name);
    else if (metric === undefined) missing.push(pod.name);
    else if (isCpu && isInitializing(pod, metric, now, readiness)) unready.push(pod.name);
    else readyCount += 1;
  }
  return { readyCount, unready, missing, ignored };
}

/** Pods that are running and ready. */
export const countReadyPods = (pods: readonly Pod[]): number =>
  pods.filter((pod) => pod.body.status?.phase === 'Running' && isPodReady(pod)).length;

/** Whether the pod's CPU usage is that of its start. */
function isInitializing({ body }: Pod, metric: PodMetric, now: number, { cpuInitializationMs, readinessDelayMs }: Readiness): boolean {
  const condition = conditionOf(body, 'Ready');
  const started = parseTimestamp(body.status?.startTime);
  if (condition === undefined || started === undefined) return true;
  const isUnready = condition.status === 'False';
  const since = parseTimestamp(condition.lastTransitionTime ?? undefined) ?? 0;
  if (started + cpuInitializationMs > now) return isUnready || metric.timestamp < since + metric.windowMs;
  return isUnready && started + readinessDelayMs > since;
}

/** The requests in thousandths, by the names of the pods. */
export type PodRequests =
  | { readonly type: 'requests'; readonly byPod: ReadonlyMap<string, bigint> }
  /** A container has no request for the resource. */
  | { readonly type: 'missing'; readonly container: string; readonly pod: string };

/** The pods' requests for a resource, summed over all their containers or of one container. */
export function calculatePodRequests(pods: readonly Pod[], resource: string, containerName: string | undefined): PodRequests {
  const byPod = new Map<string, bigint>();
  for (const pod of pods) {
    let sum = 0n;
    for (const { name = '', resources } of longRunningContainersOf(pod)) {
      if (containerName !== undefined && containerName !== name) continue;
      const request = ownMember(resources?.requests ?? {}, resource);
      if (request === undefined) return { type: 'missing', container: name, pod: pod.name };
      sum += parseMilli(request);
    }
    byPod.set(pod.name, sum);
  }
  return { type: 'requests', byPod };
}

/** The containers, and the init containers that run beside them (sidecars). */
function longRunningContainersOf({ body: { spec } }: Pod): readonly CoreV1Container[] {
  const sidecars = (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...(spec?.containers ?? []), ...sidecars];
}
