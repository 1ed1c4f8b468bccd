/** Objects of an informer by what else they are looked up by than their key. Follows the informer; holds nothing that it does not hold. */
import { keyOf } from '../../shared/client/rest/api-object';
import { ObjectStore, type Indexer } from '../../shared/client/informer/object-store';
import type { Informer } from '../../shared/client/informer/informer';

export interface Indexed {
  readonly store: ObjectStore;
  /** Follows no more. */
  readonly end: () => void;
}

export function indexed(informer: Informer, indexers: Readonly<Record<string, Indexer>>): Indexed {
  const store = new ObjectStore(indexers);
  const end = informer.handle({
    added: (object) => void store.set(object),
    updated: (_, object) => void store.set(object),
    deleted: (object) => void store.remove(keyOf(object)),
  });
  return { store, end };
}
