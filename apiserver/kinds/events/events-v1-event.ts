/**
 * Event strategy of events.platform.io/v1: events must be complete, must not use deprecated members, and are immutable
 * except for their series. Objects are in the stored (core) form, and errors name its members, as upstream's do.
 */
import { invalidShownValue, invalidValue, requiredValue, type FieldError, type FieldValue } from '../../../shared/api/errors/field-error';
import type { CoreV1Event } from '../../../shared/api/types/generated/members';
import { equalJson, type JsonValue } from '../../../shared/values/json';
import { validateLegacyEvent } from '../core/event/event';
import type { AnyMemberOf, Errors } from '../rules/checks';
import { CREATE, UPDATE } from '../../registry/stages';
import type { Strategy } from '../../registry/strategy';

const CONTROLLER_FIELD = 'reportingController';
const TYPES: ReadonlySet<string> = new Set(['Normal', 'Warning']);

/** Members that only events of the core version may have, in the order of errors. */
const DEPRECATED_MEMBERS = ['firstTimestamp', 'lastTimestamp', 'count', 'source'] as const;
/** In the order of errors. A changed reason is reported twice (upstream behaviour). */
const IMMUTABLE_MEMBERS: readonly AnyMemberOf<CoreV1Event>[] = [
  ...(['involvedObject', 'reason', 'message', 'source', 'firstTimestamp', 'lastTimestamp', 'count'] as const),
  ...(['reason', 'type', 'eventTime', 'action', 'related', 'reportingComponent', 'reportingInstance'] as const),
];

export const eventsV1Event: Strategy<CoreV1Event> = {
  // The rules that both versions share come first, as upstream reports them.
  createStages: CREATE.earlyFirst,
  validateEarly: (object, _old, context) => validateLegacyEvent(object, context, CONTROLLER_FIELD),
  validate(object) {
    const errors: Errors = [];
    checkSeries(object, errors);
    if ((object.eventTime ?? null) === null) errors.push(requiredValue('eventTime'));
    const { type = '' } = object;
    if (!TYPES.has(type)) errors.push(invalidValue('type', '', `has invalid value: ${type}`));
    for (const member of DEPRECATED_MEMBERS) {
      if (!isUnset(object[member])) errors.push(invalidValue(member, '', 'needs to be unset'));
    }
    return errors;
  },
  update: {
    stages: UPDATE.earlyThenChange,
    validate(object, old) {
      const errors: Errors = [];
      checkSeries(object, errors);
      for (const member of IMMUTABLE_MEMBERS) {
        if (!isSame(object[member], old[member])) errors.push(immutableFieldError(member, object[member]));
      }
      return errors;
    },
  },
};

const MIN_COUNT = 2;

function checkSeries({ series }: CoreV1Event, errors: Errors): void {
  if (series === undefined) return;
  if ((series.count ?? 0) < MIN_COUNT) errors.push(invalidValue('series.count', '', 'should be at least 2'));
  if ((series.lastObservedTime ?? null) === null) errors.push(requiredValue('series.lastObservedTime'));
}

/** Whether the value is absent or the zero value of its Go type: upstream does not distinguish these. */
function isUnset(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === 0 || value === '') return true;
  return typeof value === 'object' && Object.keys(value).length === 0;
}

function isSame(value: JsonValue | undefined, old: JsonValue | undefined): boolean {
  return equalJson(value ?? null, old ?? null) || (isUnset(value) && isUnset(old));
}

const IMMUTABLE_TEXT = 'field is immutable';
const TIME_MEMBERS: ReadonlySet<string> = new Set(['firstTimestamp', 'lastTimestamp', 'eventTime']);
const GO_ZERO_TIME = '0001-01-01T00:00:00Z';

/** Times are shown as Go prints them, objects as JSON, and removed values as the zero value of their type. */
function immutableFieldError(member: string, value: JsonValue | undefined): FieldError {
  const field = member === 'reportingComponent' ? CONTROLLER_FIELD : member;
  if (TIME_MEMBERS.has(member)) {
    return invalidShownValue(field, formatGoTime(typeof value === 'string' ? value : GO_ZERO_TIME), IMMUTABLE_TEXT);
  }
  // Upstream shows a missing reference as the string "null".
  if (member === 'related' && isUnset(value)) return invalidValue(field, 'null', IMMUTABLE_TEXT);
  return invalidValue(field, isUnset(value) ? goZeroValue(member) : toFieldValue(value), IMMUTABLE_TEXT);
}

/** The zeros at the end of a text. The assertion avoids quadratic time for texts with many zeros in between. */
const TRAILING_ZEROS = /(?<!0)0+$/;

/** Example: `2026-01-01T00:00:00.123456Z` → `2026-01-01 00:00:00.123456 +0000 UTC`. Trailing zeros are dropped. */
function formatGoTime(time: string): string {
  const [day = '', timeOfDay = ''] = time.replace('Z', '').split('T');
  const [clock = '', fraction = ''] = timeOfDay.split('.');
  const digits = fraction.replace(TRAILING_ZEROS, '');
  return `${day} ${clock}${digits === '' ? '' : `.${digits}`} +0000 UTC`;
}

/** How upstream shows an immutable member that the update removes. */
function goZeroValue(member: string): FieldValue {
  if (member === 'count') return 0;
  return member === 'source' || member === 'involvedObject' ? {} : '';
}

function toFieldValue(value: JsonValue | undefined): FieldValue {
  if (value === undefined) return null;
  return typeof value === 'bigint' ? Number(value) : value;
}
