/**
 * LimitRange strategy: the bounds and defaults of each type must be consistent with each other. Applying them to Pods
 * and claims is left to the LimitRanger plug-in.
 */
import {
  duplicateValue,
  forbiddenField,
  invalidShownValue,
  invalidValue,
  requiredValue,
  type FieldError,
} from '../../../../shared/api/errors/field-error';
import { formatGoQuantity } from '../../../../shared/values/go-values';
import { sortedKeys, stringAt } from '../../../../shared/values/json';
import { checkQualifiedName } from '../../../../shared/values/name-formats';
import { compareQuantities, parseQuantity } from '../../../../shared/values/quantity';
import { checkFormat, type Errors } from '../../rules/checks';
import { checkContainerResource, checkResourceName, isNeverOvercommitted } from '../../rules/resource-names';
import { UPDATE } from '../../../registry/stages';
import type { Strategy } from '../../../registry/strategy';
import type { CoreV1LimitRange, CoreV1LimitRangeItem } from '../../../../shared/api/types/generated/members';

const TYPES = ['Pod', 'Container', 'PersistentVolumeClaim'];
const CONTAINER_TYPES: ReadonlySet<string> = new Set(['Pod', 'Container']);
const LIMIT_MEMBERS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

export const limitRange: Strategy<CoreV1LimitRange> = {
  validate(object) {
    const seen = new Set<string>();
    const errors: Errors = [];
    object.spec?.limits?.forEach((limit, index) => checkLimit(limit, `spec.limits[${index}]`, seen, errors));
    return errors;
  },
  update: { stages: UPDATE.objectAlone },
};

function checkLimit(limit: CoreV1LimitRangeItem, fieldPath: string, seen: Set<string>, errors: Errors): void {
  const type = limit.type ?? '';
  checkType(type, `${fieldPath}.type`, errors);
  if (seen.has(type)) errors.push(duplicateValue(`${fieldPath}.type`, type));
  seen.add(type);
  const isPodLimit = type === 'Pod';
  for (const member of LIMIT_MEMBERS) {
    if (isPodLimit && (member === 'default' || member === 'defaultRequest')) {
      if (limit[member] !== undefined) errors.push(forbiddenField(`${fieldPath}.${member}`, "may not be specified when `type` is 'Pod'"));
    } else {
      const check = CONTAINER_TYPES.has(type) ? checkContainerResource : checkResourceName;
      for (const name of sortedKeys(limit[member] ?? {})) check(name, `${fieldPath}.${member}[${name}]`, errors);
    }
  }
  if (type === 'PersistentVolumeClaim' && limit.min?.['storage'] === undefined && limit.max?.['storage'] === undefined) {
    errors.push(requiredValue(`${fieldPath}.limits`, 'either minimum or maximum storage value is required, but neither was provided'));
  }
  const names = new Set(LIMIT_MEMBERS.flatMap((member) => Object.keys(limit[member] ?? {})));
  for (const name of [...names].sort()) checkQuantities(limit, name, fieldPath, errors);
}

function checkType(type: string, field: string, errors: Errors): void {
  const errorCountBefore = errors.length;
  checkFormat(type, field, checkQualifiedName, errors);
  if (errors.length > errorCountBefore || type.includes('/') || TYPES.includes(type)) return;
  errors.push(invalidValue(field, type, 'must be a standard limit type or fully qualified'));
}

const quantityOf = (limit: CoreV1LimitRangeItem, member: (typeof LIMIT_MEMBERS)[number], name: string): string | undefined =>
  stringAt(limit[member], name);

/**
 * Pairs of limits, in the order of messages: `lower` must not exceed `upper`. The error is reported at the member `field`
 * and shows the quantity of the member `shown`.
 */
const ORDERED_PAIRS = [
  { lower: 'min', upper: 'max', field: 'min', shown: 'min' },
  { lower: 'min', upper: 'defaultRequest', field: 'defaultRequest', shown: 'defaultRequest' },
  { lower: 'defaultRequest', upper: 'max', field: 'defaultRequest', shown: 'defaultRequest' },
  { lower: 'defaultRequest', upper: 'default', field: 'defaultRequest', shown: 'defaultRequest' },
  { lower: 'min', upper: 'default', field: 'default', shown: 'min' },
  { lower: 'default', upper: 'max', field: 'default', shown: 'max' },
] as const;

const TITLES = { min: 'min', max: 'max', default: 'default', defaultRequest: 'default request' } as const;

function checkQuantities(limit: CoreV1LimitRangeItem, name: string, fieldPath: string, errors: Errors): void {
  const quantityError = (member: string, quantity: string, text: string): FieldError =>
    invalidShownValue(`${fieldPath}.${member}[${name}]`, formatGoQuantity(quantity), text);
  for (const { lower, upper, field, shown } of ORDERED_PAIRS) {
    const small = quantityOf(limit, lower, name);
    const large = quantityOf(limit, upper, name);
    if (small === undefined || large === undefined || compareQuantities(small, large) <= 0) continue;
    // In comparison with the default request, the default is called the default limit.
    const title = lower === 'defaultRequest' && upper === 'default' ? 'default limit' : TITLES[upper];
    errors.push(
      quantityError(field, quantityOf(limit, shown, name) ?? '', `${TITLES[lower]} value ${small} is greater than ${title} value ${large}`),
    );
  }
  checkRatio(limit, name, quantityError, errors);
  const limited = quantityOf(limit, 'default', name);
  const requested = quantityOf(limit, 'defaultRequest', name);
  if (!isNeverOvercommitted(name) || limited === undefined || requested === undefined) return;
  if (compareQuantities(limited, requested) === 0) return;
  errors.push(
    quantityError('defaultRequest', requested, `default value ${limited} must equal to defaultRequest value ${requested} in ${name}`),
  );
}

function checkRatio(
  limit: CoreV1LimitRangeItem,
  name: string,
  quantityError: (member: string, quantity: string, text: string) => FieldError,
  errors: Errors,
): void {
  const ratio = quantityOf(limit, 'maxLimitRequestRatio', name);
  if (ratio === undefined) return;
  if (compareQuantities(ratio, '1') < 0) errors.push(quantityError('maxLimitRequestRatio', ratio, `ratio ${ratio} is less than 1`));
  const min = quantityOf(limit, 'min', name);
  const max = quantityOf(limit, 'max', name);
  if (min === undefined || max === undefined) return;
  const maxRatio = Number(parseQuantity(max).nanos) / Number(parseQuantity(min).nanos);
  if (Number(parseQuantity(ratio).nanos) / 1e9 <= maxRatio) return;
  errors.push(quantityError('maxLimitRequestRatio', ratio, `ratio ${ratio} is greater than max/min = ${maxRatio.toFixed(6)}`));
}
