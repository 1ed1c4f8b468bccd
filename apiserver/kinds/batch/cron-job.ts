/** CronJob: when its Jobs are due, in which time zone, and what they are. */
import { invalidAs, invalidValue, notSupported, required, type FieldError } from '../../../shared/api/errors/field-error';
import { scheduleFault } from '../../../shared/values/cron-schedule';
import { goLabelSelector } from '../../../shared/values/go-values';
import { objectAt, stringAt, type JsonObject } from '../../../shared/values/json';
import { tooLongMessage } from '../../../shared/values/name-formats';
import { isTimeZone } from '../../../shared/values/time-zone';
import { negativeErrors } from '../rules/field-rules';
import { jobSpecErrors, manyIndexesWarnings } from './job/spec';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import { workloadWarnings } from '../core/workload/template-warnings';
import type { BatchV1CronJob } from '../../../shared/api/types/generated/members';

/** A Job's name is eleven bytes longer. */
const LONGEST_NAME = 52;

export const cronJob: Strategy = {
  validateName: (_object, name) => (Buffer.byteLength(name) > LONGEST_NAME ? [tooLongMessage(LONGEST_NAME)] : []),
  validate: (object) => specErrors(specOf(object), undefined),
  update: { validate: (object, old) => specErrors(specOf(object), specOf(old)) },
  status: { stages: UPDATE.changeAlone },
  ...workloadWarnings((object: BatchV1CronJob) => object.spec?.jobTemplate?.spec, 'spec.jobTemplate.spec', manyIndexesWarnings),
};

const specOf = (object: JsonObject): JsonObject => objectAt(object, 'spec') ?? {};

const POLICIES = ['Allow', 'Forbid', 'Replace'];

function specErrors(spec: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  const policy = stringAt(spec, 'concurrencyPolicy') ?? '';
  return [
    ...scheduleErrors(spec, stringAt(old, 'schedule')),
    ...negativeErrors(spec, 'spec', ['startingDeadlineSeconds']),
    ...zoneErrors(stringAt(spec, 'timeZone'), stringAt(old, 'timeZone')),
    ...(POLICIES.includes(policy) ? [] : [policyError(policy)]),
    ...jobErrors(objectAt(spec, 'jobTemplate') ?? {}),
    ...negativeErrors(spec, 'spec', ['successfulJobsHistoryLimit', 'failedJobsHistoryLimit']),
  ];
}

const policyError = (policy: string): FieldError =>
  policy === '' ? required('spec.concurrencyPolicy') : notSupported('spec.concurrencyPolicy', policy, POLICIES);

const SCHEDULE = 'spec.schedule';

const namesZone = (schedule: string | undefined): boolean => schedule?.includes('TZ') === true;

/** A zone in the schedule is borne with where one stood before. */
function scheduleErrors(spec: JsonObject, old: string | undefined): readonly FieldError[] {
  const schedule = stringAt(spec, 'schedule') ?? '';
  if (schedule === '') return [required(SCHEDULE)];
  const fault = scheduleFault(schedule);
  const errors = fault === undefined ? [] : [invalidValue(SCHEDULE, schedule, fault)];
  if (!namesZone(schedule)) return errors;
  if (!namesZone(old)) errors.push(invalidValue(SCHEDULE, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
  else if (stringAt(spec, 'timeZone') !== undefined) {
    errors.push(invalidValue(SCHEDULE, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'));
  }
  return errors;
}

const ZONE = 'spec.timeZone';
const NAMED = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';

function zoneErrors(zone: string | undefined, old: string | undefined): readonly FieldError[] {
  if (zone === undefined || zone === old) return [];
  if (zone === '') return [invalidValue(ZONE, zone, 'timeZone must be nil or non-empty string')];
  const errors = zone.toLowerCase() === 'local' ? [invalidValue(ZONE, zone, NAMED)] : [];
  return zone === 'Local' || isTimeZone(zone) ? errors : [...errors, invalidValue(ZONE, zone, `unknown time zone ${zone}`)];
}

const JOB = 'spec.jobTemplate.spec';

function jobErrors(template: JsonObject): readonly FieldError[] {
  const spec = objectAt(template, 'spec') ?? {};
  const errors = [...jobSpecErrors(spec, JOB)];
  const selector = objectAt(spec, 'selector');
  if (selector !== undefined) errors.push(invalidAs(`${JOB}.selector`, goLabelSelector(selector), '`selector` will be auto-generated'));
  if (spec['manualSelector'] === true) errors.push(notSupported(`${JOB}.manualSelector`, true, ['nil', 'false']));
  return errors;
}
