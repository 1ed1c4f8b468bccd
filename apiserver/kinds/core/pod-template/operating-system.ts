/** What a pod that says its operating system may not ask of it. */
import { forbiddenField, notSupported, required } from '../../../../shared/api/errors/field-error';
import { objectAt, own, type JsonObject } from '../../../../shared/values/json';
import { listed } from '../../rules/field-rules';
import { forbidSet, isSet, textAt, type Errors } from '../../rules/checks';

const SYSTEMS = ['linux', 'windows'];

export function checkOperatingSystem(spec: JsonObject, place: string, errors: Errors): void {
  const os = objectAt(spec, 'os');
  if (os === undefined) return;
  const name = textAt(os, 'name');
  if (name === '') errors.push(required(`${place}.os.name`, 'cannot be empty'));
  else if (!SYSTEMS.includes(name)) errors.push(notSupported(`${place}.os`, name, SYSTEMS));
  if (name === 'linux') checkLinux(spec, place, errors);
  if (name === 'windows') checkWindows(spec, place, errors);
}

const NOT_ON_LINUX = 'windows options cannot be set for a linux pod';

function checkLinux(spec: JsonObject, place: string, errors: Errors): void {
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
];

function checkWindows(spec: JsonObject, place: string, errors: Errors): void {
  const context = objectAt(spec, 'securityContext') ?? {};
  const ofContext = (members: readonly string[]): void => forbidSet(context, members, `${place}.securityContext`, NOT_ON_WINDOWS, errors);
  ofContext(['appArmorProfile', 'seLinuxOptions']);
  for (const member of ['hostPID', 'hostIPC']) {
    if (own(spec, member) === true) errors.push(forbiddenField(`${place}.${member}`, NOT_ON_WINDOWS));
  }
  ofContext(['seccompProfile', 'fsGroup', 'fsGroupChangePolicy']);
  if (listed(context, 'sysctls').length > 0) ofContext(['sysctls']);
  if (isSet(spec, 'shareProcessNamespace')) errors.push(forbiddenField(`${place}.shareProcessNamespace`, NOT_ON_WINDOWS));
  ofContext(['runAsUser', 'runAsGroup', 'supplementalGroups']);
  forbidInContexts(spec, place, [], CONTAINER_MEMBERS, NOT_ON_WINDOWS, errors);
}

/** In the pod's own context and in those of its containers; init containers come first. */
function forbidInContexts(
  spec: JsonObject,
  place: string,
  ofPod: readonly string[],
  ofContainers: readonly string[],
  text: string,
  errors: Errors,
): void {
  forbidSet(objectAt(spec, 'securityContext') ?? {}, ofPod, `${place}.securityContext`, text, errors);
  for (const list of ['initContainers', 'containers', 'ephemeralContainers']) {
    listed(spec, list).forEach((container, index) => {
      const context = objectAt(container, 'securityContext');
      if (context !== undefined) forbidSet(context, ofContainers, `${place}.${list}[${index}].securityContext`, text, errors);
    });
  }
}
