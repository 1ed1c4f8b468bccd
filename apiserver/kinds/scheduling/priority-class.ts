/**
 * PriorityClass strategy: values of users have a maximum, the prefix `system-` is reserved, and value and preemption
 * policy are immutable. The system classes are data here; the server creates them when it starts.
 */
import { forbiddenField, invalidValue, unsupportedValue, requiredValue, type FieldError } from '../../../shared/api/errors/field-error';
import type { Errors } from '../rules/checks';
import type { Strategy } from '../../registry/strategy';
import type { SchedulingV1PriorityClass } from '../../../shared/api/types/generated/members';

const MAX_USER_DEFINED_VALUE = 1_000_000_000;
const SYSTEM_PREFIX = 'system-';
const POLICIES = ['PreemptLowerPriority', 'Never'];

/** The system classes, in the order of their creation. */
export const SYSTEM_PRIORITY_CLASSES: ReadonlyMap<string, SchedulingV1PriorityClass> = new Map([
  [
    'system-node-critical',
    { value: 2_000_001_000, description: 'Used for system critical pods that must not be moved from their current node.' },
  ],
  [
    'system-cluster-critical',
    {
      value: 2_000_000_000,
      description: 'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
    },
  ],
]);

export const priorityClass: Strategy<SchedulingV1PriorityClass> = { validate, update: { validate: validateUpdate } };

function validate(object: SchedulingV1PriorityClass): readonly FieldError[] {
  const errors: Errors = [];
  const name = object.metadata?.name ?? '';
  if (name.startsWith(SYSTEM_PREFIX)) {
    const error = systemClassError(object, name);
    if (error !== undefined) errors.push(reservedNameError(error));
  } else if ((object.value ?? 0) > MAX_USER_DEFINED_VALUE) {
    errors.push(forbiddenField('value', `maximum allowed value of a user defined priority is ${MAX_USER_DEFINED_VALUE}`));
  }
  const policy = object.preemptionPolicy;
  if (policy === '') errors.push(requiredValue('preemptionPolicy'));
  else if (policy !== undefined && !POLICIES.includes(policy)) errors.push(unsupportedValue('preemptionPolicy', policy, POLICIES));
  return errors;
}

/** A system class must be one that the server itself creates; others could take precedence over them. */
function systemClassError(object: SchedulingV1PriorityClass, name: string): string | undefined {
  const value = SYSTEM_PRIORITY_CLASSES.get(name)?.value;
  if (value === undefined) return `${name} is not a known system priority class`;
  if (value !== (object.value ?? 0)) return `value of ${name} PriorityClass must be ${value}`;
  return object.globalDefault === true ? `globalDefault of ${name} PriorityClass must be false` : undefined;
}

const reservedNameError = (reason: string): FieldError =>
  forbiddenField('metadata.name', `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${reason}`);

function validateUpdate(object: SchedulingV1PriorityClass, old: SchedulingV1PriorityClass): readonly FieldError[] {
  const errors: Errors = [];
  if ((object.value ?? 0) !== (old.value ?? 0)) errors.push(forbiddenField('value', 'may not be changed in an update.'));
  const policy = object.preemptionPolicy;
  if (policy !== old.preemptionPolicy) errors.push(invalidValue('preemptionPolicy', policy ?? null, 'field is immutable'));
  return errors;
}
