/**
 * Validates status updates of Pods, in upstream's order: terminated containers are not restarted against the restart
 * policy, and addresses are consistent. Does not validate the spec.
 */
import {
  createFieldError,
  forbiddenField,
  internalFieldError,
  invalidShownValue,
  invalidValue,
  type FieldError,
} from '../../../../shared/api/errors/field-error';
import { checkDnsSubdomain, checkQualifiedName } from '../../../../shared/values/name-formats';
import { quote } from '../../../../shared/values/text/quote';
import { checkIp, ipFamily } from '../../rules/addresses';
import { checkFormat, checkIfNotEmpty, type Errors } from '../../rules/checks';
import type { CoreV1Pod, CoreV1PodStatus } from '../../../../shared/api/types/generated/members';

/** `object` has the stored spec, which the rules of the status refer to. */
export function validatePodStatusUpdate(object: CoreV1Pod, old: CoreV1Pod): readonly FieldError[] {
  const status = object.status ?? {};
  const errors: Errors = [];
  // The field path is not that of the conditions (upstream behaviour).
  status.conditions?.forEach((condition, index) =>
    checkFormat(condition.type ?? '', `metadata.conditions[${index}].Type`, checkQualifiedName, errors),
  );
  checkIfNotEmpty(status, 'nominatedNodeName', 'status', errors, checkDnsSubdomain);
  checkContainerStateTransition(object, old.status ?? {}, status, errors);
  checkResourceClaimStatuses(object, status, errors);
  const podAddresses = (status.podIPs ?? []).map((item) => item.ip ?? '');
  checkPodIps(podAddresses, 'status.podIPs', 'core.PodIP', errors);
  const hostAddresses = (status.hostIPs ?? []).map((item) => item.ip ?? '');
  const [firstHostAddress] = hostAddresses;
  if (firstHostAddress !== undefined && firstHostAddress !== (status.hostIP ?? '')) {
    errors.push(invalidValue('status.hostIPs[0].ip', firstHostAddress, 'must be equal to `hostIP`'));
  }
  checkPodIps(hostAddresses, 'status.hostIPs', 'core.HostIP', errors);
  return errors;
}

/** A terminated container stays terminated unless the restart policy restarts it. */
function checkContainerStateTransition(object: CoreV1Pod, oldStatus: CoreV1PodStatus, status: CoreV1PodStatus, errors: Errors): void {
  const spec = object.spec ?? {};
  const policy = spec.restartPolicy ?? '';
  if (policy === 'Always') return;
  const sidecars = (spec.initContainers ?? []).filter((container) => container.restartPolicy === 'Always');
  const sidecarNames = new Set(sidecars.map((container) => container.name ?? ''));
  for (const member of ['containerStatuses', 'initContainerStatuses'] as const) {
    // Reversed, because the last entry of a name wins in a Map, and the first status of a name counts.
    const statuses = [...(status[member] ?? [])].reverse();
    const currentByName = new Map(statuses.map((containerStatus) => [containerStatus.name ?? '', containerStatus]));
    oldStatus[member]?.forEach((old, index) => {
      const name = old.name ?? '';
      const terminated = old.state?.terminated;
      const current = currentByName.get(name);
      if (terminated === undefined || current === undefined) return;
      const mayRestart = sidecarNames.has(name) || (policy === 'OnFailure' && terminated.exitCode !== 0);
      if (mayRestart || current.state?.terminated !== undefined) return;
      errors.push(forbiddenField(`status.${member}[${index}].state`, 'may not be transitioned to non-terminated state'));
    });
  }
}

function checkResourceClaimStatuses(object: CoreV1Pod, status: CoreV1PodStatus, errors: Errors): void {
  const names = new Set((object.spec?.resourceClaims ?? []).map((claim) => claim.name ?? ''));
  status.resourceClaimStatuses?.forEach((claim, index) => {
    const name = claim.name ?? '';
    if (names.has(name)) return;
    const text = 'must match the name of an entry in `spec.resourceClaims`';
    errors.push(invalidValue(`status.resourceClaimStatuses[${index}].name`, name, text));
  });
}

/** Allows at most one address of each IP family. `type` is Go's name for the type of an entry. */
function checkPodIps(addresses: readonly string[], field: string, type: string, errors: Errors): void {
  addresses.forEach((address, index) => checkIp(address, `${field}[${index}]`, errors));
  if (addresses.length < 2) return;
  const shown = (address: string): string => `${type}{IP:${quote(address)}}`;
  const families = addresses.map(ipFamily);
  const malformedIndex = families.indexOf(0);
  if (malformedIndex >= 0) {
    const reason = `invalid IP[${malformedIndex}]: ${addresses[malformedIndex] ?? ''}`;
    errors.push(internalFieldError(field, `failed to check for dual stack with error:${reason}`));
  }
  if (malformedIndex >= 0 || addresses.length > 2 || new Set(families).size < 2) {
    const list = `[]${type}{${addresses.map(shown).join(', ')}}`;
    errors.push(invalidShownValue(field, list, 'may specify no more than one IP for each IP family'));
  }
  const seen = new Set<string>();
  addresses.forEach((address, index) => {
    if (seen.has(address)) errors.push(createFieldError('FieldValueDuplicate', `${field}[${index}]`, shown(address), ''));
    seen.add(address);
  });
}
