/** Node (behaviour-reference §5.16). */
import { isIP } from 'node:net';
import {
  duplicate,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  type FieldError,
} from '../../../../shared/api/errors/field-error';
import {
  arrayAt,
  cloneJson,
  isObject,
  type JsonObject,
  objectAt,
  own,
  sortedKeys,
  stringAt,
  stringsAt,
} from '../../../../shared/values/json';
import { labelValue, qualifiedName } from '../../../../shared/values/name-formats';
import { countErrors } from '../../rules/resource-names';
import { UPDATE } from '../../../registry/stages';
import type { Strategy } from '../../../registry/strategy';
import { cidrErrors } from '../../rules/field-rules';

export const node: Strategy = {
  keepsStatusAtCreation: true,
  canonicalize(object) {
    allocatableFromCapacity(object);
    mirrorPodRange(object);
  },
  validate: (object) => [...taintErrors(object), ...amountErrors(object), ...podRangeErrors(object)],
  update: {
    stages: UPDATE.objectThenChange,
    validate: (object, old) => [...addressErrors(object), ...onceSet(object, old), ...taintErrors(object)],
  },
  status: { validate: (object) => [...addressErrors(object), ...amountErrors(object)] },
};

/** What a node offers is what it has until it says otherwise. */
function allocatableFromCapacity(object: JsonObject): void {
  const status = objectAt(object, 'status');
  const capacity = status === undefined ? undefined : objectAt(status, 'capacity');
  if (status !== undefined && capacity !== undefined && objectAt(status, 'allocatable') === undefined)
    status['allocatable'] = cloneJson(capacity);
}

/** `podCIDR` is the first of `podCIDRs`; where both are sent and differ, the single one stands for all. */
function mirrorPodRange(object: JsonObject): void {
  const spec = objectAt(object, 'spec');
  if (spec === undefined) return;
  const [first = ''] = stringsAt(spec, 'podCIDRs');
  const single = stringAt(spec, 'podCIDR') ?? '';
  if (single !== '' && single !== first) spec['podCIDRs'] = [single];
  else if (first !== '') spec['podCIDR'] = first;
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

function taintErrors(object: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const seen = new Set<string>();
  (arrayAt(objectAt(object, 'spec'), 'taints') ?? []).forEach((taint, index) => {
    if (!isObject(taint)) return;
    const field = `metadata.taints[${index}]`;
    const [key, value, effect] = [stringAt(taint, 'key') ?? '', stringAt(taint, 'value') ?? '', stringAt(taint, 'effect') ?? ''];
    for (const text of qualifiedName(key)) errors.push(invalidValue(`${field}.key`, key, text));
    for (const text of labelValue(value)) errors.push(invalidValue(`${field}.value`, value, text));
    if (effect === '') errors.push(required(`${field}.effect`));
    else if (!EFFECTS.includes(effect)) errors.push(notSupported(`${field}.effect`, effect, EFFECTS));
    if (seen.has(`${key}:${effect}`)) errors.push(duplicate(field, taint, 'taints must be unique by key and effect pair'));
    seen.add(`${key}:${effect}`);
  });
  return errors;
}

/** What a node has, and what of it pods get. */
function amountErrors(object: JsonObject): readonly FieldError[] {
  const status = objectAt(object, 'status');
  return ['capacity', 'allocatable'].flatMap((member) => {
    const amounts = objectAt(status, member) ?? {};
    return sortedKeys(amounts).flatMap((name) => countErrors(name, stringAt(amounts, name) ?? '0', `status.${member}.${name}`));
  });
}

function podRangeErrors(object: JsonObject): readonly FieldError[] {
  const ranges = stringsAt(objectAt(object, 'spec') ?? {}, 'podCIDRs');
  const errors = ranges.flatMap((range, index) => cidrErrors(range, `spec.podCIDRs[${index}]`));
  if (ranges.length < 2) return errors;
  const families = new Set(ranges.map((range) => isIP(range.split('/')[0] ?? '')));
  if (ranges.length > 2 || families.size < 2) {
    errors.push(invalidValue('spec.podCIDRs', ranges, 'may specify no more than one CIDR for each IP family'));
  }
  return errors;
}

function addressErrors(object: JsonObject): readonly FieldError[] {
  const seen = new Set<string>();
  return (arrayAt(objectAt(object, 'status'), 'addresses') ?? []).flatMap((address, index) => {
    if (!isObject(address)) return [];
    const key = `${stringAt(address, 'type') ?? ''}/${stringAt(address, 'address') ?? ''}`;
    const again = seen.has(key);
    seen.add(key);
    return again ? [duplicate(`status.addresses[${index}]`, address)] : [];
  });
}

/** The provider's id and the pods' ranges are given once. */
function onceSet(object: JsonObject, old: JsonObject): readonly FieldError[] {
  const errors: FieldError[] = [];
  const [spec, before] = [objectAt(object, 'spec') ?? {}, objectAt(old, 'spec') ?? {}];
  const ranges = stringsAt(before, 'podCIDRs');
  if (ranges.length > 0 && ranges.join() !== stringsAt(spec, 'podCIDRs').join()) {
    errors.push(forbiddenField('spec.podCIDRs', 'node updates may not change podCIDR except from "" to valid'));
  }
  const provider = stringAt(before, 'providerID') ?? '';
  if (provider !== '' && provider !== own(spec, 'providerID')) {
    errors.push(forbiddenField('spec.providerID', 'node updates may not change providerID except from "" to valid'));
  }
  return errors;
}
