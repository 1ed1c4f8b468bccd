/**
 * The controls that the restricted level adds to baseline; the comment of a control names what it forbids. Some do not
 * apply to pods for Windows. Which controls apply to a namespace is left to standards.ts and policy.ts.
 */
import { containersWhere, violationBy, nounWithNames, plural, quotedList, settersText, sortedUnique, type Violation } from './violation';
import { capabilitiesAddedBeyond, seccomp, type Control } from './baseline';
import type { SecuredPod } from './secured-pod';

/** Skips the control for pods with `os.name: windows`. */
export const exceptOnWindows =
  (control: Control): Control =>
  (pod) =>
    pod.spec.os?.name === 'windows' ? undefined : control(pod);

/** Containers that do not forbid processes to gain privileges. */
export function privilegeEscalation(pod: SecuredPod): Violation | undefined {
  const names = containersWhere(pod, ({ security }) => security.allowPrivilegeEscalation !== false);
  const message = 'must set securityContext.allowPrivilegeEscalation=false';
  return violationBy('allowPrivilegeEscalation != false', settersText({ isSetOnPod: false, containers: names }), message);
}

/** The capabilities that containers may add at the restricted level. */
const ALLOWED_CAPABILITIES: ReadonlySet<string> = new Set(['NET_BIND_SERVICE']);

/** Containers that keep capabilities, or add others than `NET_BIND_SERVICE`. */
export function droppedCapabilities(pod: SecuredPod): Violation | undefined {
  const notDropping = containersWhere(pod, ({ security }) => security.capabilities?.drop?.includes('ALL') !== true);
  const added = capabilitiesAddedBeyond(pod, ALLOWED_CAPABILITIES);
  const errors = [
    ...(notDropping.length === 0 ? [] : [`${nounWithNames('container', notDropping)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(added === undefined ? [] : [added]),
  ];
  return errors.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: errors.join('; ') };
}

/** Members of a volume: its name and the allowed types. */
const ALLOWED_VOLUME_MEMBERS: ReadonlySet<string> = new Set([
  'name',
  'configMap',
  'csi',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
]);

/** Volumes of types that {@link ALLOWED_VOLUME_MEMBERS} does not list. */
export function volumes({ spec }: SecuredPod): Violation | undefined {
  const restrictedVolumes = (spec.volumes ?? []).flatMap((volume) => {
    const type = Object.keys(volume).find((member) => !ALLOWED_VOLUME_MEMBERS.has(member));
    return type === undefined ? [] : [{ name: volume.name ?? '', type }];
  });
  if (restrictedVolumes.length === 0) return undefined;
  const types = sortedUnique(restrictedVolumes.map(({ type }) => type));
  const volumeNames = nounWithNames(
    'volume',
    restrictedVolumes.map(({ name }) => name),
  );
  const verb = restrictedVolumes.length === 1 ? 'uses' : 'use';
  return {
    reason: 'restricted volume types',
    detail: `${volumeNames} ${verb} restricted volume ${plural('type', types.length)} ${quotedList(types)}`,
  };
}

/** `runAsNonRoot: false` on the pod or a container; containers without a value when the pod does not set it to true. */
export function runAsNonRoot(pod: SecuredPod): Violation | undefined {
  const reason = 'runAsNonRoot != true';
  const podValue = pod.spec.securityContext?.runAsNonRoot;
  const setBy = settersText({
    isSetOnPod: podValue === false,
    containers: containersWhere(pod, ({ security }) => security.runAsNonRoot === false),
  });
  if (setBy !== undefined) return violationBy(reason, setBy, 'must not set securityContext.runAsNonRoot=false');
  if (podValue === true) return undefined;
  const unset = containersWhere(pod, ({ security }) => security.runAsNonRoot === undefined);
  return violationBy(reason, podOrContainers(unset), 'must set securityContext.runAsNonRoot=true');
}

/** `pod or container "a"`. */
const podOrContainers = (names: readonly string[]): string | undefined =>
  names.length === 0 ? undefined : `pod or ${nounWithNames('container', names)}`;

/** User 0 on the pod or a container. */
export function runAsRootUser(pod: SecuredPod): Violation | undefined {
  const setBy = settersText({
    isSetOnPod: pod.spec.securityContext?.runAsUser === 0,
    containers: containersWhere(pod, ({ security }) => security.runAsUser === 0),
  });
  return violationBy('runAsUser=0', setBy, 'must not set runAsUser=0');
}

/** The profiles that {@link seccomp} forbids, and containers without a profile when the pod has none. */
export function requiredSeccomp(pod: SecuredPod): Violation | undefined {
  const explicit = seccomp(pod);
  if (explicit !== undefined || pod.spec.securityContext?.seccompProfile !== undefined) return explicit;
  const unset = containersWhere(pod, ({ security }) => security.seccompProfile === undefined);
  return violationBy(
    'seccompProfile',
    podOrContainers(unset),
    'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"',
  );
}
