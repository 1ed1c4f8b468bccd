/**
 * Which pods count as active and available, and the order in which surplus pods are deleted. Pure: decides from the
 * pods alone.
 */
import type { CoreV1ContainerStatus } from '../../shared/api/types/generated/members';
import { parseTimestamp } from '../../shared/api/metadata/object-meta';
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import { otherQualifiedName } from '../../shared/names/dialect';
import { compareBytes, ownMember } from '../../shared/values/json';
import { conditionOf } from '../runtime/conditions';
import { isPodReady, isPodTerminated, nodeNameOf } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';

/** `-10`, `0` and `7`, but not `+7`, `007` or `-0`. */
const INTEGER = /^(0|-?[1-9][0-9]*)$/;
const DELETION_COST = 'controller.platform.io/pod-deletion-cost';

/** Whether the pod counts as a replica: not terminated, and not being deleted. */
export const isPodActive = (pod: Pod): boolean => !isPodTerminated(pod) && !isBeingDeleted(pod);

/** Milliseconds since 1970; undefined for a pod that is not ready, or without a valid transition time in its condition. */
export function readySince(pod: Pod): number | undefined {
  return isPodReady(pod) ? parseTimestamp(conditionOf(pod.body, 'Ready')?.lastTransitionTime ?? undefined) : undefined;
}

/** Whether the pod has been ready for `minReadySeconds`. `now`: milliseconds since 1970, here and below. */
export function isPodAvailable(pod: Pod, minReadySeconds: number, now: number): boolean {
  if (!isPodReady(pod)) return false;
  if (minReadySeconds <= 0) return true;
  const since = readySince(pod);
  return since !== undefined && since + minReadySeconds * 1000 <= now;
}

/** Milliseconds until the next ready pod becomes available; `undefined` when time alone changes nothing. */
export function msUntilAvailable(pods: Iterable<Pod>, minReadySeconds: number, now: number): number | undefined {
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

/** The value of the annotation `pod-deletion-cost`; 0 where it is absent or not a 32-bit integer as upstream writes it. */
export function deletionCostOf({ metadata: { annotations = {} } }: Pick<Pod, 'metadata'>): number {
  const text = annotations[DELETION_COST] ?? annotations[otherQualifiedName(DELETION_COST) ?? ''] ?? '0';
  if (!INTEGER.test(text)) return 0;
  const cost = Number(text);
  return cost >= -2_147_483_648 && cost <= 2_147_483_647 ? cost : 0;
}

interface RankedPod {
  readonly pod: Pod;
  /** Compared from the first to the last; the pod with the smaller rank is deleted first. */
  readonly ranks: readonly number[];
}

/**
 * Sorts pods so that those to be deleted first come first, with the criteria of upstream's ActivePodsWithRanks.
 *
 * @param related the pods of all owners that serve the same purpose, such as the ReplicaSets of one Deployment: pods
 *   are deleted from nodes that have many of them
 */
export function sortForDeletion(pods: readonly Pod[], related: Iterable<Pod>, now: number): readonly Pod[] {
  const activeByNode = new Map<string, number>();
  for (const pod of related) if (isPodActive(pod)) activeByNode.set(nodeNameOf(pod), (activeByNode.get(nodeNameOf(pod)) ?? 0) + 1);
  const ranked = pods.map((pod): RankedPod => ({ pod, ranks: ranksOf(pod, activeByNode, now) }));
  return ranked.sort(compareRanks).map(({ pod }) => pod);
}

/** The order in which pods are deleted by phase; an unknown phase counts as Pending. */
const PHASES: Readonly<Record<string, number>> = { Pending: 0, Unknown: 1, Running: 2 };

/**
 * In the order of upstream's criteria: unassigned, not running, not ready, cheap, on a crowded node, ready for a short
 * time, with many restarts, and young pods first.
 */
function ranksOf(pod: Pod, activeByNode: ReadonlyMap<string, number>, now: number): readonly number[] {
  const node = nodeNameOf(pod);
  const ready = isPodReady(pod);
  const { restarts, sidecarRestarts } = restartsOf(pod);
  return [
    node === '' ? 0 : 1,
    ownMember(PHASES, pod.body.status?.phase ?? '') ?? 0,
    ready ? 1 : 0,
    deletionCostOf(pod),
    -(activeByNode.get(node) ?? 0),
    ready ? ageBucket(readySince(pod), now) : 0,
    -restarts,
    -sidecarRestarts,
    ageBucket(parseTimestamp(pod.metadata.creationTimestamp ?? undefined), now),
  ];
}

/** Below all logarithms: an unknown age is younger than any known one. */
const BUCKET_OF_MISSING_TIME = -2;
const BUCKET_OF_FUTURE_TIME = -1;
const NANOSECONDS_PER_MS = 1e6;

/**
 * Ages are compared by the binary logarithm of their nanoseconds, rounded down, as upstream does: among pods of about the
 * same age the uid decides, so that not all pods of the newest node are deleted.
 */
function ageBucket(since: number | undefined, now: number): number {
  if (since === undefined) return BUCKET_OF_MISSING_TIME;
  const ageMs = now - since;
  return ageMs <= 0 ? BUCKET_OF_FUTURE_TIME : Math.floor(Math.log2(ageMs * NANOSECONDS_PER_MS));
}

/** The highest restart count of the containers, and of the sidecar containers. */
function restartsOf({ body: { spec, status } }: Pod): { readonly restarts: number; readonly sidecarRestarts: number } {
  const sidecars = new Set(
    (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name = '' }) => name),
  );
  const highest = (statuses: readonly CoreV1ContainerStatus[]): number =>
    statuses.reduce((most, { restartCount = 0 }) => Math.max(most, restartCount), 0);
  return {
    restarts: highest(status?.containerStatuses ?? []),
    sidecarRestarts: highest((status?.initContainerStatuses ?? []).filter(({ name = '' }) => sidecars.has(name))),
  };
}

function compareRanks(a: RankedPod, b: RankedPod): number {
  for (let index = 0; index < a.ranks.length; index += 1) {
    const difference = (a.ranks[index] ?? 0) - (b.ranks[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return compareBytes(a.pod.uid, b.pod.uid);
}
