/**
 * Lists the objects of an informer's resource from the API server, for controllers that must know every write of the
 * previous leader before they write themselves. Their informer may not show the last of these writes yet. An object is
 * left out when the informer reports its deletion during the list, so that a controller's handlers see the deletion of
 * every adopted object.
 */
import type { Informer } from '../../shared/client/informer/informer';
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { appendAll } from '../../shared/values/append';
import type { JsonObject } from '../../shared/values/json';

/** The page size of client-go's pager. */
const PAGE_SIZE = 500;

/** The informer names the resource and shows deletions; the objects in its store are not used. */
export interface AdoptExistingOptions<Body extends JsonObject> {
  readonly client: Pick<RestClient, 'of'>;
  readonly informer: Informer<Body>;
  readonly signal: AbortSignal;
  /** Other objects are dropped with their page. */
  readonly isSelected: (object: ApiObject<Body>) => boolean;
  /** Called once, with all selected objects. Not called when a request fails. */
  readonly adopt: (objects: readonly ApiObject<Body>[]) => void;
}

/** Resolves after `adopt` was called; rejects when a page cannot be listed. */
export async function adoptExisting<Body extends JsonObject>({
  client,
  informer,
  signal,
  isSelected,
  adopt,
}: AdoptExistingOptions<Body>): Promise<void> {
  const selected: ApiObject<Body>[] = [];
  const deletedUids = new Set<string>();
  const removeHandler = informer.handle({ deleted: ({ uid }) => deletedUids.add(uid) });
  try {
    let token: string | undefined;
    do {
      const page = await client
        .of(informer.resource)
        .list({ signal, limit: PAGE_SIZE, ...(token === undefined ? {} : { continue: token }) });
      appendAll(selected, page.items.filter(isSelected));
      token = page.continue;
    } while (token !== undefined);
    adopt(selected.filter(({ uid }) => !deletedUids.has(uid)));
  } finally {
    removeHandler();
  }
}
