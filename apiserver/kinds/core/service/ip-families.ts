/**
 * Initializes `ipFamilyPolicy` and `ipFamilies`, and normalizes `clusterIP` and `clusterIPs`, from the request, the
 * old Service and the cluster's service ranges (upstream's `initIPFamilyFields`). Allocates nothing and depends only
 * on its arguments.
 */
import { invalidValue, type FieldError } from '../../../../shared/api/errors/field-error';
import type { IpFamily } from '../../../../shared/values/network/ip-address';
import type { CoreV1Service, CoreV1ServiceSpec } from '../../../../shared/api/types/generated/members';
import { equalJson } from '../../../../shared/values/json';
import { ipFamily } from '../../rules/addresses';
import type { Errors } from '../../rules/checks';
import { checkClusterIpFields, CLUSTER_IP_NONE } from './cluster-ips';

const NO_ERRORS: readonly FieldError[] = [];

/**
 * Changes `service` in place; returned errors are the whole response. Afterwards a Service with cluster IPs has one
 * family for each address that it is to have, and `clusterIPs` holds those already requested in the same order.
 * `configured`: families of the cluster's service ranges; the first is the default.
 *
 * The order of the steps is upstream's: it decides which errors are reported together.
 */
export function initIpFamilyFields(
  service: CoreV1Service,
  old: CoreV1Service | undefined,
  configured: readonly IpFamily[],
): readonly FieldError[] {
  const spec = service.spec;
  if (spec === undefined) return NO_ERRORS;
  const before = old === undefined ? undefined : (old.spec ?? {});
  normalizeClusterIps(spec, before);
  if (spec.type === 'ExternalName') return NO_ERRORS;
  if (before !== undefined && isDualStackUnchanged(spec, before)) return NO_ERRORS;
  const policy = effectiveIpFamilyPolicy(spec, before);
  spec.ipFamilyPolicy = policy;
  const errors: Errors = [];
  checkClusterIpFields(spec, errors);
  if (errors.length > 0) return errors;
  if (before !== undefined && policy === 'SingleStack') trimForDualStackDowngrade(spec, before);
  if (before !== undefined) checkDowngradePolicy(spec, before, policy, errors);
  checkSingleStackCounts(spec, policy, errors);
  const families = [...(spec.ipFamilies ?? [])];
  inferFamilies(spec, families, configured, errors);
  if (errors.length > 0) return errors;
  if (isHeadless(spec) && !hasSelector(spec)) {
    // The endpoints of a headless Service without a selector may be of a family that the cluster has no range of.
    const defaultFamily = configured[0] ?? 'IPv4';
    addDefaultFamilies(families, policy, [defaultFamily, defaultFamily === 'IPv6' ? 'IPv4' : 'IPv6']);
  } else {
    checkConfigured(families, policy, configured, errors);
    if (errors.length > 0) return errors;
    addDefaultFamilies(families, policy, configured);
  }
  spec.ipFamilies = families;
  return NO_ERRORS;
}

/** Whether the Service has no cluster IP on purpose. */
export function isHeadless(spec: CoreV1ServiceSpec): boolean {
  return (spec.clusterIPs ?? [])[0] === CLUSTER_IP_NONE || spec.clusterIP === CLUSTER_IP_NONE;
}

const hasSelector = (spec: CoreV1ServiceSpec): boolean => Object.keys(spec.selector ?? {}).length > 0;

/** `clusterIPs` follows `clusterIP` when it is empty, or when an update changes only `clusterIP`. */
function normalizeClusterIps(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec | undefined): void {
  const { clusterIP: first = '', clusterIPs: list = [] } = spec;
  if (list.length === 0 && first !== '') spec.clusterIPs = [first];
  if (list.length === 0 || before === undefined) return;
  const oldFirst = before.clusterIP ?? '';
  if (first === oldFirst || !equalJson(list, before.clusterIPs ?? [])) return;
  if (first === '') delete spec.clusterIPs;
  else spec.clusterIPs = [first];
}

/** An unchanged PreferDualStack Service keeps its families even if those of the cluster changed. */
function isDualStackUnchanged(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec): boolean {
  return (
    before.type !== 'ExternalName' &&
    [spec, before].every(({ ipFamilyPolicy }) => ipFamilyPolicy === 'PreferDualStack') &&
    (['type', 'clusterIPs', 'ipFamilies'] as const).every((member) => equalJson(spec[member], before[member]))
  );
}

/** An update without a policy keeps the old one. */
function effectiveIpFamilyPolicy(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec | undefined): string {
  const requested = spec.ipFamilyPolicy ?? before?.ipFamilyPolicy;
  if (requested !== undefined) return requested;
  return isHeadless(spec) && !hasSelector(spec) ? 'RequireDualStack' : 'SingleStack';
}

/** A change to SingleStack drops the second entry of the lists that the client left unchanged. */
function trimForDualStackDowngrade(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec): void {
  for (const member of ['clusterIPs', 'ipFamilies'] as const) {
    const list = spec[member] ?? [];
    if (list.length > 1 && equalJson(list, before[member])) spec[member] = list.slice(0, 1);
  }
}

const DUAL_STACK_MEMBERS = [
  { member: 'clusterIPs', singular: 'cluster IP', plural: 'cluster IPs' },
  { member: 'ipFamilies', singular: 'IP family', plural: 'IP families' },
] as const;

function checkDowngradePolicy(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec, policy: string, errors: Errors): void {
  if (policy === 'SingleStack') return;
  for (const { member, singular } of DUAL_STACK_MEMBERS) {
    if (before[member]?.length === 2 && spec[member]?.length === 1) {
      errors.push(invalidValue('spec.ipFamilyPolicy', policy, `must be 'SingleStack' to release the secondary ${singular}`));
    }
  }
}

function checkSingleStackCounts(spec: CoreV1ServiceSpec, policy: string, errors: Errors): void {
  if (policy !== 'SingleStack') return;
  for (const { member, plural } of DUAL_STACK_MEMBERS) {
    const text = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${plural} are specified`;
    if (spec[member]?.length === 2) errors.push(invalidValue('spec.ipFamilyPolicy', policy, text));
  }
}

/** Adds the families of the requested addresses that have none yet to `families`. */
function inferFamilies(spec: CoreV1ServiceSpec, families: string[], configured: readonly IpFamily[], errors: Errors): void {
  const addresses = spec.clusterIPs ?? [];
  if (addresses[0] === CLUSTER_IP_NONE) return;
  for (const [index, address] of addresses.entries()) {
    if (index < families.length) continue;
    const family: IpFamily = ipFamily(address) === 6 ? 'IPv6' : 'IPv4';
    if (configured.includes(family)) families.push(family);
    else errors.push(invalidValue(`spec.clusterIPs[${index}]`, addresses, `${family} is not configured on this cluster`));
  }
}

function checkConfigured(families: readonly string[], policy: string, configured: readonly string[], errors: Errors): void {
  if (policy === 'RequireDualStack' && configured.length < 2) {
    errors.push(invalidValue('spec.ipFamilyPolicy', policy, 'this cluster is not configured for dual-stack services'));
  }
  families.forEach((family, index) => {
    if (!configured.includes(family)) errors.push(invalidValue(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster'));
  });
}

/** Adds the default family if none is requested, and the second one unless the policy is SingleStack. */
function addDefaultFamilies(families: string[], policy: string, available: readonly IpFamily[]): void {
  if (families.length === 0 && available[0] !== undefined) families.push(available[0]);
  if (policy === 'SingleStack' || families.length !== 1) return;
  const secondFamily = available.find((family) => family !== families[0]);
  if (secondFamily !== undefined) families.push(secondFamily);
}
