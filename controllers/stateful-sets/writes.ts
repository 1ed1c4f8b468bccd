/** What is written for a StatefulSet: its pods, their claims and its status, with the Events that tell of it about the set. Never decides anything. */
import { ApiError, isAlreadyExists, isConflict, isNamespaceTerminating, isNotFound } from '../../shared/client/rest/api-error';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { EventRecorder } from '../../shared/client/events/event-recorder';
import type { Informer } from '../../shared/client/informer/informer';
import { resourceOf } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import type { Expectations } from '../workload/expectations';
import { eventReference } from '../workload/references';
import { templateOf } from '../workload/spec';
import { templateOfRevision } from '../workload/controller-revision';
import { labelsOf } from '../runtime/pods';
import { changedOwners } from './claim-owners';
import { claimNames, claimsFor, missingLabels, podFor } from './identity';
import type { SetAction } from './plan';

export const STATEFUL_SETS = resourceOf('apps.v1.StatefulSet');
export const PODS = resourceOf('core.v1.Pod');
export const CLAIMS = resourceOf('core.v1.PersistentVolumeClaim');

export interface SetWritesOptions {
  readonly client: RestClient;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly claims: Pick<Informer, 'get'>;
  readonly expectations: Expectations;
  readonly signal: AbortSignal;
}

export interface SetRevisions {
  readonly current: ApiObject;
  readonly update: ApiObject;
}

export class SetWrites {
  constructor(private readonly options: SetWritesOptions) {}

  /** One after the other; what fails ends it. False = the namespace is being deleted. */
  async carryOut(set: ApiObject, actions: readonly SetAction[], revisions: SetRevisions): Promise<boolean> {
    try {
      for (const action of actions) await this.act(set, action, revisions);
      return true;
    } catch (error) {
      if (isNamespaceTerminating(error)) return false;
      throw error;
    }
  }

  private act(set: ApiObject, action: SetAction, revisions: SetRevisions): Promise<void> {
    switch (action.type) {
      case 'create':
        return this.create(set, action.ordinal, action.revision, revisions);
      case 'settle':
        return this.settle(set, action.pod, action.ordinal);
      case 'delete':
        return this.delete(set, action.pod, action.claims);
    }
  }

  private async create(set: ApiObject, ordinal: number, which: keyof SetRevisions, revisions: SetRevisions): Promise<void> {
    const { client, expectations, signal } = this.options;
    const revision = revisions[which];
    const template = which === 'update' ? templateOf(set) : templateOfRevision(revision);
    const pod = podFor({ dialect: client.dialect, resource: STATEFUL_SETS, set, template, revision: revision.name }, ordinal);
    const name = stringAt(objectAt(pod, 'metadata'), 'name') ?? '';
    await this.makeClaims(set, name);
    expectations.expectCreations(keyOf(set), 1);
    try {
      await client.create(PODS, pod, { signal });
      this.tell(set, 'create', name);
    } catch (error) {
      expectations.creationObserved(keyOf(set));
      if (error instanceof ApiError && !isAlreadyExists(error) && !isNamespaceTerminating(error)) this.tell(set, 'create', name, error);
      throw error;
    }
  }

  private async makeClaims(set: ApiObject, pod: string): Promise<void> {
    const { client, claims, signal } = this.options;
    for (const claim of claimsFor(set, pod)) {
      const name = stringAt(objectAt(claim, 'metadata'), 'name') ?? '';
      if (claims.get(set.namespace, name) !== undefined) continue;
      try {
        await client.create(CLAIMS, claim, { signal });
        this.record(set, 'Normal', 'SuccessfulCreate', `create Claim ${name} Pod ${pod} in StatefulSet ${set.name} success`);
      } catch (error) {
        if (isAlreadyExists(error)) continue;
        const said = error instanceof ApiError && !isNamespaceTerminating(error) ? error.message : undefined;
        const failed = `create Claim ${name} for Pod ${pod} in StatefulSet ${set.name} failed error: ${said ?? ''}`;
        if (said !== undefined) this.record(set, 'Warning', 'FailedCreate', failed);
        throw error;
      }
    }
  }

  private async settle(set: ApiObject, pod: ApiObject, ordinal: number): Promise<void> {
    const { client, signal } = this.options;
    if (stringAt(objectAt(pod.body, 'status'), 'phase') === 'Pending') await this.makeClaims(set, pod.name);
    const labels = missingLabels(pod, ordinal);
    const isOwned = await this.settleClaims(set, pod, false);
    if (labels === undefined && !isOwned) return;
    try {
      if (labels !== undefined) {
        const metadata = { ...objectAt(pod.body, 'metadata'), labels: { ...labelsOf(pod), ...labels } };
        await client.update(PODS, { ...pod.body, metadata }, { signal });
      }
      this.tell(set, 'update', pod.name);
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return;
      if (error instanceof ApiError) this.tell(set, 'update', pod.name, error);
      throw error;
    }
  }

  /** Whether something was changed. */
  private async settleClaims(set: ApiObject, pod: ApiObject, isCondemned: boolean): Promise<boolean> {
    const { client, claims, signal } = this.options;
    let isChanged = false;
    for (const name of claimNames(set, pod.name)) {
      const claim = claims.get(set.namespace, name);
      if (claim === undefined) continue;
      const ownerReferences = changedOwners({ dialect: client.dialect, resource: STATEFUL_SETS, set, pod, isCondemned }, claim);
      if (ownerReferences === undefined) continue;
      const metadata = { ...objectAt(claim.body, 'metadata'), ownerReferences: [...ownerReferences] };
      await client.update(CLAIMS, { ...claim.body, metadata }, { signal }).catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
      isChanged = true;
    }
    return isChanged;
  }

  private async delete(set: ApiObject, pod: ApiObject, claims: boolean): Promise<void> {
    const { client, expectations, signal } = this.options;
    if (claims) await this.settleClaims(set, pod, true);
    const { namespace, name, uid } = pod;
    expectations.expectDeletions(keyOf(set), [keyOf(pod)]);
    try {
      await client.delete(PODS, { namespace, name }, { preconditions: { uid }, signal });
      this.tell(set, 'delete', name);
    } catch (error) {
      expectations.deletionObserved(keyOf(set), keyOf(pod));
      if (isNotFound(error) || isConflict(error)) return;
      if (error instanceof ApiError) this.tell(set, 'delete', name, error);
      throw error;
    }
  }

  /** Bound to the version that was seen: what has changed meanwhile is told by its own event. */
  async writeStatus(set: ApiObject, status: JsonObject | undefined): Promise<void> {
    if (status === undefined) return;
    const { client, signal } = this.options;
    await client.update(STATEFUL_SETS, { ...set.body, status }, { subresource: 'status', signal }).catch((error: unknown) => {
      if (!isNotFound(error) && !isConflict(error)) throw error;
    });
  }

  private tell(set: ApiObject, verb: 'create' | 'update' | 'delete', pod: string, error?: ApiError): void {
    const what = `${verb} Pod ${pod} in StatefulSet ${set.name}`;
    const reason = `${verb[0]?.toUpperCase() ?? ''}${verb.slice(1)}`;
    if (error === undefined) this.record(set, 'Normal', `Successful${reason}`, `${what} successful`);
    else this.record(set, 'Warning', `Failed${reason}`, `${what} failed error: ${error.message}`);
  }

  private record(set: ApiObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    const { client, events } = this.options;
    events.record({ about: eventReference(client.dialect, STATEFUL_SETS, set), type, reason, message });
  }
}
