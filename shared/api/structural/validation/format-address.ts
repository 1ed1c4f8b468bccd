/** Strict IP address formats: no leading zeros in IPv4, at most four digits per group in IPv6, no zones. */
import { parseIpAddress } from '../../../values/network/ip-address';

const FIVE_DIGITS = /[0-9a-fA-F]{5}/;
/** `01` in `1.01.1.1` or `::1.01.1.1`. */
const LEADING_ZERO = /(?:^|[:.])0[0-9]+(?:\.|$)/;

/** Whether the text is an IPv4 or IPv6 address in the strict form. */
export function isStrictAddress(text: string): boolean {
  if (parseIpAddress(text) === undefined || FIVE_DIGITS.test(text)) return false;
  return !text.includes('.') || !LEADING_ZERO.test(text);
}

/** Whether the text is an IPv6 address in the strict form. Its last 32 bits may be written as an IPv4 address. */
export function isIpv6(text: string): boolean {
  return text.includes(':') && isStrictAddress(text);
}
