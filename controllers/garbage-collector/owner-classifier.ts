/**
 * How the owners of an object are. That an owner is there, the graph says; that one is not, only the server can, and it is asked for each once. What is absent
 * under its uid never comes back.
 */
import { LRUCache } from 'lru-cache';
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { Resource } from '../../shared/client/rest/resource';
import type { OwnerGraph, SeenNode } from './owner-graph';
import type { KindLookup } from './deletable-resources';
import { isWaiting, type Owner } from './owner-references';
import type { OwnerState } from './reconcile';

export interface OwnerStatesOptions {
  readonly graph: OwnerGraph;
  readonly kindOf: KindLookup;
  /** As the server has it now; undefined where it is gone. */
  readonly current: (resource: Resource, place: Pick<ApiObject, 'namespace' | 'name' | 'uid'>) => Promise<ApiObject | undefined>;
  /** Told of a reference to where no owner can be: another namespace, or a namespace at all. */
  readonly onInvalid: (child: SeenNode, owner: Owner) => void;
}

export interface FoundOwner {
  readonly state: OwnerState;
  /** The server has it, but it has not been seen: nobody will tell when it goes. */
  readonly isUnseen: boolean;
}

const REMEMBERED = 8_192;
const stateOf = (owner: ApiObject | undefined): OwnerState => (owner === undefined ? 'absent' : isWaiting(owner) ? 'waiting' : 'there');
const seen = (state: OwnerState): FoundOwner => ({ state, isUnseen: false });

export class OwnerStates {
  private readonly absent = new LRUCache<string, true>({ max: REMEMBERED });
  /** Those whose children were told to forget them. */
  private readonly orphaning = new LRUCache<string, true>({ max: REMEMBERED });
  private readonly asked = new Map<string, Promise<ApiObject | undefined>>();

  constructor(private readonly options: OwnerStatesOptions) {}

  /** The object is gone, wherever it was. */
  gone(uid: string): void {
    this.absent.set(uid, true);
  }

  /**
   * The children that are known have forgotten the object, which goes next: those that turn up after it have to forget it too. News of kinds comes on ways of
   * their own, so a child may be heard of later than the end of its owner.
   */
  orphans(uid: string): void {
    this.orphaning.set(uid, true);
  }

  /** Where one of several waits, the others are asked for: they may go with it, and news of that may be late. */
  async ofAll(child: SeenNode, owners: readonly Owner[]): Promise<readonly FoundOwner[]> {
    const found = await Promise.all(owners.map((owner) => this.of(child, owner)));
    if (!found.some(({ state }) => state === 'waiting')) return found;
    return Promise.all(
      owners.map(async (owner, index) => {
        const known = found[index] ?? seen('unknown');
        const resource = this.options.kindOf(owner.apiVersion, owner.kind);
        if (known.state !== 'there' || known.isUnseen || resource === undefined) return known;
        return seen(stateOf(await this.ask(resource, child, owner)));
      }),
    );
  }

  async of(child: SeenNode, owner: Owner): Promise<FoundOwner> {
    const { graph, kindOf, onInvalid } = this.options;
    // Also where its kind went with it.
    if (this.absent.has(owner.uid)) return seen(this.goneAs(owner));
    const resource = kindOf(owner.apiVersion, owner.kind);
    if (resource === undefined) return seen('unknown');
    if (resource.namespaced && !child.resource.namespaced) {
      onInvalid(child, owner);
      return seen('unknown');
    }
    const node = graph.seen(owner.uid);
    if (node !== undefined && graph.isMeant(owner, child, node)) return seen(stateOf(node.object));
    if (node !== undefined && node.resource.namespaced && node.object.namespace !== child.object.namespace) onInvalid(child, owner);
    const found = await this.ask(resource, child, owner);
    return found === undefined ? seen(this.goneAs(owner)) : { state: stateOf(found), isUnseen: true };
  }

  private goneAs({ uid }: Owner): OwnerState {
    return this.orphaning.has(uid) ? 'orphaned' : 'absent';
  }

  private async ask(resource: Resource, child: SeenNode, { name, uid }: Owner): Promise<ApiObject | undefined> {
    const place = { namespace: resource.namespaced ? child.object.namespace : '', name, uid };
    const key = [resource.group, resource.resource, place.namespace, place.name, place.uid].join('/');
    if (this.absent.has(key)) return undefined;
    const asked = this.asked.get(key) ?? this.options.current(resource, place);
    this.asked.set(key, asked);
    try {
      const found = await asked;
      if (found === undefined) this.absent.set(key, true);
      return found;
    } finally {
      this.asked.delete(key);
    }
  }
}
