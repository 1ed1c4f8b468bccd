/** Resources that are counted: which names may stand in quotas and limits, and which amounts they may have. */
import { invalidAs, invalidValue, type FieldError } from '../../../shared/api/field-error';
import { goQuantity } from '../../../shared/api/go-values';
import { qualifiedName } from '../../../shared/api/names';
import { compareQuantities, parseQuantity } from '../../../shared/api/schema/quantity';

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

const HUGE_PAGES = 'hugepages-';
const REQUESTED_HUGE_PAGES = `requests.${HUGE_PAGES}`;

const isHugePages = (name: string): boolean => name.startsWith(HUGE_PAGES);
/** Of a domain: whoever owns it says what it means. */
const isQualified = (name: string): boolean => name.includes('/');

const isOfQuotas = (name: string): boolean => OF_QUOTAS.has(name) || isHugePages(name) || name.startsWith(REQUESTED_HUGE_PAGES);

/** Any resource that means something. */
export function resourceErrors(name: string, field: string): readonly FieldError[] {
  const malformed = qualifiedName(name).map((text) => invalidAs(field, name, text));
  if (malformed.length > 0 || isQualified(name) || isOfQuotas(name) || name === 'storage') return malformed;
  return [invalidAs(field, name, 'must be a standard resource type or fully qualified')];
}

/** Resources that a container may ask for. */
export function containerResourceErrors(name: string, field: string): readonly FieldError[] {
  return standardErrors(name, field, OF_CONTAINERS.has(name) || isHugePages(name), 'containers');
}

/** Resources that a quota may limit. */
export function quotaResourceErrors(name: string, field: string): readonly FieldError[] {
  return standardErrors(name, field, isOfQuotas(name), 'quota');
}

function standardErrors(name: string, field: string, isStandard: boolean, where: string): readonly FieldError[] {
  const errors = resourceErrors(name, field);
  return isStandard || isQualified(name) ? errors : [...errors, invalidAs(field, name, `must be a standard resource for ${where}`)];
}

/** Known to quotas by that very name, so that their scopes may not fit it. */
export const isStandardQuota = (name: string): boolean => !isQualified(name) && isOfQuotas(name);

/** Counts that have no fractions. */
const isWhole = (name: string): boolean => WHOLE.has(name) || (isQualified(name) && !name.startsWith('requests.'));

/** An amount of a resource: not below zero, and whole where it counts things. */
export function countErrors(name: string, amount: string, field: string): readonly FieldError[] {
  const errors = compareQuantities(amount, '0') < 0 ? [invalidValue(field, amount, 'must be greater than or equal to 0')] : [];
  if (!isWhole(name) || parseQuantity(amount).nanos % 1_000_000_000n === 0n) return errors;
  return [...errors, invalidAs(field, goQuantity(amount), 'must be an integer')];
}

/** What is asked for is what is given: no less may be requested than the limit. */
export const isNeverOvercommitted = (name: string): boolean => isQualified(name) || isHugePages(name);
