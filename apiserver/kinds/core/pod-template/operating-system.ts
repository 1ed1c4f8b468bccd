/**
 * Rejects fields that the Pod's declared operating system does not support. A Pod that declares none may use all
 * fields.
 */
import { forbiddenField, unsupportedValue, requiredValue } from '../../../../shared/api/errors/field-error';
import { forbidMembers, isSet, type Errors } from '../../rules/checks';
import type { CoreV1PodSecurityContext, CoreV1PodSpec, CoreV1SecurityContext } from '../../../../shared/api/types/generated/members';

const SYSTEMS = ['linux', 'windows'];

export function checkOperatingSystem(spec: CoreV1PodSpec, fieldPath: string, errors: Errors): void {
  const os = spec.os;
  if (os === undefined) return;
  const name = os.name ?? '';
  if (name === '') errors.push(requiredValue(`${fieldPath}.os.name`, 'cannot be empty'));
  else if (!SYSTEMS.includes(name)) errors.push(unsupportedValue(`${fieldPath}.os`, name, SYSTEMS));
  if (name === 'linux') checkLinuxPod(spec, fieldPath, errors);
  if (name === 'windows') checkWindowsPod(spec, fieldPath, errors);
}

const NOT_ON_LINUX = 'windows options cannot be set for a linux pod';

function checkLinuxPod(spec: CoreV1PodSpec, fieldPath: string, errors: Errors): void {
  const members = ['windowsOptions'] as const;
  forbidInContexts(spec, fieldPath, { podMembers: members, containerMembers: members, text: NOT_ON_LINUX }, errors);
}

const NOT_ON_WINDOWS = 'cannot be set for a windows pod';
/** Members of a container's security context that Windows does not support, in the order of errors. */
const CONTAINER_MEMBERS = [
  'appArmorProfile',
  'seLinuxOptions',
  'seccompProfile',
  'capabilities',
  'readOnlyRootFilesystem',
  'privileged',
  'allowPrivilegeEscalation',
  'procMount',
  'runAsUser',
  'runAsGroup',
] as const;

function checkWindowsPod(spec: CoreV1PodSpec, fieldPath: string, errors: Errors): void {
  const context = spec.securityContext ?? {};
  const forbidInPodContext = (members: readonly (keyof CoreV1PodSecurityContext)[]): void =>
    forbidMembers(context, members, `${fieldPath}.securityContext`, NOT_ON_WINDOWS, errors);
  forbidInPodContext(['appArmorProfile', 'seLinuxOptions']);
  for (const member of ['hostPID', 'hostIPC'] as const) {
    if (spec[member] === true) errors.push(forbiddenField(`${fieldPath}.${member}`, NOT_ON_WINDOWS));
  }
  forbidInPodContext(['seccompProfile', 'fsGroup', 'fsGroupChangePolicy']);
  if ((context.sysctls ?? []).length > 0) forbidInPodContext(['sysctls']);
  if (isSet(spec, 'shareProcessNamespace')) errors.push(forbiddenField(`${fieldPath}.shareProcessNamespace`, NOT_ON_WINDOWS));
  forbidInPodContext(['runAsUser', 'runAsGroup', 'supplementalGroups']);
  forbidInContexts(spec, fieldPath, { podMembers: [], containerMembers: CONTAINER_MEMBERS, text: NOT_ON_WINDOWS }, errors);
}

/** Members that a system does not support in the security contexts of Pods and of containers. */
interface UnsupportedMembers {
  readonly podMembers: readonly (keyof CoreV1PodSecurityContext)[];
  readonly containerMembers: readonly (keyof CoreV1SecurityContext)[];
  /** The detail of the errors. */
  readonly text: string;
}

/** Checks the security contexts of the Pod and of its containers, init containers first. */
function forbidInContexts(spec: CoreV1PodSpec, fieldPath: string, unsupported: UnsupportedMembers, errors: Errors): void {
  const { podMembers, containerMembers, text } = unsupported;
  forbidMembers(spec.securityContext ?? {}, podMembers, `${fieldPath}.securityContext`, text, errors);
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    spec[list]?.forEach((container, index) => {
      const context = container.securityContext;
      if (context !== undefined) forbidMembers(context, containerMembers, `${fieldPath}.${list}[${index}].securityContext`, text, errors);
    });
  }
}
