/** Which pods nobody runs any more; decided from what is seen, without a server. Seen at release 1.31.1. */
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { arrayAt, equalJson, isObject, objectAt, own, stringAt, type JsonObject } from '../../shared/values/json';

/** Why a pod goes, as it is counted. */
export type PodGarbageReason = 'terminated' | 'orphaned' | 'unscheduled' | 'out-of-service';

const OUT_OF_SERVICE = 'node.platform.io/out-of-service';

export const phaseOf = ({ body }: ApiObject): string => stringAt(objectAt(body, 'status'), 'phase') ?? '';
export const nodeOf = ({ body }: ApiObject): string => stringAt(objectAt(body, 'spec'), 'nodeName') ?? '';
const isOver = (pod: ApiObject): boolean => ['Succeeded', 'Failed'].includes(phaseOf(pod));

/** Pods that have ended, beyond so many: those that were evicted first, then the oldest. */
export function overThreshold(pods: readonly ApiObject[], threshold: number): readonly ApiObject[] {
  if (threshold <= 0) return [];
  const over = pods.filter(isOver);
  if (over.length <= threshold) return [];
  const ranked = over.map((pod) => ({ pod, rank: [isEvicted(pod) ? 0 : 1, createdAt(pod), pod.name, pod.namespace] as const }));
  ranked.sort((one, other) => byRank(one.rank, other.rank));
  return ranked
    .slice(0, over.length - threshold)
    .map(({ pod }) => pod)
    .filter((pod) => !isBeingDeleted(pod));
}

const isEvicted = ({ body }: ApiObject): boolean => stringAt(objectAt(body, 'status'), 'reason') === 'Evicted';
const createdAt = ({ body }: ApiObject): string => stringAt(objectAt(body, 'metadata'), 'creationTimestamp') ?? '';

function byRank(one: readonly (string | number)[], other: readonly (string | number)[]): number {
  const index = one.findIndex((value, at) => value !== other[at]);
  const [a = 0, b = 0] = [one[index], other[index]];
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Pods that are deleted before they ever had a node, so that nobody ends them. */
export function unscheduled(pods: readonly ApiObject[]): readonly ApiObject[] {
  return pods.filter((pod) => nodeOf(pod) === '' && isBeingDeleted(pod));
}

/** Pods that are deleted on nodes whose administrator says that they are off. */
export function outOfService(pods: readonly ApiObject[], nodes: readonly ApiObject[]): readonly ApiObject[] {
  const off = new Set(nodes.filter((node) => isOff(node)).map(({ name }) => name));
  return off.size === 0 ? [] : pods.filter((pod) => isBeingDeleted(pod) && off.has(nodeOf(pod)));
}

function isOff({ body }: ApiObject): boolean {
  const taints = (arrayAt(objectAt(body, 'spec'), 'taints') ?? []).filter(isObject);
  const conditions = (arrayAt(objectAt(body, 'status'), 'conditions') ?? []).filter(isObject);
  const isReady = conditions.some((condition) => stringAt(condition, 'type') === 'Ready' && stringAt(condition, 'status') === 'True');
  return !isReady && taints.some((taint) => canonicalQualifiedName(stringAt(taint, 'key') ?? '') === OUT_OF_SERVICE);
}

/** Pods by the name of a node that is not there. */
export function withoutNode(pods: readonly ApiObject[], nodes: ReadonlySet<string>): ReadonlyMap<string, readonly ApiObject[]> {
  const lost = new Map<string, ApiObject[]>();
  for (const pod of pods) {
    const node = nodeOf(pod);
    if (node === '' || nodes.has(node)) continue;
    const others = lost.get(node);
    if (others === undefined) lost.set(node, [pod]);
    else others.push(pod);
  }
  return lost;
}

/** What is written into the status of a pod before it goes, so that whoever made it sees that it has failed; undefined = it has ended already. */
export function failedStatus(pod: ApiObject, reason: PodGarbageReason, now: number): JsonObject | undefined {
  if (isOver(pod)) return undefined;
  if (reason !== 'orphaned') return { phase: 'Failed' };
  const conditions = (arrayAt(objectAt(pod.body, 'status'), 'conditions') ?? []).filter(isObject);
  const known = conditions.find((condition) => stringAt(condition, 'type') === 'DisruptionTarget');
  const disruption = { type: 'DisruptionTarget', status: 'True', reason: 'DeletionByPodGC', message: 'PodGC: node no longer exists' };
  const since = stringAt(known, 'status') === 'True' ? stringAt(known, 'lastTransitionTime') : undefined;
  const said: JsonObject = { ...disruption, lastTransitionTime: since ?? formatTimestamp(now) };
  return { phase: 'Failed', conditions: [...conditions.filter((condition) => !equalJson(condition, known ?? null)), said] };
}

/** It is being deleted without any time left to it. */
export function isForced(pod: ApiObject): boolean {
  return isBeingDeleted(pod) && own(objectAt(pod.body, 'metadata') ?? {}, 'deletionGracePeriodSeconds') === 0;
}

/** Names of nodes, and since when they have not been seen. */
export class MissingNodes {
  private readonly since = new Map<string, number>();

  /** Those of the names that have been missing for so long. Forgets all others. */
  after(ms: number, names: Iterable<string>, now: number): readonly string[] {
    const missing = new Set(names);
    for (const known of [...this.since.keys()]) if (!missing.has(known)) this.since.delete(known);
    for (const name of missing) if (!this.since.has(name)) this.since.set(name, now);
    return [...missing].filter((name) => now - (this.since.get(name) ?? now) >= ms);
  }
}
