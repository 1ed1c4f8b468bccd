/**
 * Who owns whom: every object that is followed, found by its uid, with those that name it as an owner. Owners that nobody has seen are nodes as well, without an
 * object. Says which objects have to be looked at after each change; decides nothing and asks nobody.
 */
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import type { Resource } from '../../shared/client/rest/resource';
import { isOrphaning, isWaiting, ownersOf, type Owner } from './owner-references';
import type { KindLookup } from './deletable-resources';

export class GraphNode {
  resource: Resource | undefined;
  /** Undefined = it is named as an owner, and has not been seen or is gone. */
  object: ApiObject | undefined;
  /** Objects that name this one as an owner, whether rightly or not. */
  dependents: Set<GraphNode> | undefined;

  constructor(readonly uid: string) {}
}

/** A node that has been seen. */
export interface SeenNode {
  readonly uid: string;
  readonly resource: Resource;
  readonly object: ApiObject;
}

export interface GraphListener {
  /** Whether it may go, and what it waits for, has to be found out. */
  look(uid: string): void;
  /** Its children have to forget it. */
  orphan(uid: string): void;
}

export class OwnerGraph {
  private readonly nodes = new Map<string, GraphNode>();
  /** Nodes that have not been seen. */
  private readonly unseen = new Set<GraphNode>();

  constructor(
    private readonly listener: GraphListener,
    private readonly kindOf: KindLookup,
  ) {}

  get size(): number {
    return this.nodes.size - this.unseen.size;
  }

  seen(uid: string): SeenNode | undefined {
    const node = this.nodes.get(uid);
    return node === undefined ? undefined : asSeen(node);
  }

  /** Those that name the object as their owner, whether rightly or not. */
  dependents(uid: string): readonly { readonly node: SeenNode; readonly owner: Owner }[] {
    return [...(this.nodes.get(uid)?.dependents ?? [])].flatMap((dependent) => {
      const node = asSeen(dependent);
      const owner = node === undefined ? undefined : ownersOf(node.object).find((one) => one.uid === uid);
      return node === undefined || owner === undefined ? [] : { node, owner };
    });
  }

  /** The reference names this object, and its owner may be there: in the same namespace, or in none. */
  isMeant(owner: Owner, child: SeenNode, { resource, object }: SeenNode): boolean {
    const kind = this.kindOf(owner.apiVersion, owner.kind);
    return (
      kind !== undefined &&
      kind.group === resource.group &&
      kind.resource === resource.resource &&
      owner.name === object.name &&
      (!resource.namespaced || object.namespace === child.object.namespace)
    );
  }

  put(resource: Resource, object: ApiObject): void {
    const node = this.node(object.uid);
    const previous = node.object;
    const [before, after] = [previous === undefined ? [] : ownersOf(previous), ownersOf(object)];
    node.resource = resource;
    node.object = object;
    this.unseen.delete(node);
    for (const { uid } of before) if (!after.some((owner) => owner.uid === uid)) this.unlink(node, uid);
    for (const { uid } of after) this.link(node, uid);
    const seen = { uid: object.uid, resource, object };
    if (previous === undefined) this.tellMistaken(seen);
    this.tellOwners(seen, before, after);
    if (isWaiting(object) && !(previous !== undefined && isWaiting(previous))) {
      // Children first: the owner may be let go at once, and how a child goes depends on whether its owner still waits.
      this.tellDependents(node);
      this.listener.look(object.uid);
    }
    if (isOrphaning(object) && !(previous !== undefined && isOrphaning(previous))) this.listener.orphan(object.uid);
  }

  /** The object is gone for good. */
  remove(uid: string): void {
    const node = this.nodes.get(uid);
    if (node?.object === undefined) return;
    const owners = ownersOf(node.object);
    this.forget(node);
    this.tellDependents(node);
    for (const owner of owners) this.tellIfWaiting(owner.uid);
  }

  /** The uids of what is known of a resource. */
  of(resource: Resource): readonly string[] {
    return [...this.nodes.values()].filter((node) => node.resource === resource).map(({ uid }) => uid);
  }

  /** Nobody follows the resource any more: whether its objects are still there is not known. */
  forgetAll(resource: Resource): void {
    for (const node of this.nodes.values()) if (node.resource === resource) this.forget(node);
  }

  /** Those whose owners have not been seen are looked at again. */
  tellUnseen(): void {
    for (const node of this.unseen) this.tellDependents(node);
  }

  private forget(node: GraphNode): void {
    const owners = node.object === undefined ? [] : ownersOf(node.object);
    node.object = undefined;
    node.resource = undefined;
    for (const { uid } of owners) this.unlink(node, uid);
    if (node.dependents === undefined) this.nodes.delete(node.uid);
    else this.unseen.add(node);
  }

  private node(uid: string): GraphNode {
    let node = this.nodes.get(uid);
    if (node === undefined) {
      node = new GraphNode(uid);
      this.nodes.set(uid, node);
      this.unseen.add(node);
    }
    return node;
  }

  private link(child: GraphNode, uid: string): void {
    const owner = this.node(uid);
    owner.dependents ??= new Set();
    owner.dependents.add(child);
  }

  private unlink(child: GraphNode, uid: string): void {
    const owner = this.nodes.get(uid);
    if (owner?.dependents === undefined) return;
    owner.dependents.delete(child);
    if (owner.dependents.size > 0) return;
    owner.dependents = undefined;
    if (owner.object !== undefined) return;
    this.nodes.delete(uid);
    this.unseen.delete(owner);
  }

  private tellDependents({ dependents = new Set() }: GraphNode): void {
    for (const { uid } of dependents) this.listener.look(uid);
  }

  /** An owner turns up that is not what some of its children say that it is. */
  private tellMistaken(owner: SeenNode): void {
    for (const dependent of this.nodes.get(owner.uid)?.dependents ?? []) {
      const child = asSeen(dependent);
      const reference = child === undefined ? undefined : ownersOf(child.object).find(({ uid }) => uid === owner.uid);
      if (child !== undefined && reference !== undefined && !this.isMeant(reference, child, owner)) this.listener.look(child.uid);
    }
  }

  /** A child whose owners are not all there has to be looked at, and an owner for which a child does not stand any more. */
  private tellOwners(child: SeenNode, before: readonly Owner[], after: readonly Owner[]): void {
    const isNew = (owner: Owner): boolean => !before.some((old) => isSame(old, owner));
    if (!isBeingDeleted(child.object) && after.some((owner) => isNew(owner) && !this.stands(owner, child))) this.listener.look(child.uid);
    for (const old of before) {
      if (old.blocks && !after.some(({ uid, blocks }) => uid === old.uid && blocks)) this.tellIfWaiting(old.uid);
    }
  }

  private stands(owner: Owner, child: SeenNode): boolean {
    const node = this.seen(owner.uid);
    return node !== undefined && this.isMeant(owner, child, node) && !isWaiting(node.object);
  }

  private tellIfWaiting(uid: string): void {
    const owner = this.nodes.get(uid)?.object;
    if (owner !== undefined && isWaiting(owner)) this.listener.look(uid);
  }
}

function asSeen({ uid, resource, object }: GraphNode): SeenNode | undefined {
  return resource === undefined || object === undefined ? undefined : { uid, resource, object };
}

const isSame = (one: Owner, other: Owner): boolean =>
  one.uid === other.uid && one.name === other.name && one.kind === other.kind && one.apiVersion === other.apiVersion;
