/** Pods made from a template and deleted again for an owner, with the Events that tell of it about the owner. Never decides how many there should be. */
import { ApiError, isNamespaceTerminating, isNotFound } from '../../shared/client/rest/api-error';
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { EventRecorder } from '../../shared/client/events/event-recorder';
import { resourceOf, type Resource } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import type { Dialect } from '../../shared/names/dialect';
import { cloneJson, objectAt, own, type JsonObject } from '../../shared/values/json';
import { controllerReference, eventReference } from './reference';

const PODS = resourceOf('core.v1.Pod');

/** The pod that the template makes, with a made-up name; who wants another name puts it in. */
export function podFrom(template: JsonObject, dialect: Dialect, resource: Resource, owner: ApiObject): JsonObject {
  const shown = objectAt(template, 'metadata') ?? {};
  const metadata: JsonObject = { namespace: owner.namespace, generateName: `${owner.name}-` };
  for (const member of ['labels', 'annotations', 'finalizers']) {
    const value = own(shown, member);
    if (value !== undefined && value !== null) metadata[member] = cloneJson(value);
  }
  metadata['ownerReferences'] = [controllerReference(dialect, resource, owner)];
  return { metadata, spec: cloneJson(objectAt(template, 'spec') ?? {}) };
}

export interface PodKeeperOptions {
  readonly client: RestClient;
  readonly events: Pick<EventRecorder, 'record'>;
  /** Of the owners. */
  readonly resource: Resource;
  readonly signal: AbortSignal;
}

/** Creates and deletes pods for owners of one kind. Whatever a method throws has been told in an Event, where it is worth one. */
export class PodKeeper {
  constructor(private readonly options: PodKeeperOptions) {}

  /** Throws {@link NamespaceGoing} where nothing can be made any more. */
  async create(owner: ApiObject, pod: JsonObject): Promise<ApiObject> {
    const { client, signal } = this.options;
    try {
      const made = await client.create(PODS, pod, { signal });
      this.tell(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${made.name}`);
      return made;
    } catch (error) {
      if (isNamespaceTerminating(error)) throw new NamespaceGoing(owner.namespace);
      if (error instanceof ApiError) this.tell(owner, 'Warning', 'FailedCreate', `Error creating: ${error.message}`);
      throw error;
    }
  }

  /** False = it was gone already. */
  async delete(owner: ApiObject, { namespace, name, uid }: ApiObject): Promise<boolean> {
    const { client, signal } = this.options;
    try {
      await client.delete(PODS, { namespace, name }, { preconditions: { uid }, signal });
      this.tell(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      if (error instanceof ApiError) this.tell(owner, 'Warning', 'FailedDelete', `Error deleting: ${error.message}`);
      throw error;
    }
  }

  private tell(owner: ApiObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    const { client, events, resource } = this.options;
    events.record({ about: eventReference(client.dialect, resource, owner), type, reason, message });
  }
}

/** The namespace is being deleted: trying again helps nobody. */
export class NamespaceGoing extends Error {
  override readonly name = 'NamespaceGoing';

  constructor(namespace: string) {
    super(`the namespace ${namespace} is being deleted`);
  }
}

export interface Started {
  readonly succeeded: number;
  /** The first failure; what was not tried because of it is neither. */
  readonly error: unknown;
}

/**
 * Does something `count` times, in batches of 1, 2, 4 … side by side, and tries no further batch when one has failed: what is refused once is mostly refused
 * each time, and thousands of refusals would help nobody.
 */
export async function slowStart(count: number, act: (index: number) => Promise<unknown>): Promise<Started> {
  let succeeded = 0;
  for (let done = 0, size = 1; done < count; done += size, size *= 2) {
    const batch = Array.from({ length: Math.min(size, count - done) }, (_, index) => act(done + index));
    const outcomes = await Promise.allSettled(batch);
    const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
    succeeded += outcomes.length - failed.length;
    if (failed[0] !== undefined) return { succeeded, error: failed[0].reason };
  }
  return { succeeded, error: undefined };
}
