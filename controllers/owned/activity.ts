/** Which pods count, since when they serve, and which of them an owner that wants fewer can do without. Decided from what is seen, without a server. */
import { parseTimestamp } from '../../shared/api/metadata/object-meta';
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { otherQualifiedName } from '../../shared/names/dialect';
import { arrayAt, compareBytes, isObject, objectAt, own, stringAt } from '../../shared/values/json';
import { conditionOf } from '../runtime/conditions';
import { hasEnded, isReady, nodeNameOf } from '../runtime/pods';

const DELETION_COST = 'controller.platform.io/pod-deletion-cost';

/** It runs or will run. */
export const isActive = (pod: ApiObject): boolean => !hasEnded(pod) && !isBeingDeleted(pod);

/** Milliseconds since 1970; undefined where it is not ready, or does not say since when. */
export function readySince(pod: ApiObject): number | undefined {
  return isReady(pod) ? parseTimestamp(stringAt(conditionOf(pod.body, 'Ready'), 'lastTransitionTime')) : undefined;
}

/** It has been ready for as long as is asked. */
export function isAvailable(pod: ApiObject, minReadySeconds: number, now: number): boolean {
  if (!isReady(pod)) return false;
  if (minReadySeconds <= 0) return true;
  const since = readySince(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= now;
}

/** Milliseconds until the first pod becomes available by time alone; undefined where none will. */
export function nextAvailable(pods: Iterable<ApiObject>, minReadySeconds: number, now: number): number | undefined {
  let next: number | undefined;
  if (minReadySeconds <= 0) return next;
  for (const pod of pods) {
    const since = readySince(pod);
    if (since === undefined) continue;
    const ms = since + minReadySeconds * 1000 - now;
    if (ms > 0 && (next === undefined || ms < next)) next = ms;
  }
  return next;
}

/** What an annotation says that deleting the pod costs; what is no 32 bit integer counts for nothing. */
export function deletionCost({ body }: ApiObject): number {
  const annotations = objectAt(objectAt(body, 'metadata'), 'annotations');
  const text = stringAt(annotations, DELETION_COST) ?? stringAt(annotations, otherQualifiedName(DELETION_COST) ?? '') ?? '0';
  if (!/^(0|-?[1-9][0-9]*)$/.test(text)) return 0;
  const cost = Number(text);
  return cost >= -2_147_483_648 && cost <= 2_147_483_647 ? cost : 0;
}

interface Ranked {
  readonly pod: ApiObject;
  /** The first one that differs decides; the lesser goes first. */
  readonly ranks: readonly number[];
}

/**
 * The pods in the order in which they go. `related` = all pods among which they are spread, theirs and those of owners that serve the same purpose: of nodes that have
 * many of those, more can go.
 */
export function inDeletionOrder(pods: readonly ApiObject[], related: Iterable<ApiObject>, now: number): readonly ApiObject[] {
  const onNode = new Map<string, number>();
  for (const pod of related) if (isActive(pod)) onNode.set(nodeNameOf(pod), (onNode.get(nodeNameOf(pod)) ?? 0) + 1);
  const ranked = pods.map((pod): Ranked => ({ pod, ranks: ranksOf(pod, onNode, now) }));
  return ranked.sort(byRanks).map(({ pod }) => pod);
}

const PHASES: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

function ranksOf(pod: ApiObject, onNode: ReadonlyMap<string, number>, now: number): readonly number[] {
  const node = nodeNameOf(pod);
  const ready = isReady(pod);
  const [restarts, sidecarRestarts] = restartsOf(pod);
  return [
    node === '' ? 0 : 1,
    own(PHASES, stringAt(objectAt(pod.body, 'status'), 'phase') ?? '') ?? 0,
    ready ? 1 : 0,
    deletionCost(pod),
    -(onNode.get(node) ?? 0),
    ready ? ageBucket(readySince(pod), now) : 0,
    -restarts,
    -sidecarRestarts,
    ageBucket(parseTimestamp(stringAt(objectAt(pod.body, 'metadata'), 'creationTimestamp')), now),
  ];
}

/** Ages are compared by their order of magnitude, so that of pods of about one age any may go, and not all of the newest node's. */
function ageBucket(since: number | undefined, now: number): number {
  if (since === undefined) return -2;
  const age = now - since;
  return age <= 0 ? -1 : Math.floor(Math.log2(age * 1e6));
}

/** The most that one of its containers has been started anew, and one of its sidecars. */
function restartsOf({ body }: ApiObject): readonly [number, number] {
  const status = objectAt(body, 'status');
  const most = (member: string, names?: ReadonlySet<string>): number => {
    const counts = (arrayAt(status, member) ?? []).filter(isObject).map((container) => {
      const count = own(container, 'restartCount');
      return typeof count === 'number' && (names === undefined || names.has(stringAt(container, 'name') ?? '')) ? count : 0;
    });
    return counts.reduce((highest, count) => Math.max(highest, count), 0);
  };
  const initial = (arrayAt(objectAt(body, 'spec'), 'initContainers') ?? []).filter(isObject);
  const sidecars = initial.filter((container) => stringAt(container, 'restartPolicy') === 'Always');
  return [
    most('containerStatuses'),
    most('initContainerStatuses', new Set(sidecars.map((container) => stringAt(container, 'name') ?? ''))),
  ];
}

function byRanks(one: Ranked, other: Ranked): number {
  for (let index = 0; index < one.ranks.length; index += 1) {
    const difference = (one.ranks[index] ?? 0) - (other.ranks[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return compareBytes(one.pod.uid, other.pod.uid);
}
