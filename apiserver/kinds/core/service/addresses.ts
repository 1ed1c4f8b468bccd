/** The rules for a Service's addresses. */
import {
  duplicateValue,
  forbiddenField,
  invalidShownValue,
  invalidValue,
  unsupportedValue,
} from '../../../../shared/api/errors/field-error';
import type { CoreV1ServiceSpec } from '../../../../shared/api/types/generated/members';
import { quote } from '../../../../shared/values/quote';
import { checkIp, checkReachable, ipFamily } from '../../rules/addresses';
import { checkChoice, type Errors, type MemberOf } from '../../rules/checks';

/** In the place of an address: there is none. */
export const HEADLESS = 'None';

const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

/** clusterIP, clusterIPs, ipFamilies and ipFamilyPolicy of any state. */
export function checkClusterAddresses(spec: CoreV1ServiceSpec, errors: Errors): void {
  const { clusterIP: first = '', clusterIPs: addresses = [], ipFamilies: families = [], ipFamilyPolicy: policy } = spec;
  if (spec.type === 'ExternalName') {
    const refuse = (member: MemberOf<CoreV1ServiceSpec, string | string[]>): void =>
      void errors.push(forbiddenField(`spec.${member}`, 'may not be set for ExternalName services'));
    if (addresses.length > 0 || first !== '') refuse('clusterIPs');
    if (families.length > 0) refuse('ipFamilies');
    if (policy !== undefined) refuse('ipFamilyPolicy');
    return;
  }
  if (addresses.length > 0 && (first === '' || addresses[0] !== first)) {
    const text = first === '' ? 'must be empty when `clusterIP` is not specified' : 'first value must match `clusterIP`';
    errors.push(invalidValue(ADDRESSES, addresses, text));
  }
  families.forEach((family, index) => {
    if (!FAMILIES.includes(family)) errors.push(unsupportedValue(`spec.ipFamilies[${index}]`, family, FAMILIES));
    if (families.indexOf(family) < index) errors.push(duplicateValue(`spec.ipFamilies[${index}]`, family));
  });
  checkChoice(spec, 'ipFamilyPolicy', 'spec', POLICIES, errors);
  checkAddressList(addresses, families, errors);
}

const ADDRESSES = 'spec.clusterIPs';

function checkAddressList(addresses: readonly string[], families: readonly string[], errors: Errors): void {
  const isHeadless = addresses[0] === HEADLESS;
  if (isHeadless && addresses.length > 1) errors.push(invalidValue(ADDRESSES, addresses, "'None' must be the first and only value"));
  const before = errors.length;
  addresses.forEach((address, index) => {
    if (index > 0 || !isHeadless) checkIp(address, `${ADDRESSES}[${index}]`, errors);
  });
  const isMalformed = errors.length > before;
  if (addresses.length > 2) errors.push(invalidValue(ADDRESSES, addresses, 'may only hold up to 2 values'));
  else if (!isHeadless && !isMalformed) checkFamiliesOf(addresses, families, errors);
}

function checkFamiliesOf(addresses: readonly string[], families: readonly string[], errors: Errors): void {
  const used = addresses.map((address) => (ipFamily(address) === 4 ? 'IPv4' : 'IPv6'));
  if (used.length === 2 && used[0] === used[1])
    errors.push(invalidValue(ADDRESSES, addresses, 'may specify no more than one IP for each IP family'));
  used.forEach((family, index) => {
    const wanted = families[index];
    if (wanted === undefined || wanted === family || !FAMILIES.includes(wanted)) return;
    const text = `expected an ${wanted} value as indicated by \`ipFamilies[${index}]\``;
    errors.push(invalidValue(`${ADDRESSES}[${index}]`, addresses[index] ?? '', text));
  });
}

const FIXED = 'may not change once set';

/** Addresses and families stay once they are set; a second one may come and go. */
export function checkAddressChanges(spec: CoreV1ServiceSpec, before: CoreV1ServiceSpec, errors: Errors): void {
  if (spec.type === 'ExternalName' || before.type === 'ExternalName') return;
  const headless = [spec, before].filter(({ clusterIPs = [] }) => clusterIPs.join() === HEADLESS).length;
  const { clusterIPs: addresses = [], ipFamilies: families = [] } = spec;
  if (headless < 2) {
    for (const index of changedPlaces(addresses, before.clusterIPs ?? []))
      errors.push(invalidValue(`${ADDRESSES}[${index}]`, addresses, FIXED));
  }
  if (headless > 0) return;
  // Always the first place is named, and, where their number changes, the addresses are shown (upstream behaviour).
  const field = 'spec.ipFamilies[0]';
  const { ipFamilies: old = [] } = before;
  const shown = `[]core.IPFamily{${families.map((family) => quote(family)).join(', ')}}`;
  for (let times = changedPlaces(families, old).length; times > 0; times -= 1)
    errors.push(families.length === old.length ? invalidShownValue(field, shown, FIXED) : invalidValue(field, addresses, FIXED));
}

/** All places are compared where there are as many as before, else the first. */
function changedPlaces(now: readonly string[], before: readonly string[]): readonly number[] {
  const compared = now.length === before.length ? now.length : Math.min(1, now.length, before.length);
  return Array.from({ length: compared }, (_, index) => index).filter((index) => now[index] !== before[index]);
}

/** An address on which every node is to accept traffic: ones that no other machine can reach are refused. */
export function checkExternalAddress(address: string, field: string, errors: Errors): void {
  if (ipFamily(address) === 0) checkIp(address, field, errors);
  else checkReachable(address, field, errors);
}
