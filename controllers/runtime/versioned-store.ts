/**
 * The objects of an informer, ahead of it by this process' own writes: the next decision is made on what was written,
 * although the informer does not show it yet. An older version never replaces a newer one.
 */
import type { Informer } from '../../shared/client/informer/informer';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { JsonObject } from '../../shared/values/json';

export interface StoreListener<Body extends JsonObject> {
  /** Called for each change; `previous` is undefined for a new object, `current` for a deleted one. */
  onChange(previous: ApiObject<Body> | undefined, current: ApiObject<Body> | undefined): void;
}

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

  /** Call it with the response to a write. */
  set(object: ApiObject<Body>): void {
    const previous = this.objects.get(keyOf(object));
    if (previous !== undefined && Number(previous.resourceVersion) >= Number(object.resourceVersion)) return;
    this.objects.set(keyOf(object), object);
    this.listener.onChange(previous, object);
  }

  remove(object: ApiObject<Body>): void {
    const previous = this.objects.get(keyOf(object));
    if (previous === undefined || previous.uid !== object.uid) return;
    this.objects.delete(keyOf(object));
    this.listener.onChange(previous, undefined);
  }

  /**
   * Removes the object if the informer does not have it: the response to a write may arrive after the deletion. Returns
   * whether it did.
   */
  dropIfDeleted(object: ApiObject<Body>): boolean {
    if (this.informer.byKey(keyOf(object)) !== undefined) return false;
    this.remove(object);
    return true;
  }
}
