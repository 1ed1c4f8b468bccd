/** A Deployment's writes: its sets, and its status with the number of its revision. Each rests on the version that was seen. Never decides anything. */
import { ApiError, isAlreadyExists, isConflict, isNamespaceTerminating, isNotFound } from '../../shared/client/rest/api-error';
import { keyOf, type ApiObject } from '../../shared/client/rest/api-object';
import type { EventRecorder } from '../../shared/client/events/event-recorder';
import { resourceOf } from '../../shared/client/rest/resource';
import type { RestClient } from '../../shared/client/rest/rest-client';
import type { Clock } from '../../shared/runtime/clock';
import { objectAt, type JsonObject } from '../../shared/values/json';
import { controllerReference, eventReference } from '../workload/references';
import { numberAt, templateOf } from '../workload/spec';
import { conditionsOf } from '../runtime/conditions';
import type { WrittenGenerations } from '../runtime/written-generations';
import { controllerOf } from '../runtime/pods';
import { annotationsOf, HASH_LABEL, withAnnotation } from './names';
import type { DeploymentPlan } from './reconcile';
import type { Scaled } from './scaling';
import { isSameTemplate, type PlannedSet } from './set';
import { DeploymentConditions, progressDeadline } from './status';

export const DEPLOYMENTS = resourceOf('apps.v1.Deployment');
export const SETS = resourceOf('apps.v1.ReplicaSet');

/** What came of a plan. */
export type Carried =
  | { readonly type: 'done' }
  /** The new set's name is taken by something else: another one is tried the next time. */
  | { readonly type: 'taken' }
  /** The namespace is being deleted. */
  | { readonly type: 'going' };

export interface DeploymentWritesOptions {
  readonly client: RestClient;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly clock: Pick<Clock, 'now'>;
  /** What was written of a Deployment's sets, by its key. */
  readonly written: WrittenGenerations;
  readonly signal: AbortSignal;
}

export class DeploymentWrites {
  constructor(private readonly options: DeploymentWritesOptions) {}

  async carryOut(deployment: ApiObject, plan: DeploymentPlan): Promise<Carried> {
    for (const set of plan.sets) {
      const carried = set.seen === undefined ? await this.create(deployment, set) : await this.change(deployment, set, set.seen);
      if (carried !== 'made' && carried !== 'there') return { type: carried };
      const scaled = carried === 'made' ? plan.scaled.filter((one) => one.set === set.name) : [];
      for (const one of scaled) this.tell(deployment, 'Normal', 'ScalingReplicaSet', scalingText(one));
    }
    for (const { namespace, name, uid } of plan.forgotten) {
      await this.options.client
        .delete(SETS, { namespace, name }, { preconditions: { uid }, signal: this.options.signal })
        .catch(unlessGone);
    }
    await this.writeStatus(deployment, plan);
    return { type: 'done' };
  }

  private async change(deployment: ApiObject, set: PlannedSet, { body }: ApiObject): Promise<'made'> {
    const { client, written, signal } = this.options;
    const { replicas, minReadySeconds } = set;
    const metadata = { ...objectAt(body, 'metadata'), annotations: { ...set.annotations } };
    const spec = { ...objectAt(body, 'spec'), replicas, ...(minReadySeconds === 0 ? {} : { minReadySeconds }) };
    if (minReadySeconds === 0) delete spec['minReadySeconds'];
    written.record(keyOf(deployment), await client.update(SETS, { ...body, metadata, spec }, { signal }));
    return 'made';
  }

  private async create(deployment: ApiObject, set: PlannedSet): Promise<'made' | 'there' | 'taken' | 'going'> {
    const { client, written, signal } = this.options;
    try {
      written.record(keyOf(deployment), await client.create(SETS, this.bodyOf(deployment, set), { signal }));
      return 'made';
    } catch (error) {
      if (isNamespaceTerminating(error)) return 'going';
      if (isAlreadyExists(error)) return this.taken(deployment, set);
      if (error instanceof ApiError) await this.tellRefusal(deployment, set, error);
      throw error;
    }
  }

  private bodyOf(deployment: ApiObject, { name, template, replicas, minReadySeconds, annotations }: PlannedSet): JsonObject {
    const labels = objectAt(objectAt(template, 'metadata'), 'labels') ?? {};
    const selector = objectAt(objectAt(deployment.body, 'spec'), 'selector') ?? {};
    const matchLabels = { ...objectAt(selector, 'matchLabels'), [HASH_LABEL]: labels[HASH_LABEL] ?? '' };
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

  /** What has the name may be what was to be made, by a write whose answer was lost. Otherwise the hash counts one collision more. */
  private async taken(deployment: ApiObject, set: PlannedSet): Promise<'there' | 'taken'> {
    const { client, signal } = this.options;
    const { namespace } = deployment;
    const found = await client.get(SETS, { namespace, name: set.name }, { signal });
    if (controllerOf(found)?.uid === deployment.uid && isSameTemplate(templateOf(found), templateOf(deployment))) return 'there';
    const status = objectAt(deployment.body, 'status') ?? {};
    const collisionCount = (numberAt(status, 'collisionCount') ?? 0) + 1;
    await client.update(DEPLOYMENTS, { ...deployment.body, status: { ...status, collisionCount } }, { subresource: 'status', signal });
    return 'taken';
  }

  private async tellRefusal(deployment: ApiObject, { name }: PlannedSet, error: ApiError): Promise<void> {
    const { client, clock, signal } = this.options;
    const message = `Failed to create new replica set "${name}": ${error.message}`;
    this.tell(deployment, 'Warning', 'ReplicaSetCreateError', message);
    if (progressDeadline(deployment) === undefined) return;
    const conditions = new DeploymentConditions(deployment, clock.now());
    conditions.set('Progressing', 'False', 'ReplicaSetCreateError', message);
    const known = conditionsOf(deployment.body);
    if (conditions.all.every((condition) => known.includes(condition))) return;
    const status = { ...objectAt(deployment.body, 'status'), conditions: [...conditions.all] };
    await client.update(DEPLOYMENTS, { ...deployment.body, status }, { subresource: 'status', signal }).catch(unlessOvertaken);
  }

  /** The revision is written with the status, as the sign that the template's set is there. */
  private async writeStatus(deployment: ApiObject, { status, revision }: DeploymentPlan): Promise<void> {
    if (status === undefined && revision === undefined) return;
    const { client, signal } = this.options;
    const { body } = deployment;
    const annotations = annotationsOf(deployment);
    const marked = revision === undefined ? annotations : withAnnotation(annotations, 'revision', revision);
    const metadata = { ...objectAt(body, 'metadata'), annotations: { ...marked } };
    const next = { ...body, metadata, status: status ?? objectAt(body, 'status') ?? {} };
    await client.update(DEPLOYMENTS, next, { subresource: 'status', signal }).catch(unlessOvertaken);
  }

  private tell(deployment: ApiObject, type: 'Normal' | 'Warning', reason: string, message: string): void {
    const { client, events } = this.options;
    events.record({ about: eventReference(client.dialect, DEPLOYMENTS, deployment), type, reason, message });
  }
}

function scalingText({ set, from, to }: Scaled): string {
  if (from === undefined) return `Scaled up replica set ${set} to ${to}`;
  return `Scaled ${to > from ? 'up' : 'down'} replica set ${set} to ${to} from ${from}`;
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error)) throw error;
}

/** What has changed meanwhile is told by its own event. */
function unlessOvertaken(error: unknown): void {
  if (!isNotFound(error) && !isConflict(error)) throw error;
}
