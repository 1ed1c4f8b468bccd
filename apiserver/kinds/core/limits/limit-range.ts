/** LimitRange: bounds and defaults that fit together. Bounds nothing itself. */
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
const OF_CONTAINERS: ReadonlySet<string> = new Set(['Pod', 'Container']);
const AMOUNTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

export const limitRange: Strategy<CoreV1LimitRange> = {
  validate(object) {
    const seen = new Set<string>();
    const errors: Errors = [];
    object.spec?.limits?.forEach((limit, index) => checkLimit(limit, `spec.limits[${index}]`, seen, errors));
    return errors;
  },
  update: { stages: UPDATE.objectAlone },
};

function checkLimit(limit: CoreV1LimitRangeItem, place: string, seen: Set<string>, errors: Errors): void {
  const type = limit.type ?? '';
  checkType(type, `${place}.type`, errors);
  if (seen.has(type)) errors.push(duplicateValue(`${place}.type`, type));
  seen.add(type);
  const isOfPods = type === 'Pod';
  for (const member of AMOUNTS) {
    if (isOfPods && (member === 'default' || member === 'defaultRequest')) {
      if (limit[member] !== undefined) errors.push(forbiddenField(`${place}.${member}`, "may not be specified when `type` is 'Pod'"));
    } else checkNames(limit[member], `${place}.${member}`, OF_CONTAINERS.has(type), errors);
  }
  if (type === 'PersistentVolumeClaim' && limit.min?.['storage'] === undefined && limit.max?.['storage'] === undefined) {
    errors.push(requiredValue(`${place}.limits`, 'either minimum or maximum storage value is required, but neither was provided'));
  }
  const names = new Set(AMOUNTS.flatMap((member) => Object.keys(limit[member] ?? {})));
  for (const name of [...names].sort()) checkAmounts(limit, name, place, errors);
}

function checkType(type: string, field: string, errors: Errors): void {
  const before = errors.length;
  checkFormat(type, field, checkQualifiedName, errors);
  if (errors.length > before || type.includes('/') || TYPES.includes(type)) return;
  errors.push(invalidValue(field, type, 'must be a standard limit type or fully qualified'));
}

function checkNames(amounts: Record<string, string> | undefined, place: string, ofContainers: boolean, errors: Errors): void {
  const check = ofContainers ? checkContainerResource : checkResourceName;
  for (const name of sortedKeys(amounts ?? {})) check(name, `${place}[${name}]`, errors);
}

const amountOf = (limit: CoreV1LimitRangeItem, member: (typeof AMOUNTS)[number], name: string): string | undefined =>
  stringAt(limit[member], name);

/** What must not be more than what, in the order in which it is said; the fault is with `blamed`, and the amount of `shown` is shown. */
const ORDER = [
  { less: 'min', more: 'max', blamed: 'min', shown: 'min' },
  { less: 'min', more: 'defaultRequest', blamed: 'defaultRequest', shown: 'defaultRequest' },
  { less: 'defaultRequest', more: 'max', blamed: 'defaultRequest', shown: 'defaultRequest' },
  { less: 'defaultRequest', more: 'default', blamed: 'defaultRequest', shown: 'defaultRequest' },
  { less: 'min', more: 'default', blamed: 'default', shown: 'min' },
  { less: 'default', more: 'max', blamed: 'default', shown: 'max' },
] as const;

const TITLES = { min: 'min', max: 'max', default: 'default', defaultRequest: 'default request' } as const;

function checkAmounts(limit: CoreV1LimitRangeItem, name: string, place: string, errors: Errors): void {
  const wrong = (member: string, amount: string, text: string): FieldError =>
    invalidShownValue(`${place}.${member}[${name}]`, formatGoQuantity(amount), text);
  for (const { less, more, blamed, shown } of ORDER) {
    const [small, large] = [amountOf(limit, less, name), amountOf(limit, more, name)];
    if (small === undefined || large === undefined || compareQuantities(small, large) <= 0) continue;
    // Beside a request, a default is called the limit that it is.
    const title = less === 'defaultRequest' && more === 'default' ? 'default limit' : TITLES[more];
    errors.push(
      wrong(blamed, amountOf(limit, shown, name) ?? '', `${TITLES[less]} value ${small} is greater than ${title} value ${large}`),
    );
  }
  checkRatio(limit, name, wrong, errors);
  const [limited, requested] = [amountOf(limit, 'default', name), amountOf(limit, 'defaultRequest', name)];
  if (!isNeverOvercommitted(name) || limited === undefined || requested === undefined) return;
  if (compareQuantities(limited, requested) === 0) return;
  errors.push(wrong('defaultRequest', requested, `default value ${limited} must equal to defaultRequest value ${requested} in ${name}`));
}

function checkRatio(
  limit: CoreV1LimitRangeItem,
  name: string,
  wrong: (member: string, amount: string, text: string) => FieldError,
  errors: Errors,
): void {
  const ratio = amountOf(limit, 'maxLimitRequestRatio', name);
  if (ratio === undefined) return;
  if (compareQuantities(ratio, '1') < 0) errors.push(wrong('maxLimitRequestRatio', ratio, `ratio ${ratio} is less than 1`));
  const [least, most] = [amountOf(limit, 'min', name), amountOf(limit, 'max', name)];
  if (least === undefined || most === undefined) return;
  const possible = Number(parseQuantity(most).nanos) / Number(parseQuantity(least).nanos);
  if (Number(parseQuantity(ratio).nanos) / 1e9 <= possible) return;
  errors.push(wrong('maxLimitRequestRatio', ratio, `ratio ${ratio} is greater than max/min = ${possible.toFixed(6)}`));
}
