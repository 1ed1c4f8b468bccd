/**
 * Validates the security contexts of Pods and containers: their values must be well-formed, and must not contradict
 * each other or the host namespaces that the Pod shares. Whether a namespace permits them is left to Pod Security
 * admission.
 */
import { duplicateValue, invalidShownValue, invalidValue, requiredValue } from '../../../../../shared/api/errors/field-error';
import { checkEnum, type Errors } from '../../../rules/checks';
import { checkUserOrGroupId } from '../../../rules/numbers';
import { checkAppArmorProfile, checkSeccompProfile } from './security-profiles';
import { checkWindowsOptions } from './windows-options';
import type { CoreV1PodSecurityContext, CoreV1PodSpec, CoreV1SecurityContext } from '../../../../../shared/api/types/generated/members';

const CAP_SYS_ADMIN = 'CAP_SYS_ADMIN';

export function checkSecurityContext(context: CoreV1SecurityContext | undefined, fieldPath: string, errors: Errors): void {
  if (context === undefined) return;
  checkUserOrGroupId(context.runAsUser, `${fieldPath}.runAsUser`, errors);
  checkUserOrGroupId(context.runAsGroup, `${fieldPath}.runAsGroup`, errors);
  checkSeccompProfile(context, fieldPath, errors);
  if (context.allowPrivilegeEscalation === false) checkNotPrivileged(context, fieldPath, errors);
  checkWindowsOptions(context, fieldPath, errors);
  checkAppArmorProfile(context, fieldPath, errors);
}

/** A privileged container, or one with the capability CAP_SYS_ADMIN, can always escalate its privileges. */
function checkNotPrivileged(context: CoreV1SecurityContext, fieldPath: string, errors: Errors): void {
  const addError = (conflict: string): void => {
    const text = `cannot set \`allowPrivilegeEscalation\` to false and ${conflict}`;
    errors.push(invalidShownValue(fieldPath, JSON.stringify(context), text));
  };
  if (context.privileged === true) addError('`privileged` to true');
  if ((context.capabilities?.add ?? []).includes(CAP_SYS_ADMIN)) addError(`\`capabilities.Add\` ${CAP_SYS_ADMIN}`);
}

/**
 * Also rejects `shareProcessNamespace` together with `hostPID`. The error names a field of the security context,
 * because upstream's internal type has these members there; in the API they are members of the spec.
 */
export function checkPodSecurityContext(spec: CoreV1PodSpec, specPath: string, errors: Errors): void {
  const fieldPath = `${specPath}.securityContext`;
  if (spec.shareProcessNamespace !== true && spec.securityContext === undefined) return;
  const context = spec.securityContext ?? {};
  for (const member of ['fsGroup', 'runAsUser', 'runAsGroup'] as const) {
    checkUserOrGroupId(context[member], `${fieldPath}.${member}`, errors);
  }
  context.supplementalGroups?.forEach((group, index) => {
    const isInteger = typeof group === 'number' || typeof group === 'bigint';
    if (isInteger) checkUserOrGroupId(group, `${fieldPath}.supplementalGroups[${index}]`, errors);
  });
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    errors.push(
      invalidShownValue(`${fieldPath}.shareProcessNamespace`, 'true', 'ShareProcessNamespace and HostPID cannot both be enabled'),
    );
  }
  checkSysctls(context, spec, `${fieldPath}.sysctls`, errors);
  checkEnum(context, 'fsGroupChangePolicy', fieldPath, ['Always', 'OnRootMismatch'], errors);
  checkSeccompProfile(context, fieldPath, errors);
  checkWindowsOptions(context, fieldPath, errors);
  checkAppArmorProfile(context, fieldPath, errors);
}

const MAX_SYSCTL_LENGTH = 253;
/** Labels of lower-case letters, digits, dashes and underscores, separated by dots or slashes: `net.ipv4.ip_forward`. */
const SYSCTL_PATTERN = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';
const SYSCTL = new RegExp(SYSCTL_PATTERN);
/** Sysctls of the IPC namespace, besides those that begin with `fs.mqueue.`. */
const IPC_SYSCTLS = new Set([
  'kernel.msgmax',
  'kernel.msgmnb',
  'kernel.msgmni',
  'kernel.sem',
  'kernel.shm_rmid_forced',
  'kernel.shmall',
  'kernel.shmmax',
  'kernel.shmmni',
]);

function checkSysctls(context: CoreV1PodSecurityContext, spec: CoreV1PodSpec, fieldPath: string, errors: Errors): void {
  const seen = new Set<string>();
  const isOnHostNetwork = spec.hostNetwork === true;
  const usesHostIpc = spec.hostIPC === true;
  context.sysctls?.forEach((sysctl, index) => {
    const field = `${fieldPath}[${index}].name`;
    const name = sysctl.name ?? '';
    if (name === '') errors.push(requiredValue(field));
    else if (name.length > MAX_SYSCTL_LENGTH || !SYSCTL.test(name)) {
      errors.push(invalidValue(field, name, `must have at most ${MAX_SYSCTL_LENGTH} characters and match regex ${SYSCTL_PATTERN}`));
    } else if (seen.has(name)) errors.push(duplicateValue(field, name));
    seen.add(name);
    const dotted = normalizeSysctlName(name);
    if (isOnHostNetwork && dotted.startsWith('net.')) {
      errors.push(invalidValue(field, name, "may not be specified when 'hostNetwork' is true"));
    }
    const isOfIpcNamespace = IPC_SYSCTLS.has(dotted) || dotted.startsWith('fs.mqueue.');
    if (usesHostIpc && isOfIpcNamespace) errors.push(invalidValue(field, name, "may not be specified when 'hostIPC' is true"));
  });
}

/**
 * Returns the name with dots as separators: `net.ipv4.ip_forward` for `net/ipv4/ip_forward`. Slashes are the separators
 * when one comes before the first dot. A dot then belongs to a part of the name and becomes a slash:
 * `net.ipv4.conf.eth0/1.forwarding` for `net/ipv4/conf/eth0.1/forwarding`.
 */
function normalizeSysctlName(name: string): string {
  const firstSeparator = /[./]/.exec(name)?.[0];
  return firstSeparator === '/' ? name.replace(/[./]/g, (sign) => (sign === '/' ? '.' : '/')) : name;
}
