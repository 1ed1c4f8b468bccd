/**
 * The collector's writes. Each rests on the state that was seen: where the object has changed since, it is read and the change is made for what it is now; another
 * object under the same name is never touched.
 */
import { isConflict, isNotFound } from '../../shared/client/rest/api-error';
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import type { RequestOptions, RestClient } from '../../shared/client/rest/rest-client';
import { metadataOf, type PartialObjectMetadata, type Resource } from '../../shared/client/rest/resource';
import { equalJson, type JsonObject } from '../../shared/values/json';
import type { SeenNode } from './owner-graph';
import { ownersOf } from './owner-references';
import type { DeletionPolicy } from './reconcile';

/** What the writes need of a client. */
type GarbageClient = Pick<RestClient, 'patch' | 'delete'> & {
  get(resource: Resource<PartialObjectMetadata>, name: ObjectName, options: RequestOptions): Promise<ApiObject>;
};
type ObjectName = { readonly namespace: string; readonly name: string };

export class GarbageWrites {
  constructor(
    private readonly client: GarbageClient,
    private readonly signal: AbortSignal,
  ) {}

  /** As the server has it now; undefined where it is gone. */
  async current(
    resource: Resource,
    { namespace, name, uid }: Pick<ApiObject, 'namespace' | 'name' | 'uid'>,
  ): Promise<ApiObject | undefined> {
    try {
      const found = await this.client.get(metadataOf(resource), { namespace, name }, { signal: this.signal });
      return found.uid === uid ? found : undefined;
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  /** `change` makes a merge patch of the object's state; undefined = it is as it should be. */
  async patch({ resource, object }: SeenNode, change: (object: ApiObject) => JsonObject | undefined): Promise<void> {
    const { namespace, name } = object;
    const send = async (state: ApiObject): Promise<void> => {
      const patch = change(state);
      if (patch !== undefined) await this.client.patch(resource, { namespace, name }, 'merge', patch, { signal: this.signal });
    };
    await this.withCurrent(resource, object, send);
  }

  /**
   * Throws the conflict where the object has other owners by now. One that is being deleted by now goes as that was asked: the look that asked it may be ahead of what has
   * been seen, and another policy would take its place.
   */
  async delete({ resource, object }: SeenNode, propagationPolicy: DeletionPolicy): Promise<void> {
    const { namespace, name, uid } = object;
    const send = async (state: ApiObject, conflict?: Error): Promise<void> => {
      if (conflict !== undefined && isBeingDeleted(state)) return;
      if (conflict !== undefined && !hasSameOwners(state, object)) throw conflict;
      const preconditions = { uid, resourceVersion: state.resourceVersion };
      await this.client.delete(resource, { namespace, name }, { propagationPolicy, preconditions, signal: this.signal });
    };
    await this.withCurrent(resource, object, send);
  }

  private async withCurrent(
    resource: Resource,
    object: ApiObject,
    send: (state: ApiObject, conflict?: Error) => Promise<void>,
  ): Promise<void> {
    try {
      await send(object);
    } catch (error) {
      if (isNotFound(error)) return;
      if (!isConflict(error)) throw error;
      const current = await this.current(resource, object);
      if (current !== undefined) await send(current, error).catch(unlessGone);
    }
  }
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

const hasSameOwners = (one: ApiObject, other: ApiObject): boolean =>
  equalJson(
    ownersOf(one).map(({ reference }) => reference),
    ownersOf(other).map(({ reference }) => reference),
  );
