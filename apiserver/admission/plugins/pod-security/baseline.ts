/**
 * The controls of the baseline level. A control looks at one pod and returns its violation, or `undefined`; the comment
 * of a control names what it forbids. Which controls apply to a namespace is left to standards.ts and policy.ts.
 */
import { canonicalQualifiedName } from '../../../../shared/names/dialect';
import type { CoreV1AppArmorProfile, CoreV1SELinuxOptions } from '../../../../shared/api/types/generated/members';
import { containersWhere, violationBy, nounWithNames, plural, quotedList, settersText, sortedUnique, type Violation } from './violation';
import type { SecuredPod } from './secured-pod';

/** Returns the violation of a pod, or `undefined`. */
export type Control = (pod: SecuredPod) => Violation | undefined;

/** Annotations from before the fields; a name that ends in a slash is followed by the name of a container. */
const CONTAINER_APP_ARMOR = 'container.apparmor.security.beta.platform.io/';
const CONTAINER_SECCOMP = 'container.seccomp.security.alpha.platform.io/';
const POD_SECCOMP = 'seccomp.security.alpha.platform.io/pod';

/** Canonical names of the annotations that hold the seccomp and AppArmor profiles of a pod and its containers. */
export const profileAnnotationNames = ({ containers }: SecuredPod): readonly string[] => [
  POD_SECCOMP,
  ...containers.flatMap(({ name = '' }) => [CONTAINER_SECCOMP + name, CONTAINER_APP_ARMOR + name]),
];

/** The texts, as messages show them, of the annotations that `isForbidden` selects by canonical name and value. */
const annotationTexts = (pod: SecuredPod, isForbidden: (canonicalName: string, value: string) => boolean): readonly string[] =>
  Object.entries(pod.annotations)
    .filter(([name, value]) => isForbidden(canonicalQualifiedName(name), value))
    .map(([name, value]) => `${name}="${value}"`);

/** AppArmor profiles other than `RuntimeDefault` and `Localhost`, in fields or annotations. */
export function appArmor(pod: SecuredPod): Violation | undefined {
  const isForbidden = (profile: CoreV1AppArmorProfile | undefined): boolean =>
    !['', 'RuntimeDefault', 'Localhost'].includes(profile?.type ?? '');
  const podProfile = pod.spec.securityContext?.appArmorProfile;
  const badContainers = pod.containers.filter(({ security }) => isForbidden(security.appArmorProfile));
  const badAnnotations = annotationTexts(pod, (name, value) => name.startsWith(CONTAINER_APP_ARMOR) && !isPermittedProfile(value));
  const setBy = [
    settersText({ isSetOnPod: isForbidden(podProfile), containers: badContainers.map(({ name = '' }) => name) }),
    badAnnotations.length === 0 ? undefined : plural('annotation', badAnnotations.length),
  ].filter((part) => part !== undefined);
  if (setBy.length === 0) return undefined;
  const types = [...(isForbidden(podProfile) ? [podProfile] : []), ...badContainers.map(({ security }) => security.appArmorProfile)];
  const values = sortedUnique([...types.map((profile) => profile?.type ?? ''), ...badAnnotations]);
  return {
    reason: plural('forbidden AppArmor profile', values.length),
    detail: `${setBy.join(' and ')} must not set AppArmor profile type to ${quotedList(values)}`,
  };
}

/** Whether the value of an AppArmor or seccomp annotation corresponds to `RuntimeDefault` or `Localhost`, or is empty. */
const isPermittedProfile = (value: string): boolean => value === '' || value === 'runtime/default' || value.startsWith('localhost/');

/** The capabilities that containers may add at the baseline level. */
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

/** The detail of a violation that names the containers with added capabilities outside `allowed`; `undefined` without any. */
export function capabilitiesAddedBeyond(pod: SecuredPod, allowed: ReadonlySet<string>): string | undefined {
  const added = new Set<string>();
  const names = containersWhere(pod, ({ security }) => {
    const disallowed = (security.capabilities?.add ?? []).filter((capability) => !allowed.has(capability));
    for (const capability of disallowed) added.add(capability);
    return disallowed.length > 0;
  });
  if (names.length === 0) return undefined;
  return `${nounWithNames('container', names)} must not include ${quotedList(sortedUnique(added))} in securityContext.capabilities.add`;
}

/** Capabilities beyond those that container runtimes grant by default; `NET_RAW`, which some grant, is not permitted. */
export function capabilities(pod: SecuredPod): Violation | undefined {
  const detail = capabilitiesAddedBeyond(pod, COMMON_CAPABILITIES);
  return detail === undefined ? undefined : { reason: 'non-default capabilities', detail };
}

/** The network, process or IPC namespace of the node. */
export function hostNamespaces({ spec }: SecuredPod): Violation | undefined {
  const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((member) => spec[member] === true);
  return shared.length === 0 ? undefined : { reason: 'host namespaces', detail: shared.map((member) => `${member}=true`).join(', ') };
}

/** Volumes of type `hostPath`. */
export function hostPaths({ spec }: SecuredPod): Violation | undefined {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath !== undefined).map(({ name = '' }) => name);
  return names.length === 0 ? undefined : { reason: 'hostPath volumes', detail: nounWithNames('volume', names) };
}

/** Ports of the node; the number 0 means none. */
export function hostPorts(pod: SecuredPod): Violation | undefined {
  const used = new Set<string>();
  const names = containersWhere(pod, ({ ports = [] }) => {
    const containerPorts = ports.flatMap(({ hostPort }) => (hostPort === undefined || hostPort === 0 ? [] : [String(hostPort)]));
    for (const port of containerPorts) used.add(port);
    return containerPorts.length > 0;
  });
  if (names.length === 0) return undefined;
  const verb = names.length === 1 ? 'uses' : 'use';
  return {
    reason: 'hostPort',
    detail: `${nounWithNames('container', names)} ${verb} ${plural('hostPort', used.size)} ${sortedUnique(used).join(', ')}`,
  };
}

/** Privileged containers. */
export function privileged(pod: SecuredPod): Violation | undefined {
  const names = containersWhere(pod, ({ security }) => security.privileged === true);
  return violationBy('privileged', settersText({ isSetOnPod: false, containers: names }), 'must not set securityContext.privileged=true');
}

/** SELinux types other than `types`, and any user or role. */
export function seLinux(types: readonly string[]): Control {
  return (pod) => {
    const forbiddenTypes = new Set<string>();
    let isUserSet = false;
    let isRoleSet = false;
    /** Adds what the options set to the variables above, and returns whether any of it is forbidden. */
    const collectForbidden = (options: CoreV1SELinuxOptions | undefined): boolean => {
      const { type = '', user = '', role = '' } = options ?? {};
      const isForbiddenType = type !== '' && !types.includes(type);
      if (isForbiddenType) forbiddenTypes.add(type);
      if (user !== '') isUserSet = true;
      if (role !== '') isRoleSet = true;
      return isForbiddenType || user !== '' || role !== '';
    };
    const setBy = settersText({
      isSetOnPod: collectForbidden(pod.spec.securityContext?.seLinuxOptions),
      containers: containersWhere(pod, ({ security }) => collectForbidden(security.seLinuxOptions)),
    });
    const details = [
      ...(forbiddenTypes.size === 0 ? [] : [nounWithNames('type', sortedUnique(forbiddenTypes))]),
      ...(isUserSet ? ['user may not be set'] : []),
      ...(isRoleSet ? ['role may not be set'] : []),
    ];
    return violationBy('seLinuxOptions', setBy, `set forbidden securityContext.seLinuxOptions: ${details.join('; ')}`);
  };
}

/** Other seccomp profiles in annotations. Releases before 1.19 have no field `seccompProfile`. */
export function seccompAnnotations(pod: SecuredPod): Violation | undefined {
  const isSeccompAnnotation = (annotation: string): boolean =>
    annotation === POD_SECCOMP || pod.containers.some(({ name = '' }) => annotation === CONTAINER_SECCOMP + name);
  const badAnnotations = annotationTexts(
    pod,
    (name, value) => isSeccompAnnotation(name) && !isPermittedProfile(value) && value !== 'docker/default',
  );
  return badAnnotations.length === 0
    ? undefined
    : {
        reason: 'seccompProfile',
        detail: `forbidden ${plural('annotation', badAnnotations.length)} ${sortedUnique(badAnnotations).join(', ')}`,
      };
}

const isForbiddenSeccompProfile = (profile: { readonly type?: string } | undefined): boolean =>
  profile !== undefined && profile.type !== 'RuntimeDefault' && profile.type !== 'Localhost';

/** Seccomp profiles other than `RuntimeDefault` and `Localhost`, in fields; an absent profile is no violation. */
export function seccomp(pod: SecuredPod): Violation | undefined {
  const podProfile = pod.spec.securityContext?.seccompProfile;
  const badContainers = pod.containers.filter(({ security }) => isForbiddenSeccompProfile(security.seccompProfile));
  const setBy = settersText({ isSetOnPod: isForbiddenSeccompProfile(podProfile), containers: badContainers.map(({ name = '' }) => name) });
  const profiles = [
    ...(isForbiddenSeccompProfile(podProfile) ? [podProfile] : []),
    ...badContainers.map(({ security }) => security.seccompProfile),
  ];
  const types = sortedUnique(profiles.map((profile) => profile?.type ?? ''));
  return violationBy('seccompProfile', setBy, `must not set securityContext.seccompProfile.type to ${quotedList(types)}`);
}

/** Sysctls other than `allowed`, which affect the pod alone. */
export function sysctls(allowed: readonly string[]): Control {
  return ({ spec }) => {
    const forbidden = (spec.securityContext?.sysctls ?? []).map(({ name = '' }) => name).filter((name) => !allowed.includes(name));
    return forbidden.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: forbidden.join(', ') };
  };
}

/** Windows containers that run as processes of the node. */
export function hostProcess(pod: SecuredPod): Violation | undefined {
  const setBy = settersText({
    isSetOnPod: pod.spec.securityContext?.windowsOptions?.hostProcess === true,
    containers: containersWhere(pod, ({ security }) => security.windowsOptions?.hostProcess === true),
  });
  return violationBy('hostProcess', setBy, 'must not set securityContext.windowsOptions.hostProcess=true');
}
