/**
 * Validates names and quantities of resources in quotas, limit ranges and container resources. Each of the three accepts
 * a different set of names. Comparing quantities with each other is left to the callers.
 */
import { invalidShownValue, invalidValue } from '../../../shared/api/errors/field-error';
import { formatGoQuantity } from '../../../shared/values/go-values';
import { checkQualifiedName } from '../../../shared/values/name-formats';
import { otherQualifiedName } from '../../../shared/names/dialect';
import { compareQuantities, parseQuantity } from '../../../shared/values/quantity';
import type { Errors } from './checks';

const COMPUTE_RESOURCES = ['cpu', 'memory', 'ephemeral-storage'];
const OBJECT_COUNT_RESOURCES = [
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

const CONTAINER_RESOURCES: ReadonlySet<string> = new Set(COMPUTE_RESOURCES);
const QUOTA_RESOURCES: ReadonlySet<string> = new Set([
  ...COMPUTE_RESOURCES,
  ...OBJECT_COUNT_RESOURCES,
  ...[...COMPUTE_RESOURCES, 'storage'].map((name) => `requests.${name}`),
  ...COMPUTE_RESOURCES.map((name) => `limits.${name}`),
]);
const INTEGER_RESOURCES: ReadonlySet<string> = new Set(OBJECT_COUNT_RESOURCES);

const REQUESTS_PREFIX = 'requests.';
/** Followed by the size of a page, as in `hugepages-2Mi`. */
export const HUGE_PAGES_PREFIX = 'hugepages-';
const HUGE_PAGES_REQUESTS_PREFIX = REQUESTS_PREFIX + HUGE_PAGES_PREFIX;

export const isHugePages = (name: string): boolean => name.startsWith(HUGE_PAGES_PREFIX);
/** Whether the name has a domain, such as `example.com/gpu`. Such names are not in the lists above. */
const hasDomain = (name: string): boolean => name.includes('/');
/** Whether the name has no domain, or the product's own. */
export const isNativeResource = (name: string): boolean => !hasDomain(name) || otherQualifiedName(name) !== undefined;

const isQuotaResource = (name: string): boolean =>
  QUOTA_RESOURCES.has(name) || isHugePages(name) || name.startsWith(HUGE_PAGES_REQUESTS_PREFIX);

/**
 * Accepts any standard resource name, and any with a domain. `shown`: the name as messages about its format print it,
 * which is quoted for metrics. Messages print an empty name too, as nothing between two colons.
 */
export function checkResourceName(name: string, field: string, errors: Errors, shown = name): void {
  const reasons = checkQualifiedName(name);
  for (const text of reasons) errors.push(invalidShownValue(field, shown, shown === '' ? `: ${text}` : text));
  if (reasons.length > 0 || hasDomain(name) || isQuotaResource(name) || name === 'storage') return;
  errors.push(invalidShownValue(field, name, 'must be a standard resource type or fully qualified'));
}

/** Accepts resources that a container may request. `shown` is the name as messages about its format print it. */
export function checkContainerResource(name: string, field: string, errors: Errors, shown = name): void {
  if (CONTAINER_RESOURCES.has(name)) return;
  checkStandardResource(name, field, { isStandard: isHugePages(name), users: 'containers', shown }, errors);
  if (!hasDomain(name) || isNativeResource(name) || hasExtendedResourceForm(name)) return;
  errors.push(invalidShownValue(field, name, "doesn't follow extended resource name standard"));
}

/** An extended resource name must stay valid with the quota prefix `requests.`. */
const hasExtendedResourceForm = (name: string): boolean =>
  !name.startsWith(REQUESTS_PREFIX) && checkQualifiedName(REQUESTS_PREFIX + name).length === 0;

/** Whether the resource is of a foreign domain and a container may request it. */
export const isExtendedResource = (name: string): boolean => hasDomain(name) && !isNativeResource(name) && hasExtendedResourceForm(name);

/** Accepts resources that a quota may limit. */
export function checkQuotaResource(name: string, field: string, errors: Errors): void {
  checkStandardResource(name, field, { isStandard: isQuotaResource(name), users: 'quota' }, errors);
}

interface StandardResourceRule {
  /** Whether the users accept the name without a domain. */
  readonly isStandard: boolean;
  /** The users of the resource in the message. */
  readonly users: 'containers' | 'quota';
  /** The name as messages about its format print it; by default the name. */
  readonly shown?: string;
}

/** Accepts names with a domain, and of the others those that are standard for their users. */
function checkStandardResource(
  name: string,
  field: string,
  { isStandard, users, shown = name }: StandardResourceRule,
  errors: Errors,
): void {
  checkResourceName(name, field, errors, shown);
  if (isStandard || hasDomain(name)) return;
  const text = `must be a standard resource for ${users}`;
  errors.push(invalidShownValue(field, name, name === '' ? `: ${text}` : text));
}

/** Whether the resource is a standard one of quotas. Quota scopes may exclude it. */
export const isStandardQuotaResource = (name: string): boolean => !hasDomain(name) && isQuotaResource(name);

const NANOS_PER_UNIT = 1_000_000_000n;

/** Whether the resource is counted in whole units: objects, and resources with a domain such as devices. */
const isIntegerResource = (name: string): boolean => INTEGER_RESOURCES.has(name) || (hasDomain(name) && !name.startsWith(REQUESTS_PREFIX));

/** Checks that a quantity is not negative, and an integer for resources that are counted. */
export function checkResourceQuantity(name: string, quantity: string, field: string, errors: Errors): void {
  if (compareQuantities(quantity, '0') < 0) errors.push(invalidValue(field, quantity, 'must be greater than or equal to 0'));
  if (!isIntegerResource(name) || parseQuantity(quantity).nanos % NANOS_PER_UNIT === 0n) return;
  errors.push(invalidShownValue(field, formatGoQuantity(quantity), 'must be an integer'));
}

/** Whether a node must not promise more of the resource than it has, so that a request must equal its limit. */
export const isNeverOvercommitted = (name: string): boolean => !isNativeResource(name) || isHugePages(name);
