/** PriorityClass: how high a value may be, the names that are the system's, and what stays. */
import { forbiddenField, invalidValue, notSupported, required, type FieldError } from '../../../shared/api/errors/field-error';
import { own, stringAt, type JsonObject } from '../../../shared/values/json';
import { readMetadata } from '../../../shared/api/metadata/object-meta';
import { numberAt } from '../rules/field-rules';
import type { Strategy } from '../../registry/strategy';

const HIGHEST = 1_000_000_000;
const SYSTEM_PREFIX = 'system-';
const POLICIES = ['PreemptLowerPriority', 'Never'];

/** The classes that every cluster has, in the order of their creation. */
export const SYSTEM_PRIORITY_CLASSES: ReadonlyMap<string, JsonObject & { readonly value: number }> = new Map([
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

export const priorityClass: Strategy = { validate, update: { validate: immutable } };

function validate(object: JsonObject): readonly FieldError[] {
  const name = stringAt(readMetadata(object), 'name') ?? '';
  return [...(name.startsWith(SYSTEM_PREFIX) ? systemErrors(object, name) : valueErrors(object)), ...policyErrors(object)];
}

function systemErrors(object: JsonObject, name: string): readonly FieldError[] {
  const value = SYSTEM_PRIORITY_CLASSES.get(name)?.value;
  if (value !== undefined && value === numberAt(object, 'value'))
    return own(object, 'globalDefault') === true ? [reserved(notDefault(name))] : [];
  return [
    reserved(value === undefined ? `${name} is not a known system priority class` : `value of ${name} PriorityClass must be ${value}`),
  ];
}

const notDefault = (name: string): string => `globalDefault of ${name} PriorityClass must be false`;

const reserved = (reason: string): FieldError =>
  forbiddenField('metadata.name', `priority class names with '${SYSTEM_PREFIX}' prefix are reserved for system use only. error: ${reason}`);

function valueErrors(object: JsonObject): readonly FieldError[] {
  if (numberAt(object, 'value') <= HIGHEST) return [];
  return [forbiddenField('value', `maximum allowed value of a user defined priority is ${HIGHEST}`)];
}

function policyErrors(object: JsonObject): readonly FieldError[] {
  const policy = stringAt(object, 'preemptionPolicy') ?? '';
  if (policy === '') return own(object, 'preemptionPolicy') === undefined ? [] : [required('preemptionPolicy')];
  return POLICIES.includes(policy) ? [] : [notSupported('preemptionPolicy', policy, POLICIES)];
}

function immutable(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (numberAt(object, 'value') !== numberAt(old, 'value')) errors.push(forbiddenField('value', 'may not be changed in an update.'));
  const policy = stringAt(object, 'preemptionPolicy');
  if (policy !== stringAt(old, 'preemptionPolicy')) errors.push(invalidValue('preemptionPolicy', policy ?? null, 'field is immutable'));
  return errors;
}
