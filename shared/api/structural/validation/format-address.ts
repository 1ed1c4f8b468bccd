/** Strict IP address formats: no leading zeros in IPv4, at most four digits per group in IPv6, no zones. */
import { parseIpAddress } from '../../../values/network/ip-address';

/** An IPv4 or IPv6 address. */
export function isStrictAddress(text: string): boolean {
  if (parseIpAddress(text) === undefined || /[0-9a-fA-F]{5}/.test(text)) return false;
  return !text.includes('.') || !/(?:^|[:.])0[0-9]+(?:\.|$)/.test(text);
}

/** The last 32 bits may be written as an IPv4 address. */
export function isIpv6(text: string): boolean {
  return text.includes(':') && isStrictAddress(text);
}
