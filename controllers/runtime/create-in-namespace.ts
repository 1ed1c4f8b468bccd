/** Creates an object that every namespace should have; deciding when one is missing is left to its controller. */
import { isAlreadyExists, isNamespaceTerminating, isNotFound } from '../../shared/client/rest/api-error';
import { namespaceOf } from '../../shared/client/rest/api-object';
import type { Resource } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import type { JsonObject } from '../../shared/values/json';

/**
 * Creates the object unless it exists, or its namespace does not exist or is being deleted; rejects for any other
 * failure.
 */
export async function createInNamespace<Body extends JsonObject>(
  client: RestClient,
  resource: Resource<Body>,
  object: NoInfer<Body>,
  signal: AbortSignal,
): Promise<void> {
  try {
    await client.of(resource).namespace(namespaceOf(object)).create(object, { signal });
  } catch (error) {
    if (!isAlreadyExists(error) && !isNotFound(error) && !isNamespaceTerminating(error)) throw error;
  }
}
