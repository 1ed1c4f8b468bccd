/**
 * Conditions of the common form (metav1.Condition): sets their missing times, and validates them with errors in upstream's
 * order.
 */
import {
  duplicateValue,
  invalidShownValue,
  invalidValue,
  unsupportedValue,
  requiredValue,
  tooLongValue,
  type FieldError,
} from '../errors/field-error';
import { formatTimestamp } from './object-meta';
import { arrayAt, isObject, ownMember, stringAt, type JsonObject } from '../../values/json';
import { patternMessage, checkQualifiedName } from '../../values/name-formats';

const STATUSES = ['False', 'True', 'Unknown'];
const REASON = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?';
const REASON_PATTERN = new RegExp(`^${REASON}$`);
const REASON_TEXT = patternMessage(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', " +
    "and must end with an alphanumeric character or '_'",
  REASON,
  'my_name',
  'MY_NAME',
  'MyName',
  'ReasonA,ReasonB',
  'ReasonA:ReasonB',
);
/** Limits of the members of a Condition in the API. */
const MAX_REASON_BYTES = 1024;
const MAX_MESSAGE_BYTES = 32_768;

/** The members of a condition that determine its transition time: a new time belongs to a change of the status. */
interface TimedCondition {
  readonly type?: string | null;
  readonly status?: string | null;
  lastTransitionTime?: string | null;
}

/**
 * Sets the missing transition times of `conditions` in place. A condition gets the time of the condition in `before`
 * that has the same type and status. Without one its status has changed, and it gets `now` (milliseconds since 1970).
 */
export function setTransitionTimes(conditions: readonly TimedCondition[], before: readonly TimedCondition[], now: number): void {
  const previous = new Map<string, TimedCondition>();
  for (const condition of before) {
    const key = transitionKey(condition);
    if (!previous.has(key)) previous.set(key, condition);
  }
  for (const condition of conditions)
    condition.lastTransitionTime ??= previous.get(transitionKey(condition))?.lastTransitionTime ?? formatTimestamp(now);
}

const transitionKey = ({ type, status }: TimedCondition): string => `${status ?? ''} ${type ?? ''}`;

/** Errors of `status.conditions`; types must be unique. `field` is the path of the list. */
export function conditionsErrors(status: JsonObject, field: string): readonly FieldError[] {
  const seen = new Set<string>();
  return (arrayAt(status, 'conditions') ?? []).filter(isObject).flatMap((condition, index) => {
    const path = `${field}[${index}]`;
    const type = stringAt(condition, 'type') ?? '';
    const duplicates = seen.has(type) ? [duplicateValue(`${path}.type`, type)] : [];
    seen.add(type);
    return [...duplicates, ...conditionErrors(condition, type, path)];
  });
}

function conditionErrors(condition: JsonObject, type: string, path: string): readonly FieldError[] {
  const errors: FieldError[] = checkQualifiedName(type).map((text) => invalidValue(`${path}.type`, type, text));
  const status = stringAt(condition, 'status') ?? '';
  if (!STATUSES.includes(status)) errors.push(unsupportedValue(`${path}.status`, status, STATUSES));
  const generation = ownMember(condition, 'observedGeneration');
  if ((typeof generation === 'number' || typeof generation === 'bigint') && generation < 0) {
    errors.push(invalidShownValue(`${path}.observedGeneration`, String(generation), 'must be greater than or equal to zero'));
  }
  if ((ownMember(condition, 'lastTransitionTime') ?? null) === null)
    errors.push(requiredValue(`${path}.lastTransitionTime`, 'must be set'));
  return [...errors, ...reasonErrors(stringAt(condition, 'reason') ?? '', `${path}.reason`), ...messageErrors(condition, path)];
}

function reasonErrors(reason: string, field: string): readonly FieldError[] {
  if (reason === '') return [requiredValue(field, 'must be set')];
  const errors = REASON_PATTERN.test(reason) ? [] : [invalidValue(field, reason, REASON_TEXT)];
  return Buffer.byteLength(reason) > MAX_REASON_BYTES ? [...errors, tooLongValue(field, MAX_REASON_BYTES)] : errors;
}

function messageErrors(condition: JsonObject, path: string): readonly FieldError[] {
  const isTooLong = Buffer.byteLength(stringAt(condition, 'message') ?? '') > MAX_MESSAGE_BYTES;
  return isTooLong ? [tooLongValue(`${path}.message`, MAX_MESSAGE_BYTES)] : [];
}
