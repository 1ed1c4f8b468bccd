/** The objects of a collection by the object that controls them, and those that nobody controls by their namespace. One index for all who follow the same collection. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { Informer } from '../../shared/client/informer/informer';
import { controllerOf } from '../runtime/pods';
import { indexed, type Indexed } from '../runtime/indexed';

const OWNER = 'owner';
const ORPHANS = 'orphans';

interface SharedIndex extends Indexed {
  users: number;
}

const shared = new WeakMap<Informer, SharedIndex>();

export class Dependants {
  private readonly index: SharedIndex;
  private hasEnded = false;

  /** Made before other handlers of the informer are added, so that these see the index in step. */
  constructor(private readonly informer: Informer) {
    this.index = shared.get(informer) ?? { ...indexed(informer, { [OWNER]: byOwner, [ORPHANS]: byNamespace }), users: 0 };
    this.index.users += 1;
    shared.set(informer, this.index);
  }

  /** Those that the object with this uid controls. */
  of(uid: string): readonly ApiObject[] {
    return this.index.store.byIndex(OWNER, uid);
  }

  /** Those of the namespace that nobody controls. */
  orphansIn(namespace: string): readonly ApiObject[] {
    return this.index.store.byIndex(ORPHANS, namespace);
  }

  /** All that the owner may claim. */
  candidatesFor({ namespace, uid }: ApiObject): readonly ApiObject[] {
    const orphans = this.orphansIn(namespace);
    return orphans.length === 0 ? this.of(uid) : [...this.of(uid), ...orphans];
  }

  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.index.users -= 1;
    if (this.index.users > 0) return;
    this.index.end();
    shared.delete(this.informer);
  }
}

function byOwner(object: ApiObject): readonly string[] {
  const owner = controllerOf(object);
  return owner === undefined ? [] : [owner.uid];
}

const byNamespace = (object: ApiObject): readonly string[] => (controllerOf(object) === undefined ? [object.namespace] : []);
