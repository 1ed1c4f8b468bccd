/** References to the pod's own fields and resources, from variables and from files. Never resolves them. */
import { invalidValue, unsupportedValue, requiredValue } from '../../../../shared/api/errors/field-error';
import { checkQualifiedName } from '../../../../shared/values/name-formats';
import { checkFormat, checkRequired, type Errors } from '../../rules/checks';
import type { CoreV1ObjectFieldSelector, CoreV1ResourceFieldSelector } from '../../../../shared/api/types/generated/members';

export const VARIABLE_FIELDS: readonly string[] = [
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

export const FILE_FIELDS: readonly string[] = [
  'metadata.annotations',
  'metadata.labels',
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
];

/** What is a field of a pod at all, so that it is said to be unsupported and not to be unknown. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set([
  ...VARIABLE_FIELDS,
  ...FILE_FIELDS,
  'spec.restartPolicy',
  'spec.schedulerName',
  'status.phase',
]);

/** An old name of `spec.nodeName`. */
const OLD_NODE = 'spec.host';

const SUBSCRIPTED = new Set(['metadata.annotations', 'metadata.labels']);

export function checkFieldReference(
  reference: CoreV1ObjectFieldSelector,
  place: string,
  supported: readonly string[],
  errors: Errors,
): void {
  const path = reference.fieldPath ?? '';
  const field = `${place}.fieldPath`;
  const version = reference.apiVersion ?? '';
  if (path === '') errors.push(requiredValue(field));
  else if (version !== '' && version !== 'v1') errors.push(unconverted(field, path, `unsupported pod version: ${version}`));
  else if (path.endsWith("']") && path.includes("['")) checkSubscript(path, place, errors);
  else if (path !== OLD_NODE && !KNOWN_FIELDS.has(path)) errors.push(unconverted(field, path, `field label not supported: ${path}`));
  else {
    const shown = path === OLD_NODE ? 'spec.nodeName' : path;
    if (!supported.includes(shown)) errors.push(unsupportedValue(field, shown, supported));
  }
}

const unconverted = (field: string, path: string, reason: string): Errors[number] =>
  invalidValue(field, path, `error converting fieldPath: ${reason}`);

/** `metadata.labels['a']`; keys of annotations may have capitals in their domain. */
function checkSubscript(path: string, place: string, errors: Errors): void {
  const start = path.indexOf("['");
  const map = path.slice(0, start);
  const key = path.slice(start + 2, -2);
  if (!SUBSCRIPTED.has(map)) {
    errors.push(unconverted(`${place}.fieldPath`, path, `field label does not support subscript: ${path}`));
    return;
  }
  const asked = map === 'metadata.annotations' ? key.toLowerCase() : key;
  for (const text of checkQualifiedName(asked)) errors.push(invalidValue(place, key, text));
}

const RESOURCES: readonly string[] = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
];

const SIZES = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei'];

/** What a resource may be divided by, and how messages call it. */
const DIVISORS: readonly (readonly [pattern: RegExp, divisors: readonly string[], text: string])[] = [
  [/\.cpu$/, ['1m', '1'], "only divisor's values 1m and 1 are supported with the cpu resource"],
  [/\.memory$/, SIZES, `only divisor's values ${SIZES.join(', ')} are supported with the memory resource`],
  [/\.ephemeral-storage$/, SIZES, `only divisor's values ${SIZES.join(', ')} are supported with the local ephemeral storage resource`],
  [/\.hugepages-/, SIZES, `only divisor's values ${SIZES.join(', ')} are supported with the hugepages resource`],
];

const HUGE_PAGES = /^(?:limits|requests)\.hugepages-/;

/** `elsewhere`: the container has to be named, because the reference does not stand in one. */
export function checkResourceReference(reference: CoreV1ResourceFieldSelector, place: string, elsewhere: boolean, errors: Errors): void {
  const resource = reference.resource ?? '';
  if (elsewhere && (reference.containerName ?? '') === '') checkRequired(reference, 'containerName', place, errors);
  else if (resource === '') errors.push(requiredValue(`${place}.resource`));
  else if (!RESOURCES.includes(resource) && !HUGE_PAGES.test(resource)) {
    errors.push(unsupportedValue(`${place}.resource`, resource, RESOURCES));
  } else checkDivisor(resource, reference.divisor ?? '', `${place}.divisor`, errors);
}

function checkDivisor(resource: string, divisor: string, field: string, errors: Errors): void {
  if (divisor === '' || divisor === '0') return;
  const rule = DIVISORS.find(([pattern]) => pattern.test(resource));
  if (rule === undefined) return;
  const [, divisors, text] = rule;
  if (!divisors.includes(divisor)) checkFormat(resource, field, () => [text], errors);
}
