/**
 * Executes the plan of a Deployment: writes its ReplicaSets, its status and its revision, and records Events. Every
 * update carries the observed resourceVersion.
 */
import {
  ApiError,
  ignoreNotFound,
  ignoreNotFoundOrConflict,
  isAlreadyExists,
  isNamespaceTerminating,
} from '../../shared/client/rest/api-error';
import type { AppsV1ReplicaSet, AppsV1ReplicaSetSpec } from '../../shared/api/types/generated/members';
import { keyOf } from '../../shared/client/rest/api-object';
import type { EventRecorder } from '../../shared/client/events/event-recorder';
import type { RestClient } from '../../shared/client/rest/rest-client';
import type { Clock } from '../../shared/runtime/clock';
import { controllerReference, eventReference } from '../workload/references';
import { templateOf } from '../workload/spec';
import { conditionsOf } from '../runtime/conditions';
import type { WrittenGenerations } from '../runtime/written-generations';
import { controllerOf } from '../runtime/pods';
import { annotationsOf, POD_TEMPLATE_HASH_LABEL, withAnnotation } from './annotations';
import { DEPLOYMENTS, progressDeadlineOf, REPLICA_SETS, type Deployment, type ReplicaSet } from './deployment';
import { equalIgnoringHash, type PlannedReplicaSet } from './planned-replica-set';
import type { DeploymentPlan } from './reconcile';
import type { ScalingEvent } from './scaling';
import { DeploymentConditions } from './status';

/** How the execution of a plan ended without an error. */
export type ApplyResult =
  | { readonly type: 'done' }
  /**
   * Another object has the name of the new ReplicaSet. `collisionCount` was raised, so the next plan chooses another
   * name.
   */
  | { readonly type: 'name-collision' }
  | { readonly type: 'namespace-terminating' };

/** What the writer writes to, and what it informs of its writes. */
export interface DeploymentWriterOptions {
  readonly client: RestClient;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly clock: Pick<Clock, 'now'>;
  /** Receives the ReplicaSets that were written, by the key of their Deployment. */
  readonly written: WrittenGenerations;
  readonly signal: AbortSignal;
}

/** Writes for all Deployments of the process; a Deployment is written by one sync at a time. */
export class DeploymentWriter {
  constructor(private readonly options: DeploymentWriterOptions) {}

  /**
   * Writes the ReplicaSets, deletes old ones and writes the status. Stops at the first write that fails, and throws its
   * error. A ReplicaSet to delete or a Deployment that does not exist is no failure, nor is a conflict of the status: the
   * change that caused it enqueues the Deployment.
   */
  async apply(deployment: Deployment, plan: DeploymentPlan): Promise<ApplyResult> {
    for (const replicaSet of plan.replicaSets) {
      const { observed } = replicaSet;
      const outcome =
        observed === undefined
          ? await this.createReplicaSet(deployment, replicaSet)
          : await this.updateReplicaSet(deployment, replicaSet, observed);
      if (outcome !== 'written' && outcome !== 'exists') return { type: outcome };
      const events = outcome === 'written' ? plan.scalingEvents.filter((event) => event.replicaSet === replicaSet.name) : [];
      for (const event of events) this.recordEvent(deployment, 'Normal', 'ScalingReplicaSet', scalingMessage(event));
    }
    for (const { namespace, name, uid } of plan.deletions) {
      await this.options.client
        .of(REPLICA_SETS)
        .namespace(namespace)
        .delete(name, { preconditions: { uid }, signal: this.options.signal })
        .catch(ignoreNotFound);
    }
    await this.updateStatus(deployment, plan);
    return { type: 'done' };
  }

  private async updateReplicaSet(deployment: Deployment, replicaSet: PlannedReplicaSet, { body }: ReplicaSet): Promise<'written'> {
    const { client, written, signal } = this.options;
    const { replicas, minReadySeconds } = replicaSet;
    const metadata = { ...body.metadata, annotations: { ...replicaSet.annotations } };
    const spec: AppsV1ReplicaSetSpec = { ...body.spec, replicas, ...(minReadySeconds === 0 ? {} : { minReadySeconds }) };
    if (minReadySeconds === 0) delete spec.minReadySeconds;
    written.record(
      keyOf(deployment),
      await client
        .of(REPLICA_SETS)
        .namespace(deployment.namespace)
        .update({ ...body, metadata, spec }, { signal }),
    );
    return 'written';
  }

  private async createReplicaSet(
    deployment: Deployment,
    replicaSet: PlannedReplicaSet,
  ): Promise<'written' | 'exists' | 'name-collision' | 'namespace-terminating'> {
    const { client, written, signal } = this.options;
    try {
      written.record(
        keyOf(deployment),
        await client.of(REPLICA_SETS).namespace(deployment.namespace).create(this.replicaSetBody(deployment, replicaSet), { signal }),
      );
      return 'written';
    } catch (error) {
      if (isNamespaceTerminating(error)) return 'namespace-terminating';
      if (isAlreadyExists(error)) return this.resolveNameConflict(deployment, replicaSet);
      if (error instanceof ApiError) await this.reportCreateError(deployment, replicaSet, error);
      throw error;
    }
  }

  private replicaSetBody(
    deployment: Deployment,
    { name, template, replicas, minReadySeconds, annotations }: PlannedReplicaSet,
  ): AppsV1ReplicaSet {
    const labels = template.metadata?.labels ?? {};
    const selector = deployment.body.spec?.selector ?? {};
    const matchLabels = { ...selector.matchLabels, [POD_TEMPLATE_HASH_LABEL]: labels[POD_TEMPLATE_HASH_LABEL] ?? '' };
    return {
      metadata: {
        namespace: deployment.namespace,
        name,
        labels: { ...labels },
        annotations: { ...annotations },
        ownerReferences: [controllerReference(this.options.client.dialect, DEPLOYMENTS, deployment)],
      },
      spec: {
        replicas,
        ...(minReadySeconds === 0 ? {} : { minReadySeconds }),
        selector: { ...selector, matchLabels },
        template,
      },
    };
  }

  /**
   * The object with the name may be the ReplicaSet itself, because the response to an earlier create was lost.
   * Otherwise raises `collisionCount`.
   */
  private async resolveNameConflict(deployment: Deployment, { name }: PlannedReplicaSet): Promise<'exists' | 'name-collision'> {
    const { client, signal } = this.options;
    const { namespace, body } = deployment;
    const existing = await client.of(REPLICA_SETS).namespace(namespace).get(name, { signal });
    if (controllerOf(existing)?.uid === deployment.uid && equalIgnoringHash(templateOf(existing), templateOf(deployment))) return 'exists';
    const collisionCount = (body.status?.collisionCount ?? 0) + 1;
    await client
      .of(DEPLOYMENTS)
      .namespace(deployment.namespace)
      .updateStatus({ ...body, status: { ...body.status, collisionCount } }, { signal });
    return 'name-collision';
  }

  /** Records an Event, and sets the condition `Progressing` of a Deployment with a deadline to `False`. */
  private async reportCreateError(deployment: Deployment, { name }: PlannedReplicaSet, error: ApiError): Promise<void> {
    const { client, clock, signal } = this.options;
    const message = `Failed to create new replica set "${name}": ${error.message}`;
    this.recordEvent(deployment, 'Warning', 'ReplicaSetCreateError', message);
    if (progressDeadlineOf(deployment) === undefined) return;
    const { body } = deployment;
    const conditions = new DeploymentConditions(deployment, clock.now());
    conditions.set({ type: 'Progressing', status: 'False', reason: 'ReplicaSetCreateError', message });
    const previous = conditionsOf(body);
    if (conditions.list().every((condition) => previous.includes(condition))) return;
    const status = { ...body.status, conditions: [...conditions.list()] };
    await client
      .of(DEPLOYMENTS)
      .namespace(deployment.namespace)
      .updateStatus({ ...body, status }, { signal })
      .catch(ignoreNotFoundOrConflict);
  }

  /**
   * The request also writes the annotation with the revision, which the status subresource accepts. It is the last write
   * of a plan: a new revision shows that the ReplicaSet of the template exists.
   */
  private async updateStatus(deployment: Deployment, { status, revision }: DeploymentPlan): Promise<void> {
    if (status === undefined && revision === undefined) return;
    const { client, signal } = this.options;
    const { body } = deployment;
    const annotations =
      revision === undefined ? annotationsOf(deployment) : withAnnotation(annotationsOf(deployment), 'revision', revision);
    const metadata = { ...body.metadata, annotations: { ...annotations } };
    const updated = { ...body, metadata, status: status ?? body.status ?? {} };
    await client.of(DEPLOYMENTS).namespace(deployment.namespace).updateStatus(updated, { signal }).catch(ignoreNotFoundOrConflict);
  }

  private recordEvent(deployment: Deployment, type: 'Normal' | 'Warning', reason: string, message: string): void {
    const { client, events } = this.options;
    events.record({ about: eventReference(client.dialect, DEPLOYMENTS, deployment), type, reason, message });
  }
}

function scalingMessage({ replicaSet, from, to }: ScalingEvent): string {
  if (from === undefined) return `Scaled up replica set ${replicaSet} to ${to}`;
  return `Scaled ${to > from ? 'up' : 'down'} replica set ${replicaSet} to ${to} from ${from}`;
}
