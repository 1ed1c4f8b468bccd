/** How fast an autoscaler may scale, in either direction. */
import { invalidAs, notSupported, required, type FieldError } from '../../../shared/api/errors/field-error';
import { objectAt, own, stringAt, type JsonObject } from '../../../shared/values/json';
import { listed, numberAt } from '../rules/field-rules';

const LONGEST_WINDOW = 3600;
const LONGEST_PERIOD = 1800;
const CHOICES = ['Disabled', 'Max', 'Min'];
const POLICIES = ['Percent', 'Pods'];

export function behaviorErrors(behavior: JsonObject | undefined, place: string): readonly FieldError[] {
  return ['scaleUp', 'scaleDown'].flatMap((direction) => {
    const rules = objectAt(behavior, direction);
    return rules === undefined ? [] : directionErrors(rules, `${place}.${direction}`);
  });
}

function directionErrors(rules: JsonObject, place: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const window = own(rules, 'stabilizationWindowSeconds');
  const field = `${place}.stabilizationWindowSeconds`;
  if (typeof window === 'number' && window < 0) errors.push(invalidAs(field, String(window), 'must be greater than or equal to zero'));
  if (typeof window === 'number' && window > LONGEST_WINDOW) errors.push(tooLarge(field, window, LONGEST_WINDOW));
  const choice = stringAt(rules, 'selectPolicy');
  if (choice !== undefined && !CHOICES.includes(choice)) errors.push(notSupported(`${place}.selectPolicy`, choice, CHOICES));
  const policies = listed(rules, 'policies');
  if (policies.length === 0) errors.push(required(`${place}.policies`, 'must specify at least one Policy'));
  return [...errors, ...policies.flatMap((policy, index) => policyErrors(policy, `${place}.policies[${index}]`))];
}

function policyErrors(policy: JsonObject, place: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  const type = stringAt(policy, 'type') ?? '';
  if (!POLICIES.includes(type)) errors.push(notSupported(`${place}.type`, type, POLICIES));
  for (const member of ['value', 'periodSeconds']) {
    const value = numberAt(policy, member);
    if (value <= 0) errors.push(invalidAs(`${place}.${member}`, String(value), 'must be greater than zero'));
  }
  const period = numberAt(policy, 'periodSeconds');
  if (period > LONGEST_PERIOD) errors.push(tooLarge(`${place}.periodSeconds`, period, LONGEST_PERIOD));
  return errors;
}

const tooLarge = (field: string, value: number, most: number): FieldError =>
  invalidAs(field, String(value), `must be less than or equal to ${most}`);
