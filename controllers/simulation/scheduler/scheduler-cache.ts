/**
 * The scheduler's view of the cluster: nodes, the pods on them, pods that were bound a moment ago but are not yet seen as
 * bound (assumed), and pods for which others are being preempted (nominated). Follows the informers; makes no decisions.
 */
import type { Pod } from '../../../shared/client/rest/typed-objects';
import { keyOf } from '../../../shared/client/rest/api-object';
import type { Node } from '../../runtime/nodes';
import { isPodTerminated, nodeNameOf } from '../../runtime/pods';
import { NodeState } from './node-state';
import { podInfo, type PodInfo } from './pod-info';

/** What a scheduling decision reads. */
export interface ClusterView {
  readonly nodes: readonly NodeState[];
  /** Pods to which a node was nominated, which still wait for its resources. */
  nominatedPods(node: string): readonly PodInfo[];
  /** Empty for an unknown namespace. */
  namespaceLabels(name: string): Readonly<Record<string, string>>;
}

/** The node of a pod. */
interface Assignment {
  readonly node: string;
  /** The pod is not yet seen as bound. */
  readonly isAssumed: boolean;
}

/** Pods are named by their keys. */
export class SchedulerCache implements ClusterView {
  private readonly states = new Map<string, NodeState>();
  /** Pods on nodes that are not known (yet), by node. */
  private readonly podsWithoutNode = new Map<string, Map<string, PodInfo>>();
  private readonly assignments = new Map<string, Assignment>();
  /** The nodes that were nominated to pods, by pod. */
  private readonly nominatedNodes = new Map<string, string>();
  /** The reverse of `nominatedNodes`. */
  private readonly podsByNominatedNode = new Map<string, Map<string, PodInfo>>();

  constructor(private readonly labelsOfNamespace: (name: string) => Readonly<Record<string, string>>) {}

  get nodes(): readonly NodeState[] {
    return [...this.states.values()];
  }

  namespaceLabels(name: string): Readonly<Record<string, string>> {
    return this.labelsOfNamespace(name);
  }

  nominatedPods(node: string): readonly PodInfo[] {
    return [...(this.podsByNominatedNode.get(node)?.values() ?? [])];
  }

  /** Call it for each added or changed node. */
  setNode(node: Node): void {
    const pods = this.states.get(node.name)?.pods ?? this.podsWithoutNode.get(node.name) ?? new Map<string, PodInfo>();
    this.podsWithoutNode.delete(node.name);
    this.states.set(node.name, new NodeState(node, pods.values()));
  }

  /** Call it for each deleted node. Its pods count again when it is added again. */
  removeNode(name: string): void {
    const state = this.states.get(name);
    if (state !== undefined && state.pods.size > 0) this.podsWithoutNode.set(name, state.pods);
    this.states.delete(name);
  }

  /** Call it for each added or updated pod. */
  setPod(pod: Pod): void {
    const key = keyOf(pod);
    const node = nodeNameOf(pod);
    if (node === '') {
      // This version of an assumed pod is older than its binding, which the informer will deliver.
      if (this.assignments.get(key)?.isAssumed === true) return;
      this.unassign(key);
      const { nominatedNodeName = '' } = pod.body.status ?? {};
      if (isPodTerminated(pod)) this.endNomination(key);
      else if (nominatedNodeName !== '') this.nominate(podInfo(pod), nominatedNodeName);
      return;
    }
    this.unassign(key);
    this.endNomination(key);
    if (!isPodTerminated(pod)) this.assign(podInfo(pod), { node, isAssumed: false });
  }

  /** Call it for each deleted pod. */
  removePod(key: string): void {
    this.unassign(key);
    this.endNomination(key);
  }

  /** Counts the pod on the node until its binding is seen, or {@link forget} is called. */
  assume(info: PodInfo, node: string): void {
    this.unassign(info.key);
    this.endNomination(info.key);
    this.assign(info, { node, isAssumed: true });
  }

  /** Call it when the binding failed: the pod no longer counts on the node. */
  forget(key: string): void {
    if (this.assignments.get(key)?.isAssumed === true) this.unassign(key);
  }

  /** Whether the pod is bound to a node or assumed to be. */
  isAssigned(key: string): boolean {
    return this.assignments.has(key);
  }

  /** Reserves the node's resources for the pod against pods of lower priority. */
  nominate(info: PodInfo, node: string): void {
    this.endNomination(info.key);
    this.nominatedNodes.set(info.key, node);
    const pods = this.podsByNominatedNode.get(node) ?? new Map<string, PodInfo>();
    this.podsByNominatedNode.set(node, pods.set(info.key, info));
  }

  /** Call it when the pod does not wait for a node any more. */
  endNomination(key: string): void {
    const node = this.nominatedNodes.get(key) ?? '';
    const pods = this.podsByNominatedNode.get(node);
    this.nominatedNodes.delete(key);
    pods?.delete(key);
    if (pods?.size === 0) this.podsByNominatedNode.delete(node);
  }

  private assign(info: PodInfo, assignment: Assignment): void {
    this.assignments.set(info.key, assignment);
    const state = this.states.get(assignment.node);
    if (state !== undefined) return state.add(info);
    const waiting = this.podsWithoutNode.get(assignment.node) ?? new Map<string, PodInfo>();
    this.podsWithoutNode.set(assignment.node, waiting.set(info.key, info));
  }

  private unassign(key: string): void {
    const assignment = this.assignments.get(key);
    if (assignment === undefined) return;
    this.assignments.delete(key);
    this.states.get(assignment.node)?.remove(key);
    const waiting = this.podsWithoutNode.get(assignment.node);
    waiting?.delete(key);
    if (waiting?.size === 0) this.podsWithoutNode.delete(assignment.node);
  }
}
