/**
 * Carries out the actions of a sync: creates and deletes Jobs, records Events, and writes the status of the CronJob.
 * Makes no decisions.
 */
import type { BatchV1CronJobStatus, BatchV1Job } from '../../shared/api/types/generated/members';
import { parseTimestamp, formatTimestamp } from '../../shared/api/metadata/object-meta';
import {
  ApiError,
  isAlreadyExists,
  isConflict,
  isNamespaceTerminating,
  isNotFound,
  undefinedIfNotFound,
} from '../../shared/client/rest/api-error';
import type { EventRecorder } from '../../shared/client/events/event-recorder';
import type { RestClient } from '../../shared/client/rest/rest-client';
import { equalJson } from '../../shared/values/json';
import { controllerOf } from '../runtime/pods';
import { finishedConditionOf } from '../workload/finished-jobs';
import { eventReference } from '../workload/references';
import { CRON_JOBS, jobFromTemplate, JOBS, type CronJob } from './job-from-template';
import type { Job } from '../../shared/client/rest/typed-objects';
import type { CronJobActions, CronJobEvent, ObservedCronJobStatus, ScheduledRun } from './reconcile';

/** The clients of the writer. */
export interface CronJobWriterOptions {
  readonly client: RestClient;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly signal: AbortSignal;
}

/** What the writes of a sync have changed. */
export interface CronJobActionResults {
  /** The CronJob as written; undefined when its status was not written. */
  readonly updated: CronJob | undefined;
  readonly wasJobCreated: boolean;
}

/**
 * How often a status is written again after a conflict, onto the new version: a run that has started would not be recorded
 * otherwise.
 */
const CONFLICT_RETRIES = 5;

/** Writes for all CronJobs of the process; a CronJob is written by one sync at a time. */
export class CronJobWriter {
  constructor(private readonly options: CronJobWriterOptions) {}

  /**
   * Deletes Jobs, records Events, starts the run that is due and writes the status. When the Job cannot be created, the
   * status is written without the run and the error is thrown.
   */
  async execute(cronJob: CronJob, { jobsToDelete, events, status, run }: CronJobActions): Promise<CronJobActionResults> {
    for (const job of jobsToDelete) await this.deleteJob(cronJob, job.name, job.uid);
    for (const event of events) this.recordEvent(cronJob, event);
    if (run === undefined) return { updated: await this.writeStatus(cronJob, status), wasJobCreated: false };
    for (const { name, uid } of run.jobsToReplace) {
      if (name !== undefined && uid !== undefined) await this.deleteJob(cronJob, name, uid);
    }
    const withoutReplaced = { ...status, active: status.active.filter((reference) => !run.jobsToReplace.includes(reference)) };
    let started: StartedRun | undefined;
    try {
      started = await this.startRun(cronJob, run);
    } finally {
      if (started === undefined) await this.writeStatus(cronJob, withoutReplaced);
    }
    if (started.type === 'namespace-terminating') {
      return { updated: await this.writeStatus(cronJob, withoutReplaced), wasJobCreated: false };
    }
    const { job, isNew } = started;
    const jobReference = { ...eventReference(this.options.client.dialect, JOBS, job) };
    const active = finishedConditionOf(job) === undefined ? [...withoutReplaced.active, jobReference] : withoutReplaced.active;
    const newStatus = { ...withoutReplaced, active, lastScheduleTime: formatTimestamp(run.scheduledTime) };
    return { updated: await this.writeStatus(cronJob, newStatus), wasJobCreated: isNew };
  }

  /** Creates the Job of the run, or finds the one that an earlier sync created. */
  private async startRun(cronJob: CronJob, { scheduledTime, timeZone }: ScheduledRun): Promise<StartedRun> {
    const { client, signal } = this.options;
    const newJob = jobFromTemplate(client.dialect, cronJob, scheduledTime, timeZone);
    try {
      const job = await client.of(JOBS).namespace(cronJob.namespace).create(newJob, { signal });
      this.recordEvent(cronJob, { type: 'Normal', reason: 'SuccessfulCreate', message: `Created job ${job.name}` });
      return { type: 'started', job, isNew: true };
    } catch (error) {
      if (isNamespaceTerminating(error)) return { type: 'namespace-terminating' };
      // The Job exists when an earlier sync created it and could not record the run in the status.
      const existing = isAlreadyExists(error) ? await this.existingJob(cronJob, newJob) : undefined;
      if (existing !== undefined) return { type: 'started', job: existing, isNew: false };
      if (error instanceof ApiError) {
        this.recordEvent(cronJob, { type: 'Warning', reason: 'FailedCreate', message: `Error creating job: ${error.message}` });
      }
      throw error;
    }
  }

  /** Undefined when the Job has another controller or none. */
  private async existingJob({ namespace, uid }: CronJob, { metadata }: BatchV1Job): Promise<Job | undefined> {
    const { client, signal } = this.options;
    const job = await client
      .of(JOBS)
      .namespace(namespace)
      .get(metadata?.name ?? '', { signal });
    return controllerOf(job)?.uid === uid ? job : undefined;
  }

  /** Does nothing when the Job does not exist any more. */
  private async deleteJob(cronJob: CronJob, name: string, uid: string): Promise<void> {
    const { client, signal } = this.options;
    const { namespace } = cronJob;
    try {
      await client.of(JOBS).namespace(namespace).delete(name, { propagationPolicy: 'Background', preconditions: { uid }, signal });
      this.recordEvent(cronJob, { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted job ${name}` });
    } catch (error) {
      // The Job does not exist any more, or another Job has its name.
      if (isNotFound(error) || isConflict(error)) return;
      if (error instanceof ApiError) {
        this.recordEvent(cronJob, { type: 'Warning', reason: 'FailedDelete', message: `Error deleting job: ${error.message}` });
      }
      throw error;
    }
  }

  /** Returns the CronJob as written; undefined when it has this status already or does not exist any more. */
  private async writeStatus(cronJob: CronJob, observed: ObservedCronJobStatus): Promise<CronJob | undefined> {
    const { client, signal } = this.options;
    const { namespace, name, uid } = cronJob;
    const status = statusBody(observed);
    let current = cronJob;
    for (let retriesLeft = CONFLICT_RETRIES; ; retriesLeft -= 1) {
      if (equalJson(current.body.status ?? {}, status)) return undefined;
      try {
        return await client
          .of(CRON_JOBS)
          .namespace(current.namespace)
          .updateStatus({ ...current.body, status }, { signal });
      } catch (error) {
        if (isNotFound(error)) return undefined;
        if (!isConflict(error) || retriesLeft === 0) throw error;
      }
      const live = await undefinedIfNotFound(client.of(CRON_JOBS).namespace(namespace).get(name, { signal }));
      if (live?.uid !== uid) return undefined;
      current = live;
    }
  }

  private recordEvent(cronJob: CronJob, { type, reason, message }: CronJobEvent): void {
    const { client, events } = this.options;
    events.record({ about: eventReference(client.dialect, CRON_JOBS, cronJob), type, reason, message });
  }
}

/** The Job of a run; `isNew` is false for a Job that existed already. */
type StartedRun = { readonly type: 'started'; readonly job: Job; readonly isNew: boolean } | { readonly type: 'namespace-terminating' };

function statusBody({ active, lastScheduleTime, lastSuccessfulTime }: ObservedCronJobStatus): BatchV1CronJobStatus {
  return {
    ...(active.length === 0 ? {} : { active: [...active] }),
    ...(parseTimestamp(lastScheduleTime) === undefined ? {} : { lastScheduleTime: lastScheduleTime ?? '' }),
    ...(parseTimestamp(lastSuccessfulTime) === undefined ? {} : { lastSuccessfulTime: lastSuccessfulTime ?? '' }),
  };
}
