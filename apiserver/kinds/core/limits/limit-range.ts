/** LimitRange: bounds and defaults that fit together. Bounds nothing itself. */
import { append } from '../../../../shared/values/append';
import { duplicate, forbiddenField, invalidAs, invalidValue, required, type FieldError } from '../../../../shared/api/errors/field-error';
import { goQuantity } from '../../../../shared/values/go-values';
import { objectAt, own, sortedKeys, stringAt, type JsonObject } from '../../../../shared/values/json';
import { qualifiedName } from '../../../../shared/values/name-formats';
import { compareQuantities, parseQuantity } from '../../../../shared/values/quantity';
import { listed, misnamed } from '../../rules/field-rules';
import { containerResourceErrors, isNeverOvercommitted, resourceErrors } from '../../rules/resource-names';
import { UPDATE } from '../../../registry/stages';
import type { Strategy } from '../../../registry/strategy';

const TYPES = ['Pod', 'Container', 'PersistentVolumeClaim'];
const OF_CONTAINERS: ReadonlySet<string> = new Set(['Pod', 'Container']);
const AMOUNTS = ['max', 'min', 'default', 'defaultRequest', 'maxLimitRequestRatio'] as const;

export const limitRange: Strategy = {
  validate(object) {
    const seen = new Set<string>();
    return listed(objectAt(object, 'spec'), 'limits').flatMap((limit, index) => limitErrors(limit, `spec.limits[${index}]`, seen));
  },
  update: { stages: UPDATE.changeThenObject },
};

function limitErrors(limit: JsonObject, place: string, seen: Set<string>): readonly FieldError[] {
  const type = stringAt(limit, 'type') ?? '';
  const errors: FieldError[] = [...typeErrors(type, `${place}.type`)];
  if (seen.has(type)) errors.push(duplicate(`${place}.type`, type));
  seen.add(type);
  const isOfPods = type === 'Pod';
  for (const member of AMOUNTS) {
    if (isOfPods && (member === 'default' || member === 'defaultRequest')) {
      if (own(limit, member) !== undefined) errors.push(forbiddenField(`${place}.${member}`, "may not be specified when `type` is 'Pod'"));
    } else append(errors, namesErrors(objectAt(limit, member), `${place}.${member}`, OF_CONTAINERS.has(type)));
  }
  if (
    type === 'PersistentVolumeClaim' &&
    amountOf(limit, 'min', 'storage') === undefined &&
    amountOf(limit, 'max', 'storage') === undefined
  ) {
    errors.push(required(`${place}.limits`, 'either minimum or maximum storage value is required, but neither was provided'));
  }
  const names = new Set(AMOUNTS.flatMap((member) => Object.keys(objectAt(limit, member) ?? {})));
  return [...errors, ...[...names].sort().flatMap((name) => amountErrors(limit, name, place))];
}

function typeErrors(type: string, field: string): readonly FieldError[] {
  const malformed = misnamed(type, field, qualifiedName);
  if (malformed.length > 0 || type.includes('/') || TYPES.includes(type)) return malformed;
  return [invalidValue(field, type, 'must be a standard limit type or fully qualified')];
}

function namesErrors(amounts: JsonObject | undefined, place: string, ofContainers: boolean): readonly FieldError[] {
  const check = ofContainers ? containerResourceErrors : resourceErrors;
  return sortedKeys(amounts ?? {}).flatMap((name) => check(name, `${place}[${name}]`));
}

const amountOf = (limit: JsonObject, member: (typeof AMOUNTS)[number], name: string): string | undefined =>
  stringAt(objectAt(limit, member), name);

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

function amountErrors(limit: JsonObject, name: string, place: string): readonly FieldError[] {
  const wrong = (member: string, amount: string, text: string): FieldError =>
    invalidAs(`${place}.${member}[${name}]`, goQuantity(amount), text);
  const errors: FieldError[] = [];
  for (const { less, more, blamed, shown } of ORDER) {
    const [small, large] = [amountOf(limit, less, name), amountOf(limit, more, name)];
    if (small === undefined || large === undefined || compareQuantities(small, large) <= 0) continue;
    // Beside a request, a default is called the limit that it is.
    const title = less === 'defaultRequest' && more === 'default' ? 'default limit' : TITLES[more];
    errors.push(
      wrong(blamed, amountOf(limit, shown, name) ?? '', `${TITLES[less]} value ${small} is greater than ${title} value ${large}`),
    );
  }
  append(errors, ratioErrors(limit, name, wrong));
  const [limited, requested] = [amountOf(limit, 'default', name), amountOf(limit, 'defaultRequest', name)];
  if (!isNeverOvercommitted(name) || limited === undefined || requested === undefined) return errors;
  if (compareQuantities(limited, requested) === 0) return errors;
  return [
    ...errors,
    wrong('defaultRequest', requested, `default value ${limited} must equal to defaultRequest value ${requested} in ${name}`),
  ];
}

function ratioErrors(
  limit: JsonObject,
  name: string,
  wrong: (member: string, amount: string, text: string) => FieldError,
): readonly FieldError[] {
  const ratio = amountOf(limit, 'maxLimitRequestRatio', name);
  if (ratio === undefined) return [];
  const errors = compareQuantities(ratio, '1') < 0 ? [wrong('maxLimitRequestRatio', ratio, `ratio ${ratio} is less than 1`)] : [];
  const [least, most] = [amountOf(limit, 'min', name), amountOf(limit, 'max', name)];
  if (least === undefined || most === undefined) return errors;
  const possible = Number(parseQuantity(most).nanos) / Number(parseQuantity(least).nanos);
  if (Number(parseQuantity(ratio).nanos) / 1e9 <= possible) return errors;
  return [...errors, wrong('maxLimitRequestRatio', ratio, `ratio ${ratio} is greater than max/min = ${possible.toFixed(6)}`)];
}
