/**
 * Executes the actions of a sync: creates and deletes Jobs, records Events, and writes the status of the CronJob. Which
 * actions are due is left to reconcile.ts; this module decides what follows from the responses of the server.
 */
import type { BatchV1CronJobStatus } from '../../shared/api/types/generated/members';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
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
import { CRON_JOBS, jobFromTemplate, jobNameFor, JOBS, type CronJob } from './job-from-template';
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

/** How the attempt to start a run ended, unless it failed. `isNew` is false for a Job that existed already. */
type StartedRun = { readonly type: 'started'; readonly job: Job; readonly isNew: boolean } | { readonly type: 'namespace-terminating' };

/** Writes for all CronJobs of the process; a CronJob is written by one sync at a time. */
export class CronJobWriter {
  constructor(private readonly options: CronJobWriterOptions) {}

  /**
   * Deletes Jobs, records Events, starts the run that is due and writes the status, in this order:
   *
   * - When the Job of the run is created or exists already, the status records the run.
   * - When the namespace is being deleted, the run is skipped without an error, and the status is written without it.
   * - When the Job cannot be created, the status is written without the run, and the error is thrown.
   *
   * A failed deletion ends the sync: no later action is executed, and the error is thrown.
   */
  async execute(cronJob: CronJob, { jobsToDelete, events, status, run }: CronJobActions): Promise<CronJobActionResults> {
    for (const job of jobsToDelete) await this.deleteJob(cronJob, job.name, job.uid);
    for (const event of events) this.recordEvent(cronJob, event);
    if (run === undefined) return { updated: await this.writeStatus(cronJob, status), wasJobCreated: false };
    const statusWithoutReplaced = { ...status, active: await this.deleteReplacedJobs(cronJob, status, run) };
    let started: StartedRun;
    try {
      started = await this.startRun(cronJob, run);
    } catch (error) {
      await this.writeStatus(cronJob, statusWithoutReplaced);
      throw error;
    }
    const newStatus = started.type === 'started' ? this.statusWithRun(statusWithoutReplaced, run, started.job) : statusWithoutReplaced;
    const updated = await this.writeStatus(cronJob, newStatus);
    return { updated, wasJobCreated: started.type === 'started' && started.isNew };
  }

  /**
   * Returns `status.active` without the replaced Jobs. A reference without a name or a uid identifies no Job: it is removed
   * from the list, and nothing is deleted.
   */
  private async deleteReplacedJobs(
    cronJob: CronJob,
    { active }: ObservedCronJobStatus,
    { jobsToReplace }: ScheduledRun,
  ): Promise<ObservedCronJobStatus['active']> {
    for (const { name, uid } of jobsToReplace) {
      if (name !== undefined && uid !== undefined) await this.deleteJob(cronJob, name, uid);
    }
    return active.filter((reference) => !jobsToReplace.includes(reference));
  }

  /** The status that records the run. A Job that has finished already is not active. */
  private statusWithRun(status: ObservedCronJobStatus, { scheduledTime }: ScheduledRun, job: Job): ObservedCronJobStatus {
    const isActive = finishedConditionOf(job) === undefined;
    const active = isActive ? [...status.active, eventReference(this.options.client.dialect, JOBS, job)] : status.active;
    return { ...status, active, lastScheduleTime: formatTimestamp(scheduledTime) };
  }

  /** Creates the Job of the run, or finds the one that an earlier sync created. Throws when neither succeeds. */
  private async startRun(cronJob: CronJob, { scheduledTime, timeZone }: ScheduledRun): Promise<StartedRun> {
    const { client, signal } = this.options;
    const jobs = client.of(JOBS).namespace(cronJob.namespace);
    const newJob = jobFromTemplate(client.dialect, cronJob, scheduledTime, timeZone);
    try {
      const job = await jobs.create(newJob, { signal });
      this.recordEvent(cronJob, { type: 'Normal', reason: 'SuccessfulCreate', message: `Created job ${job.name}` });
      return { type: 'started', job, isNew: true };
    } catch (error) {
      if (isNamespaceTerminating(error)) return { type: 'namespace-terminating' };
      if (isAlreadyExists(error)) {
        // An earlier sync may have created the Job and failed to record the run in the status. When the Job has been
        // deleted since, this request fails with 404, and the retry of the sync creates the Job.
        const existing = await jobs.get(jobNameFor(cronJob, scheduledTime), { signal });
        if (controllerOf(existing)?.uid === cronJob.uid) return { type: 'started', job: existing, isNew: false };
      }
      if (error instanceof ApiError) {
        this.recordEvent(cronJob, { type: 'Warning', reason: 'FailedCreate', message: `Error creating job: ${error.message}` });
      }
      throw error;
    }
  }

  /** Does nothing when the Job does not exist any more, also when another Job has its name. */
  private async deleteJob(cronJob: CronJob, name: string, uid: string): Promise<void> {
    const { client, signal } = this.options;
    const { namespace } = cronJob;
    try {
      await client.of(JOBS).namespace(namespace).delete(name, { propagationPolicy: 'Background', preconditions: { uid }, signal });
      this.recordEvent(cronJob, { type: 'Normal', reason: 'SuccessfulDelete', message: `Deleted job ${name}` });
    } catch (error) {
      // A conflict means that the Job of this name has another uid.
      if (isNotFound(error) || isConflict(error)) return;
      if (error instanceof ApiError) {
        this.recordEvent(cronJob, { type: 'Warning', reason: 'FailedDelete', message: `Error deleting job: ${error.message}` });
      }
      throw error;
    }
  }

  /**
   * Returns the CronJob as written. Returns undefined without a write when the CronJob has this status already, when it
   * does not exist any more, and when another CronJob has its name.
   */
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

function statusBody({ active, lastScheduleTime, lastSuccessfulTime }: ObservedCronJobStatus): BatchV1CronJobStatus {
  return {
    ...(active.length === 0 ? {} : { active: [...active] }),
    ...(lastScheduleTime === undefined ? {} : { lastScheduleTime }),
    ...(lastSuccessfulTime === undefined ? {} : { lastSuccessfulTime }),
  };
}
