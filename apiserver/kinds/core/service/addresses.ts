/** The rules for a Service's addresses. */
import { append } from '../../../../shared/values/append';
import {
  duplicate,
  forbiddenField,
  invalidAs,
  invalidValue,
  notSupported,
  type FieldError,
} from '../../../../shared/api/errors/field-error';
import { type JsonObject, stringAt, stringsAt } from '../../../../shared/values/json';
import { quote } from '../../../../shared/values/quote';
import { ipFamily } from '../../rules/addresses';
import { ipErrors, unreachableErrors } from '../../rules/field-rules';

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
  append(errors, agreementErrors(stringAt(spec, 'clusterIP') ?? '', addresses));
  families.forEach((family, index) => {
    if (!FAMILIES.includes(family)) errors.push(notSupported(`spec.ipFamilies[${index}]`, family, FAMILIES));
    if (families.indexOf(family) < index) errors.push(duplicate(`spec.ipFamilies[${index}]`, family));
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
  append(errors, malformed);
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

const FIXED = 'may not change once set';

/** Addresses and families stay once they are set; a second one may come and go. */
export function clusterAddressChanges(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  if (stringAt(spec, 'type') === 'ExternalName' || stringAt(before, 'type') === 'ExternalName') return [];
  const headless = [spec, before].filter(isOnlyHeadless).length;
  return [...(headless === 2 ? [] : addressChanges(spec, before)), ...(headless > 0 ? [] : familyChanges(spec, before))];
}

const isOnlyHeadless = (spec: JsonObject): boolean => stringsAt(spec, 'clusterIPs').join() === HEADLESS;

function addressChanges(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const [addresses, old] = [stringsAt(spec, 'clusterIPs'), stringsAt(before, 'clusterIPs')];
  return changedPlaces(addresses, old).map((index) => invalidValue(`${ADDRESSES}[${index}]`, addresses, FIXED));
}

/** Always the first place is named, and, where their number changes, the addresses are shown (upstream behaviour). */
function familyChanges(spec: JsonObject, before: JsonObject): readonly FieldError[] {
  const [families, old] = [stringsAt(spec, 'ipFamilies'), stringsAt(before, 'ipFamilies')];
  const field = 'spec.ipFamilies[0]';
  const shown = `[]core.IPFamily{${families.map((family) => quote(family)).join(', ')}}`;
  return changedPlaces(families, old).map(() =>
    families.length === old.length ? invalidAs(field, shown, FIXED) : invalidValue(field, stringsAt(spec, 'clusterIPs'), FIXED),
  );
}

/** All places are compared where there are as many as before, else the first. */
function changedPlaces(now: readonly string[], before: readonly string[]): readonly number[] {
  const compared = now.length === before.length ? now.length : Math.min(1, now.length, before.length);
  return Array.from({ length: compared }, (_, index) => index).filter((index) => now[index] !== before[index]);
}

/** An address on which every node is to accept traffic: ones that no other machine can reach are refused. */
export function externalAddressErrors(address: string, field: string): readonly FieldError[] {
  const errors = ipErrors(address, field);
  return errors.length > 0 ? errors : unreachableErrors(address, field);
}
