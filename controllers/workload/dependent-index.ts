/**
 * Indexes the objects of an informer by the uid of their controller, and orphans by their namespace. Controllers that
 * follow the same informer share one index.
 */
import type { Informer } from '../../shared/client/informer/informer';
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';
import { indexInformer, type ObjectIndex } from '../runtime/object-index';
import { controllerOf } from '../runtime/pods';

const OWNER = 'owner';
const ORPHANS = 'orphans';

interface SharedIndex<Body extends JsonObject> extends ObjectIndex<Body> {
  /** How many {@link DependentIndex} use it and are not released. */
  users: number;
}

/** The index of each informer, while a {@link DependentIndex} uses it. */
const shared = new WeakMap<Informer, SharedIndex<JsonObject>>();

/** A user's view of the shared index. {@link release} must be called when the controller ends. */
export class DependentIndex<Body extends JsonObject> {
  private readonly index: SharedIndex<Body>;
  private isReleased = false;

  /** Create it before other handlers of the informer are added: those then find the index up to date. */
  constructor(private readonly informer: Informer<Body>) {
    const existing = shared.get(informer);
    this.index =
      existing !== undefined && isIndexOf(informer, existing)
        ? existing
        : { ...indexInformer(informer, { [OWNER]: byController, [ORPHANS]: byNamespaceOfOrphan }), informer, users: 0 };
    this.index.users += 1;
    shared.set(informer, this.index);
  }

  /** Objects with an owner reference of the controller with this uid. */
  ownedBy(uid: string): readonly ApiObject<Body>[] {
    return this.index.find(OWNER, uid);
  }

  /** Objects of the namespace without a controller. */
  orphansIn(namespace: string): readonly ApiObject<Body>[] {
    return this.index.find(ORPHANS, namespace);
  }

  /** The objects that the owner controls, and the orphans of its namespace. */
  candidatesFor({ namespace, uid }: ApiObject): readonly ApiObject<Body>[] {
    const orphans = this.orphansIn(namespace);
    return orphans.length === 0 ? this.ownedBy(uid) : [...this.ownedBy(uid), ...orphans];
  }

  /** The release by the last user ends the shared index. A second call does nothing. */
  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.index.users -= 1;
    if (this.index.users > 0) return;
    this.index.end();
    shared.delete(this.informer);
  }
}

/** Narrows the type; true for each entry of {@link shared}, because an informer maps to the index over it. */
const isIndexOf = <Body extends JsonObject>(informer: Informer<Body>, index: SharedIndex<JsonObject>): index is SharedIndex<Body> =>
  index.informer === informer;

function byController(object: ApiObject): readonly string[] {
  const controller = controllerOf(object);
  return controller === undefined ? [] : [controller.uid];
}

const byNamespaceOfOrphan = (object: ApiObject): readonly string[] => (controllerOf(object) === undefined ? [object.namespace] : []);
