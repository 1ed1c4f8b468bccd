/**
 * A node and the pods on it, with the sums of what they request, in billionths. Changed only by adding and removing pods:
 * a changed Node object gets a new state.
 */
import { parseQuantity } from '../../../shared/values/quantity';
import type { Node } from '../../runtime/nodes';
import type { Amounts, PodInfo } from './pod-info';

/** The most results of {@link NodeState.countMatching} that a node caches. A full cache is emptied. */
const MAX_COUNTS = 16;

/** Pods are named by their keys. */
export class NodeState {
  private readonly requested = new Map<string, bigint>();
  /** The pods on the node, assumed ones included. */
  readonly pods = new Map<string, PodInfo>();
  /** Those of `pods` with a required anti-affinity. */
  readonly antiAffinePods = new Map<string, PodInfo>();

  private readonly countByOwner = new Map<string, number>();
  /** Results of {@link countMatching}, until the pods change. */
  private readonly counts = new Map<object, number>();

  constructor(
    readonly node: Node,
    pods: Iterable<PodInfo> = [],
    private readonly allocatable: Amounts = allocatableOf(node),
  ) {
    for (const pod of pods) this.add(pod);
  }

  get name(): string {
    return this.node.name;
  }

  /** Replaces an earlier version of the pod. */
  add(info: PodInfo): void {
    this.remove(info.key);
    this.counts.clear();
    this.pods.set(info.key, info);
    if (info.antiAffinity.length > 0) this.antiAffinePods.set(info.key, info);
    for (const [name, amount] of info.requests) this.requested.set(name, this.requestedOf(name) + amount);
    this.countByOwner.set(info.owner, this.podsOfOwner(info.owner) + 1);
  }

  remove(key: string): void {
    const info = this.pods.get(key);
    if (info === undefined) return;
    this.counts.clear();
    this.pods.delete(key);
    this.antiAffinePods.delete(key);
    for (const [name, amount] of info.requests) this.requested.set(name, this.requestedOf(name) - amount);
    const count = this.podsOfOwner(info.owner) - 1;
    if (count === 0) this.countByOwner.delete(info.owner);
    else this.countByOwner.set(info.owner, count);
  }

  /** The sum of the requests of the pods for a resource. */
  requestedOf(name: string): bigint {
    return this.requested.get(name) ?? 0n;
  }

  /** 0 for a resource that the node does not have. */
  allocatableOf(name: string): bigint {
    return this.allocatable.get(name) ?? 0n;
  }

  /** The number of pods with this controller. `owner`: its uid. */
  podsOfOwner(owner: string): number {
    return this.countByOwner.get(owner) ?? 0;
  }

  /**
   * The number of pods that match, which is computed once for each `rule` object until the pods change. The predicate
   * must follow from the rule.
   */
  countMatching(rule: object, matches: (pod: PodInfo) => boolean): number {
    const known = this.counts.get(rule);
    if (known !== undefined) return known;
    let count = 0;
    for (const pod of this.pods.values()) if (matches(pod)) count += 1;
    if (this.counts.size >= MAX_COUNTS) this.counts.clear();
    this.counts.set(rule, count);
    return count;
  }

  /** The same node with other pods. */
  withPods(pods: Iterable<PodInfo>): NodeState {
    return new NodeState(this.node, pods, this.allocatable);
  }
}

function allocatableOf({ body }: Node): Amounts {
  const { allocatable, capacity = {} } = body.status ?? {};
  return new Map(Object.entries(allocatable ?? capacity).map(([name, text]) => [name, parseQuantity(text).nanos]));
}
