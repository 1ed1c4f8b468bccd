/** What containers request and are limited to. Never converts an amount; amounts are compared exactly. */
import { forbiddenField, invalidShownValue, invalidValue, requiredValue } from '../../../../shared/api/errors/field-error';
import { formatGoQuantity } from '../../../../shared/values/go-values';
import { sortedKeys, stringAt } from '../../../../shared/values/json';
import { parseQuantity } from '../../../../shared/values/quantity';
import { checkContainerResource, HUGE_PAGES, isHugePages, isNative, isNeverOvercommitted } from '../../rules/resource-names';
import type { Errors } from '../../rules/checks';
import type { CoreV1ResourceRequirements } from '../../../../shared/api/types/generated/members';

const BILLION = 1_000_000_000n;

export function checkResources(resources: CoreV1ResourceRequirements | undefined, place: string, errors: Errors): void {
  if (resources === undefined) return;
  const limits = resources.limits ?? {};
  const requests = resources.requests ?? {};
  const names = { huge: false, ordinary: false };
  for (const name of sortedKeys(limits)) {
    note(name, names);
    const field = `${place}.limits[${name}]`;
    const amount = checkAmount(name, stringAt(limits, name), field, errors);
    checkHugePages(name, amount, field, errors);
  }
  for (const name of sortedKeys(requests)) {
    note(name, names);
    const field = `${place}.requests[${name}]`;
    const amount = checkAmount(name, stringAt(requests, name), field, errors);
    checkAgainstLimit(name, amount, stringAt(limits, name), place, errors);
    checkHugePages(name, amount, field, errors);
  }
  if (names.huge && !names.ordinary) errors.push(forbiddenField(place, 'HugePages require cpu or memory'));
}

function note(name: string, names: { huge: boolean; ordinary: boolean }): void {
  if (isHugePages(name)) names.huge = true;
  else if (name === 'cpu' || name === 'memory') names.ordinary = true;
}

interface Amount {
  readonly text: string;
  readonly nanos: bigint;
}

/** The amounts that pods ask for again and again need not be read anew. */
const KNOWN_AMOUNTS = new Map<string, Amount>();
const MOST_KNOWN_AMOUNTS = 4096;

function amountOf(text: string): Amount {
  const known = KNOWN_AMOUNTS.get(text);
  if (known !== undefined) return known;
  const amount = { text, nanos: parseQuantity(text).nanos };
  if (KNOWN_AMOUNTS.size >= MOST_KNOWN_AMOUNTS) KNOWN_AMOUNTS.clear();
  KNOWN_AMOUNTS.set(text, amount);
  return amount;
}

function checkAmount(name: string, text: string | undefined, field: string, errors: Errors): Amount {
  checkContainerResource(name, field, errors);
  const amount = amountOf(text ?? '0');
  if (amount.nanos < 0n) errors.push(invalidValue(field, amount.text, 'must be greater than or equal to 0'));
  if (!isNative(name) && amount.nanos % BILLION !== 0n)
    errors.push(invalidShownValue(field, formatGoQuantity(amount.text), 'must be an integer'));
  return amount;
}

function checkAgainstLimit(name: string, request: Amount, text: string | undefined, place: string, errors: Errors): void {
  const field = `${place}.requests`;
  if (text === undefined) {
    if (isNeverOvercommitted(name)) errors.push(requiredValue(`${place}.limits`, 'Limit must be set for non overcommitable resources'));
    return;
  }
  const limit = amountOf(text);
  if (!isNeverOvercommitted(name)) {
    if (request.nanos > limit.nanos) {
      errors.push(invalidValue(field, request.text, `must be less than or equal to ${name} limit of ${limit.text}`));
    }
  } else if (request.nanos !== limit.nanos) {
    errors.push(invalidValue(field, request.text, `must be equal to ${name} limit of ${limit.text}`));
  }
}

function checkHugePages(name: string, amount: Amount, field: string, errors: Errors): void {
  if (!isHugePages(name)) return;
  const size = pageSize(name.slice(HUGE_PAGES.length));
  if (size !== 0n && amount.nanos % size === 0n) return;
  errors.push(invalidValue(field, amount.text, `${amount.text} is not positive integer multiple of ${name}`));
}

/** In billionths; 0 = no size. */
function pageSize(text: string): bigint {
  try {
    return parseQuantity(text).nanos;
  } catch {
    return 0n;
  }
}
