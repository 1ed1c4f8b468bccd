/**
 * Lists all objects of a resource from the API server, in pages: for controllers that must know every write of the
 * previous leader before their first one, because their informer may lag behind.
 */
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { Resource } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import type { JsonObject } from '../../shared/values/json';

const PAGE_SIZE = 500;

export async function* listPages<Body extends JsonObject>(
  client: Pick<RestClient, 'list'>,
  resource: Resource<Body>,
  signal: AbortSignal,
): AsyncGenerator<readonly ApiObject<Body>[]> {
  let token: string | undefined;
  do {
    const page = await client.list(resource, { signal, limit: PAGE_SIZE, ...(token === undefined ? {} : { continue: token }) });
    yield page.items;
    token = page.continue;
  } while (token !== undefined);
}
