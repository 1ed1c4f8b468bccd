/** Works on what the graph of owners says has to be looked at: finds out about owners, and does what the decision asks for. */
import type { ObjectReference } from '../../shared/client/events/event-correlation';
import type { EventRecorder } from '../../shared/client/events/event-recorder';
import type { Resource } from '../../shared/client/rest/resource';
import { DONE, type WorkOutcome } from '../../shared/client/work-queue/workers';
import { apiVersionIn } from '../../shared/names/dialect';
import { apiVersionOf } from '../../shared/api/identity/identity';
import { withConcurrencyLimit } from '../../shared/scheduling/concurrency-limit';
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import type { ControllerContext } from '../runtime/controller';
import type { OwnerGraph, SeenNode } from './owner-graph';
import type { KindLookup } from './deletable-resources';
import { OwnerStates } from './owner-classifier';
import { FOREGROUND, isOrphaning, isWaiting, ORPHAN, ownersOf, type Owner } from './owner-references';
import { decide, withoutBlocking, withoutFinalizer, withoutOwners, type Dependent } from './reconcile';
import { GarbageWrites } from './garbage-writer';

export interface CollectorOptions {
  readonly context: Pick<ControllerContext, 'client' | 'signal'> & { readonly events: Pick<EventRecorder, 'record'> };
  readonly graph: OwnerGraph;
  readonly kindOf: KindLookup;
  /** Everything that could be a child is known. */
  readonly isSettled: () => boolean;
}

/** Children that forget their owner at a time. */
const FORGETTING = 10;
/** Until the next look at what is not decided, because children may still be unknown or owners are left. Milliseconds. */
const UNSETTLED: WorkOutcome = { type: 'again', afterMs: 250 };

export class Collector {
  private readonly writes: GarbageWrites;
  private readonly owners: OwnerStates;

  constructor(private readonly options: CollectorOptions) {
    const { context, graph, kindOf } = options;
    this.writes = new GarbageWrites(context.client, context.signal);
    this.owners = new OwnerStates({
      graph,
      kindOf,
      current: (resource, place) => this.writes.current(resource, place),
      onInvalid: (child, owner) => this.reportInvalid(child, owner),
    });
  }

  /** The object is gone: whoever names it as an owner need not ask. */
  gone(uid: string): void {
    this.owners.gone(uid);
  }

  /** One look at the object with this uid. */
  async look(uid: string): Promise<WorkOutcome> {
    const { graph, isSettled } = this.options;
    const node = graph.seen(uid);
    if (node === undefined) return DONE;
    const references = isBeingDeleted(node.object) ? [] : ownersOf(node.object);
    const found = await this.owners.ofAll(node, references);
    const decision = decide(
      node.object,
      found.map(({ state }) => state),
      this.dependentsOf(uid),
    );
    switch (decision.type) {
      case 'keep':
        break;
      case 'undecided':
        return DONE;
      case 'unlink':
        await this.writes.patch(node, (object) => withoutOwners(object, decision.uids));
        if (found.some(({ state }) => state === 'orphaned') && found.length > decision.uids.size) return UNSETTLED;
        break;
      case 'release':
        if (!isSettled()) return UNSETTLED;
        await this.writes.patch(node, (object) => withoutFinalizer(object, FOREGROUND));
        break;
      case 'delete':
        if (decision.unblock) await this.writes.patch(node, withoutBlocking);
        await this.writes.delete(node, decision.policy);
        break;
    }
    return found.some(({ isUnseen }) => isUnseen) ? { type: 'wait' } : DONE;
  }

  /** Makes the children of the object with this uid forget it, and lets it go. */
  async orphan(uid: string): Promise<WorkOutcome> {
    const { graph, isSettled } = this.options;
    const node = graph.seen(uid);
    if (node === undefined || !isOrphaning(node.object)) return DONE;
    if (!isSettled()) return UNSETTLED;
    const owner = new Set([uid]);
    await withConcurrencyLimit(FORGETTING, graph.dependents(uid), async (dependent) =>
      this.writes.patch(dependent.node, (object) => withoutOwners(object, owner)),
    );
    this.owners.orphans(uid);
    await this.writes.patch(node, (object) => withoutFinalizer(object, ORPHAN));
    return DONE;
  }

  private dependentsOf(uid: string): readonly Dependent[] {
    return this.options.graph.dependents(uid).map((dependent) => ({
      blocks: dependent.owner.blocks,
      isWaiting: isWaiting(dependent.node.object),
    }));
  }

  private reportInvalid(child: SeenNode, { apiVersion, kind, name, uid }: Owner): void {
    const { client, events } = this.options.context;
    const { namespace } = child.object;
    const { apiVersion: version, ...about } = referenceTo(child.resource, child.object);
    events.record({
      about: { ...about, apiVersion: apiVersionIn(client.dialect, version) },
      type: 'Warning',
      reason: 'OwnerRefInvalidNamespace',
      message: `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}] does not exist in namespace "${namespace}"`,
    });
  }
}

const referenceTo = (resource: Resource, { namespace, name, uid }: ApiObject): ObjectReference => ({
  apiVersion: apiVersionOf(resource),
  kind: resource.kind,
  namespace,
  name,
  uid,
});
