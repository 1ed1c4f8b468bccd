/** The taints that a node's conditions ask for. Those of others stay as they are. Pure. Seen at release 1.31.1. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { timestamp } from '../../shared/api/metadata/object-meta';
import { canonicalQualifiedName } from '../../shared/names/dialect';
import { stringAt, type JsonObject } from '../../shared/values/json';
import { conditionsOf } from '../runtime/conditions';
import { isUnschedulable, taintsOf, type Taint } from '../runtime/nodes';
import { readyStatus, type ReadyStatus } from './health';

/** By a condition's type and status. */
const BY_CONDITION: ReadonlyMap<string, string> = new Map([
  ['Ready False', 'not-ready'],
  ['Ready Unknown', 'unreachable'],
  ['MemoryPressure True', 'memory-pressure'],
  ['DiskPressure True', 'disk-pressure'],
  ['PIDPressure True', 'pid-pressure'],
  ['NetworkUnavailable True', 'network-unavailable'],
]);
const UNSCHEDULABLE = 'unschedulable';
const SCHEDULING: ReadonlySet<string> = new Set([...BY_CONDITION.values(), UNSCHEDULABLE]);
const EXECUTING: ReadonlySet<string> = new Set(['not-ready', 'unreachable']);
const FOLDER = 'node.platform.io/';

/** Whether pods may be taken from the node for its own state: `kept` = if they are already. */
export type Eviction = 'begun' | 'kept' | 'none';

export interface TaintWishes {
  readonly eviction: Eviction;
  /** The product's prefix in the names that are written. */
  readonly prefix: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** Undefined = the node has just the right ones. */
export function taintsFor(node: ApiObject, { eviction, prefix, now }: TaintWishes): JsonObject[] | undefined {
  const present = taintsOf(node);
  const isBegun = eviction === 'begun' || (eviction === 'kept' && hasEviction(node));
  const wanted = [
    ...schedulingTaints(node).map((name) => ({ name, effect: 'NoSchedule' })),
    ...(isBegun ? executingTaint(readyStatus(node)) : []).map((name) => ({ name, effect: 'NoExecute' })),
  ];
  const isWanted = (taint: Taint): boolean => wanted.some(({ name, effect }) => isNamed(taint, name, effect));
  const kept = present.filter((taint) => !isOwn(taint) || isWanted(taint));
  const added = wanted.filter(({ name, effect }) => !present.some((taint) => isNamed(taint, name, effect)));
  if (kept.length === present.length && added.length === 0) return undefined;
  return [
    ...kept.map(({ body }) => body),
    ...added.map(({ name, effect }) => ({ key: `node.${prefix}/${name}`, effect, timeAdded: timestamp(now) })),
  ];
}

/** Whether pods are taken from the node for its own state. */
export const hasEviction = (node: ApiObject): boolean =>
  taintsOf(node).some((taint) => taint.effect === 'NoExecute' && EXECUTING.has(nameOf(taint)));

/** In the order of the conditions. */
function schedulingTaints(node: ApiObject): readonly string[] {
  const names = conditionsOf(node.body).flatMap(
    (condition) => BY_CONDITION.get(`${stringAt(condition, 'type')} ${stringAt(condition, 'status')}`) ?? [],
  );
  return isUnschedulable(node) ? [...names, UNSCHEDULABLE] : names;
}

function executingTaint(status: ReadyStatus): readonly string[] {
  const name = BY_CONDITION.get(`Ready ${status}`);
  return name === undefined ? [] : [name];
}

/** '' for those of others. */
function nameOf({ key }: Taint): string {
  const canonical = canonicalQualifiedName(key);
  return canonical.startsWith(FOLDER) ? canonical.slice(FOLDER.length) : '';
}

const isNamed = (taint: Taint, name: string, effect: string): boolean => taint.effect === effect && nameOf(taint) === name;

function isOwn(taint: Taint): boolean {
  return (taint.effect === 'NoSchedule' ? SCHEDULING : taint.effect === 'NoExecute' ? EXECUTING : NONE).has(nameOf(taint));
}

const NONE: ReadonlySet<string> = new Set();
