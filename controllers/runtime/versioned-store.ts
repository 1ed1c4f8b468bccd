/**
 * The objects of an informer together with this process' own writes that the informer does not show yet, so that the
 * next decision takes them into account. An older version never replaces a newer one. Passing the responses of writes
 * to the store is left to the callers.
 */
import type { Informer } from '../../shared/client/informer/informer';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';

/** Receives the changes of a {@link VersionedStore}, whether from the informer or from a write of this process. */
export interface StoreListener<Body extends JsonObject> {
  /** Called for each change; `previous` is undefined for a new object, `current` for a deleted one. */
  onChange(previous: ApiObject<Body> | undefined, current: ApiObject<Body> | undefined): void;
}

/** Keys are those of informers: `namespace/name`, or `name` for cluster-scoped objects. */
export class VersionedStore<Body extends JsonObject> {
  private readonly objects = new Map<string, ApiObject<Body>>();
  /** Stops following the informer. */
  readonly end: () => void;

  constructor(
    private readonly informer: Informer<Body>,
    private readonly listener: StoreListener<Body>,
  ) {
    this.end = informer.handle({
      added: (object) => this.set(object),
      updated: (_, object) => this.set(object),
      deleted: (object) => this.remove(object),
    });
  }

  get(key: string): ApiObject<Body> | undefined {
    return this.objects.get(key);
  }

  values(): Iterable<ApiObject<Body>> {
    return this.objects.values();
  }

  /** Call it with the response to a write. Ignores a version that is not newer than the stored one. */
  set(object: ApiObject<Body>): void {
    const previous = this.objects.get(keyOf(object));
    if (previous !== undefined && Number(previous.resourceVersion) >= Number(object.resourceVersion)) return;
    this.objects.set(keyOf(object), object);
    this.listener.onChange(previous, object);
  }

  /** Does nothing when the stored object of that name has another uid. */
  remove(object: ApiObject<Body>): void {
    const previous = this.objects.get(keyOf(object));
    if (previous === undefined || previous.uid !== object.uid) return;
    this.objects.delete(keyOf(object));
    this.listener.onChange(previous, undefined);
  }

  /**
   * Removes the object if the informer does not have it: the response to a write may have arrived after the deletion, and
   * was then stored again. Returns whether the informer does not have it.
   */
  dropIfDeleted(object: ApiObject<Body>): boolean {
    if (this.informer.byKey(keyOf(object)) !== undefined) return false;
    this.remove(object);
    return true;
  }
}
