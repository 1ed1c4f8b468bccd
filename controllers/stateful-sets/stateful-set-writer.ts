/**
 * Executes the actions of a StatefulSet: writes its pods, their claims and its status, and records Events about it. A
 * claim exists before the pod that uses it. Which actions are due is left to reconcile.ts.
 */
import {
  ApiError,
  ignoreNotFound,
  ignoreNotFoundOrConflict,
  isAlreadyExists,
  isConflict,
  isNamespaceTerminating,
  isNotFound,
} from '../../shared/client/rest/api-error';
import type { AppsV1StatefulSetStatus, CoreV1PersistentVolumeClaim } from '../../shared/api/types/generated/members';
import { keyOf } from '../../shared/client/rest/api-object';
import type { EventRecorder } from '../../shared/client/events/event-recorder';
import type { Informer } from '../../shared/client/informer/informer';
import type { RestClient } from '../../shared/client/rest/rest-client';
import type { Expectations } from '../workload/expectations';
import { eventReference } from '../workload/references';
import { templateOf } from '../workload/spec';
import { templateOfRevision, type ControllerRevision } from '../workload/controller-revision';
import { labelsOf } from '../runtime/pods';
import type { Pod } from '../../shared/client/rest/typed-objects';
import { changedOwnerReferences, type ClaimOwners } from './claim-owner-references';
import { claimNames, identityLabelsToRestore, newClaims, newVersionedPod } from './identity';
import type { PodAction } from './reconcile';
import { CLAIMS, PODS, STATEFUL_SETS, type StatefulSet } from './stateful-set';

/** What the writer reads from and writes to. */
export interface StatefulSetWriterOptions {
  readonly client: RestClient;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly claims: Pick<Informer<CoreV1PersistentVolumeClaim>, 'get'>;
  /** The creations and deletions of pods that the informer does not show yet. */
  readonly expectations: Expectations;
  readonly signal: AbortSignal;
}

/** The revisions that new pods may have. */
export interface StatefulSetRevisions {
  readonly current: ControllerRevision;
  readonly update: ControllerRevision;
}

/** Writes for all StatefulSets of the process; a StatefulSet is written by one sync at a time. */
export class StatefulSetWriter {
  constructor(private readonly options: StatefulSetWriterOptions) {}

  /**
   * Executes the actions in order and throws the first error. A namespace that is being deleted ends them without an
   * error.
   */
  async apply(set: StatefulSet, actions: readonly PodAction[], revisions: StatefulSetRevisions): Promise<void> {
    try {
      for (const action of actions) await this.execute(set, action, revisions);
    } catch (error) {
      if (!isNamespaceTerminating(error)) throw error;
    }
  }

  private execute(set: StatefulSet, action: PodAction, revisions: StatefulSetRevisions): Promise<void> {
    switch (action.type) {
      case 'create':
        return this.createPod(set, action.ordinal, action.revision, revisions);
      case 'update':
        return this.updatePod(set, action.pod, action.ordinal);
      case 'delete':
        return this.deletePod(set, action);
    }
  }

  private async createPod(
    set: StatefulSet,
    ordinal: number,
    version: keyof StatefulSetRevisions,
    revisions: StatefulSetRevisions,
  ): Promise<void> {
    const { client, expectations, signal } = this.options;
    const revision = revisions[version];
    // The update revision holds the StatefulSet's own template; only an earlier one has to be read from its revision.
    const template = version === 'update' ? templateOf(set) : templateOfRevision(revision);
    const pod = newVersionedPod({ dialect: client.dialect, set, template, revision: revision.name }, ordinal);
    const name = pod.metadata?.name ?? '';
    await this.createMissingClaims(set, name);
    expectations.expectCreations(keyOf(set), 1);
    try {
      await client.of(PODS).namespace(set.namespace).create(pod, { signal });
      this.recordPodEvent(set, 'create', name);
    } catch (error) {
      expectations.creationObserved(keyOf(set));
      if (error instanceof ApiError && !isAlreadyExists(error) && !isNamespaceTerminating(error)) {
        this.recordPodEvent(set, 'create', name, error);
      }
      throw error;
    }
  }

  private async createMissingClaims(set: StatefulSet, podName: string): Promise<void> {
    const { client, claims, signal } = this.options;
    for (const claim of newClaims(set, podName)) {
      const name = claim.metadata?.name ?? '';
      if (claims.get(set.namespace, name) !== undefined) continue;
      try {
        await client.of(CLAIMS).namespace(set.namespace).create(claim, { signal });
        this.recordEvent(set, 'Normal', 'SuccessfulCreate', `create Claim ${name} Pod ${podName} in StatefulSet ${set.name} success`);
      } catch (error) {
        if (isAlreadyExists(error)) continue;
        if (error instanceof ApiError && !isNamespaceTerminating(error)) {
          const message = `create Claim ${name} for Pod ${podName} in StatefulSet ${set.name} failed error: ${error.message}`;
          this.recordEvent(set, 'Warning', 'FailedCreate', message);
        }
        throw error;
      }
    }
  }

  /**
   * Creates missing claims, and restores the owners of the claims and the identity labels of the pod. Records an Event about
   * the pod when owners or labels needed an update, also when it was only the owners. Records none when the update of the pod
   * finds it changed or deleted: this is ignored, because that change enqueues the StatefulSet. A conflict of a claim is
   * thrown, because changes of claims enqueue nothing.
   */
  private async updatePod(set: StatefulSet, pod: Pod, ordinal: number): Promise<void> {
    const { client, signal } = this.options;
    // A pod in a later phase has started with its claims; only a Pending one can wait for a claim that is missing.
    if (pod.body.status?.phase === 'Pending') await this.createMissingClaims(set, pod.name);
    const restoredLabels = identityLabelsToRestore(pod, ordinal);
    const hasUpdatedClaims = await this.updateClaimOwners({ dialect: client.dialect, set, pod, isCondemned: false });
    if (restoredLabels === undefined && !hasUpdatedClaims) return;
    try {
      if (restoredLabels !== undefined) {
        const metadata = { ...pod.body.metadata, labels: { ...labelsOf(pod), ...restoredLabels } };
        await client
          .of(PODS)
          .namespace(pod.namespace)
          .update({ ...pod.body, metadata }, { signal });
      }
      this.recordPodEvent(set, 'update', pod.name);
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return;
      if (error instanceof ApiError) this.recordPodEvent(set, 'update', pod.name, error);
      throw error;
    }
  }

  /** Resolves to whether an update of a claim was needed. */
  private async updateClaimOwners(owners: ClaimOwners): Promise<boolean> {
    const { client, claims, signal } = this.options;
    const { set, pod } = owners;
    let hasUpdated = false;
    for (const name of claimNames(set, pod.name)) {
      const claim = claims.get(set.namespace, name);
      if (claim === undefined) continue;
      const ownerReferences = changedOwnerReferences(owners, claim);
      if (ownerReferences === undefined) continue;
      const metadata = { ...claim.body.metadata, ownerReferences };
      await client
        .of(CLAIMS)
        .namespace(claim.namespace)
        .update({ ...claim.body, metadata }, { signal })
        .catch(ignoreNotFound);
      hasUpdated = true;
    }
    return hasUpdated;
  }

  /**
   * First sets the owners of a condemned pod's claims, so that the garbage collector deletes the claims after the pod when
   * the retention policy demands it. Does so even when the pod does not exist any more. With the uid as its precondition, the
   * deletion spares a later pod of the same name: it fails with 404 or 409, which is ignored.
   */
  private async deletePod(set: StatefulSet, { pod, isCondemned }: Extract<PodAction, { readonly type: 'delete' }>): Promise<void> {
    const { client, expectations, signal } = this.options;
    if (isCondemned) await this.updateClaimOwners({ dialect: client.dialect, set, pod, isCondemned: true });
    const { namespace, name, uid } = pod;
    expectations.expectDeletions(keyOf(set), [keyOf(pod)]);
    try {
      await client.of(PODS).namespace(namespace).delete(name, { preconditions: { uid }, signal });
      this.recordPodEvent(set, 'delete', name);
    } catch (error) {
      expectations.deletionObserved(keyOf(set), keyOf(pod));
      if (isNotFound(error) || isConflict(error)) return;
      if (error instanceof ApiError) this.recordPodEvent(set, 'delete', name, error);
      throw error;
    }
  }

  /**
   * Writes nothing when `status` is undefined. The update carries the observed resourceVersion. A conflict is ignored,
   * because the change that caused it enqueues the StatefulSet, and so is a StatefulSet that does not exist.
   */
  async updateStatus(set: StatefulSet, status: AppsV1StatefulSetStatus | undefined): Promise<void> {
    if (status === undefined) return;
    const { client, signal } = this.options;
    await client
      .of(STATEFUL_SETS)
      .namespace(set.namespace)
      .updateStatus({ ...set.body, status }, { signal })
      .catch(ignoreNotFoundOrConflict);
  }

  private recordPodEvent(set: StatefulSet, verb: 'create' | 'update' | 'delete', podName: string, error?: ApiError): void {
    const action = `${verb} Pod ${podName} in StatefulSet ${set.name}`;
    // `create` -> `Create`, for `SuccessfulCreate` and `FailedCreate`.
    const reason = `${verb[0]?.toUpperCase() ?? ''}${verb.slice(1)}`;
    if (error === undefined) this.recordEvent(set, 'Normal', `Successful${reason}`, `${action} successful`);
    else this.recordEvent(set, 'Warning', `Failed${reason}`, `${action} failed error: ${error.message}`);
  }

  private recordEvent(set: StatefulSet, type: 'Normal' | 'Warning', reason: string, message: string): void {
    const { client, events } = this.options;
    events.record({ about: eventReference(client.dialect, STATEFUL_SETS, set), type, reason, message });
  }
}
