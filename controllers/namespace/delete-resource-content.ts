/**
 * Deletes one resource's objects in a namespace, and says what is left. Objects that a finalizer or their grace period keeps are no
 * failure.
 */
import { objectAt, own } from '../../shared/values/json';
import { isConflict, isNotFound } from '../../shared/client/rest/api-error';
import { finalizersOf, type ApiObject } from '../../shared/client/rest/api-object';
import { metadataOf } from '../../shared/client/rest/resource';
import type { ServedResource } from '../../shared/client/rest/discovery';
import type { ObjectList, RestClient } from '../../shared/client/rest/rest-client';
import type { Remainder } from './namespace-conditions';

const PAGE_SIZE = 500;
const EXAMPLES = 5;
/** A collection of many thousands takes its time; what is not gone by then goes in the next pass. Milliseconds. */
const DELETE_MS = 65_000;

export interface ContentOptions {
  readonly client: RestClient;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** Undefined = nothing is left. Throws what the server refuses with. */
export async function deleteContent(resource: ServedResource, options: ContentOptions): Promise<Remainder | undefined> {
  try {
    const first = await page(resource, options, 1);
    if (first.items.length === 0) return undefined;
    if (resource.verbs.has('deletecollection')) {
      const { client, namespace, signal } = options;
      await client.deleteCollection(resource, { namespace, propagationPolicy: 'Background', signal, timeoutMs: DELETE_MS });
    } else {
      await deleteEach(resource, options);
    }
    return await remainder(resource, options);
  } catch (error) {
    // The resource itself may have gone since it was discovered.
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

async function page(
  resource: ServedResource,
  { client, namespace, signal }: ContentOptions,
  limit: number,
  token?: string,
): Promise<ObjectList> {
  return client.list(metadataOf(resource), { namespace, signal, limit, ...(token === undefined ? {} : { continue: token }) });
}

async function* objects(resource: ServedResource, options: ContentOptions): AsyncGenerator<ApiObject> {
  let token: string | undefined;
  do {
    const found = await page(resource, options, PAGE_SIZE, token);
    yield* found.items;
    token = found.continue;
  } while (token !== undefined);
}

async function deleteEach(resource: ServedResource, options: ContentOptions): Promise<void> {
  const { client, namespace, signal } = options;
  for await (const { name, uid } of objects(resource, options)) {
    try {
      await client.delete(resource, { namespace, name }, { propagationPolicy: 'Background', preconditions: { uid }, signal });
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    }
  }
}

async function remainder(resource: ServedResource, options: ContentOptions): Promise<Remainder | undefined> {
  let count = 0;
  let graceSeconds = 0;
  const finalizers = new Map<string, number>();
  const examples: string[] = [];
  for await (const object of objects(resource, options)) {
    count += 1;
    const held = finalizersOf(object);
    for (const name of held) finalizers.set(name, (finalizers.get(name) ?? 0) + 1);
    if (examples.length < EXAMPLES) examples.push(held.length === 0 ? object.name : `${object.name} (${held.join(', ')})`);
    graceSeconds = Math.max(graceSeconds, graceOf(object));
  }
  return count === 0 ? undefined : { label: `${resource.resource}.${resource.group}`, count, finalizers, graceSeconds, examples };
}

function graceOf(object: ApiObject): number {
  const metadata = objectAt(object.body, 'metadata');
  const seconds = metadata === undefined ? undefined : own(metadata, 'deletionGracePeriodSeconds');
  return typeof seconds === 'number' && seconds > 0 ? seconds : 0;
}
