/**
 * Computes the taints of a node from its conditions. Taints that this controller does not own stay as they are. The
 * functions are pure. The rules are those of upstream 1.31.1.
 */
import type { CoreV1Taint } from '../../shared/api/types/generated/members';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { conditionsOf } from '../runtime/conditions';
import { isUnschedulable, taintsOf, type Node, type Taint } from '../runtime/nodes';
import { readyStatus, type ReadyStatus } from './node-health';

/** Names of taints by a condition's type and status. */
const TAINT_BY_CONDITION: ReadonlyMap<string, string> = new Map([
  ['Ready False', 'not-ready'],
  ['Ready Unknown', 'unreachable'],
  ['MemoryPressure True', 'memory-pressure'],
  ['DiskPressure True', 'disk-pressure'],
  ['PIDPressure True', 'pid-pressure'],
  ['NetworkUnavailable True', 'network-unavailable'],
]);
const UNSCHEDULABLE = 'unschedulable';
const NO_SCHEDULE_TAINTS: ReadonlySet<string> = new Set([...TAINT_BY_CONDITION.values(), UNSCHEDULABLE]);
const NO_EXECUTE_TAINTS: ReadonlySet<string> = new Set(['not-ready', 'unreachable']);
const KEY_PREFIX = 'node.platform.io/';

/** Whether the pods of a node that is not ready are evicted, by one of the NoExecute taints not-ready and unreachable. */
export type Eviction =
  /** The node gets the taint of its Ready condition. */
  | 'in-progress'
  /** A node without a NoExecute taint gets none. A node with one gets that of its Ready condition instead. */
  | 'unchanged'
  /** The NoExecute taint is removed. */
  | 'none';

/** What the taints of a node depend on besides the node. */
export interface TaintOptions {
  readonly eviction: Eviction;
  /** The prefix of the taint keys that are written. */
  readonly prefix: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The taints that the node should have; undefined when it has them already. */
export function reconcileTaints(node: Node, { eviction, prefix, now }: TaintOptions): CoreV1Taint[] | undefined {
  const observed = taintsOf(node);
  const isEvicting = eviction === 'in-progress' || (eviction === 'unchanged' && hasNoExecuteTaint(node));
  const desired = [
    ...noScheduleTaints(node).map((name) => ({ name, effect: 'NoSchedule' })),
    ...(isEvicting ? noExecuteTaints(readyStatus(node)) : []).map((name) => ({ name, effect: 'NoExecute' })),
  ];
  const isDesired = (taint: Taint): boolean => desired.some(({ name, effect }) => hasName(taint, name, effect));
  const retained = observed.filter((taint) => !isOwned(taint) || isDesired(taint));
  const added = desired.filter(({ name, effect }) => !observed.some((taint) => hasName(taint, name, effect)));
  if (retained.length === observed.length && added.length === 0) return undefined;
  return [
    ...retained.map(({ body }) => body),
    ...added.map(({ name, effect }) => ({ key: `node.${prefix}/${name}`, effect, timeAdded: formatTimestamp(now) })),
  ];
}

/** Whether the node has a taint by which this controller evicts pods. */
export const hasNoExecuteTaint = (node: Node): boolean =>
  taintsOf(node).some((taint) => taint.effect === 'NoExecute' && NO_EXECUTE_TAINTS.has(ownedName(taint)));

/** The names of the taints by the conditions, in the order of the conditions. */
function noScheduleTaints(node: Node): readonly string[] {
  const names = conditionsOf(node.body).flatMap(({ type = '', status = '' }) => TAINT_BY_CONDITION.get(`${type} ${status}`) ?? []);
  return isUnschedulable(node) ? [...names, UNSCHEDULABLE] : names;
}

function noExecuteTaints(status: ReadyStatus): readonly string[] {
  const name = TAINT_BY_CONDITION.get(`Ready ${status}`);
  return name === undefined ? [] : [name];
}

/** '' for a taint with another prefix. */
function ownedName({ key }: Taint): string {
  const canonical = canonicalQualifiedName(key);
  return canonical.startsWith(KEY_PREFIX) ? canonical.slice(KEY_PREFIX.length) : '';
}

const hasName = (taint: Taint, name: string, effect: string): boolean => taint.effect === effect && ownedName(taint) === name;

function isOwned(taint: Taint): boolean {
  if (taint.effect === 'NoSchedule') return NO_SCHEDULE_TAINTS.has(ownedName(taint));
  return taint.effect === 'NoExecute' && NO_EXECUTE_TAINTS.has(ownedName(taint));
}
