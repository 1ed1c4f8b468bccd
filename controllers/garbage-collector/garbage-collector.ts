/**
 * Processes the objects that the graph enqueues: classifies their owners, and executes the action that reconcile.ts
 * decides. No object is deleted while one of its owners may exist, unless that owner is in foreground deletion. Filling
 * the graph is left to the monitors.
 */
import type { EventRecorder } from '../../shared/client/events/event-recorder';
import { DONE, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { apiVersionInDialect } from '../../shared/names/dialect';
import { apiVersionOf } from '../../shared/api/identity/identity';
import { withConcurrencyLimit } from '../../shared/scheduling/concurrency-limit';
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import type { ControllerContext } from '../runtime/controller';
import type { KindLookup } from './deletable-resources';
import { GarbageWriter } from './garbage-writer';
import { OwnerClassifier } from './owner-classifier';
import type { ObservedNode, OwnerGraph } from './owner-graph';
import {
  FOREGROUND_FINALIZER,
  isDeletingDependents,
  isOrphaningDependents,
  ORPHAN_FINALIZER,
  ownerReferencesOf,
  type OwnerReference,
} from './owner-references';
import { decideAction, deleteOwnerReferencesPatch, removeFinalizerPatch, unblockOwnerReferencesPatch, type Dependent } from './reconcile';

/** The graph and the lookup of kinds, which the monitors keep up to date. */
export interface GarbageCollectorOptions {
  readonly context: Pick<ControllerContext, 'client' | 'signal'> & { readonly events: Pick<EventRecorder, 'record'> };
  readonly graph: OwnerGraph;
  readonly kindOf: KindLookup;
  /** Whether the graph holds all objects that could be dependents, except those of resources that cannot be listed. */
  readonly isGraphSynced: () => boolean;
}

/** Dependents of one owner that are orphaned concurrently. */
const CONCURRENT_ORPHANS = 10;
/** For an object that cannot be finished yet: dependents may be unknown, or owner references are left. */
const RETRY: WorkOutcome = { type: 'again', afterMs: 250 };

/** Its methods may run concurrently for different objects. */
export class GarbageCollector {
  private readonly writer: GarbageWriter;
  private readonly owners: OwnerClassifier;

  constructor(private readonly options: GarbageCollectorOptions) {
    const { context, graph, kindOf } = options;
    this.writer = new GarbageWriter(context.client, context.signal);
    this.owners = new OwnerClassifier({
      graph,
      kindOf,
      read: (resource, object) => this.writer.read(resource, object),
      onInvalidReference: (dependent, reference) => this.reportInvalidReference(dependent, reference),
    });
  }

  /** Call it when the informers show that the object was deleted. */
  objectDeleted(uid: string): void {
    this.owners.objectDeleted(uid);
  }

  /**
   * Deletes the object if all its owners are dangling or in foreground deletion; otherwise removes the references to such
   * owners, or the object's own finalizer of foreground deletion.
   */
  async attemptToDelete(uid: string): Promise<WorkOutcome> {
    const { graph, isGraphSynced } = this.options;
    const node = graph.observedNode(uid);
    if (node === undefined) return DONE;
    const references = isBeingDeleted(node.object) ? [] : ownerReferencesOf(node.object);
    const owners = await this.owners.classifyAll(node, references);
    const states = owners.map(({ state }) => state);
    const action = decideAction(node.object, states, this.dependentsOf(uid));
    switch (action.type) {
      case 'none':
        break;
      case 'wait-for-kinds':
        return DONE;
      case 'delete-owner-references':
        await this.writer.patch(node, (object) => deleteOwnerReferencesPatch(object, action.uids));
        if (states.includes('orphaned') && owners.length > action.uids.size) return RETRY;
        break;
      case 'remove-foreground-finalizer':
        if (!isGraphSynced()) return RETRY;
        await this.writer.patch(node, (object) => removeFinalizerPatch(object, FOREGROUND_FINALIZER));
        break;
      case 'delete':
        if (action.unblockOwners) await this.writer.patch(node, unblockOwnerReferencesPatch);
        await this.writer.delete(node, action.policy);
        break;
    }
    // No event follows the deletion of an unobserved owner: the object is processed again after a back-off.
    return owners.some(({ isUnobserved }) => isUnobserved) ? { type: 'wait' } : DONE;
  }

  /** Removes the references of all observed dependents to the object, and then its orphan finalizer. */
  async attemptToOrphan(uid: string): Promise<WorkOutcome> {
    const { graph, isGraphSynced } = this.options;
    const node = graph.observedNode(uid);
    if (node === undefined || !isOrphaningDependents(node.object)) return DONE;
    if (!isGraphSynced()) return RETRY;
    const ownerUids = new Set([uid]);
    await withConcurrencyLimit(CONCURRENT_ORPHANS, graph.dependentsOf(uid), async (dependent) =>
      this.writer.patch(dependent.node, (object) => deleteOwnerReferencesPatch(object, ownerUids)),
    );
    this.owners.dependentsOrphaned(uid);
    await this.writer.patch(node, (object) => removeFinalizerPatch(object, ORPHAN_FINALIZER));
    return DONE;
  }

  private dependentsOf(uid: string): readonly Dependent[] {
    return this.options.graph.dependentsOf(uid).map(({ node, reference: { blockOwnerDeletion } }) => ({
      blockOwnerDeletion,
      isDeletingDependents: isDeletingDependents(node.object),
    }));
  }

  private reportInvalidReference({ resource, object }: ObservedNode, reference: OwnerReference): void {
    const { client, events } = this.options.context;
    const { namespace, name, uid } = object;
    const owner = `${reference.apiVersion}/${reference.kind}, namespace: ${namespace}, name: ${reference.name}, uid: ${reference.uid}`;
    events.record({
      about: { kind: resource.kind, namespace, name, uid, apiVersion: apiVersionInDialect(client.dialect, apiVersionOf(resource)) },
      type: 'Warning',
      reason: 'OwnerRefInvalidNamespace',
      message: `ownerRef [${owner}] does not exist in namespace "${namespace}"`,
    });
  }
}
