/** The controls that the level restricted has besides those of baseline. */
import { containersThat, foundOf, named, plural, quotedList, setters, sorted, type Violation } from './findings';
import { addedBeyond, seccomp, type Control } from './baseline';
import type { SecuredPod } from './pod';

/** For pods that may run on more than Windows: there the control says nothing. */
export const unlessWindows =
  (control: Control): Control =>
  (pod) =>
    pod.spec.os?.name === 'windows' ? undefined : control(pod);

export function escalation(pod: SecuredPod): Violation | undefined {
  const names = containersThat(pod, ({ security }) => security.allowPrivilegeEscalation !== false);
  const what = 'must set securityContext.allowPrivilegeEscalation=false';
  return foundOf('allowPrivilegeEscalation != false', setters(false, names), what);
}

const ALLOWED: ReadonlySet<string> = new Set(['NET_BIND_SERVICE']);

export function allCapabilities(pod: SecuredPod): Violation | undefined {
  const keeping = containersThat(pod, ({ security }) => security.capabilities?.drop?.includes('ALL') !== true);
  const added = addedBeyond(pod, ALLOWED);
  const faults = [
    ...(keeping.length === 0 ? [] : [`${named('container', keeping)} must set securityContext.capabilities.drop=["ALL"]`]),
    ...(added === undefined ? [] : [added]),
  ];
  return faults.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: faults.join('; ') };
}

/** Beside the name. */
const HARMLESS: ReadonlySet<string> = new Set([
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

export function volumes({ spec }: SecuredPod): Violation | undefined {
  const bad = (spec.volumes ?? []).flatMap((volume) => {
    const type = Object.keys(volume).find((member) => !HARMLESS.has(member));
    return type === undefined ? [] : [{ name: volume.name ?? '', type }];
  });
  if (bad.length === 0) return undefined;
  const types = sorted(bad.map(({ type }) => type));
  const who = named(
    'volume',
    bad.map(({ name }) => name),
  );
  const verb = bad.length === 1 ? 'uses' : 'use';
  return {
    reason: 'restricted volume types',
    detail: `${who} ${verb} restricted volume ${plural('type', types.length)} ${quotedList(types)}`,
  };
}

export function nonRoot(pod: SecuredPod): Violation | undefined {
  const reason = 'runAsNonRoot != true';
  const ofPod = pod.spec.securityContext?.runAsNonRoot;
  const who = setters(
    ofPod === false,
    containersThat(pod, ({ security }) => security.runAsNonRoot === false),
  );
  if (who !== undefined) return foundOf(reason, who, 'must not set securityContext.runAsNonRoot=false');
  if (ofPod === true) return undefined;
  const silent = containersThat(pod, ({ security }) => security.runAsNonRoot === undefined);
  return foundOf(reason, podOr(silent), 'must set securityContext.runAsNonRoot=true');
}

/** `pod or container "a"`. */
const podOr = (names: readonly string[]): string | undefined => (names.length === 0 ? undefined : `pod or ${named('container', names)}`);

export function rootUser(pod: SecuredPod): Violation | undefined {
  const who = setters(
    pod.spec.securityContext?.runAsUser === 0,
    containersThat(pod, ({ security }) => security.runAsUser === 0),
  );
  return foundOf('runAsUser=0', who, 'must not set runAsUser=0');
}

export function seccompEverywhere(pod: SecuredPod): Violation | undefined {
  const explicit = seccomp(pod);
  if (explicit !== undefined || pod.spec.securityContext?.seccompProfile !== undefined) return explicit;
  const silent = containersThat(pod, ({ security }) => security.seccompProfile === undefined);
  return foundOf('seccompProfile', podOr(silent), 'must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"');
}
