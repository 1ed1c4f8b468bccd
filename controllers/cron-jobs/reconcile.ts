/** What a CronJob is to do now: what it says of the Jobs that it made, which of them go, and whether one more is due; decided from what is seen, without a server. */
import { timeOf } from '../../shared/api/metadata/object-meta';
import { isBeingDeleted, type ApiObject } from '../../shared/client/rest/api-object';
import { parseSchedule, type CronSchedule } from '../../shared/values/cron-schedule';
import { lastTime, nextTime, timesBetween } from '../../shared/values/cron-times';
import { arrayAt, compareBytes, isObject, objectAt, stringAt, type JsonObject } from '../../shared/values/json';
import { isTimeZone } from '../../shared/values/time-zone';
import { quote } from '../../shared/values/quote';
import { finishedConditionOf, type FinishedCondition } from '../workload/finished-jobs';
import { numberAt } from '../workload/spec';
import { jobName } from './job-for-schedule';

export interface CronView {
  readonly cron: ApiObject;
  /** Those that it controls. */
  readonly jobs: readonly ApiObject[];
  /** Uids of the Jobs that it counts as active and that are not there. */
  readonly missing: ReadonlySet<string>;
  readonly now: number;
}

export interface CronPlan {
  /** Ended Jobs that are not kept any longer. */
  readonly outdated: readonly ApiObject[];
  readonly told: readonly CronEvent[];
  readonly status: CronStatus;
  /** Undefined = none is due. */
  readonly run: CronRun | undefined;
  /** Milliseconds until the next time. */
  readonly againMs: number | undefined;
}

export interface CronEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export interface CronStatus {
  /** References. */
  readonly active: readonly JsonObject[];
  readonly lastScheduleTime: string | undefined;
  readonly lastSuccessfulTime: string | undefined;
}

export interface CronRun {
  /** Milliseconds since 1970. */
  readonly scheduledAt: number;
  readonly zone: string | undefined;
  /** Active Jobs that go first. */
  readonly replaced: readonly JsonObject[];
}

export function planCron(view: CronView): CronPlan {
  const { cron, now } = view;
  const { status, told } = observed(view);
  const outdated = (['Complete', 'Failed'] as const).flatMap((end) => outdatedJobs(view, end));
  const resting = { outdated, status, run: undefined, againMs: undefined };
  const spec = objectAt(cron.body, 'spec');
  if (isBeingDeleted(cron) || spec?.['suspend'] === true) return { ...resting, told };
  const schedule = scheduleOf(cron);
  if (!('times' in schedule)) return { ...resting, told: [...told, schedule] };
  const due = dueRun(cron, schedule, status, now);
  const next = nextTime(schedule.times, schedule.zone, now);
  if (next === undefined) return { ...resting, told: [...told, neverDue(cron)] };
  return { outdated, status, told: [...told, ...due.told], run: due.run, againMs: next - now };
}

/** In the words of upstream, which finds two zero times. */
function neverDue({ body }: ApiObject): CronEvent {
  const schedule = stringAt(objectAt(body, 'spec'), 'schedule') ?? '';
  const message = `invalid schedule: ${schedule} : time difference between two schedules is less than 1 second`;
  return { type: 'Warning', reason: 'InvalidSchedule', message };
}

interface ZonedSchedule {
  readonly times: CronSchedule;
  readonly zone: string | undefined;
}

/** An older object may say what is refused today. */
function scheduleOf({ body }: ApiObject): ZonedSchedule | CronEvent {
  const spec = objectAt(body, 'spec');
  const [text, zone] = [stringAt(spec, 'schedule') ?? '', stringAt(spec, 'timeZone')];
  if (zone !== undefined && !isTimeZone(zone)) {
    return { type: 'Warning', reason: 'UnknownTimeZone', message: `invalid timeZone: ${quote(zone)}: unknown time zone ${zone}` };
  }
  const times = parseSchedule(text);
  if (typeof times === 'string') {
    return { type: 'Warning', reason: 'UnparseableSchedule', message: `unparseable schedule: ${quote(text)} : ${times}` };
  }
  const named = zone ?? times.zone;
  return { times, zone: named === 'Local' ? undefined : named };
}

/** The status that follows from the Jobs, and what there is to tell of them. */
function observed({ cron, jobs, missing }: CronView): { readonly status: CronStatus; readonly told: readonly CronEvent[] } {
  const known = objectAt(cron.body, 'status');
  const told: CronEvent[] = [];
  let active = activeOf(cron);
  let lastSuccessfulTime = stringAt(known, 'lastSuccessfulTime');
  for (const job of jobs) {
    const end = finishedConditionOf(job);
    const isListed = active.some(({ uid }) => uid === job.uid);
    if (end === undefined && !isListed) {
      const message = `Saw a job that the controller did not create or forgot: ${job.name}`;
      told.push({ type: 'Warning', reason: 'UnexpectedJob', message });
    }
    if (end !== undefined && isListed) {
      active = active.filter(({ uid }) => uid !== job.uid);
      told.push({ type: 'Normal', reason: 'SawCompletedJob', message: `Saw completed job: ${job.name}, condition: ${end}` });
    }
    const completed = end === 'Complete' ? stringAt(objectAt(job.body, 'status'), 'completionTime') : undefined;
    if ((timeOf(completed) ?? -Infinity) > (timeOf(lastSuccessfulTime) ?? -Infinity)) lastSuccessfulTime = completed;
  }
  for (const { uid, name } of active) {
    if (typeof uid !== 'string' || typeof name !== 'string' || !missing.has(uid)) continue;
    told.push({ type: 'Normal', reason: 'MissingJob', message: `Active job went missing: ${name}` });
  }
  active = active.filter(({ uid }) => typeof uid !== 'string' || !missing.has(uid));
  return { told, status: { active, lastScheduleTime: stringAt(known, 'lastScheduleTime'), lastSuccessfulTime } };
}

/** What a CronJob's status counts as active: references. */
export function activeOf({ body }: ApiObject): readonly JsonObject[] {
  return (arrayAt(objectAt(body, 'status'), 'active') ?? []).filter(isObject);
}

/** The oldest of those that ended so, beyond the number that is kept. */
function outdatedJobs({ cron, jobs }: CronView, end: FinishedCondition): readonly ApiObject[] {
  const limit = numberAt(objectAt(cron.body, 'spec'), end === 'Complete' ? 'successfulJobsHistoryLimit' : 'failedJobsHistoryLimit');
  if (limit === undefined) return [];
  const ended = jobs.filter((job) => finishedConditionOf(job) === end);
  if (ended.length <= limit) return [];
  const startOf = ({ body }: ApiObject): number => timeOf(stringAt(objectAt(body, 'status'), 'startTime')) ?? Infinity;
  const starts = new Map(ended.map((job) => [job, startOf(job)]));
  const byStart = (one: ApiObject, other: ApiObject): number => {
    const [first, second] = [starts.get(one) ?? Infinity, starts.get(other) ?? Infinity];
    return first === second ? compareBytes(one.name, other.name) : first - second;
  };
  return [...ended].sort(byStart).slice(0, ended.length - limit);
}

/** More than so many are told of. */
const MANY_MISSED = 100;
const MISSED: CronEvent = {
  type: 'Warning',
  reason: 'TooManyMissedTimes',
  message: 'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
};
const FORBIDDEN: CronEvent = {
  type: 'Normal',
  reason: 'JobAlreadyActive',
  message: 'Not starting job because prior execution is running and concurrency policy is Forbid',
};

interface DueRun {
  readonly run: CronRun | undefined;
  readonly told: readonly CronEvent[];
}

/** However many times have passed, the last of them is the one that is made up for. */
function dueRun(cron: ApiObject, { times, zone }: ZonedSchedule, { active, lastScheduleTime }: CronStatus, now: number): DueRun {
  const spec = objectAt(cron.body, 'spec');
  const since = runsSince(cron, lastScheduleTime, now);
  const scheduledAt = lastTime(times, zone, since, now);
  if (scheduledAt === undefined) return { run: undefined, told: [] };
  const told = timesBetween(times, zone, since, now, MANY_MISSED + 1) > MANY_MISSED ? [MISSED] : [];
  if (active.some(({ name }) => name === jobName(cron, scheduledAt))) return { run: undefined, told };
  const policy = stringAt(spec, 'concurrencyPolicy');
  if (policy === 'Forbid' && active.length > 0) return { run: undefined, told: [...told, FORBIDDEN] };
  return { run: { scheduledAt, zone, replaced: policy === 'Replace' ? active : [] }, told };
}

/** Times before it are done with. */
function runsSince({ body }: ApiObject, lastScheduleTime: string | undefined, now: number): number {
  const created = timeOf(stringAt(objectAt(body, 'metadata'), 'creationTimestamp')) ?? now;
  const since = timeOf(lastScheduleTime) ?? created;
  const deadline = numberAt(objectAt(body, 'spec'), 'startingDeadlineSeconds');
  return deadline === undefined ? since : Math.max(since, now - deadline * 1_000);
}
