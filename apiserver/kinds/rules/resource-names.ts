/** Resources that are counted: which names may stand in quotas and limits, and which amounts they may have. */
import { invalidShownValue, invalidValue } from '../../../shared/api/errors/field-error';
import { formatGoQuantity } from '../../../shared/values/go-values';
import { checkQualifiedName } from '../../../shared/values/name-formats';
import { otherQualifiedName } from '../../../shared/names/dialect';
import { compareQuantities, parseQuantity } from '../../../shared/values/quantity';
import type { Errors } from './checks';

const MACHINE = ['cpu', 'memory', 'ephemeral-storage'];
const OBJECTS = [
  'pods',
  'services',
  'services.nodeports',
  'services.loadbalancers',
  'configmaps',
  'secrets',
  'persistentvolumeclaims',
  'replicationcontrollers',
  'resourcequotas',
];

const OF_CONTAINERS: ReadonlySet<string> = new Set(MACHINE);
const OF_QUOTAS: ReadonlySet<string> = new Set([
  ...MACHINE,
  ...OBJECTS,
  ...[...MACHINE, 'storage'].map((name) => `requests.${name}`),
  ...MACHINE.map((name) => `limits.${name}`),
]);
const WHOLE: ReadonlySet<string> = new Set(OBJECTS);

const REQUESTS = 'requests.';
export const HUGE_PAGES = 'hugepages-';
const REQUESTED_HUGE_PAGES = REQUESTS + HUGE_PAGES;

export const isHugePages = (name: string): boolean => name.startsWith(HUGE_PAGES);
/** Of a domain: whoever owns it says what it means. */
const isQualified = (name: string): boolean => name.includes('/');
/** Without a domain, or with the product's own. */
export const isNative = (name: string): boolean => !isQualified(name) || otherQualifiedName(name) !== undefined;

const isOfQuotas = (name: string): boolean => OF_QUOTAS.has(name) || isHugePages(name) || name.startsWith(REQUESTED_HUGE_PAGES);

/** Any resource that means something. `shown` = how messages about its form spell it. */
export function checkResourceName(name: string, field: string, errors: Errors, shown = name): void {
  const faults = checkQualifiedName(name);
  for (const text of faults) errors.push(invalidShownValue(field, shown, shown === '' ? `: ${text}` : text));
  if (faults.length > 0 || isQualified(name) || isOfQuotas(name) || name === 'storage') return;
  errors.push(invalidShownValue(field, name, 'must be a standard resource type or fully qualified'));
}

/** Resources that a container may ask for. `shown` = how messages about its form spell it. */
export function checkContainerResource(name: string, field: string, errors: Errors, shown = name): void {
  if (OF_CONTAINERS.has(name)) return;
  checkStandard(name, field, isHugePages(name), 'containers', errors, shown);
  if (!isQualified(name) || isNative(name) || isExtended(name)) return;
  errors.push(invalidShownValue(field, name, "doesn't follow extended resource name standard"));
}

/** A quota has to be able to speak of it. */
const isExtended = (name: string): boolean => !name.startsWith(REQUESTS) && checkQualifiedName(REQUESTS + name).length === 0;

/** One that only its owner knows what it means, and that a container may ask for. */
export const isExtendedResource = (name: string): boolean => isQualified(name) && !isNative(name) && isExtended(name);

/** Resources that a quota may limit. */
export function checkQuotaResource(name: string, field: string, errors: Errors): void {
  checkStandard(name, field, isOfQuotas(name), 'quota', errors);
}

function checkStandard(name: string, field: string, isStandard: boolean, where: string, errors: Errors, shown = name): void {
  checkResourceName(name, field, errors, shown);
  if (isStandard || isQualified(name)) return;
  const text = `must be a standard resource for ${where}`;
  errors.push(invalidShownValue(field, name, name === '' ? `: ${text}` : text));
}

/** Known to quotas by that very name, so that their scopes may not fit it. */
export const isStandardQuota = (name: string): boolean => !isQualified(name) && isOfQuotas(name);

/** Counts that have no fractions. */
const isWhole = (name: string): boolean => WHOLE.has(name) || (isQualified(name) && !name.startsWith('requests.'));

/** An amount of a resource: not below zero, and whole where it counts things. */
export function checkAmount(name: string, amount: string, field: string, errors: Errors): void {
  if (compareQuantities(amount, '0') < 0) errors.push(invalidValue(field, amount, 'must be greater than or equal to 0'));
  if (!isWhole(name) || parseQuantity(amount).nanos % 1_000_000_000n === 0n) return;
  errors.push(invalidShownValue(field, formatGoQuantity(amount), 'must be an integer'));
}

/** What is asked for is what is given: no less may be requested than the limit. */
export const isNeverOvercommitted = (name: string): boolean => !isNative(name) || isHugePages(name);
