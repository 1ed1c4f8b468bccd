/**
 * Builds the Job that a CronJob creates for a scheduled time. Pure; the name follows from the time, so two processes
 * that start the same run create the same object.
 */
import type { BatchV1CronJob, BatchV1Job } from '../../shared/api/types/generated/members';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { resourceOf } from '../../shared/client/rest/resource';
import { qualifiedNameInDialect, type Dialect } from '../../shared/names/dialect';
import { cloneJson } from '../../shared/values/json';
import { formatZonedTime } from '../../shared/values/time/zone-offset';
import { controllerReference } from '../workload/references';

export type CronJob = ApiObject<BatchV1CronJob>;
export const CRON_JOBS = resourceOf('batch.v1.CronJob');
export const JOBS = resourceOf('batch.v1.Job');

/** The annotation with the scheduled time in the schedule's time zone. */
const SCHEDULED_TIMESTAMP = 'batch.platform.io/cronjob-scheduled-timestamp';
const MINUTE_MS = 60_000;

/** The same name for the same time, so that no run starts twice. `scheduledTime`: milliseconds since 1970. */
export const jobNameFor = ({ name }: CronJob, scheduledTime: number): string => `${name}-${Math.floor(scheduledTime / MINUTE_MS)}`;

/** `scheduledTime` in milliseconds since 1970; `timeZone` is the schedule's, `undefined` for that of the process. */
export function jobFromTemplate(dialect: Dialect, cronJob: CronJob, scheduledTime: number, timeZone: string | undefined): BatchV1Job {
  const { metadata, spec = {} } = cronJob.body.spec?.jobTemplate ?? {};
  const scheduledTimestamp = formatZonedTime(timeZone, scheduledTime);
  return {
    metadata: {
      namespace: cronJob.namespace,
      name: jobNameFor(cronJob, scheduledTime),
      labels: { ...metadata?.labels },
      annotations: { ...metadata?.annotations, [qualifiedNameInDialect(dialect, SCHEDULED_TIMESTAMP)]: scheduledTimestamp },
      ownerReferences: [controllerReference(dialect, CRON_JOBS, cronJob)],
    },
    spec: cloneJson(spec),
  };
}
