/** IP addresses as strict readers take them: no leading zeros in IPv4, no group of more than four digits in IPv6. No zones. */
import { parseIpAddress } from '../../values/ip-address';

/** Of either family. */
export function isStrictAddress(text: string): boolean {
  if (parseIpAddress(text) === undefined || /[0-9a-fA-F]{5}/.test(text)) return false;
  return !text.includes('.') || !/(?:^|[:.])0[0-9]+(?:\.|$)/.test(text);
}

/** An IPv4 address may stand at its end. */
export function isIpv6(text: string): boolean {
  return text.includes(':') && isStrictAddress(text);
}
