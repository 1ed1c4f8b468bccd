/**
 * Validates downward API references to fields and resources of the Pod. The supported fields differ between
 * environment variables and volumes; the resources are the same. Resolving them is left to the kubelet.
 */
import { invalidValue, unsupportedValue, requiredValue } from '../../../../../shared/api/errors/field-error';
import { checkQualifiedName } from '../../../../../shared/values/name-formats';
import { checkRequired, type Errors } from '../../../rules/checks';
import type { CoreV1ObjectFieldSelector, CoreV1ResourceFieldSelector } from '../../../../../shared/api/types/generated/members';

/** The fields for environment variables. Labels and annotations are supported with a subscript only. */
export const ENV_FIELD_PATHS: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

/** The fields for files in volumes. */
export const VOLUME_FIELD_PATHS: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

/**
 * The field paths of Pods that exist for upstream's conversion of field labels. Of the unsupported paths, these are
 * reported as an unsupported value, all others as an error of the conversion.
 */
const POD_FIELD_PATHS: ReadonlySet<string> = new Set([
  ...ENV_FIELD_PATHS,
  ...VOLUME_FIELD_PATHS,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);

/** Legacy name of `spec.nodeName`. */
const LEGACY_NODE_NAME = 'spec.host';

const SUBSCRIPTABLE = new Set(['metadata.annotations', 'metadata.labels']);

/** `supported`: the field paths that the reference may name, {@link ENV_FIELD_PATHS} or {@link VOLUME_FIELD_PATHS}. */
export function checkObjectFieldSelector(
  reference: CoreV1ObjectFieldSelector,
  fieldPath: string,
  supported: readonly string[],
  errors: Errors,
): void {
  const path = reference.fieldPath ?? '';
  const field = `${fieldPath}.fieldPath`;
  const version = reference.apiVersion ?? '';
  if (path === '') errors.push(requiredValue(field));
  else if (version !== '' && version !== 'v1') errors.push(conversionError(field, path, `unsupported pod version: ${version}`));
  else if (path.endsWith("']") && path.includes("['")) checkSubscript(path, fieldPath, errors);
  else checkPodFieldPath(path, field, supported, errors);
}

function checkPodFieldPath(path: string, field: string, supported: readonly string[], errors: Errors): void {
  const currentPath = path === LEGACY_NODE_NAME ? 'spec.nodeName' : path;
  if (!POD_FIELD_PATHS.has(currentPath)) errors.push(conversionError(field, path, `field label not supported: ${path}`));
  else if (!supported.includes(currentPath)) errors.push(unsupportedValue(field, currentPath, supported));
}

const conversionError = (field: string, path: string, reason: string): Errors[number] =>
  invalidValue(field, path, `error converting fieldPath: ${reason}`);

/** Checks subscripts such as `metadata.labels['a']`. Keys of annotations may have capitals in their domain. */
function checkSubscript(path: string, fieldPath: string, errors: Errors): void {
  const subscriptStart = path.indexOf("['");
  const map = path.slice(0, subscriptStart);
  const key = path.slice(subscriptStart + "['".length, -"']".length);
  if (!SUBSCRIPTABLE.has(map)) {
    errors.push(conversionError(`${fieldPath}.fieldPath`, path, `field label does not support subscript: ${path}`));
    return;
  }
  const checkedKey = map === 'metadata.annotations' ? key.toLowerCase() : key;
  for (const text of checkQualifiedName(checkedKey)) errors.push(invalidValue(fieldPath, key, text));
}

const RESOURCES: readonly string[] = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

const SIZE_DIVISORS = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

/** The divisors that a resource supports. */
interface DivisorRule {
  readonly pattern: RegExp;
  readonly divisors: readonly string[];
  /** How messages list the divisors and name the resource. */
  readonly listed: string;
  readonly resource: string;
}

const LISTED_SIZES = SIZE_DIVISORS.join(', ');
const DIVISOR_RULES: readonly DivisorRule[] = [
  { pattern: /\.cpu$/, divisors: ['1m', '1'], listed: '1m and 1', resource: 'cpu' },
  { pattern: /\.memory$/, divisors: SIZE_DIVISORS, listed: LISTED_SIZES, resource: 'memory' },
  { pattern: /\.ephemeral-storage$/, divisors: SIZE_DIVISORS, listed: LISTED_SIZES, resource: 'local ephemeral storage' },
  { pattern: /\.hugepages-/, divisors: SIZE_DIVISORS, listed: LISTED_SIZES, resource: 'hugepages' },
];

/** The start of a resource such as `limits.hugepages-2Mi`. */
const HUGE_PAGES = /^(?:limits|requests)\.hugepages-/;

/** `needsContainerName`: the reference is outside a container, so it must name one. */
export function checkResourceFieldSelector(
  reference: CoreV1ResourceFieldSelector,
  fieldPath: string,
  { needsContainerName }: { readonly needsContainerName: boolean },
  errors: Errors,
): void {
  const resource = reference.resource ?? '';
  if (needsContainerName && (reference.containerName ?? '') === '') checkRequired(reference, 'containerName', fieldPath, errors);
  else if (resource === '') errors.push(requiredValue(`${fieldPath}.resource`));
  else if (!RESOURCES.includes(resource) && !HUGE_PAGES.test(resource)) {
    errors.push(unsupportedValue(`${fieldPath}.resource`, resource, RESOURCES));
  } else checkDivisor(resource, reference.divisor ?? '', `${fieldPath}.divisor`, errors);
}

function checkDivisor(resource: string, divisor: string, field: string, errors: Errors): void {
  if (divisor === '' || divisor === '0') return;
  const rule = DIVISOR_RULES.find(({ pattern }) => pattern.test(resource));
  if (rule === undefined || rule.divisors.includes(divisor)) return;
  const text = `only divisor's values ${rule.listed} are supported with the ${rule.resource} resource`;
  // The resource is shown as the invalid value (upstream behaviour).
  errors.push(invalidValue(field, resource, text));
}
