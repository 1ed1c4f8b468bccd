/** Which controls a level has at a version, in the order in which they are told, and what they find in a pod. */
import {
  appArmor,
  capabilities,
  hostNamespaces,
  hostPaths,
  hostPorts,
  hostProcess,
  privileged,
  seccomp,
  seccompNotes,
  seLinux,
  sysctls,
  type Control,
} from './baseline';
import type { Violation } from './findings';
import type { SecuredPod } from './pod';
import { allCapabilities, escalation, nonRoot, rootUser, seccompEverywhere, unlessWindows, volumes } from './restricted';

export const LEVELS = ['privileged', 'baseline', 'restricted'] as const;
export type SecurityLevel = (typeof LEVELS)[number];

/** A row of the table: a control as it is from one minor release until another. */
interface StandardsRow {
  readonly of: Exclude<SecurityLevel, 'privileged'>;
  readonly since?: number;
  readonly before?: number;
  /** From this release on restricted has a sharper one instead. */
  readonly looseUntil?: number;
  readonly control: Control;
}

const TYPES = ['container_t', 'container_init_t', 'container_kvm_t'];
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

const ROWS: readonly StandardsRow[] = [
  { of: 'baseline', control: appArmor },
  { of: 'baseline', control: capabilities, looseUntil: 22 },
  { of: 'baseline', control: hostNamespaces },
  { of: 'baseline', control: hostPaths, looseUntil: 0 },
  { of: 'baseline', control: hostPorts },
  { of: 'baseline', control: privileged },
  { of: 'baseline', before: 31, control: seLinux(TYPES) },
  { of: 'baseline', since: 31, control: seLinux([...TYPES, 'container_engine_t']) },
  { of: 'baseline', before: 19, control: seccompNotes },
  { of: 'baseline', since: 19, control: seccomp, looseUntil: 19 },
  { of: 'baseline', before: 27, control: sysctls(SYSCTLS) },
  { of: 'baseline', since: 27, before: 29, control: sysctls(SYSCTLS_27) },
  { of: 'baseline', since: 29, control: sysctls(SYSCTLS_29) },
  { of: 'baseline', control: hostProcess },
  { of: 'restricted', since: 8, before: 25, control: escalation },
  { of: 'restricted', since: 25, control: unlessWindows(escalation) },
  { of: 'restricted', since: 22, before: 25, control: allCapabilities },
  { of: 'restricted', since: 25, control: unlessWindows(allCapabilities) },
  { of: 'restricted', control: volumes },
  { of: 'restricted', control: nonRoot },
  { of: 'restricted', since: 23, control: rootUser },
  { of: 'restricted', since: 19, before: 25, control: seccompEverywhere },
  { of: 'restricted', since: 25, control: unlessWindows(seccompEverywhere) },
];

/** `minor`: of the release whose controls are meant; Infinity = the latest. */
export function findingsIn(pod: SecuredPod, level: SecurityLevel, minor: number): readonly Violation[] {
  if (level === 'privileged') return [];
  const isRestricted = level === 'restricted';
  return ROWS.flatMap(({ of, since = 0, before = Infinity, looseUntil = Infinity, control }) => {
    const isDue = minor >= since && (minor < before || before === Infinity);
    if (!isDue || (!isRestricted && of === 'restricted') || (isRestricted && minor >= looseUntil && looseUntil !== Infinity)) return [];
    return control(pod) ?? [];
  });
}
