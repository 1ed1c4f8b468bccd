/**
 * Decides whether a node is alive. A new Ready condition from the kubelet and a renewed lease are signs of life. A node
 * without a sign of life during the grace period gets conditions with the status `Unknown`. The functions are pure. Behaves
 * like upstream 1.31.1.
 */
import type { CoordinationV1Lease, CoreV1Node, CoreV1NodeCondition } from '../../shared/api/types/generated/members';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { parseTimestamp, formatTimestamp } from '../../shared/api/metadata/object-meta';
import { conditionOf, conditionsOf, withCondition } from '../runtime/conditions';
import type { NodeSettings } from '../runtime/controller';
import type { Node } from '../runtime/nodes';

/** The lease that the kubelet of a node renews. */
export type Lease = ApiObject<CoordinationV1Lease>;

/** What is remembered of a node between two checks. */
export interface NodeHealth {
  /** The last sign of life, in milliseconds of the monotonic clock. */
  readonly lastSeen: number;
  /** The last Ready condition that the kubelet reported: another one is a sign of life. */
  readonly kubeletReport: string | undefined;
  /** The last renewal of the lease: another one is a sign of life. */
  readonly renewTime: string | undefined;
}

/** The same instant on both clocks, in milliseconds. */
export interface HealthTimestamp {
  readonly now: number;
  readonly monotonic: number;
}

export type ReadyStatus = 'True' | 'False' | 'Unknown' | '';

/** The status of the Ready condition; '' without one. A status that is not in the API counts as `Unknown`. */
export function readyStatus({ body }: Node): ReadyStatus {
  const ready = conditionOf(body, 'Ready');
  const status = ready === undefined ? '' : ready.status;
  return status === 'True' || status === 'False' || status === '' ? status : 'Unknown';
}

/**
 * The health after a check. `previous` is undefined for a node that was not observed before. Such a node counts as seen
 * now, because this process may just have started. Without status and lease, its kubelet has not started yet: it counts
 * as seen when it was created.
 */
export function observeNodeHealth(
  previous: NodeHealth | undefined,
  node: Node,
  lease: Lease | undefined,
  instant: HealthTimestamp,
): NodeHealth {
  const kubeletReport = kubeletReportOf(node);
  const renewTime = lease?.body.spec?.renewTime;
  if (previous === undefined) {
    const isNew = readyStatus(node) === '' && renewTime === undefined;
    return { lastSeen: isNew ? creationOf(node, instant) : instant.monotonic, kubeletReport, renewTime };
  }
  const isSignOfLife =
    (kubeletReport !== undefined && kubeletReport !== previous.kubeletReport) ||
    (renewTime !== undefined && renewTime !== previous.renewTime);
  return {
    lastSeen: isSignOfLife ? instant.monotonic : previous.lastSeen,
    kubeletReport: kubeletReport ?? previous.kubeletReport,
    renewTime: renewTime ?? previous.renewTime,
  };
}

/** Whether the grace period is over. A node that has never reported a status has the longer one of a start. */
export function isUnresponsive({ lastSeen }: NodeHealth, node: Node, settings: NodeSettings, { monotonic }: HealthTimestamp): boolean {
  const gracePeriodMs = readyStatus(node) === '' ? settings.startupGraceMs : settings.graceMs;
  return monotonic - lastSeen > gracePeriodMs;
}

/** Only this controller sets the status `Unknown`: such a condition is no report of the kubelet. */
function kubeletReportOf({ body }: Node): string | undefined {
  const ready = conditionOf(body, 'Ready');
  if (ready === undefined || ready.status === 'Unknown') return undefined;
  return [ready.status, ready.lastHeartbeatTime, ready.lastTransitionTime].join(' ');
}

function creationOf({ metadata }: Node, { now, monotonic }: HealthTimestamp): number {
  const created = parseTimestamp(metadata.creationTimestamp ?? undefined) ?? now;
  return monotonic - Math.max(0, now - created);
}

/** The conditions that become `Unknown`. */
const KUBELET_CONDITIONS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The conditions of an unresponsive node; undefined when those of the kubelet are `Unknown` already. */
export function unknownConditions({ body }: Node, { now }: HealthTimestamp): readonly CoreV1NodeCondition[] | undefined {
  const observed = conditionsOf(body);
  let conditions = observed;
  for (const type of KUBELET_CONDITIONS) {
    const condition = conditions.find((candidate) => candidate.type === type);
    if (condition === undefined) conditions = withCondition(conditions, neverUpdated(type, body, now));
    else if (condition.status !== 'Unknown') conditions = withCondition(conditions, stoppedUpdating(condition, now));
  }
  return conditions === observed ? undefined : conditions;
}

const neverUpdated = (type: string, { metadata }: CoreV1Node, now: number): CoreV1NodeCondition => ({
  type,
  status: 'Unknown',
  reason: 'NodeStatusNeverUpdated',
  message: 'Kubelet never posted node status.',
  lastHeartbeatTime: metadata?.creationTimestamp ?? null,
  lastTransitionTime: formatTimestamp(now),
});

const stoppedUpdating = (condition: CoreV1NodeCondition, now: number): CoreV1NodeCondition => ({
  ...condition,
  status: 'Unknown',
  reason: 'NodeStatusUnknown',
  message: 'Kubelet stopped posting node status.',
  lastTransitionTime: formatTimestamp(now),
});
