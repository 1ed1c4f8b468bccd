/**
 * Indexes the objects of an informer by values that functions derive from them, for controllers that look up objects by
 * more than their name. Follows the informer, so it holds the same objects.
 */
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import { ObjectStore, type Indexer } from '../../shared/client/informer/object-store';
import type { Informer } from '../../shared/client/informer/informer';
import type { JsonObject } from '../../shared/values/json';

/** An informer with indexes over its objects. */
export interface ObjectIndex<Body extends JsonObject> {
  readonly informer: Informer<Body>;
  /** The objects that have the value in the index. Throws for an index without an indexer. */
  find(index: string, value: string): readonly ApiObject<Body>[];
  /** Stops following the informer. */
  readonly end: () => void;
}

/**
 * Creates the indexes, which are complete once the informer has synced. `indexers`, by the name of their index, return
 * the values under which an object is found.
 */
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
