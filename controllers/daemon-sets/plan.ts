/**
 * What is to be done for a DaemonSet: first as many pods as nodes want, one on each; when that is so, the roll-out of its template, within its bounds. Decided from what is
 * seen, without a server.
 */
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { append } from '../../shared/values/append';
import { compareBytes, objectAt, own, stringAt, type JsonObject, type JsonValue } from '../../shared/values/json';
import { isPodAvailable } from '../workload/pod-activity';
import { minReadySecondsOf } from '../workload/spec';
import { isPodReady, nodeNameOf } from '../runtime/pods';
import type { Placement } from './placement';
import { hashOf, nodeOf } from './pod';

export interface DaemonView {
  readonly set: ApiObject;
  /** The set's own. */
  readonly pods: readonly ApiObject[];
  readonly nodes: readonly ApiObject[];
  readonly place: (node: ApiObject) => Placement;
  /** Of the present template. */
  readonly hash: string;
  /** Milliseconds until a pod that has failed on a node may be replaced; zero = now. */
  readonly patience: (node: string) => number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export interface EndedPod {
  readonly pod: ApiObject;
  readonly node: string;
  readonly phase: 'Failed' | 'Succeeded';
}

export interface DaemonPlan {
  /** Names of nodes. */
  readonly create: readonly string[];
  readonly delete: readonly ApiObject[];
  /** Those among the latter of which it is told. */
  readonly ended: readonly EndedPod[];
  /** Milliseconds until a pod that has failed may be replaced. */
  readonly againMs: number | undefined;
}

/** Its pods by the node that they are made for. */
export function podsByNode(pods: readonly ApiObject[]): ReadonlyMap<string, readonly ApiObject[]> {
  const byNode = new Map<string, ApiObject[]>();
  for (const pod of pods) {
    const node = nodeOf(pod);
    const here = byNode.get(node);
    if (here === undefined) byNode.set(node, [pod]);
    else here.push(pod);
  }
  return byNode;
}

export function planDaemons(view: DaemonView): DaemonPlan {
  const byNode = podsByNode(view.pods);
  const kept = keep(view, byNode);
  if (kept.create.length > 0 || kept.delete.length > 0) return kept;
  return strategyOf(view.set) === 'OnDelete' ? kept : { ...kept, ...rollOut(view, byNode) };
}

const strategyOf = ({ body }: ApiObject): string => stringAt(objectAt(objectAt(body, 'spec'), 'updateStrategy'), 'type') ?? 'RollingUpdate';

const phaseOf = ({ body }: ApiObject): string => stringAt(objectAt(body, 'status'), 'phase') ?? '';
const createdAt = ({ body }: ApiObject): string => stringAt(objectAt(body, 'metadata'), 'creationTimestamp') ?? '';

/** Those with a node first, then the oldest. */
export const inOrder = (pods: readonly ApiObject[]): readonly ApiObject[] =>
  [...pods].sort(
    (a, b) =>
      Number(nodeNameOf(a) === '') - Number(nodeNameOf(b) === '') ||
      compareBytes(createdAt(a), createdAt(b)) ||
      compareBytes(a.name, b.name),
  );

function keep(view: DaemonView, byNode: ReadonlyMap<string, readonly ApiObject[]>): DaemonPlan {
  const create: string[] = [];
  const gone: ApiObject[] = [];
  const ended: EndedPod[] = [];
  const waits: number[] = [];
  const isSurging = boundsOf(view, 1).surge > 0;
  for (const node of view.nodes) {
    const here = byNode.get(node.name) ?? [];
    const { runs, stays } = view.place(node);
    if (!stays)
      append(
        gone,
        here.filter((pod) => !isBeingDeleted(pod)),
      );
    else if (runs && here.length === 0) create.push(node.name);
    else {
      const running: ApiObject[] = [];
      for (const pod of here) {
        if (isBeingDeleted(pod)) continue;
        const phase = phaseOf(pod);
        if (phase !== 'Failed' && phase !== 'Succeeded') {
          running.push(pod);
          continue;
        }
        const waitMs = phase === 'Failed' ? view.patience(node.name) : 0;
        if (waitMs > 0) waits.push(waitMs);
        else ended.push({ pod, node: node.name, phase });
      }
      append(gone, isSurging ? surplusInSurge(view, running) : inOrder(running).slice(1));
    }
  }
  const known = new Set(view.nodes.map(({ name }) => name));
  // Whoever looks after pods of nodes that are gone sees those alone that had come there.
  const lost = view.pods.filter((pod) => nodeNameOf(pod) === '' && !known.has(nodeOf(pod)) && !isBeingDeleted(pod));
  const deleted = [...gone, ...ended.map(({ pod }) => pod), ...lost];
  return { create, delete: deleted, ended, againMs: waits.length === 0 ? undefined : Math.min(...waits) };
}

/**
 * One of each template may stay, and the old one only until the new one serves, or it does not itself. Of several old ones, as there are when the template changes twice,
 * one that serves is the one to stay: the older one may have begun in the same second.
 */
function surplusInSurge(view: DaemonView, running: readonly ApiObject[]): readonly ApiObject[] {
  const ordered = inOrder(running);
  const [fresh, old] = [ordered.filter((pod) => hashOf(pod) === view.hash), ordered.filter((pod) => hashOf(pod) !== view.hash)];
  const newest = fresh[0];
  const oldest = old.find((pod) => serves(view, pod)) ?? old[0];
  const surplus = ordered.filter((pod) => pod !== newest && pod !== oldest);
  if (newest === undefined || oldest === undefined) return surplus;
  return !isPodReady(oldest) || serves(view, newest) ? [...surplus, oldest] : surplus;
}

const serves = ({ set, now }: DaemonView, pod: ApiObject): boolean => isPodAvailable(pod, minReadySecondsOf(set), now);

interface Bounds {
  readonly surge: number;
  readonly unavailable: number;
}

/** Of so many nodes. */
function boundsOf({ set }: DaemonView, desired: number): Bounds {
  const rolling = objectAt(objectAt(objectAt(set.body, 'spec'), 'updateStrategy'), 'rollingUpdate') ?? {};
  const surge = scaled(own(rolling, 'maxSurge'), 0, desired);
  const unavailable = scaled(own(rolling, 'maxUnavailable'), 1, desired);
  return { surge, unavailable: surge === 0 && unavailable === 0 ? 1 : unavailable };
}

/** A part of a node is a node. */
function scaled(value: JsonValue | undefined, absent: number, of: number): number {
  if (typeof value === 'number') return value;
  const percent = typeof value === 'string' ? /^(\d{1,9})%$/.exec(value)?.[1] : undefined;
  return percent === undefined ? absent : Math.ceil((Number(percent) * of) / 100);
}

interface NodeState {
  readonly node: string;
  readonly isOnlyOne: boolean;
  readonly fresh: ApiObject | undefined;
  readonly old: ApiObject | undefined;
}

function rollOut(view: DaemonView, byNode: ReadonlyMap<string, readonly ApiObject[]>): Pick<DaemonPlan, 'create' | 'delete'> {
  const wanted = view.nodes.filter((node) => view.place(node).runs);
  const bounds = boundsOf(view, wanted.length);
  const states = view.nodes.flatMap(({ name }) => {
    const pods = byNode.get(name) ?? [];
    return pods.length === 0 ? [] : [stateOf(view, name, pods)];
  });
  return bounds.surge > 0 ? surging(view, states, bounds.surge) : replacing(view, states, bounds.unavailable);
}

function stateOf({ hash }: DaemonView, node: string, pods: readonly ApiObject[]): NodeState {
  const staying = pods.filter((pod) => !isBeingDeleted(pod));
  const [fresh, old] = [staying.filter((pod) => hashOf(pod) === hash), staying.filter((pod) => hashOf(pod) !== hash)];
  return { node, isOnlyOne: fresh.length <= 1 && old.length <= 1, fresh: fresh[0], old: old[0] };
}

/** The old pod goes first. One that does not serve goes in any case. */
function replacing(view: DaemonView, states: readonly NodeState[], most: number): Pick<DaemonPlan, 'create' | 'delete'> {
  const idle: ApiObject[] = [];
  const candidates: ApiObject[] = [];
  let unavailable = 0;
  for (const { isOnlyOne, fresh, old } of states) {
    const present = fresh ?? old;
    if (!isOnlyOne || present === undefined || !serves(view, present)) unavailable += 1;
    if (!isOnlyOne || fresh !== undefined || old === undefined) continue;
    if (serves(view, old)) candidates.push(old);
    else idle.push(old);
  }
  return { create: [], delete: [...idle, ...candidates.slice(0, Math.max(0, most - unavailable))] };
}

/** The new pod comes first. */
function surging(view: DaemonView, states: readonly NodeState[], most: number): Pick<DaemonPlan, 'create' | 'delete'> {
  const idle: string[] = [];
  const candidates: string[] = [];
  const replaced: ApiObject[] = [];
  let surge = 0;
  for (const { node, isOnlyOne, fresh, old } of states) {
    if (!isOnlyOne) surge += 1;
    else if (old === undefined) continue;
    else if (fresh === undefined) (serves(view, old) ? candidates : idle).push(node);
    else if (serves(view, fresh)) replaced.push(old);
    else surge += 1;
  }
  return { create: [...idle, ...candidates.slice(0, Math.max(0, most - surge))], delete: replaced };
}

/** Undefined = it stands there already. */
export function daemonStatus({ set, pods, nodes, place, hash, now }: DaemonView, collisionCount: number): JsonObject | undefined {
  const byNode = podsByNode(pods);
  const counts = { current: 0, misscheduled: 0, desired: 0, ready: 0, updated: 0, available: 0 };
  for (const node of nodes) {
    const [first] = inOrder(byNode.get(node.name) ?? []);
    if (!place(node).runs) {
      if (first !== undefined) counts.misscheduled += 1;
      continue;
    }
    counts.desired += 1;
    if (first === undefined) continue;
    counts.current += 1;
    if (isPodReady(first)) counts.ready += 1;
    if (isPodAvailable(first, minReadySecondsOf(set), now)) counts.available += 1;
    if (hashOf(first) === hash) counts.updated += 1;
  }
  const known = objectAt(set.body, 'status') ?? {};
  const generation = own(objectAt(set.body, 'metadata') ?? {}, 'generation');
  const status: JsonObject = {
    currentNumberScheduled: counts.current,
    numberMisscheduled: counts.misscheduled,
    desiredNumberScheduled: counts.desired,
    numberReady: counts.ready,
    ...(typeof generation === 'number' ? { observedGeneration: generation } : {}),
    ...counted({
      updatedNumberScheduled: counts.updated,
      numberAvailable: counts.available,
      numberUnavailable: counts.desired - counts.available,
      collisionCount,
    }),
  };
  return equalStatus(status, known) ? undefined : status;
}

/** A count of nothing is left out. */
const counted = (all: Readonly<Record<string, number>>): JsonObject =>
  Object.fromEntries(Object.entries(all).filter(([, value]) => value !== 0));

const equalStatus = (one: JsonObject, other: JsonObject): boolean =>
  [...new Set([...Object.keys(one), ...Object.keys(other)])].every((member) => (one[member] ?? 0) === (other[member] ?? 0));
