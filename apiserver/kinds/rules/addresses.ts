/**
 * Validates IP addresses and CIDRs with upstream's messages. Addresses in the older, lenient forms are valid; see
 * `parseIpAddress`.
 */
import { invalidValue } from '../../../shared/api/errors/field-error';
import { addressClass, parseIpAddress, parseIpRange, type AddressClass } from '../../../shared/values/network/ip-address';
import type { Errors } from './checks';

const INVALID_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const INVALID_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** The IP version of the address; 0 if it is invalid. */
export const ipFamily = (text: string): 0 | 4 | 6 => parseIpAddress(text)?.family ?? 0;

export function checkIp(text: string, field: string, errors: Errors): void {
  if (ipFamily(text) === 0) errors.push(invalidValue(field, text, INVALID_IP));
}

export function checkCidr(text: string, field: string, errors: Errors): void {
  if (parseIpRange(text) === undefined) errors.push(invalidValue(field, text, INVALID_CIDR));
}

const CLASS_TEXT: Readonly<Record<AddressClass, (address: string) => string>> = {
  unspecified: (address) => `may not be unspecified (${address})`,
  loopback: () => 'may not be in the loopback range (127.0.0.0/8, ::1/128)',
  'link-local': () => 'may not be in the link-local range (169.254.0.0/16, fe80::/10)',
  'link-local multicast': () => 'may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)',
};

/** Rejects special addresses that other machines cannot reach. `family` restricts the IP version. */
export function checkNonSpecialIp(text: string, field: string, errors: Errors, family?: 4 | 6): void {
  const address = parseIpAddress(text);
  if (family !== undefined && address?.family !== family) errors.push(invalidValue(field, text, `must be a valid IPv${family} address`));
  if (address === undefined) {
    errors.push(invalidValue(field, text, 'must be a valid IP address'));
    return;
  }
  const specialClass = addressClass(address);
  if (specialClass !== undefined) errors.push(invalidValue(field, text, CLASS_TEXT[specialClass](text)));
}
