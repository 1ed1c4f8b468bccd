/** Making what every namespace has. */
import type { JsonObject } from '../../shared/values/json';
import { isAlreadyExists, isNamespaceTerminating, isNotFound } from '../../shared/client/rest/api-error';
import type { Resource } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';

/** Creates the object unless it is there already, or its namespace is gone or going. */
export async function createInNamespace(client: RestClient, resource: Resource, object: JsonObject, signal: AbortSignal): Promise<void> {
  try {
    await client.create(resource, object, { signal });
  } catch (error) {
    if (!isAlreadyExists(error) && !isNotFound(error) && !isNamespaceTerminating(error)) throw error;
  }
}
