/**
 * The writes of the garbage collector. Each has the observed version as its precondition; after a conflict the object
 * is read and the change is computed again, once. An object with another uid under the same name is never changed.
 */
import { ignoreNotFound, isConflict, isNotFound, undefinedIfNotFound } from '../../shared/client/rest/api-error';
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { metadataOf, type Resource } from '../../shared/client/rest/resource';
import { equalJson } from '../../shared/values/json';
import type { ObservedNode } from './owner-graph';
import { ownerReferencesOf, type MetadataObject } from './owner-references';
import type { DeletionPolicy, MetadataPatch } from './reconcile';

type ObjectName = Pick<MetadataObject, 'namespace' | 'name'>;

/**
 * Resolves when the object has the requested state or does not exist any more; rejects when a request fails otherwise.
 */
export class GarbageWriter {
  constructor(
    private readonly client: Pick<RestClient, 'of'>,
    private readonly signal: AbortSignal,
  ) {}

  /** Reads the object from the server. Undefined when it does not exist, or another object has its name. */
  async read(resource: Resource, { namespace, name, uid }: ObjectName & Pick<MetadataObject, 'uid'>): Promise<MetadataObject | undefined> {
    const object = await undefinedIfNotFound(this.client.of(metadataOf(resource)).namespace(namespace).get(name, { signal: this.signal }));
    return object?.uid === uid ? object : undefined;
  }

  /** `patchFor` returns undefined when nothing has to change; after a conflict it is called again with the current object. */
  async patch({ resource, object }: ObservedNode, patchFor: (current: MetadataObject) => MetadataPatch): Promise<void> {
    const { namespace, name } = object;
    await this.withConflictRetry(resource, object, async (current) => {
      const patch = patchFor(current);
      if (patch !== undefined) await this.client.of(resource).namespace(namespace).patchMetadata(name, patch, { signal: this.signal });
    });
  }

  /**
   * Throws the conflict when the owner references have changed. After a conflict nothing more is sent for an object that
   * is being deleted: a request with another policy would replace the policy of the first.
   */
  async delete({ resource, object }: ObservedNode, propagationPolicy: DeletionPolicy): Promise<void> {
    const { namespace, name, uid } = object;
    await this.withConflictRetry(resource, object, async (current, conflict) => {
      if (conflict !== undefined && isBeingDeleted(current)) return;
      if (conflict !== undefined && !hasSameOwnerReferences(current, object)) throw conflict;
      const preconditions = { uid, resourceVersion: current.resourceVersion };
      await this.client.of(resource).namespace(namespace).delete(name, { propagationPolicy, preconditions, signal: this.signal });
    });
  }

  /** Calls `write` with the observed object, and once more with the current one and the error after a conflict. */
  private async withConflictRetry(
    resource: Resource,
    object: MetadataObject,
    write: (current: MetadataObject, conflict?: Error) => Promise<void>,
  ): Promise<void> {
    try {
      await write(object);
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error)) throw error;
      const current = await this.read(resource, object);
      if (current !== undefined) await write(current, error).catch(ignoreNotFound);
    }
  }
}

const hasSameOwnerReferences = (a: MetadataObject, b: MetadataObject): boolean =>
  equalJson(
    ownerReferencesOf(a).map(({ body }) => body),
    ownerReferencesOf(b).map(({ body }) => body),
  );
