/**
 * Validates cluster IPs, IP families and external IPs of Services: they are consistent with each other. Allocating and
 * reserving addresses is left to apiserver/allocation.
 */
import {
  duplicateValue,
  forbiddenField,
  invalidShownValue,
  invalidValue,
  unsupportedValue,
} from '../../../../shared/api/errors/field-error';
import type { CoreV1ServiceSpec } from '../../../../shared/api/types/generated/members';
import { quote } from '../../../../shared/values/text/quote';
import { checkIp, checkNonSpecialIp, ipFamily } from '../../rules/addresses';
import { checkEnum, type Errors, type MemberOf } from '../../rules/checks';

/** Value of `clusterIP` for a headless Service. */
export const CLUSTER_IP_NONE = 'None';

const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

const CLUSTER_IPS = 'spec.clusterIPs';

/** Validates `clusterIP`, `clusterIPs`, `ipFamilies` and `ipFamilyPolicy`. */
export function checkClusterIpFields(spec: CoreV1ServiceSpec, errors: Errors): void {
  const { clusterIP: first = '', clusterIPs: addresses = [], ipFamilies: families = [], ipFamilyPolicy: policy } = spec;
  if (spec.type === 'ExternalName') {
    const forbid = (member: MemberOf<CoreV1ServiceSpec, string | string[]>): void => {
      errors.push(forbiddenField(`spec.${member}`, 'may not be set for ExternalName services'));
    };
    if (addresses.length > 0 || first !== '') forbid('clusterIPs');
    if (families.length > 0) forbid('ipFamilies');
    if (policy !== undefined) forbid('ipFamilyPolicy');
    return;
  }
  if (addresses.length > 0 && (first === '' || addresses[0] !== first)) {
    const text = first === '' ? 'must be empty when `clusterIP` is not specified' : 'first value must match `clusterIP`';
    errors.push(invalidValue(CLUSTER_IPS, addresses, text));
  }
  families.forEach((family, index) => {
    if (!FAMILIES.includes(family)) errors.push(unsupportedValue(`spec.ipFamilies[${index}]`, family, FAMILIES));
    if (families.indexOf(family) < index) errors.push(duplicateValue(`spec.ipFamilies[${index}]`, family));
  });
  checkEnum(spec, 'ipFamilyPolicy', 'spec', POLICIES, errors);
  checkClusterIps(addresses, families, errors);
}

function checkClusterIps(addresses: readonly string[], families: readonly string[], errors: Errors): void {
  const isHeadless = addresses[0] === CLUSTER_IP_NONE;
  if (isHeadless && addresses.length > 1) errors.push(invalidValue(CLUSTER_IPS, addresses, "'None' must be the first and only value"));
  const errorCountBefore = errors.length;
  addresses.forEach((address, index) => {
    if (index > 0 || !isHeadless) checkIp(address, `${CLUSTER_IPS}[${index}]`, errors);
  });
  const isMalformed = errors.length > errorCountBefore;
  if (addresses.length > 2) errors.push(invalidValue(CLUSTER_IPS, addresses, 'may only hold up to 2 values'));
  else if (!isHeadless && !isMalformed) checkIpFamiliesMatch(addresses, families, errors);
}

function checkIpFamiliesMatch(addresses: readonly string[], families: readonly string[], errors: Errors): void {
  const addressFamilies = addresses.map((address) => (ipFamily(address) === 4 ? 'IPv4' : 'IPv6'));
  if (addressFamilies.length === 2 && addressFamilies[0] === addressFamilies[1]) {
    errors.push(invalidValue(CLUSTER_IPS, addresses, 'may specify no more than one IP for each IP family'));
  }
  addressFamilies.forEach((family, index) => {
    const expected = families[index];
    if (expected === undefined || expected === family || !FAMILIES.includes(expected)) return;
    const text = `expected an ${expected} value as indicated by \`ipFamilies[${index}]\``;
    errors.push(invalidValue(`${CLUSTER_IPS}[${index}]`, addresses[index] ?? '', text));
  });
}

const IMMUTABLE_ONCE_SET = 'may not change once set';

/** Cluster IPs and families are immutable once set; a secondary one may be added or released. */
export function checkClusterIpUpdate(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec, errors: Errors): void {
  if (spec.type === 'ExternalName' || before.type === 'ExternalName') return;
  const [isHeadless, wasHeadless] = [spec, before].map(({ clusterIPs = [] }) => clusterIPs.join() === CLUSTER_IP_NONE);
  if (isHeadless && wasHeadless) return;
  const { clusterIPs: addresses = [], ipFamilies: families = [] } = spec;
  for (const index of changedIndexes(addresses, before.clusterIPs ?? [])) {
    errors.push(invalidValue(`${CLUSTER_IPS}[${index}]`, addresses, IMMUTABLE_ONCE_SET));
  }
  if (isHeadless || wasHeadless) return;
  // There is one error for each changed family, but they are all the same: the field path always names the first family,
  // and the addresses are shown when the number of families changes (upstream behaviour).
  const field = 'spec.ipFamilies[0]';
  const { ipFamilies: old = [] } = before;
  const shown = `[]core.IPFamily{${families.map((family) => quote(family)).join(', ')}}`;
  const error =
    families.length === old.length
      ? invalidShownValue(field, shown, IMMUTABLE_ONCE_SET)
      : invalidValue(field, addresses, IMMUTABLE_ONCE_SET);
  for (const _index of changedIndexes(families, old)) errors.push(error);
}

/** The indexes of different entries. Lists of equal length are compared entry by entry, others only at the first. */
function changedIndexes(current: readonly string[], before: readonly string[]): readonly number[] {
  const compared = current.length === before.length ? current.length : Math.min(1, current.length, before.length);
  return Array.from({ length: compared }, (_, index) => index).filter((index) => current[index] !== before[index]);
}

/** Nodes accept traffic for the address, so special addresses are rejected. */
export function checkExternalIp(address: string, field: string, errors: Errors): void {
  if (ipFamily(address) === 0) checkIp(address, field, errors);
  else checkNonSpecialIp(address, field, errors);
}
