/**
 * Which IP families a Service has, and with them how many addresses: works out `ipFamilyPolicy`, `ipFamilies` and the
 * shape of `clusterIP`/`clusterIPs` from the request, the old Service and the families that the cluster gives addresses of. Never chooses an
 * address, and never looks at anything but the two objects.
 */
import { invalidValue, type FieldError } from '../../../../shared/api/errors/field-error';
import type { IpFamily } from '../../../../shared/values/ip-address';
import type { CoreV1Service, CoreV1ServiceSpec } from '../../../../shared/api/types/generated/members';
import { equalJson } from '../../../../shared/values/json';
import { ipFamily } from '../../rules/addresses';
import type { Errors } from '../../rules/checks';
import { checkClusterAddresses, HEADLESS } from './addresses';

const NONE: readonly FieldError[] = [];

/**
 * Settles the members of `service` in place. When it returns errors, they are all that the client is told. Afterwards a Service with
 * virtual addresses has one family for each address it is to have, of which `clusterIPs` holds those that are given already, in the same order.
 * `configured`: the families of the cluster's ranges, the first being the default.
 */
export function settleFamilies(
  service: CoreV1Service,
  old: CoreV1Service | undefined,
  configured: readonly IpFamily[],
): readonly FieldError[] {
  const spec = service.spec;
  if (spec === undefined) return NONE;
  const before = old === undefined ? undefined : (old.spec ?? {});
  agreeOnAddresses(spec, before);
  if (spec.type === 'ExternalName') return NONE;
  if (before !== undefined && keepsItsStacks(spec, before)) return NONE;
  const policy = policyOf(spec, before);
  spec.ipFamilyPolicy = policy;
  const errors: Errors = [];
  checkClusterAddresses(spec, errors);
  if (errors.length > 0) return errors;
  if (before !== undefined && policy === 'SingleStack') releaseSecond(spec, before);
  if (before !== undefined) checkShrunk(spec, before, policy, errors);
  checkCounts(spec, policy, errors);
  const families = [...(spec.ipFamilies ?? [])];
  inferFamilies(spec, families, configured, errors);
  if (errors.length > 0) return errors;
  if (isHeadless(spec) && !hasSelector(spec)) {
    // Whoever keeps the endpoints may use a family that the cluster has no addresses of.
    complete(families, policy, [configured[0] ?? 'IPv4', configured[0] === 'IPv6' ? 'IPv4' : 'IPv6']);
  } else {
    checkConfigured(families, policy, configured, errors);
    if (errors.length > 0) return errors;
    complete(families, policy, configured);
  }
  spec.ipFamilies = families;
  return NONE;
}

export function isHeadless(spec: CoreV1ServiceSpec): boolean {
  return (spec.clusterIPs ?? [])[0] === HEADLESS || spec.clusterIP === HEADLESS;
}

const hasSelector = (spec: CoreV1ServiceSpec): boolean => Object.keys(spec.selector ?? {}).length > 0;

/** `clusterIP` and `clusterIPs` say the same in two ways: where only one of them was set or changed, the other follows. */
function agreeOnAddresses(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec | undefined): void {
  const { clusterIP: first = '', clusterIPs: list = [] } = spec;
  if (list.length === 0 && first !== '') spec.clusterIPs = [first];
  if (list.length === 0 || before === undefined) return;
  const oldFirst = before.clusterIP ?? '';
  if (first === oldFirst || !equalJson(list, before.clusterIPs ?? [])) return;
  if (first === '') delete spec.clusterIPs;
  else spec.clusterIPs = [first];
}

/** A Service that takes as many families as it can get keeps those it has, even when the cluster has got more or fewer since. */
function keepsItsStacks(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec): boolean {
  return (
    before.type !== 'ExternalName' &&
    [spec, before].every(({ ipFamilyPolicy }) => ipFamilyPolicy === 'PreferDualStack') &&
    (['type', 'clusterIPs', 'ipFamilies'] as const).every((member) => equalJson(spec[member], before[member]))
  );
}

function policyOf(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec | undefined): string {
  const given = spec.ipFamilyPolicy ?? before?.ipFamilyPolicy;
  if (given !== undefined) return given;
  return isHeadless(spec) && !hasSelector(spec) ? 'RequireDualStack' : 'SingleStack';
}

/** What a client left as it was when it asked for one family loses its second entry. */
function releaseSecond(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec): void {
  for (const member of ['clusterIPs', 'ipFamilies'] as const) {
    const list = spec[member] ?? [];
    if (list.length > 1 && equalJson(list, before[member])) spec[member] = list.slice(0, 1);
  }
}

const PAIRS = [
  { member: 'clusterIPs', one: 'cluster IP', many: 'cluster IPs' },
  { member: 'ipFamilies', one: 'IP family', many: 'IP families' },
] as const;

function checkShrunk(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec, policy: string, errors: Errors): void {
  if (policy === 'SingleStack') return;
  for (const { member, one } of PAIRS) {
    if (before[member]?.length === 2 && spec[member]?.length === 1)
      errors.push(invalidValue('spec.ipFamilyPolicy', policy, `must be 'SingleStack' to release the secondary ${one}`));
  }
}

function checkCounts(spec: CoreV1ServiceSpec, policy: string, errors: Errors): void {
  if (policy !== 'SingleStack') return;
  for (const { member, many } of PAIRS) {
    const text = `must be 'RequireDualStack' or 'PreferDualStack' when multiple ${many} are specified`;
    if (spec[member]?.length === 2) errors.push(invalidValue('spec.ipFamilyPolicy', policy, text));
  }
}

/** Addresses without a family name theirs. */
function inferFamilies(spec: CoreV1ServiceSpec, families: string[], configured: readonly IpFamily[], errors: Errors): void {
  const addresses = spec.clusterIPs ?? [];
  if (addresses[0] === HEADLESS) return;
  for (const [index, address] of addresses.entries()) {
    if (index < families.length) continue;
    const family: IpFamily = ipFamily(address) === 6 ? 'IPv6' : 'IPv4';
    if (configured.includes(family)) families.push(family);
    else errors.push(invalidValue(`spec.clusterIPs[${index}]`, addresses, `${family} is not configured on this cluster`));
  }
}

function checkConfigured(families: readonly string[], policy: string, configured: readonly string[], errors: Errors): void {
  if (policy === 'RequireDualStack' && configured.length < 2)
    errors.push(invalidValue('spec.ipFamilyPolicy', policy, 'this cluster is not configured for dual-stack services'));
  families.forEach((family, index) => {
    if (!configured.includes(family)) errors.push(invalidValue(`spec.ipFamilies[${index}]`, family, 'not configured on this cluster'));
  });
}

/** The first family that is available where none was asked for, and the other one where the policy wants it. */
function complete(families: string[], policy: string, available: readonly IpFamily[]): void {
  if (families.length === 0 && available[0] !== undefined) families.push(available[0]);
  if (policy === 'SingleStack' || families.length !== 1) return;
  const other = available.find((family) => family !== families[0]);
  if (other !== undefined) families.push(other);
}
