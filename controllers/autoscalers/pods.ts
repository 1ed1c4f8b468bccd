/** Which pods of a target count for a metric: those that serve, those that do not serve yet, those that nobody has measured, and those that are on their way out. Pure. */
import { parseTimestamp } from '../../shared/api/metadata/object-meta';
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { arrayAt, isObject, objectAt, own, stringAt } from '../../shared/values/json';
import { conditionOf } from '../runtime/conditions';
import { isPodReady } from '../runtime/pods';
import { milliOf } from './quantities';

/** What was measured of a pod. */
export interface PodValue {
  readonly milli: bigint;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Over so long. Milliseconds. */
  readonly windowMs: number;
}

/** By the pods' names. */
export type PodValues = ReadonlyMap<string, PodValue>;

export interface Readiness {
  /** So long after a pod's start what it uses of the processor says little while it is not ready. Milliseconds. */
  readonly cpuInitializationMs: number;
  /** A pod that was not ready so long after its start has never been. Milliseconds. */
  readonly readinessDelayMs: number;
}

/** Names. */
export interface GroupedPods {
  readonly ready: number;
  readonly unready: readonly string[];
  readonly missing: readonly string[];
  readonly ignored: readonly string[];
}

export function groupPods(
  pods: readonly ApiObject[],
  values: PodValues,
  { isCpu, now, readiness }: { readonly isCpu: boolean; readonly now: number; readonly readiness: Readiness },
): GroupedPods {
  let ready = 0;
  const [unready, missing, ignored]: [string[], string[], string[]] = [[], [], []];
  for (const pod of pods) {
    const phase = phaseOf(pod);
    const value = values.get(pod.name);
    if (isBeingDeleted(pod) || phase === 'Failed') ignored.push(pod.name);
    else if (phase === 'Pending') unready.push(pod.name);
    else if (value === undefined) missing.push(pod.name);
    else if (isCpu && isWarmingUp(pod, value, now, readiness)) unready.push(pod.name);
    else ready += 1;
  }
  return { ready, unready, missing, ignored };
}

/** Pods that run and are ready. */
export const servingPods = (pods: readonly ApiObject[]): number =>
  pods.filter((pod) => phaseOf(pod) === 'Running' && isPodReady(pod)).length;

const phaseOf = ({ body }: ApiObject): string => stringAt(objectAt(body, 'status'), 'phase') ?? '';

/** What it uses of the processor is that of its start. */
function isWarmingUp(pod: ApiObject, value: PodValue, now: number, { cpuInitializationMs, readinessDelayMs }: Readiness): boolean {
  const condition = conditionOf(pod.body, 'Ready');
  const started = parseTimestamp(stringAt(objectAt(pod.body, 'status'), 'startTime'));
  if (condition === undefined || started === undefined) return true;
  const isUnready = condition.status === 'False';
  const since = parseTimestamp(condition.lastTransitionTime ?? undefined) ?? 0;
  if (started + cpuInitializationMs > now) return isUnready || value.at < since + value.windowMs;
  return isUnready && started + readinessDelayMs > since;
}

export type Requests =
  | { readonly type: 'requests'; readonly byPod: ReadonlyMap<string, bigint> }
  /** A container asks for nothing. */
  | { readonly type: 'none'; readonly container: string; readonly pod: string };

/** What pods ask for of a resource, in all their containers or in one. */
export function requestsOf(pods: readonly ApiObject[], resource: string, container: string | undefined): Requests {
  const byPod = new Map<string, bigint>();
  for (const pod of pods) {
    let sum = 0n;
    for (const { name, request } of containersOf(pod, resource)) {
      if (container !== undefined && container !== name) continue;
      if (request === undefined) return { type: 'none', container: name, pod: pod.name };
      sum += milliOf(request);
    }
    byPod.set(pod.name, sum);
  }
  return { type: 'requests', byPod };
}

/** With those that are started before the others and go on. */
function containersOf({ body }: ApiObject, resource: string): readonly { readonly name: string; readonly request: string | undefined }[] {
  const spec = objectAt(body, 'spec');
  const listed = (member: string) => (arrayAt(spec, member) ?? []).filter(isObject);
  const lasting = listed('initContainers').filter((container) => own(container, 'restartPolicy') === 'Always');
  return [...listed('containers'), ...lasting].map((container) => ({
    name: stringAt(container, 'name') ?? '',
    request: stringAt(objectAt(objectAt(container, 'resources'), 'requests'), resource),
  }));
}
