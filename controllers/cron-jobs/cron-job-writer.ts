/** A CronJob's writes: the Jobs that it makes and takes away, and its status. Never decides anything. */
import { timeOf, timestamp } from '../../shared/api/metadata/object-meta';
import { ApiError, isAlreadyExists, isConflict, isNamespaceTerminating, isNotFound } from '../../shared/client/rest/api-error';
import type { ApiObject } from '../../shared/client/rest/api-object';
import type { EventRecorder } from '../../shared/client/events/event-recorder';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { equalJson, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { finishedConditionOf } from '../workload/finished-jobs';
import { eventReference } from '../workload/references';
import { controllerOf } from '../runtime/pods';
import { CRON_JOBS, jobFor, JOBS } from './job-for-schedule';
import type { CronEvent, CronPlan, CronRun, CronStatus } from './reconcile';

export interface CronWritesOptions {
  readonly client: RestClient;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly signal: AbortSignal;
}

/** What came of a plan. */
export interface CarriedCron {
  /** Of the CronJob, where its status was written. */
  readonly written: ApiObject | undefined;
  /** A Job was made. */
  readonly hasRun: boolean;
}

/** How often a status is put on what somebody else has written meanwhile: what has begun must be on record. */
const ATTEMPTS = 5;

export class CronWrites {
  constructor(private readonly options: CronWritesOptions) {}

  /** The status is written even where a run was refused; the refusal is thrown then. */
  async carryOut(cron: ApiObject, { outdated, told, status, run }: CronPlan): Promise<CarriedCron> {
    for (const job of outdated) await this.remove(cron, job.name, job.uid);
    for (const event of told) this.tell(cron, event);
    if (run === undefined) return { written: await this.writeStatus(cron, status), hasRun: false };
    for (const { name, uid } of run.replaced) if (typeof name === 'string' && typeof uid === 'string') await this.remove(cron, name, uid);
    const left = { ...status, active: status.active.filter((reference) => !run.replaced.includes(reference)) };
    let began: Began | undefined;
    try {
      began = await this.begin(cron, run);
    } finally {
      if (began === undefined) await this.writeStatus(cron, left);
    }
    if (began.type === 'going') return { written: await this.writeStatus(cron, left), hasRun: false };
    const active =
      finishedConditionOf(began.job) === undefined ? [...left.active, referenceTo(this.options.client, began.job)] : left.active;
    const next = { ...left, active, lastScheduleTime: timestamp(run.scheduledAt) };
    return { written: await this.writeStatus(cron, next), hasRun: began.isNew };
  }

  private async begin(cron: ApiObject, { scheduledAt, zone }: CronRun): Promise<Began> {
    const { client, signal } = this.options;
    const body = jobFor(client.dialect, cron, scheduledAt, zone);
    try {
      const job = await client.create(JOBS, body, { signal });
      this.tell(cron, { type: 'Normal', reason: 'SuccessfulCreate', message: `Created job ${job.name}` });
      return { type: 'begun', job, isNew: true };
    } catch (error) {
      if (isNamespaceTerminating(error)) return { type: 'going' };
      const found = isAlreadyExists(error) ? await this.found(cron, body) : undefined;
      // A run whose record was lost.
      if (found !== undefined) return { type: 'begun', job: found, isNew: false };
      if (error instanceof ApiError)
        this.tell(cron, { type: 'Warning', reason: 'FailedCreate', message: `Error creating job: ${error.message}` });
      throw error;
    }
  }

  private async found({ namespace, uid }: ApiObject, body: JsonObject): Promise<ApiObject | undefined> {
    const name = stringAt(objectAt(body, 'metadata'), 'name') ?? '';
    const job = await this.options.client.get(JOBS, { namespace, name }, { signal: this.options.signal });
    return controllerOf(job)?.uid === uid ? job : undefined;
  }

  private async remove(cron: ApiObject, name: string, uid: string): Promise<void> {
    const { client, signal } = this.options;
    try {
      await client.delete(JOBS, { namespace: cron.namespace, name }, { propagationPolicy: 'Background', preconditions: { uid }, signal });
      this.tell(cron, { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted job ${name}` });
    } catch (error) {
      // It is gone, or another one has its name by now.
      if (isNotFound(error) || isConflict(error)) return;
      if (error instanceof ApiError)
        this.tell(cron, { type: 'Warning', reason: 'FailedDelete', message: `Error deleting job: ${error.message}` });
      throw error;
    }
  }

  private async writeStatus(cron: ApiObject, status: CronStatus): Promise<ApiObject | undefined> {
    const { client, signal } = this.options;
    const { namespace, name, uid } = cron;
    let base = cron;
    for (let left = ATTEMPTS; ; left -= 1) {
      const next = statusBody(status);
      if (equalJson(objectAt(base.body, 'status') ?? {}, next)) return undefined;
      try {
        return await client.update(CRON_JOBS, { ...base.body, status: next }, { subresource: 'status', signal });
      } catch (error) {
        if (isNotFound(error)) return undefined;
        if (!isConflict(error) || left === 0) throw error;
      }
      const found = await client.get(CRON_JOBS, { namespace, name }, { signal }).catch((error: unknown) => {
        if (isNotFound(error)) return undefined;
        throw error;
      });
      if (found?.uid !== uid) return undefined;
      base = found;
    }
  }

  private tell(cron: ApiObject, { type, reason, message }: CronEvent): void {
    const { client, events } = this.options;
    events.record({ about: eventReference(client.dialect, CRON_JOBS, cron), type, reason, message });
  }
}

type Began =
  | { readonly type: 'begun'; readonly job: ApiObject; readonly isNew: boolean }
  /** The namespace is being deleted. */
  | { readonly type: 'going' };

const referenceTo = ({ dialect }: RestClient, job: ApiObject): JsonObject => ({ ...eventReference(dialect, JOBS, job) });

function statusBody({ active, lastScheduleTime, lastSuccessfulTime }: CronStatus): JsonObject {
  return {
    ...(active.length === 0 ? {} : { active: [...active] }),
    ...(timeOf(lastScheduleTime) === undefined ? {} : { lastScheduleTime: lastScheduleTime ?? '' }),
    ...(timeOf(lastSuccessfulTime) === undefined ? {} : { lastSuccessfulTime: lastSuccessfulTime ?? '' }),
  };
}
