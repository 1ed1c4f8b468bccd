/**
 * The graph of all monitored objects, by uid, with the objects that refer to each of them as an owner. An owner that
 * was not observed is a virtual node, without an object. Enqueues the objects that a change concerns; makes no
 * decisions and sends no requests. The counterpart of upstream's GraphBuilder.
 */
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import type { Resource } from '../../shared/client/rest/resource';
import type { KindLookup } from './deletable-resources';
import {
  isDeletingDependents,
  isOrphaningDependents,
  ownerReferencesOf,
  type MetadataObject,
  type OwnerReference,
} from './owner-references';

class GraphNode {
  /** Undefined for a virtual node. */
  resource: Resource | undefined;
  /** Undefined for a virtual node: the object was not observed, or was deleted. */
  object: MetadataObject | undefined;
  /** Nodes with an owner reference to this uid, valid or not. Undefined instead of empty. */
  dependents: Set<GraphNode> | undefined;

  constructor(readonly uid: string) {}
}

/** A node that is not virtual. */
export interface ObservedNode {
  readonly uid: string;
  readonly resource: Resource;
  readonly object: MetadataObject;
}

/** Receives the uids of objects that have to be processed; the same uid may be enqueued repeatedly. */
export interface GraphQueues {
  readonly enqueueAttemptToDelete: (uid: string) => void;
  readonly enqueueAttemptToOrphan: (uid: string) => void;
}

/** The caller passes every change of the monitored objects to it; it reads nothing itself. */
export class OwnerGraph {
  private readonly nodes = new Map<string, GraphNode>();
  private readonly virtualNodes = new Set<GraphNode>();

  constructor(
    private readonly queues: GraphQueues,
    private readonly kindOf: KindLookup,
  ) {}

  /** The number of observed nodes. */
  get size(): number {
    return this.nodes.size - this.virtualNodes.size;
  }

  /** `undefined` for a virtual node and for a uid that is unknown. */
  observedNode(uid: string): ObservedNode | undefined {
    const node = this.nodes.get(uid);
    return node === undefined ? undefined : asObserved(node);
  }

  /** The observed objects with an owner reference to this uid, valid or not. */
  dependentsOf(uid: string): readonly { readonly node: ObservedNode; readonly reference: OwnerReference }[] {
    return [...(this.nodes.get(uid)?.dependents ?? [])].flatMap((dependent) => {
      const node = asObserved(dependent);
      const reference = node === undefined ? undefined : referenceTo(uid, node);
      return node === undefined || reference === undefined ? [] : { node, reference };
    });
  }

  /**
   * Whether the owner has the kind and name of the reference, and is cluster-scoped or in the namespace of the
   * dependent.
   */
  matchesReference({ resource, object }: ObservedNode, dependent: ObservedNode, reference: OwnerReference): boolean {
    const referenced = this.kindOf(reference.apiVersion, reference.kind);
    return (
      referenced !== undefined &&
      referenced.group === resource.group &&
      referenced.resource === resource.resource &&
      reference.name === object.name &&
      (!resource.namespaced || object.namespace === dependent.object.namespace)
    );
  }

  /** Adds or updates an object. */
  put(resource: Resource, object: MetadataObject): void {
    const { uid } = object;
    const node = this.ensureNode(uid);
    const previous = node.object;
    const oldReferences = previous === undefined ? [] : ownerReferencesOf(previous);
    const newReferences = ownerReferencesOf(object);
    node.resource = resource;
    node.object = object;
    this.virtualNodes.delete(node);
    for (const old of oldReferences) if (!newReferences.some((reference) => reference.uid === old.uid)) this.unlink(node, old.uid);
    for (const reference of newReferences) this.link(node, reference.uid);
    const observed = { uid, resource, object };
    if (previous === undefined) this.enqueueMismatchedDependents(observed);
    this.processReferences(observed, oldReferences, newReferences);
    if (isDeletingDependents(object) && !(previous !== undefined && isDeletingDependents(previous))) {
      // Dependents first: the owner's finalizer may be removed at once, and the policy of a dependent's deletion
      // depends on whether its owner still waits.
      this.enqueueDependents(node);
      this.queues.enqueueAttemptToDelete(uid);
    }
    if (isOrphaningDependents(object) && !(previous !== undefined && isOrphaningDependents(previous))) {
      this.queues.enqueueAttemptToOrphan(uid);
    }
  }

  /**
   * Call it when the object was deleted. Enqueues its dependents, and its owners in foreground deletion, which may have
   * waited for it.
   */
  remove(uid: string): void {
    const node = this.nodes.get(uid);
    if (node?.object === undefined) return;
    const references = ownerReferencesOf(node.object);
    this.makeVirtual(node);
    this.enqueueDependents(node);
    for (const reference of references) this.enqueueIfDeletingDependents(reference.uid);
  }

  /** The uids of the observed objects of a resource. */
  uidsOf(resource: Resource): readonly string[] {
    return [...this.nodes.values()].filter((node) => node.resource === resource).map(({ uid }) => uid);
  }

  /** Makes the objects of a resource virtual: without a monitor it is unknown whether they exist. */
  forgetResource(resource: Resource): void {
    for (const node of this.nodes.values()) if (node.resource === resource) this.makeVirtual(node);
  }

  /** Call it when the monitors have synced: an owner that was not observed by then may not exist. */
  enqueueDependentsOfVirtualNodes(): void {
    for (const node of this.virtualNodes) this.enqueueDependents(node);
  }

  private makeVirtual(node: GraphNode): void {
    const references = node.object === undefined ? [] : ownerReferencesOf(node.object);
    node.object = undefined;
    node.resource = undefined;
    for (const { uid } of references) this.unlink(node, uid);
    if (node.dependents === undefined) this.nodes.delete(node.uid);
    else this.virtualNodes.add(node);
  }

  private ensureNode(uid: string): GraphNode {
    let node = this.nodes.get(uid);
    if (node === undefined) {
      node = new GraphNode(uid);
      this.nodes.set(uid, node);
      this.virtualNodes.add(node);
    }
    return node;
  }

  private link(dependent: GraphNode, ownerUid: string): void {
    const owner = this.ensureNode(ownerUid);
    owner.dependents ??= new Set();
    owner.dependents.add(dependent);
  }

  private unlink(dependent: GraphNode, ownerUid: string): void {
    const owner = this.nodes.get(ownerUid);
    if (owner?.dependents === undefined) return;
    owner.dependents.delete(dependent);
    if (owner.dependents.size > 0) return;
    owner.dependents = undefined;
    if (owner.object !== undefined) return;
    this.nodes.delete(ownerUid);
    this.virtualNodes.delete(owner);
  }

  private enqueueDependents({ dependents = new Set() }: GraphNode): void {
    for (const { uid } of dependents) this.queues.enqueueAttemptToDelete(uid);
  }

  /** A new owner may have another kind, name or namespace than the references of its dependents. */
  private enqueueMismatchedDependents(owner: ObservedNode): void {
    for (const { node, reference } of this.dependentsOf(owner.uid)) {
      if (!this.matchesReference(owner, node, reference)) this.queues.enqueueAttemptToDelete(node.uid);
    }
  }

  /**
   * Enqueues a dependent with a new owner that is not solid, and owners in foreground deletion that it does not block
   * any more.
   */
  private processReferences(
    dependent: ObservedNode,
    oldReferences: readonly OwnerReference[],
    newReferences: readonly OwnerReference[],
  ): void {
    const added = newReferences.filter((reference) => !oldReferences.some((old) => isSameReference(old, reference)));
    if (!isBeingDeleted(dependent.object) && added.some((reference) => !this.isSolid(dependent, reference))) {
      this.queues.enqueueAttemptToDelete(dependent.uid);
    }
    for (const old of oldReferences) {
      const isStillBlocking = newReferences.some(({ uid, blockOwnerDeletion }) => uid === old.uid && blockOwnerDeletion);
      if (old.blockOwnerDeletion && !isStillBlocking) this.enqueueIfDeletingDependents(old.uid);
    }
  }

  /** Whether the graph has the owner as it is referred to, and the owner does not wait for its dependents. */
  private isSolid(dependent: ObservedNode, reference: OwnerReference): boolean {
    const owner = this.observedNode(reference.uid);
    return owner !== undefined && this.matchesReference(owner, dependent, reference) && !isDeletingDependents(owner.object);
  }

  private enqueueIfDeletingDependents(uid: string): void {
    const object = this.nodes.get(uid)?.object;
    if (object !== undefined && isDeletingDependents(object)) this.queues.enqueueAttemptToDelete(uid);
  }
}

function asObserved({ uid, resource, object }: GraphNode): ObservedNode | undefined {
  return resource === undefined || object === undefined ? undefined : { uid, resource, object };
}

const referenceTo = (ownerUid: string, { object }: ObservedNode): OwnerReference | undefined =>
  ownerReferencesOf(object).find(({ uid }) => uid === ownerUid);

const isSameReference = (a: OwnerReference, b: OwnerReference): boolean =>
  a.uid === b.uid && a.name === b.name && a.kind === b.kind && a.apiVersion === b.apiVersion;
