/**
 * Decides the actions of one sync of a CronJob: its status, the finished Jobs to delete, and the run that is due. The
 * functions are pure.
 */
import type { BatchV1CronJobStatus, CoreV1ObjectReference } from '../../shared/api/types/generated/members';
import { parseTimestamp } from '../../shared/api/metadata/object-meta';
import { isBeingDeleted } from '../../shared/client/rest/api-object';
import { parseCronSchedule, type CronSchedule } from '../../shared/values/time/cron-schedule';
import { lastCronTime, nextCronTime, countCronTimes } from '../../shared/values/time/cron-times';
import { compareBytes } from '../../shared/values/json';
import { isTimeZoneName } from '../../shared/values/time/time-zone';
import { quote } from '../../shared/values/text/quote';
import { finishedConditionOf, type FinishedCondition } from '../workload/finished-jobs';
import { jobNameFor, type CronJob } from './job-from-template';
import type { Job } from '../../shared/client/rest/typed-objects';

/** What one sync decides from. */
export interface CronJobInput {
  readonly cronJob: CronJob;
  /** The Jobs that the CronJob controls. */
  readonly jobs: readonly Job[];
  /** Uids of Jobs in `status.active` that do not exist. */
  readonly missing: ReadonlySet<string>;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What one sync writes. */
export interface CronJobActions {
  /** Finished Jobs beyond the history limits. */
  readonly jobsToDelete: readonly Job[];
  readonly events: readonly CronJobEvent[];
  readonly status: ObservedCronJobStatus;
  /** Undefined when no run is due. */
  readonly run: ScheduledRun | undefined;
  /**
   * Milliseconds until the next scheduled time; undefined when there is none: the CronJob is suspended or being deleted,
   * its schedule is invalid, or it is never due.
   */
  readonly requeueAfterMs: number | undefined;
}

/** An Event about the CronJob. */
export interface CronJobEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** The members of the status. Times are timestamps of RFC 3339; `undefined` before the first such run. */
export interface ObservedCronJobStatus {
  readonly active: readonly CoreV1ObjectReference[];
  readonly lastScheduleTime: string | undefined;
  readonly lastSuccessfulTime: string | undefined;
}

/** A run that must be started now. */
export interface ScheduledRun {
  /** Milliseconds since 1970. */
  readonly scheduledTime: number;
  /** The time zone of the schedule; undefined for that of the process. */
  readonly timeZone: string | undefined;
  /** Active Jobs to delete first: elements of the status's `active`, found there by identity because a uid may be absent. */
  readonly jobsToReplace: readonly CoreV1ObjectReference[];
}

/** The caller creates the run and deletes the Jobs. */
export function reconcileCronJob(input: CronJobInput): CronJobActions {
  const { cronJob, now } = input;
  const { status, events } = observeJobs(input);
  const jobsToDelete = (['Complete', 'Failed'] as const).flatMap((condition) => oldestJobsBeyondLimit(input, condition));
  const idle = { jobsToDelete, status, run: undefined, requeueAfterMs: undefined };
  if (isBeingDeleted(cronJob) || cronJob.body.spec?.suspend === true) return { ...idle, events };
  const schedule = scheduleOf(cronJob);
  if (!('times' in schedule)) return { ...idle, events: [...events, schedule] };
  const due = dueRun(cronJob, schedule, status, now);
  const next = nextCronTime(schedule.times, schedule.timeZone, now);
  if (next === undefined) return { ...idle, events: [...events, neverDue(cronJob)] };
  return { jobsToDelete, status, events: [...events, ...due.events], run: due.run, requeueAfterMs: next - now };
}

/** The message is upstream's, which finds no next time and then measures the difference between two zero times. */
function neverDue({ body }: CronJob): CronJobEvent {
  const message = `invalid schedule: ${body.spec?.schedule ?? ''} : time difference between two schedules is less than 1 second`;
  return { type: 'Warning', reason: 'InvalidSchedule', message };
}

/** A parsed schedule; `timeZone` is undefined for that of the process. */
interface ZonedSchedule {
  readonly times: CronSchedule;
  readonly timeZone: string | undefined;
}

/** Returns an Event for a schedule or a time zone that validation would refuse today. */
function scheduleOf({ body: { spec = {} } }: CronJob): ZonedSchedule | CronJobEvent {
  const { schedule = '', timeZone } = spec;
  if (timeZone !== undefined && !isTimeZoneName(timeZone)) {
    return { type: 'Warning', reason: 'UnknownTimeZone', message: `invalid timeZone: ${quote(timeZone)}: unknown time zone ${timeZone}` };
  }
  const times = parseCronSchedule(schedule);
  if (typeof times === 'string') {
    return { type: 'Warning', reason: 'UnparseableSchedule', message: `unparseable schedule: ${quote(schedule)} : ${times}` };
  }
  const effectiveZone = timeZone ?? times.zone;
  return { times, timeZone: effectiveZone === 'Local' ? undefined : effectiveZone };
}

/** The status without finished and missing Jobs, and the Events about them and about active Jobs that it does not list. */
function observeJobs({ cronJob, jobs, missing }: CronJobInput): {
  readonly status: ObservedCronJobStatus;
  readonly events: readonly CronJobEvent[];
} {
  const events: CronJobEvent[] = [];
  const known: BatchV1CronJobStatus = cronJob.body.status ?? {};
  let { active = [], lastSuccessfulTime } = known;
  for (const job of jobs) {
    const finishedCondition = finishedConditionOf(job);
    const isListed = active.some(({ uid }) => uid === job.uid);
    if (finishedCondition === undefined && !isListed) {
      const message = `Saw a job that the controller did not create or forgot: ${job.name}`;
      events.push({ type: 'Warning', reason: 'UnexpectedJob', message });
    }
    if (finishedCondition !== undefined && isListed) {
      active = active.filter(({ uid }) => uid !== job.uid);
      const message = `Saw completed job: ${job.name}, condition: ${finishedCondition}`;
      events.push({ type: 'Normal', reason: 'SawCompletedJob', message });
    }
    const completionTime = finishedCondition === 'Complete' ? job.body.status?.completionTime : undefined;
    if ((parseTimestamp(completionTime) ?? -Infinity) > (parseTimestamp(lastSuccessfulTime) ?? -Infinity))
      lastSuccessfulTime = completionTime;
  }
  for (const { uid, name } of active) {
    if (uid === undefined || name === undefined || !missing.has(uid)) continue;
    events.push({ type: 'Normal', reason: 'MissingJob', message: `Active job went missing: ${name}` });
  }
  active = active.filter(({ uid }) => uid === undefined || !missing.has(uid));
  return { events, status: { active, lastScheduleTime: known.lastScheduleTime, lastSuccessfulTime } };
}

/** The oldest of the Jobs with this condition, as many as exceed the history limit. */
function oldestJobsBeyondLimit({ cronJob, jobs }: CronJobInput, condition: FinishedCondition): readonly Job[] {
  const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = cronJob.body.spec ?? {};
  const limit = condition === 'Complete' ? successfulJobsHistoryLimit : failedJobsHistoryLimit;
  if (limit === undefined) return [];
  const finished = jobs.filter((job) => finishedConditionOf(job) === condition);
  if (finished.length <= limit) return [];
  const startTimes = new Map(finished.map((job) => [job, parseTimestamp(job.body.status?.startTime) ?? Infinity]));
  const byStartTime = (a: Job, b: Job): number => {
    const startOfA = startTimes.get(a) ?? Infinity;
    const startOfB = startTimes.get(b) ?? Infinity;
    return startOfA === startOfB ? compareBytes(a.name, b.name) : startOfA - startOfB;
  };
  return [...finished].sort(byStartTime).slice(0, finished.length - limit);
}

/** More missed runs than this cause an event. */
const MANY_MISSED_RUNS = 100;

const TOO_MANY_MISSED_TIMES: CronJobEvent = {
  type: 'Warning',
  reason: 'TooManyMissedTimes',
  message: 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
};
const JOB_ALREADY_ACTIVE: CronJobEvent = {
  type: 'Normal',
  reason: 'JobAlreadyActive',
  message: 'Not starting job because prior execution is running and concurrency policy is Forbid',
};

interface DueRun {
  /** `undefined` when no run is to be started now. */
  readonly run: ScheduledRun | undefined;
  readonly events: readonly CronJobEvent[];
}

/** The run that is due now. When several runs were missed, only the last is due. */
function dueRun(
  cronJob: CronJob,
  { times, timeZone }: ZonedSchedule,
  { active, lastScheduleTime }: ObservedCronJobStatus,
  now: number,
): DueRun {
  const earliest = earliestTime(cronJob, lastScheduleTime, now);
  const scheduledTime = lastCronTime(times, timeZone, { since: earliest, until: now });
  if (scheduledTime === undefined) return { run: undefined, events: [] };
  const isManyMissed = countCronTimes(times, timeZone, { since: earliest, until: now }, MANY_MISSED_RUNS + 1) > MANY_MISSED_RUNS;
  const events = isManyMissed ? [TOO_MANY_MISSED_TIMES] : [];
  if (active.some(({ name }) => name === jobNameFor(cronJob, scheduledTime))) return { run: undefined, events };
  const { concurrencyPolicy } = cronJob.body.spec ?? {};
  if (concurrencyPolicy === 'Forbid' && active.length > 0) return { run: undefined, events: [...events, JOB_ALREADY_ACTIVE] };
  return { run: { scheduledTime, timeZone, jobsToReplace: concurrencyPolicy === 'Replace' ? active : [] }, events };
}

/** Runs that were scheduled before this time are over or past their deadline. Milliseconds since 1970. */
function earliestTime({ body, metadata }: CronJob, lastScheduleTime: string | undefined, now: number): number {
  const since = parseTimestamp(lastScheduleTime) ?? parseTimestamp(metadata.creationTimestamp ?? undefined) ?? now;
  const { startingDeadlineSeconds } = body.spec ?? {};
  return startingDeadlineSeconds === undefined ? since : Math.max(since, now - Number(startingDeadlineSeconds) * 1_000);
}
