/** The rules for conditions of the common form: a type, whether it holds, since when and why. Returns errors in upstream's order. */
import { duplicate, invalidAs, invalidValue, notSupported, required, tooLong, type FieldError } from '../errors/field-error';
import { arrayAt, isObject, own, stringAt, type JsonObject } from '../../values/json';
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
const REASON_BYTES = 1024;
const MESSAGE_BYTES = 32_768;

export function conditionsErrors(status: JsonObject, field: string): readonly FieldError[] {
  const seen = new Set<string>();
  return (arrayAt(status, 'conditions') ?? []).filter(isObject).flatMap((condition, index) => {
    const place = `${field}[${index}]`;
    const type = stringAt(condition, 'type') ?? '';
    const again = seen.has(type) ? [duplicate(`${place}.type`, type)] : [];
    seen.add(type);
    return [...again, ...conditionErrors(condition, type, place)];
  });
}

function conditionErrors(condition: JsonObject, type: string, place: string): readonly FieldError[] {
  const errors: FieldError[] = checkQualifiedName(type).map((text) => invalidValue(`${place}.type`, type, text));
  const status = stringAt(condition, 'status') ?? '';
  if (!STATUSES.includes(status)) errors.push(notSupported(`${place}.status`, status, STATUSES));
  const generation = own(condition, 'observedGeneration');
  if ((typeof generation === 'number' || typeof generation === 'bigint') && generation < 0) {
    errors.push(invalidAs(`${place}.observedGeneration`, String(generation), 'must be greater than or equal to zero'));
  }
  if ((own(condition, 'lastTransitionTime') ?? null) === null) errors.push(required(`${place}.lastTransitionTime`, 'must be set'));
  return [...errors, ...reasonErrors(stringAt(condition, 'reason') ?? '', `${place}.reason`), ...messageErrors(condition, place)];
}

function reasonErrors(reason: string, field: string): readonly FieldError[] {
  if (reason === '') return [required(field, 'must be set')];
  const wrong = REASON_PATTERN.test(reason) ? [] : [invalidValue(field, reason, REASON_TEXT)];
  return Buffer.byteLength(reason) > REASON_BYTES ? [...wrong, tooLong(field, REASON_BYTES)] : wrong;
}

function messageErrors(condition: JsonObject, place: string): readonly FieldError[] {
  const long = Buffer.byteLength(stringAt(condition, 'message') ?? '') > MESSAGE_BYTES;
  return long ? [tooLong(`${place}.message`, MESSAGE_BYTES)] : [];
}
