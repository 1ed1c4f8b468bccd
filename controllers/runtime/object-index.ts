/** Indexes the objects of an informer. Follows the informer and holds no object that the informer does not hold. */
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import { ObjectStore, type Indexer } from '../../shared/client/informer/object-store';
import type { Informer } from '../../shared/client/informer/informer';
import type { JsonObject } from '../../shared/values/json';

export interface ObjectIndex<Body extends JsonObject> {
  readonly informer: Informer<Body>;
  /** The objects that have the value in the index. Throws for an index without an indexer. */
  find(index: string, value: string): readonly ApiObject<Body>[];
  /** Stops following the informer. */
  readonly end: () => void;
}

export function indexInformer<Body extends JsonObject>(
  informer: Informer<Body>,
  indexers: Readonly<Record<string, Indexer<Body>>>,
): ObjectIndex<Body> {
  const store = new ObjectStore<Body>(indexers);
  const end = informer.handle({
    added: (object) => void store.set(object),
    updated: (_, object) => void store.set(object),
    deleted: (object) => void store.remove(keyOf(object)),
  });
  return { informer, find: (index, value) => store.byIndex(index, value), end };
}
