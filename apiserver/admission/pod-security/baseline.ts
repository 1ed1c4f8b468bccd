/** The controls of the level baseline: each says what a pod does that it may not do. */
import { canonicalQualifiedName } from '../../../shared/names/dialect';
import type { CoreV1AppArmorProfile, CoreV1SELinuxOptions } from '../../../shared/api/types/generated/members';
import { containersThat, foundOf, named, plural, quotedList, setters, sorted, type Violation } from './findings';
import type { SecuredPod } from './pod';

export type Control = (pod: SecuredPod) => Violation | undefined;

const APP_ARMOR = 'container.apparmor.security.beta.platform.io/';
const CONTAINER_SECCOMP = 'container.seccomp.security.alpha.platform.io/';
const POD_SECCOMP = 'seccomp.security.alpha.platform.io/pod';

/** Canonical names of the annotations that say how a pod and its containers are confined. */
export const profileNames = ({ containers }: SecuredPod): readonly string[] => [
  POD_SECCOMP,
  ...containers.flatMap(({ name = '' }) => [CONTAINER_SECCOMP + name, APP_ARMOR + name]),
];

/** As they are spelled, by their names in canonical spelling. */
const annotationsOf = (pod: SecuredPod): readonly (readonly [canonical: string, key: string, value: string])[] =>
  Object.entries(pod.annotations).map(([key, value]) => [canonicalQualifiedName(key), key, value]);

export function appArmor(pod: SecuredPod): Violation | undefined {
  const isBad = (profile: CoreV1AppArmorProfile | undefined): boolean => !['', 'RuntimeDefault', 'Localhost'].includes(profile?.type ?? '');
  const ofPod = pod.spec.securityContext?.appArmorProfile;
  const ofContainers = pod.containers.filter(({ security }) => isBad(security.appArmorProfile));
  const notes = annotationsOf(pod)
    .filter(([canonical, , value]) => canonical.startsWith(APP_ARMOR) && !isKnownProfile(value))
    .map(([, key, value]) => `${key}="${value}"`);
  const who = [
    setters(
      isBad(ofPod),
      ofContainers.map(({ name = '' }) => name),
    ),
    notes.length === 0 ? undefined : plural('annotation', notes.length),
  ].filter((one) => one !== undefined);
  if (who.length === 0) return undefined;
  const types = [...(isBad(ofPod) ? [ofPod] : []), ...ofContainers.map(({ security }) => security.appArmorProfile)];
  const values = sorted([...types.map((profile) => profile?.type ?? ''), ...notes]);
  return {
    reason: plural('forbidden AppArmor profile', values.length),
    detail: `${who.join(' and ')} must not set AppArmor profile type to ${quotedList(values)}`,
  };
}

const isKnownProfile = (value: string): boolean => value === '' || value === 'runtime/default' || value.startsWith('localhost/');

const COMMON_CAPABILITIES: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);

/** Which containers add capabilities that are not among `allowed`; undefined = none. */
export function addedBeyond(pod: SecuredPod, allowed: ReadonlySet<string>): string | undefined {
  const added = new Set<string>();
  const names = containersThat(pod, ({ security }) => {
    const bad = (security.capabilities?.add ?? []).filter((capability) => !allowed.has(capability));
    for (const capability of bad) added.add(capability);
    return bad.length > 0;
  });
  if (names.length === 0) return undefined;
  return `${named('container', names)} must not include ${quotedList(sorted(added))} in securityContext.capabilities.add`;
}

export function capabilities(pod: SecuredPod): Violation | undefined {
  const detail = addedBeyond(pod, COMMON_CAPABILITIES);
  return detail === undefined ? undefined : { reason: 'non-default capabilities', detail };
}

export function hostNamespaces({ spec }: SecuredPod): Violation | undefined {
  const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((member) => spec[member] === true);
  return shared.length === 0 ? undefined : { reason: 'host namespaces', detail: shared.map((member) => `${member}=true`).join(', ') };
}

export function hostPaths({ spec }: SecuredPod): Violation | undefined {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name = '' }) => name);
  return names.length === 0 ? undefined : { reason: 'hostPath volumes', detail: named('volume', names) };
}

export function hostPorts(pod: SecuredPod): Violation | undefined {
  const used = new Set<string>();
  const names = containersThat(pod, ({ ports = [] }) => {
    const own = ports.flatMap(({ hostPort }) => (hostPort === undefined || hostPort === 0 ? [] : [String(hostPort)]));
    for (const port of own) used.add(port);
    return own.length > 0;
  });
  if (names.length === 0) return undefined;
  const verb = names.length === 1 ? 'uses' : 'use';
  return { reason: 'hostPort', detail: `${named('container', names)} ${verb} ${plural('hostPort', used.size)} ${sorted(used).join(', ')}` };
}

export function privileged(pod: SecuredPod): Violation | undefined {
  const names = containersThat(pod, ({ security }) => security.privileged === true);
  return foundOf('privileged', setters(false, names), 'must not set securityContext.privileged=true');
}

/** `types` = the types that a process may have. */
export function seLinux(types: readonly string[]): Control {
  return (pod) => {
    const bad = new Set<string>();
    const faults = { user: false, role: false };
    const isBad = (options: CoreV1SELinuxOptions | undefined): boolean => {
      const type = options?.type ?? '';
      const [user, role] = [(options?.user ?? '') !== '', (options?.role ?? '') !== ''];
      const isOther = type !== '' && !types.includes(type);
      if (isOther) bad.add(type);
      faults.user ||= user;
      faults.role ||= role;
      return isOther || user || role;
    };
    const who = setters(
      isBad(pod.spec.securityContext?.seLinuxOptions),
      containersThat(pod, ({ security }) => isBad(security.seLinuxOptions)),
    );
    const what = [
      ...(bad.size === 0 ? [] : [named('type', sorted(bad))]),
      ...(faults.user ? ['user may not be set'] : []),
      ...(faults.role ? ['role may not be set'] : []),
    ];
    return foundOf('seLinuxOptions', who, `set forbidden securityContext.seLinuxOptions: ${what.join('; ')}`);
  };
}

/** Of the time when annotations said it. */
export function seccompNotes(pod: SecuredPod): Violation | undefined {
  const isMeant = (canonical: string): boolean =>
    canonical === POD_SECCOMP || pod.containers.some(({ name = '' }) => canonical === CONTAINER_SECCOMP + name);
  const notes = annotationsOf(pod)
    .filter(([canonical, , value]) => isMeant(canonical) && !isKnownProfile(value) && value !== 'docker/default')
    .map(([, key, value]) => `${key}="${value}"`);
  return notes.length === 0
    ? undefined
    : { reason: 'seccompProfile', detail: `forbidden ${plural('annotation', notes.length)} ${sorted(notes).join(', ')}` };
}

const isLoose = (profile: { readonly type?: string } | undefined): boolean =>
  profile !== undefined && profile.type !== 'RuntimeDefault' && profile.type !== 'Localhost';

export function seccomp(pod: SecuredPod): Violation | undefined {
  const ofPod = pod.spec.securityContext?.seccompProfile;
  const bad = pod.containers.filter(({ security }) => isLoose(security.seccompProfile));
  const who = setters(
    isLoose(ofPod),
    bad.map(({ name = '' }) => name),
  );
  const profiles = [...(isLoose(ofPod) ? [ofPod] : []), ...bad.map(({ security }) => security.seccompProfile)];
  const types = sorted(profiles.map((profile) => profile?.type ?? ''));
  return foundOf('seccompProfile', who, `must not set securityContext.seccompProfile.type to ${quotedList(types)}`);
}

/** `allowed` = the settings of the kernel that touch nobody but the pod. */
export function sysctls(allowed: readonly string[]): Control {
  return ({ spec }) => {
    const bad = (spec.securityContext?.sysctls ?? []).map(({ name = '' }) => name).filter((name) => !allowed.includes(name));
    return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
  };
}

export function hostProcess(pod: SecuredPod): Violation | undefined {
  const who = setters(
    pod.spec.securityContext?.windowsOptions?.hostProcess === true,
    containersThat(pod, ({ security }) => security.windowsOptions?.hostProcess === true),
  );
  return foundOf('hostProcess', who, 'must not set securityContext.windowsOptions.hostProcess=true');
}
