/**
 * CronJob strategy: schedule, time zone and Job template. A time zone within the schedule is accepted only when the
 * stored schedule has one. Starting Jobs is left to the controller.
 */
import { invalidShownValue, invalidValue, unsupportedValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import { cronScheduleError } from '../../../shared/values/time/cron-schedule';
import { formatGoLabelSelector } from '../../../shared/values/go-values';
import { tooLongMessage } from '../../../shared/values/name-formats';
import { isTimeZoneName } from '../../../shared/values/time/time-zone';
import { checkRequiredEnum, type Errors } from '../rules/checks';
import { checkNonNegative } from '../rules/numbers';
import { checkJobSpec, manyIndexesWarnings } from './job/spec';
import { UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';
import { createWorkloadWarnings } from '../core/workload/template-warnings';
import type { BatchV1CronJob, BatchV1CronJobSpec, BatchV1JobSpec } from '../../../shared/api/types/generated/members';

/** The controller appends 11 bytes to form the name of a Job. */
const MAX_NAME_LENGTH = 52;

export const cronJob: Strategy<BatchV1CronJob> = {
  validateName: (_object, name) => (Buffer.byteLength(name) > MAX_NAME_LENGTH ? [tooLongMessage(MAX_NAME_LENGTH)] : []),
  validate: (object) => validateSpec(object),
  update: { validate: validateSpec },
  status: { stages: UPDATE.changeAlone },
  ...createWorkloadWarnings((object: BatchV1CronJob) => object.spec?.jobTemplate?.spec, 'spec.jobTemplate.spec', manyIndexesWarnings),
};

const POLICIES = ['Allow', 'Forbid', 'Replace'];

/** `old` is set in the stage `change` of an update, which tolerates values that are stored already. */
function validateSpec({ spec = {} }: BatchV1CronJob, old?: BatchV1CronJob): readonly FieldError[] {
  const errors: Errors = [];
  checkSchedule(spec, old?.spec?.schedule, errors);
  checkNonNegative(spec, 'startingDeadlineSeconds', 'spec', errors);
  checkTimeZone(spec.timeZone, old?.spec?.timeZone, errors);
  checkRequiredEnum(spec, 'concurrencyPolicy', 'spec', POLICIES, errors);
  checkJobTemplate(spec.jobTemplate?.spec ?? {}, errors);
  checkNonNegative(spec, 'successfulJobsHistoryLimit', 'spec', errors);
  checkNonNegative(spec, 'failedJobsHistoryLimit', 'spec', errors);
  return errors;
}

const SCHEDULE = 'spec.schedule';

const hasTimeZone = (schedule: string | undefined): boolean => schedule?.includes('TZ') === true;

/** A time zone in the schedule is accepted only if the stored schedule has one. */
function checkSchedule({ schedule = '', timeZone }: BatchV1CronJobSpec, old: string | undefined, errors: Errors): void {
  if (schedule === '') {
    errors.push(requiredValue(SCHEDULE));
    return;
  }
  const error = cronScheduleError(schedule);
  if (error !== undefined) errors.push(invalidValue(SCHEDULE, schedule, error));
  if (!hasTimeZone(schedule)) return;
  if (!hasTimeZone(old)) errors.push(invalidValue(SCHEDULE, schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'));
  else if (timeZone !== undefined) {
    errors.push(invalidValue(SCHEDULE, schedule, 'cannot use both timeZone field and TZ or CRON_TZ in schedule'));
  }
}

const TIME_ZONE = 'spec.timeZone';
const EXPLICIT_ZONE_REQUIRED = 'timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones';

function checkTimeZone(zone: string | undefined, old: string | undefined, errors: Errors): void {
  if (zone === undefined || zone === old) return;
  if (zone === '') {
    errors.push(invalidValue(TIME_ZONE, zone, 'timeZone must be nil or non-empty string'));
    return;
  }
  // Go knows the zone `Local`, but no other spelling of it, so `local` has both errors.
  if (zone.toLowerCase() === 'local') errors.push(invalidValue(TIME_ZONE, zone, EXPLICIT_ZONE_REQUIRED));
  if (zone !== 'Local' && !isTimeZoneName(zone)) errors.push(invalidValue(TIME_ZONE, zone, `unknown time zone ${zone}`));
}

const JOB_SPEC = 'spec.jobTemplate.spec';

function checkJobTemplate(spec: BatchV1JobSpec, errors: Errors): void {
  checkJobSpec(spec, JOB_SPEC, errors);
  const { selector, manualSelector } = spec;
  if (selector !== undefined) {
    errors.push(invalidShownValue(`${JOB_SPEC}.selector`, formatGoLabelSelector(selector), '`selector` will be auto-generated'));
  }
  if (manualSelector === true) errors.push(unsupportedValue(`${JOB_SPEC}.manualSelector`, true, ['nil', 'false']));
}
