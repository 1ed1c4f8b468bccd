/**
 * The Pod Security Standards: the table of controls by level and minor release, in the order in which violations are
 * reported. The controls are functions of baseline.ts and restricted.ts.
 */
import {
  appArmor,
  capabilities,
  hostNamespaces,
  hostPaths,
  hostPorts,
  hostProcess,
  privileged,
  seccomp,
  seccompAnnotations,
  seLinux,
  sysctls,
  type Control,
} from './baseline';
import type { Violation } from './violation';
import type { SecuredPod } from './secured-pod';
import {
  droppedCapabilities,
  privilegeEscalation,
  runAsNonRoot,
  runAsRootUser,
  requiredSeccomp,
  exceptOnWindows,
  volumes,
} from './restricted';

/** From the most permissive to the strictest. */
export const LEVELS = ['privileged', 'baseline', 'restricted'] as const;
/** One of {@link LEVELS}. */
export type SecurityLevel = (typeof LEVELS)[number];

/** A control that is in effect for a range of minor releases. */
interface StandardsRow {
  readonly minLevel: Exclude<SecurityLevel, 'privileged'>;
  /** The first minor release with the control; absent: all earlier ones have it. */
  readonly since?: number;
  /** The first minor release without the control; absent: all later ones have it. */
  readonly before?: number;
  /** The minor release from which on the restricted level has a stricter control instead. */
  readonly replacedInRestrictedSince?: number;
  readonly control: Control;
}

/**
 * SELinux types and sysctls that the baseline level allows. The number in a name is the first minor release with the list;
 * the lists without a number are those of the earlier releases.
 */
const SELINUX_TYPES = ['container_t', 'container_init_t', 'container_kvm_t'];
const SELINUX_TYPES_31 = [...SELINUX_TYPES, 'container_engine_t'];
const SYSCTLS = [
  'kernel.shm_rmid_forced',
  'net.ipv4.ip_local_port_range',
  'net.ipv4.ip_unprivileged_port_start',
  'net.ipv4.tcp_syncookies',
  'net.ipv4.ping_group_range',
];
const SYSCTLS_27 = [...SYSCTLS, 'net.ipv4.ip_local_reserved_ports'];
const SYSCTLS_29 = [
  ...SYSCTLS_27,
  'net.ipv4.tcp_keepalive_time',
  'net.ipv4.tcp_fin_timeout',
  'net.ipv4.tcp_keepalive_intvl',
  'net.ipv4.tcp_keepalive_probes',
];

/** In the order in which violations are reported. */
const ROWS: readonly StandardsRow[] = [
  { minLevel: 'baseline', control: appArmor },
  { minLevel: 'baseline', control: capabilities, replacedInRestrictedSince: 22 },
  { minLevel: 'baseline', control: hostNamespaces },
  { minLevel: 'baseline', control: hostPaths, replacedInRestrictedSince: 0 },
  { minLevel: 'baseline', control: hostPorts },
  { minLevel: 'baseline', control: privileged },
  { minLevel: 'baseline', before: 31, control: seLinux(SELINUX_TYPES) },
  { minLevel: 'baseline', since: 31, control: seLinux(SELINUX_TYPES_31) },
  { minLevel: 'baseline', before: 19, control: seccompAnnotations },
  { minLevel: 'baseline', since: 19, control: seccomp, replacedInRestrictedSince: 19 },
  { minLevel: 'baseline', before: 27, control: sysctls(SYSCTLS) },
  { minLevel: 'baseline', since: 27, before: 29, control: sysctls(SYSCTLS_27) },
  { minLevel: 'baseline', since: 29, control: sysctls(SYSCTLS_29) },
  { minLevel: 'baseline', control: hostProcess },
  { minLevel: 'restricted', since: 8, before: 25, control: privilegeEscalation },
  { minLevel: 'restricted', since: 25, control: exceptOnWindows(privilegeEscalation) },
  { minLevel: 'restricted', since: 22, before: 25, control: droppedCapabilities },
  { minLevel: 'restricted', since: 25, control: exceptOnWindows(droppedCapabilities) },
  { minLevel: 'restricted', control: volumes },
  { minLevel: 'restricted', control: runAsNonRoot },
  { minLevel: 'restricted', since: 23, control: runAsRootUser },
  { minLevel: 'restricted', since: 19, before: 25, control: requiredSeccomp },
  { minLevel: 'restricted', since: 25, control: exceptOnWindows(requiredSeccomp) },
];

/** The violations of a level, in the order of the table. `minor`: the minor release of its version; Infinity = latest. */
export function findViolations(pod: SecuredPod, level: SecurityLevel, minor: number): readonly Violation[] {
  if (level === 'privileged') return [];
  return ROWS.filter((row) => isInEffect(row, level, minor)).flatMap(({ control }) => control(pod) ?? []);
}

/** Whether the level has the control of the row in this release. */
function isInEffect(row: StandardsRow, level: SecurityLevel, minor: number): boolean {
  const { minLevel, since = 0, before, replacedInRestrictedSince } = row;
  if (level !== 'restricted' && minLevel !== 'baseline') return false;
  const isReplaced = level === 'restricted' && replacedInRestrictedSince !== undefined && minor >= replacedInRestrictedSince;
  return minor >= since && (before === undefined || minor < before) && !isReplaced;
}
