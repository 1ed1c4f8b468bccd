/**
 * Creates and deletes pods for an owner, and records an Event about the owner for each. The Events have the reasons and
 * messages of upstream's PodControl. The caller decides how many pods.
 */
import type { CoreV1Pod, CoreV1PodTemplateSpec, MetaV1ObjectMeta } from '../../shared/api/types/generated/members';
import { ApiError, isNamespaceTerminating, isNotFound } from '../../shared/client/rest/api-error';
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { EventRecorder } from '../../shared/client/events/event-recorder';
import { resourceOf, type Resource } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import type { Dialect } from '../../shared/names/dialect';
import { cloneJson } from '../../shared/values/json';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { controllerReference, eventReference } from './references';

const PODS = resourceOf('core.v1.Pod');

/** The body of a pod of the template, with a generated name, controlled by the owner. */
export function podFromTemplate(template: CoreV1PodTemplateSpec, dialect: Dialect, resource: Resource, owner: ApiObject): CoreV1Pod {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const metadata: MetaV1ObjectMeta = {
    namespace: owner.namespace,
    generateName: `${owner.name}-`,
    ...(labels === undefined ? {} : { labels: { ...labels } }),
    ...(annotations === undefined ? {} : { annotations: { ...annotations } }),
    ...(finalizers === undefined ? {} : { finalizers: [...finalizers] }),
    ownerReferences: [controllerReference(dialect, resource, owner)],
  };
  return { metadata, spec: cloneJson(template.spec ?? {}) };
}

/** The owners and the clients of one {@link PodControl}. */
export interface PodControlOptions {
  readonly client: RestClient;
  readonly events: Pick<EventRecorder, 'record'>;
  /** The resource of the owners. */
  readonly resource: Resource;
  readonly signal: AbortSignal;
}

/**
 * Creates and deletes pods for the owners of one kind. A refusal by the server is recorded as an Event before it is
 * thrown, unless the namespace is being deleted.
 */
export class PodControl {
  constructor(private readonly options: PodControlOptions) {}

  /**
   * Returns the stored pod. Throws {@link NamespaceTerminatingError} when the namespace accepts no objects any more.
   */
  async create(owner: ApiObject, pod: CoreV1Pod): Promise<Pod> {
    const { client, signal } = this.options;
    try {
      const created = await client.of(PODS).namespace(owner.namespace).create(pod, { signal });
      this.recordEvent(owner, 'Normal', 'SuccessfulCreate', `Created pod: ${created.name}`);
      return created;
    } catch (error) {
      if (isNamespaceTerminating(error)) throw new NamespaceTerminatingError(owner.namespace);
      if (error instanceof ApiError) this.recordEvent(owner, 'Warning', 'FailedCreate', `Error creating: ${error.message}`);
      throw error;
    }
  }

  /**
   * Deletes the pod with this uid. Returns false when no pod has its name any more; throws a conflict when another pod
   * has it.
   */
  async delete(owner: ApiObject, { namespace, name, uid }: ApiObject): Promise<boolean> {
    const { client, signal } = this.options;
    try {
      await client.of(PODS).namespace(namespace).delete(name, { preconditions: { uid }, signal });
      this.recordEvent(owner, 'Normal', 'SuccessfulDelete', `Deleted pod: ${name}`);
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      if (error instanceof ApiError) this.recordEvent(owner, 'Warning', 'FailedDelete', `Error deleting: ${error.message}`);
      throw error;
    }
  }

  private recordEvent(owner: ApiObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    const { client, events, resource } = this.options;
    events.record({ about: eventReference(client.dialect, resource, owner), type, reason, message });
  }
}

/** The namespace is being deleted: another attempt cannot succeed. */
export class NamespaceTerminatingError extends Error {
  override readonly name = 'NamespaceTerminatingError';

  constructor(namespace: string) {
    super(`the namespace ${namespace} is being deleted`);
  }
}
