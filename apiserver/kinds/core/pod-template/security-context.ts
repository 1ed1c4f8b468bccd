/** What a pod and its containers may do on their node. Never decides whether a policy allows it. */
import { duplicateValue, invalidShownValue, invalidValue, requiredValue } from '../../../../shared/api/errors/field-error';
import { checkChoice, type Errors } from '../../rules/checks';
import { checkId } from '../../rules/numbers';
import { checkAppArmor, checkSeccomp } from './profiles';
import { checkWindowsOptions } from './windows-options';
import type { CoreV1PodSecurityContext, CoreV1PodSpec, CoreV1SecurityContext } from '../../../../shared/api/types/generated/members';

const FORCES_ESCALATION = 'CAP_SYS_ADMIN';

/** Of a container. */
export function checkSecurityContext(context: CoreV1SecurityContext | undefined, place: string, errors: Errors): void {
  if (context === undefined) return;
  checkId(context.runAsUser, `${place}.runAsUser`, errors);
  checkId(context.runAsGroup, `${place}.runAsGroup`, errors);
  checkSeccomp(context, place, errors);
  if (context.allowPrivilegeEscalation === false) {
    const say = (what: string): void =>
      void errors.push(invalidShownValue(place, JSON.stringify(context), `cannot set \`allowPrivilegeEscalation\` to false and ${what}`));
    if (context.privileged === true) say('`privileged` to true');
    if ((context.capabilities?.add ?? []).includes(FORCES_ESCALATION)) {
      say(`\`capabilities.Add\` ${FORCES_ESCALATION}`);
    }
  }
  checkWindowsOptions(context, place, errors);
  checkAppArmor(context, place, errors);
}

/** Of a pod, with what its spec shares with the host. */
export function checkPodSecurityContext(spec: CoreV1PodSpec, specPlace: string, errors: Errors): void {
  const place = `${specPlace}.securityContext`;
  if (spec.shareProcessNamespace !== true && spec.securityContext === undefined) return;
  const context = spec.securityContext ?? {};
  for (const member of ['fsGroup', 'runAsUser', 'runAsGroup'] as const) checkId(context[member], `${place}.${member}`, errors);
  (context.supplementalGroups ?? []).forEach((group, index) => {
    if (typeof group === 'number' || typeof group === 'bigint') checkId(group, `${place}.supplementalGroups[${index}]`, errors);
  });
  if (spec.shareProcessNamespace === true && spec.hostPID === true) {
    errors.push(invalidShownValue(`${place}.shareProcessNamespace`, 'true', 'ShareProcessNamespace and HostPID cannot both be enabled'));
  }
  checkSysctls(context, spec, `${place}.sysctls`, errors);
  checkChoice(context, 'fsGroupChangePolicy', place, ['Always', 'OnRootMismatch'], errors);
  checkSeccomp(context, place, errors);
  checkWindowsOptions(context, place, errors);
  checkAppArmor(context, place, errors);
}

const LONGEST_SYSCTL = 253;
const SYSCTL_TEXT = '^([a-z0-9]([-_a-z0-9]*[a-z0-9])?[\\./])*[a-z0-9]([-_a-z0-9]*[a-z0-9])?$';
const SYSCTL = new RegExp(SYSCTL_TEXT);
/** Settings of the IPC namespace; `fs.mqueue.` begins others. */
const OF_IPC = new Set([
  'kernel.msgmax',
  'kernel.msgmnb',
  'kernel.msgmni',
  'kernel.sem',
  'kernel.shm_rmid_forced',
  'kernel.shmall',
  'kernel.shmmax',
  'kernel.shmmni',
]);

function checkSysctls(context: CoreV1PodSecurityContext, spec: CoreV1PodSpec, place: string, errors: Errors): void {
  const seen = new Set<string>();
  const isOnHostNetwork = spec.hostNetwork === true;
  const usesHostIpc = spec.hostIPC === true;
  context.sysctls?.forEach((sysctl, index) => {
    const field = `${place}[${index}].name`;
    const name = sysctl.name ?? '';
    if (name === '') errors.push(requiredValue(field));
    else if (name.length > LONGEST_SYSCTL || !SYSCTL.test(name)) {
      errors.push(invalidValue(field, name, `must have at most ${LONGEST_SYSCTL} characters and match regex ${SYSCTL_TEXT}`));
    } else if (seen.has(name)) errors.push(duplicateValue(field, name));
    seen.add(name);
    const dotted = withDots(name);
    if (isOnHostNetwork && dotted.startsWith('net.'))
      errors.push(invalidValue(field, name, "may not be specified when 'hostNetwork' is true"));
    if (usesHostIpc && (OF_IPC.has(dotted) || dotted.startsWith('fs.mqueue.'))) {
      errors.push(invalidValue(field, name, "may not be specified when 'hostIPC' is true"));
    }
  });
}

/** With slashes as separators, when a slash stands first, dots and slashes are exchanged. */
function withDots(name: string): string {
  const first = /[./]/.exec(name);
  return first?.[0] === '/' ? name.replace(/[./]/g, (sign) => (sign === '/' ? '.' : '/')) : name;
}
