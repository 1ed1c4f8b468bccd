/** What a pod that says its operating system may not ask of it. */
import { forbiddenField, unsupportedValue, requiredValue } from '../../../../shared/api/errors/field-error';
import { forbidSet, isSet, type Errors } from '../../rules/checks';
import type { CoreV1PodSecurityContext, CoreV1PodSpec, CoreV1SecurityContext } from '../../../../shared/api/types/generated/members';

const SYSTEMS = ['linux', 'windows'];

export function checkOperatingSystem(spec: CoreV1PodSpec, place: string, errors: Errors): void {
  const os = spec.os;
  if (os === undefined) return;
  const name = os.name ?? '';
  if (name === '') errors.push(requiredValue(`${place}.os.name`, 'cannot be empty'));
  else if (!SYSTEMS.includes(name)) errors.push(unsupportedValue(`${place}.os`, name, SYSTEMS));
  if (name === 'linux') checkLinux(spec, place, errors);
  if (name === 'windows') checkWindows(spec, place, errors);
}

const NOT_ON_LINUX = 'windows options cannot be set for a linux pod';

function checkLinux(spec: CoreV1PodSpec, place: string, errors: Errors): void {
  forbidInContexts(spec, place, ['windowsOptions'], ['windowsOptions'], NOT_ON_LINUX, errors);
}

const NOT_ON_WINDOWS = 'cannot be set for a windows pod';
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

function checkWindows(spec: CoreV1PodSpec, place: string, errors: Errors): void {
  const context = spec.securityContext ?? {};
  const ofContext = (members: readonly (keyof CoreV1PodSecurityContext)[]): void =>
    forbidSet(context, members, `${place}.securityContext`, NOT_ON_WINDOWS, errors);
  ofContext(['appArmorProfile', 'seLinuxOptions']);
  for (const member of ['hostPID', 'hostIPC'] as const) {
    if (spec[member] === true) errors.push(forbiddenField(`${place}.${member}`, NOT_ON_WINDOWS));
  }
  ofContext(['seccompProfile', 'fsGroup', 'fsGroupChangePolicy']);
  if ((context.sysctls ?? []).length > 0) ofContext(['sysctls']);
  if (isSet(spec, 'shareProcessNamespace')) errors.push(forbiddenField(`${place}.shareProcessNamespace`, NOT_ON_WINDOWS));
  ofContext(['runAsUser', 'runAsGroup', 'supplementalGroups']);
  forbidInContexts(spec, place, [], CONTAINER_MEMBERS, NOT_ON_WINDOWS, errors);
}

/** In the pod's own context and in those of its containers; init containers come first. */
function forbidInContexts(
  spec: CoreV1PodSpec,
  place: string,
  ofPod: readonly (keyof CoreV1PodSecurityContext)[],
  ofContainers: readonly (keyof CoreV1SecurityContext)[],
  text: string,
  errors: Errors,
): void {
  forbidSet(spec.securityContext ?? {}, ofPod, `${place}.securityContext`, text, errors);
  for (const list of ['initContainers', 'containers', 'ephemeralContainers'] as const) {
    spec[list]?.forEach((container, index) => {
      const context = container.securityContext;
      if (context !== undefined) forbidSet(context, ofContainers, `${place}.${list}[${index}].securityContext`, text, errors);
    });
  }
}
