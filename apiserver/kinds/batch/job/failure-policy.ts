/** What a Job makes of its Pods' failures: rules about exit codes or about conditions. */
import {
  duplicate,
  invalidAs,
  invalidValue,
  notSupported,
  required,
  tooMany,
  type FieldError,
} from '../../../../shared/api/errors/field-error';
import { arrayAt, objectAt, own, stringAt, type JsonObject } from '../../../../shared/values/json';
import { qualifiedName } from '../../../../shared/values/name-formats';
import { quote } from '../../../../shared/values/quote';
import { listed, misnamed } from '../../rules/field-rules';

const MOST_RULES = 20;
const MOST_CONDITIONS = 20;
const MOST_CODES = 255;
const ACTIONS = ['Count', 'FailIndex', 'FailJob', 'Ignore'];
const OPERATORS = ['In', 'NotIn'];
const STATUSES = ['False', 'True', 'Unknown'];

export function failurePolicyErrors(spec: JsonObject, policy: JsonObject, place: string): readonly FieldError[] {
  const rules = listed(policy, 'rules');
  if (rules.length > MOST_RULES) return [tooMany(`${place}.rules`, rules.length, MOST_RULES)];
  const names = containerNames(spec);
  return rules.flatMap((rule, index) => ruleErrors(spec, rule, names, `${place}.rules[${index}]`));
}

function containerNames(spec: JsonObject): ReadonlySet<string> {
  const pods = objectAt(objectAt(spec, 'template'), 'spec');
  return new Set(['containers', 'initContainers'].flatMap((member) => listed(pods, member).map((item) => stringAt(item, 'name') ?? '')));
}

function ruleErrors(spec: JsonObject, rule: JsonObject, names: ReadonlySet<string>, place: string): readonly FieldError[] {
  const [codes, conditions] = [objectAt(rule, 'onExitCodes'), listed(rule, 'onPodConditions')];
  const errors = [
    ...actionErrors(spec, stringAt(rule, 'action') ?? '', `${place}.action`),
    ...(codes === undefined ? [] : codesErrors(codes, names, `${place}.onExitCodes`)),
    ...conditionsErrors(conditions, `${place}.onPodConditions`),
  ];
  const [hasCodes, hasConditions] = [codes !== undefined, conditions.length > 0];
  if (hasCodes && hasConditions) errors.push(invalidAs(place, '', 'specifying both OnExitCodes and OnPodConditions is not supported'));
  if (!hasCodes && !hasConditions) errors.push(invalidAs(place, '', 'specifying one of OnExitCodes and OnPodConditions is required'));
  return errors;
}

function actionErrors(spec: JsonObject, action: string, field: string): readonly FieldError[] {
  if (action === 'FailIndex' && typeof own(spec, 'backoffLimitPerIndex') !== 'number') {
    return [invalidValue(field, action, 'requires the backoffLimitPerIndex to be set')];
  }
  return oneOf(action, field, ACTIONS);
}

function oneOf(value: string, field: string, supported: readonly string[]): readonly FieldError[] {
  if (value === '') return [required(field, `valid values: [${supported.map(quote).join(' ')}]`)];
  return supported.includes(value) ? [] : [notSupported(field, value, supported)];
}

function codesErrors(codes: JsonObject, names: ReadonlySet<string>, place: string): readonly FieldError[] {
  const operator = stringAt(codes, 'operator') ?? '';
  const errors = [...oneOf(operator, `${place}.operator`, OPERATORS)];
  const name = stringAt(codes, 'containerName');
  if (name !== undefined && !names.has(name)) {
    const text = 'must be one of the container or initContainer names in the pod template';
    errors.push(invalidValue(`${place}.containerName`, name, text));
  }
  const given = arrayAt(codes, 'values');
  const values = (given ?? []).filter((value) => typeof value === 'number');
  const field = `${place}.values`;
  const shown = given === undefined ? '[]int32(nil)' : `[]int32{${values.join(', ')}}`;
  if (values.length === 0) return [...errors, invalidAs(field, shown, 'at least one value is required')];
  if (values.length > MOST_CODES) return [...errors, tooMany(field, values.length, MOST_CODES)];
  const seen = new Set<number>();
  values.forEach((value, index) => {
    const at = `${field}[${index}]`;
    if (operator === 'In' && value === 0) errors.push(invalidAs(at, '0', 'must not be 0 for the In operator'));
    if (seen.has(value)) errors.push(duplicate(at, value));
    seen.add(value);
  });
  const isOrdered = values.every((value, index) => index === 0 || value >= (values[index - 1] ?? value));
  return isOrdered ? errors : [...errors, invalidAs(field, shown, 'must be ordered')];
}

function conditionsErrors(conditions: readonly JsonObject[], place: string): readonly FieldError[] {
  if (conditions.length > MOST_CONDITIONS) return [tooMany(place, conditions.length, MOST_CONDITIONS)];
  return conditions.flatMap((condition, index) => {
    const at = `${place}[${index}]`;
    return [
      ...misnamed(stringAt(condition, 'type') ?? '', `${at}.type`, qualifiedName),
      ...oneOf(stringAt(condition, 'status') ?? '', `${at}.status`, STATUSES),
    ];
  });
}
