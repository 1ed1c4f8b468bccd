/**
 * Validates resource requests and limits: a request must not exceed its limit, and huge pages need CPU or memory too.
 * Quantities are compared exactly. Defaults and maxima of a namespace are left to the LimitRanger plug-in.
 */
import { forbiddenField, invalidShownValue, invalidValue, requiredValue } from '../../../../../shared/api/errors/field-error';
import { formatGoQuantity } from '../../../../../shared/values/go-values';
import { sortedKeys, stringAt } from '../../../../../shared/values/json';
import { parseQuantity } from '../../../../../shared/values/quantity';
import {
  checkContainerResource,
  HUGE_PAGES_PREFIX,
  isHugePages,
  isNativeResource,
  isNeverOvercommitted,
} from '../../../rules/resource-names';
import type { Errors } from '../../../rules/checks';
import type { CoreV1ResourceRequirements } from '../../../../../shared/api/types/generated/members';

const NANOS_PER_UNIT = 1_000_000_000n;

export function checkResources(resources: CoreV1ResourceRequirements | undefined, fieldPath: string, errors: Errors): void {
  if (resources === undefined) return;
  const limits = resources.limits ?? {};
  const requests = resources.requests ?? {};
  const limitNames = sortedKeys(limits);
  const requestNames = sortedKeys(requests);
  for (const name of limitNames) {
    const field = `${fieldPath}.limits[${name}]`;
    const quantity = checkQuantity(name, stringAt(limits, name), field, errors);
    checkHugePages(name, quantity, field, errors);
  }
  for (const name of requestNames) {
    const field = `${fieldPath}.requests[${name}]`;
    const request = checkQuantity(name, stringAt(requests, name), field, errors);
    const limitText = stringAt(limits, name);
    const limit = limitText === undefined ? undefined : parseCachedQuantity(limitText);
    checkRequestAgainstLimit(name, { request, limit }, fieldPath, errors);
    checkHugePages(name, request, field, errors);
  }
  const names = [...limitNames, ...requestNames];
  if (names.some(isHugePages) && !names.some(isCpuOrMemory)) errors.push(forbiddenField(fieldPath, 'HugePages require cpu or memory'));
}

const isCpuOrMemory = (name: string): boolean => name === 'cpu' || name === 'memory';

interface ParsedQuantity {
  readonly text: string;
  /** In billionths of the unit of the resource. */
  readonly nanos: bigint;
}

/** Cache of parsed quantities, because Pods repeat the same ones. */
const QUANTITY_CACHE = new Map<string, ParsedQuantity>();
const QUANTITY_CACHE_SIZE = 4096;

function parseCachedQuantity(text: string): ParsedQuantity {
  const cached = QUANTITY_CACHE.get(text);
  if (cached !== undefined) return cached;
  const quantity = { text, nanos: parseQuantity(text).nanos };
  if (QUANTITY_CACHE.size >= QUANTITY_CACHE_SIZE) QUANTITY_CACHE.clear();
  QUANTITY_CACHE.set(text, quantity);
  return quantity;
}

function checkQuantity(name: string, text: string | undefined, field: string, errors: Errors): ParsedQuantity {
  checkContainerResource(name, field, errors);
  const quantity = parseCachedQuantity(text ?? '0');
  if (quantity.nanos < 0n) errors.push(invalidValue(field, quantity.text, 'must be greater than or equal to 0'));
  if (!isNativeResource(name) && quantity.nanos % NANOS_PER_UNIT !== 0n) {
    errors.push(invalidShownValue(field, formatGoQuantity(quantity.text), 'must be an integer'));
  }
  return quantity;
}

/** The request of a container for one resource, and its limit if it has one. */
interface RequestAndLimit {
  readonly request: ParsedQuantity;
  readonly limit: ParsedQuantity | undefined;
}

/** The field paths do not contain the name of the resource (upstream behaviour). */
function checkRequestAgainstLimit(name: string, { request, limit }: RequestAndLimit, fieldPath: string, errors: Errors): void {
  const field = `${fieldPath}.requests`;
  const mustBeEqual = isNeverOvercommitted(name);
  if (limit === undefined) {
    if (mustBeEqual) errors.push(requiredValue(`${fieldPath}.limits`, 'Limit must be set for non overcommitable resources'));
  } else if (mustBeEqual && request.nanos !== limit.nanos) {
    errors.push(invalidValue(field, request.text, `must be equal to ${name} limit of ${limit.text}`));
  } else if (request.nanos > limit.nanos) {
    errors.push(invalidValue(field, request.text, `must be less than or equal to ${name} limit of ${limit.text}`));
  }
}

function checkHugePages(name: string, quantity: ParsedQuantity, field: string, errors: Errors): void {
  if (!isHugePages(name)) return;
  const size = pageSize(name.slice(HUGE_PAGES_PREFIX.length));
  if (size !== 0n && quantity.nanos % size === 0n) return;
  errors.push(invalidValue(field, quantity.text, `${quantity.text} is not positive integer multiple of ${name}`));
}

/** The size of a huge page in billionths of a byte; 0 for an invalid size. */
function pageSize(text: string): bigint {
  try {
    return parseQuantity(text).nanos;
  } catch {
    return 0n;
  }
}
