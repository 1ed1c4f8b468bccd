/** Whether nodes are alive: what counts as a sign of life, when there were none for too long, and what is then said of the node. Pure. Seen at release 1.31.1. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { timeOf, timestamp } from '../../shared/api/metadata/object-meta';
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { conditionOf, conditionsOf, withCondition } from '../runtime/conditions';
import type { NodeSettings } from '../runtime/controller';

export interface NodeHealth {
  /** The last sign of life, in milliseconds as of Clock.monotonic. */
  readonly seenAt: number;
  /** What the node last said of itself, and when its lease was renewed: another one is a new sign. */
  readonly said: string | undefined;
  readonly renewed: string | undefined;
}

/** The same moment on both clocks, in milliseconds. */
export interface Moment {
  readonly now: number;
  readonly monotonic: number;
}

/** What the node's condition says, or would say once it is told that the node is lost; '' = it has never been said. */
export type ReadyStatus = 'True' | 'False' | 'Unknown' | '';

export function readyStatus(node: ApiObject): ReadyStatus {
  const ready = conditionOf(node.body, 'Ready');
  const status = ready === undefined ? '' : stringAt(ready, 'status');
  return status === 'True' || status === 'False' || status === '' ? status : 'Unknown';
}

/** A node that nobody has heard of yet counts as alive now, or at its creation if it has never said a word. */
export function observe(known: NodeHealth | undefined, node: ApiObject, lease: ApiObject | undefined, moment: Moment): NodeHealth {
  const said = ownWord(node);
  const renewed = stringAt(objectAt(lease?.body, 'spec'), 'renewTime');
  if (known === undefined)
    return { seenAt: readyStatus(node) === '' && renewed === undefined ? creation(node, moment) : moment.monotonic, said, renewed };
  const isSign = (said !== undefined && said !== known.said) || (renewed !== undefined && renewed !== known.renewed);
  return { seenAt: isSign ? moment.monotonic : known.seenAt, said: said ?? known.said, renewed: renewed ?? known.renewed };
}

export function isLost({ seenAt }: NodeHealth, node: ApiObject, settings: NodeSettings, { monotonic }: Moment): boolean {
  const grace = readyStatus(node) === '' ? settings.startupGraceMs : settings.graceMs;
  return monotonic - seenAt > grace;
}

/** Nodes never say `Unknown` of themselves. */
function ownWord(node: ApiObject): string | undefined {
  const ready = conditionOf(node.body, 'Ready');
  if (ready === undefined || stringAt(ready, 'status') === 'Unknown') return undefined;
  return `${stringAt(ready, 'status')} ${stringAt(ready, 'lastHeartbeatTime')} ${stringAt(ready, 'lastTransitionTime')}`;
}

function creation({ body }: ApiObject, { now, monotonic }: Moment): number {
  const created = timeOf(stringAt(objectAt(body, 'metadata'), 'creationTimestamp')) ?? now;
  return monotonic - Math.max(0, now - created);
}

const KNOWN_OF_NODES = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** The conditions of a lost node; undefined = they say so already. */
export function lostConditions({ body }: ApiObject, { now }: Moment): readonly JsonObject[] | undefined {
  let conditions = conditionsOf(body);
  const before = conditions;
  for (const type of KNOWN_OF_NODES) {
    const found = conditions.find((condition) => condition['type'] === type);
    if (found === undefined) conditions = withCondition(conditions, neverSaid(type, body, now));
    else if (stringAt(found, 'status') !== 'Unknown') conditions = withCondition(conditions, noLongerSaid(found, now));
  }
  return conditions === before ? undefined : conditions;
}

const neverSaid = (type: string, node: JsonObject, now: number): JsonObject => ({
  type,
  status: 'Unknown',
  reason: 'NodeStatusNeverUpdated',
  message: 'Kubelet never posted node status.',
  lastHeartbeatTime: stringAt(objectAt(node, 'metadata'), 'creationTimestamp') ?? null,
  lastTransitionTime: timestamp(now),
});

const noLongerSaid = (condition: JsonObject, now: number): JsonObject => ({
  ...condition,
  status: 'Unknown',
  reason: 'NodeStatusUnknown',
  message: 'Kubelet stopped posting node status.',
  lastTransitionTime: timestamp(now),
});
