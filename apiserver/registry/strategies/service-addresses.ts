/** The rules for a Service's addresses, and what is worth a warning about them. */
import { duplicate, forbiddenField, invalidValue, notSupported, type FieldError } from '../../../shared/api/field-error';
import { objectAt, own, stringAt, type JsonObject } from '../../../shared/api/json';
import { stringsAt } from '../../../shared/api/object-meta';
import { ipErrors, ipFamily, unreachableErrors, withoutLeadingZeros } from './addresses';

/** In the place of an address: there is none. */
export const HEADLESS = 'None';

const FAMILIES = ['IPv4', 'IPv6'];
const POLICIES = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];

/** What is wrong with clusterIP, clusterIPs, ipFamilies and ipFamilyPolicy of any state. */
export function clusterAddressErrors(spec: JsonObject): FieldError[] {
  const errors: FieldError[] = [];
  const addresses = stringsAt(spec, 'clusterIPs');
  const families = stringsAt(spec, 'ipFamilies');
  const policy = stringAt(spec, 'ipFamilyPolicy');
  if (stringAt(spec, 'type') === 'ExternalName') {
    const refuse = (member: string): void => void errors.push(forbiddenField(`spec.${member}`, 'may not be set for ExternalName services'));
    if (addresses.length > 0 || (stringAt(spec, 'clusterIP') ?? '') !== '') refuse('clusterIPs');
    if (families.length > 0) refuse('ipFamilies');
    if (policy !== undefined) refuse('ipFamilyPolicy');
    return errors;
  }
  errors.push(...agreementErrors(stringAt(spec, 'clusterIP') ?? '', addresses));
  families.forEach((family, index) => {
    if (!FAMILIES.includes(family)) errors.push(notSupported(`spec.ipFamilies[${index}]`, family, FAMILIES));
    else if (families.indexOf(family) < index) errors.push(duplicate(`spec.ipFamilies[${index}]`, family));
  });
  if (policy !== undefined && !POLICIES.includes(policy)) errors.push(notSupported('spec.ipFamilyPolicy', policy, POLICIES));
  return [...errors, ...addressListErrors(addresses, families)];
}

const ADDRESSES = 'spec.clusterIPs';

function agreementErrors(first: string, addresses: readonly string[]): readonly FieldError[] {
  if (addresses.length === 0 || addresses[0] === first) return [];
  const text = first === '' ? 'must be empty when `clusterIP` is not specified' : 'first value must match `clusterIP`';
  return [invalidValue(ADDRESSES, addresses, text)];
}

function addressListErrors(addresses: readonly string[], families: readonly string[]): readonly FieldError[] {
  const errors: FieldError[] = [];
  const isHeadless = addresses[0] === HEADLESS;
  if (isHeadless && addresses.length > 1) errors.push(invalidValue(ADDRESSES, addresses, "'None' must be the first and only value"));
  const malformed = addresses.flatMap((address, index) => (index === 0 && isHeadless ? [] : ipErrors(address, `${ADDRESSES}[${index}]`)));
  errors.push(...malformed);
  if (addresses.length > 2) return [...errors, invalidValue(ADDRESSES, addresses, 'may only hold up to 2 values')];
  if (isHeadless || malformed.length > 0) return errors;
  const used = addresses.map((address) => (ipFamily(address) === 4 ? 'IPv4' : 'IPv6'));
  if (used.length === 2 && used[0] === used[1])
    errors.push(invalidValue(ADDRESSES, addresses, 'may specify no more than one IP for each IP family'));
  used.forEach((family, index) => {
    const wanted = families[index];
    if (wanted === undefined || wanted === family || !FAMILIES.includes(wanted)) return;
    const text = `expected an ${wanted} value as indicated by \`ipFamilies[${index}]\``;
    errors.push(invalidValue(`${ADDRESSES}[${index}]`, addresses[index] ?? '', text));
  });
  return errors;
}

/** Addresses do not change once they are set, but for the second one. */
export function clusterAddressChanges(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  if (stringAt(spec, 'type') === 'ExternalName' || stringAt(before, 'type') === 'ExternalName') return [];
  const [addresses, old] = [stringsAt(spec, 'clusterIPs'), stringsAt(before, 'clusterIPs')];
  if (old.length === 0 || (addresses[0] === HEADLESS && old[0] === HEADLESS)) return [];
  if (addresses.length === 0) return [invalidValue('spec.clusterIPs[0]', addresses, 'primary clusterIP can not be unset')];
  const kept = addresses.length === old.length ? addresses.length : 1;
  return addresses
    .slice(0, kept)
    .flatMap((address, index) =>
      address === old[index] ? [] : [invalidValue(`spec.clusterIPs[${index}]`, addresses, 'may not change once set')],
    );
}

/** An address on which every node is to accept traffic: ones that no other machine can reach are refused. */
export function externalAddressErrors(address: string, field: string): readonly FieldError[] {
  const errors = ipErrors(address, field);
  return errors.length > 0 ? errors : unreachableErrors(address, field);
}

export function addressWarnings(object: JsonObject): readonly string[] {
  const spec = objectAt(object, 'spec') ?? {};
  const external = stringsAt(spec, 'externalIPs');
  const warnings: string[] = [];
  const isName = stringAt(spec, 'type') === 'ExternalName';
  if (isName && external.length > 0) warnings.push('spec.externalIPs is ignored when spec.type is "ExternalName"');
  if (!isName && own(spec, 'externalName') !== undefined)
    warnings.push('spec.externalName is ignored when spec.type is not "ExternalName"');
  external.forEach((address, index) => {
    if (withoutLeadingZeros(address) === address) return;
    const text = `IP address was accepted, but will be invalid in a future Kubernetes release: ParseAddr("${address}")`;
    warnings.push(`spec.externalIPs[${index}]: ${text}: IPv4 field has octet with leading zero`);
  });
  return warnings;
}
