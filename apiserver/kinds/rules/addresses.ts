/** What upstream's rules say of texts that should be IP addresses or ranges. */
import { invalidValue, type FieldError } from '../../../shared/api/errors/field-error';
import { addressClass, parseIpAddress, parseIpRange, type AddressClass } from '../../../shared/values/ip-address';

const NONE: readonly FieldError[] = [];
const NO_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const NO_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** 4 or 6, else 0. */
export const ipFamily = (text: string): 0 | 4 | 6 => parseIpAddress(text)?.family ?? 0;

export const ipErrors = (text: string, field: string): readonly FieldError[] =>
  ipFamily(text) === 0 ? [invalidValue(field, text, NO_IP)] : [];

export function cidrErrors(text: string, field: string): FieldError[] {
  return parseIpRange(text) === undefined ? [invalidValue(field, text, NO_CIDR)] : [];
}

const CLASS_TEXT: Readonly<Record<AddressClass, (address: string) => string>> = {
  unspecified: (address) => `may not be unspecified (${address})`,
  loopback: () => 'may not be in the loopback range (127.0.0.0/8, ::1/128)',
  'link-local': () => 'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
  'link-local multicast': () => 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
};

/** For an address at which other machines are to be served, of one family or of any: ones that they cannot reach are refused. */
export function unreachableErrors(text: string, field: string, wanted?: 4 | 6): readonly FieldError[] {
  const address = parseIpAddress(text);
  const ofOther = wanted !== undefined && address?.family !== wanted;
  const found = address === undefined ? undefined : addressClass(address);
  if (!ofOther && address !== undefined && found === undefined) return NONE;
  const errors: FieldError[] = ofOther ? [invalidValue(field, text, `must be a valid IPv${wanted} address`)] : [];
  if (address === undefined) errors.push(invalidValue(field, text, 'must be a valid IP address'));
  else if (found !== undefined) errors.push(invalidValue(field, text, CLASS_TEXT[found](text)));
  return errors;
}
