/**
 * Deletes the objects of one resource in a namespace, and counts those that remain, for example because of a finalizer or
 * a grace period.
 */
import { ignoreNotFoundOrConflict, isNotFound } from '../../shared/client/rest/api-error';
import { finalizersOf, type ApiObject } from '../../shared/client/rest/api-object';
import { metadataOf, type PartialObjectMetadata } from '../../shared/client/rest/resource';
import type { ServedResource } from '../../shared/client/rest/discovery';
import type { RestClient } from '../../shared/client/rest/rest-client';
import type { ObjectList } from '../../shared/client/rest/request-options';
import type { RemainingContent } from './namespace-conditions';

/** The page size of client-go's pager. */
const PAGE_SIZE = 500;
/** How many names of remaining objects are logged for a resource. */
const MAX_EXAMPLES = 5;
/** The time limit of deleting a collection; when many thousands take longer, the next attempt deletes the rest. */
const DELETE_TIMEOUT_MS = 65_000;

/** The namespace, and the client that deletes its content. */
export interface ContentOptions {
  readonly client: RestClient;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/**
 * Returns undefined when nothing remains, also when the resource is not served any more. Throws the error of any other
 * request that fails.
 */
export async function deleteResourceContent(resource: ServedResource, options: ContentOptions): Promise<RemainingContent | undefined> {
  try {
    const firstPage = await listPage(resource, options, 1);
    if (firstPage.items.length === 0) return undefined;
    if (resource.verbs.has('deletecollection')) {
      const { client, namespace, signal } = options;
      const timeoutMs = DELETE_TIMEOUT_MS;
      await client.of(resource).namespace(namespace).deleteCollection({ propagationPolicy: 'Background', signal, timeoutMs });
    } else {
      await deleteEachObject(resource, options);
    }
    return await remainingContent(resource, options);
  } catch (error) {
    // The resource may have been removed since it was discovered.
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function listPage(
  resource: ServedResource,
  { client, namespace, signal }: ContentOptions,
  limit: number,
  token?: string,
): Promise<ObjectList<PartialObjectMetadata>> {
  return client
    .of(metadataOf(resource))
    .namespace(namespace)
    .list({ signal, limit, ...(token === undefined ? {} : { continue: token }) });
}

async function* listObjects(resource: ServedResource, options: ContentOptions): AsyncGenerator<ApiObject<PartialObjectMetadata>> {
  let token: string | undefined;
  do {
    const page = await listPage(resource, options, PAGE_SIZE, token);
    yield* page.items;
    token = page.continue;
  } while (token !== undefined);
}

/** For resources without the verb deletecollection. */
async function deleteEachObject(resource: ServedResource, options: ContentOptions): Promise<void> {
  const { client, namespace, signal } = options;
  for await (const { name, uid } of listObjects(resource, options)) {
    await client
      .of(resource)
      .namespace(namespace)
      .delete(name, { propagationPolicy: 'Background', preconditions: { uid }, signal })
      .catch(ignoreNotFoundOrConflict);
  }
}

async function remainingContent(resource: ServedResource, options: ContentOptions): Promise<RemainingContent | undefined> {
  let count = 0;
  let graceSeconds = 0;
  const finalizers = new Map<string, number>();
  const examples: string[] = [];
  for await (const object of listObjects(resource, options)) {
    count += 1;
    const objectFinalizers = finalizersOf(object);
    for (const name of objectFinalizers) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
    if (examples.length < MAX_EXAMPLES) {
      examples.push(objectFinalizers.length === 0 ? object.name : `${object.name} (${objectFinalizers.join(', ')})`);
    }
    graceSeconds = Math.max(graceSeconds, Number(object.metadata.deletionGracePeriodSeconds ?? 0));
  }
  return count === 0 ? undefined : { resource: `${resource.resource}.${resource.group}`, count, finalizers, graceSeconds, examples };
}
