/**
 * Finds out the state of an object's owners. That an owner exists follows from the graph, or else from the server. That
 * it does not exist follows from the server or from an observed deletion. This is cached: an absent owner stays absent,
 * because uids are never used again. The counterpart of upstream's classifyReferences with its absentOwnerCache.
 */
import { LRUCache } from 'lru-cache';
import type { Resource } from '../../shared/client/rest/resource';
import type { KindLookup } from './deletable-resources';
import type { ObservedNode, OwnerGraph } from './owner-graph';
import { isDeletingDependents, type MetadataObject, type OwnerReference } from './owner-references';
import type { OwnerState } from './reconcile';

type ObjectIdentity = Pick<MetadataObject, 'namespace' | 'name' | 'uid'>;

/** The sources of owners: the graph first, then the server. */
export interface OwnerClassifierOptions {
  readonly graph: OwnerGraph;
  readonly kindOf: KindLookup;
  /** From the server; undefined when the object does not exist. */
  readonly read: (resource: Resource, object: ObjectIdentity) => Promise<MetadataObject | undefined>;
  /**
   * Called for a reference to an owner that cannot be an owner: in another namespace, or in a namespace while the
   * dependent is cluster-scoped.
   */
  readonly onInvalidReference: (dependent: ObservedNode, reference: OwnerReference) => void;
}

/** The state of one owner, and where it was found. */
export interface ClassifiedOwner {
  readonly state: OwnerState;
  /**
   * The server has the owner, and the graph does not have it with the kind, name and namespace of the reference. No event
   * enqueues the dependent when such an owner is deleted.
   */
  readonly isUnobserved: boolean;
}

/** The number of entries of each cache. The server is asked again about an owner that was dropped from it. */
const CACHE_SIZE = 8_192;

/** `undefined`: the owner does not exist. */
function stateOf(owner: MetadataObject | undefined): OwnerState {
  if (owner === undefined) return 'dangling';
  return isDeletingDependents(owner) ? 'waiting-for-dependents' : 'solid';
}
const classified = (state: OwnerState): ClassifiedOwner => ({ state, isUnobserved: false });

/** Reads of the server may be repeated for owners that dropped out of its caches. */
export class OwnerClassifier {
  /** Uids of deleted objects, and keys of references that the server has no owner for. */
  private readonly absentOwners = new LRUCache<string, true>({ max: CACHE_SIZE });
  /** Uids of owners that have orphaned their dependents. */
  private readonly orphaningOwners = new LRUCache<string, true>({ max: CACHE_SIZE });
  private readonly pendingReads = new Map<string, Promise<MetadataObject | undefined>>();

  constructor(private readonly options: OwnerClassifierOptions) {}

  /** Call it when the informers show that the object was deleted. */
  objectDeleted(uid: string): void {
    this.absentOwners.set(uid, true);
  }

  /**
   * Call it when the observed dependents have been orphaned, before the owner is deleted. The watches of different
   * resources are independent, so a dependent may be observed after the deletion of its owner: it is to be orphaned as
   * well.
   */
  dependentsOrphaned(ownerUid: string): void {
    this.orphaningOwners.set(ownerUid, true);
  }

  /**
   * The states in the order of the references. When an owner is in foreground deletion, those that the graph shows as
   * solid are read from the server: they may be deleted together with it, and the informers may be behind.
   */
  async classifyAll(dependent: ObservedNode, references: readonly OwnerReference[]): Promise<readonly ClassifiedOwner[]> {
    const owners = await Promise.all(references.map((reference) => this.classify(dependent, reference)));
    if (!owners.some(({ state }) => state === 'waiting-for-dependents')) return owners;
    return Promise.all(
      references.map(async (reference, index) => {
        const owner = owners[index] ?? classified('unknown');
        const resource = this.options.kindOf(reference.apiVersion, reference.kind);
        if (owner.state !== 'solid' || owner.isUnobserved || resource === undefined) return owner;
        return classified(stateOf(await this.read(resource, dependent, reference)));
      }),
    );
  }

  /** The state of one owner. Rejects when the server cannot be read. */
  async classify(dependent: ObservedNode, reference: OwnerReference): Promise<ClassifiedOwner> {
    const { graph, kindOf, onInvalidReference } = this.options;
    // Before the kind is looked up: it may have been removed together with the owner.
    if (this.absentOwners.has(reference.uid)) return classified(this.absentState(reference));
    const resource = kindOf(reference.apiVersion, reference.kind);
    if (resource === undefined) return classified('unknown');
    if (resource.namespaced && !dependent.resource.namespaced) {
      onInvalidReference(dependent, reference);
      return classified('unknown');
    }
    const node = graph.observedNode(reference.uid);
    if (node !== undefined && graph.matchesReference(node, dependent, reference)) return classified(stateOf(node.object));
    if (node !== undefined && node.resource.namespaced && node.object.namespace !== dependent.object.namespace) {
      onInvalidReference(dependent, reference);
    }
    const owner = await this.read(resource, dependent, reference);
    return owner === undefined ? classified(this.absentState(reference)) : { state: stateOf(owner), isUnobserved: true };
  }

  private absentState({ uid }: OwnerReference): OwnerState {
    return this.orphaningOwners.has(uid) ? 'orphaned' : 'dangling';
  }

  /** Concurrent reads of one owner share a request. */
  private async read(resource: Resource, dependent: ObservedNode, { name, uid }: OwnerReference): Promise<MetadataObject | undefined> {
    const namespace = resource.namespaced ? dependent.object.namespace : '';
    const key = [resource.group, resource.resource, namespace, name, uid].join('/');
    if (this.absentOwners.has(key)) return undefined;
    const pending = this.pendingReads.get(key) ?? this.options.read(resource, { namespace, name, uid });
    this.pendingReads.set(key, pending);
    try {
      const owner = await pending;
      if (owner === undefined) this.absentOwners.set(key, true);
      return owner;
    } finally {
      this.pendingReads.delete(key);
    }
  }
}
