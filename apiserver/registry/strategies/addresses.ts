/** IP addresses and ranges as upstream's rules for Services, Nodes and Pods see them. */
import { isIP } from 'node:net';
import { invalidValue, type FieldError } from '../../../shared/api/field-error';

const NO_IP = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const NO_CIDR = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

/** 4 or 6, else 0. Leading zeros in an IPv4 address are taken as decimal (upstream behaviour, with a warning). */
export function ipFamily(text: string): 0 | 4 | 6 {
  const family = isIP(withoutLeadingZeros(text));
  return family === 4 || (family === 6 && !text.includes('%')) ? family : 0;
}

/** Dotted decimals without leading zeros. */
export function withoutLeadingZeros(text: string): string {
  return /^[0-9.]+$/.test(text) ? text.replace(/(^|\.)0+(?=[0-9])/g, '$1') : text;
}

export const ipErrors = (text: string, field: string): readonly FieldError[] =>
  ipFamily(text) === 0 ? [invalidValue(field, text, NO_IP)] : [];

export function cidrErrors(text: string, field: string): FieldError[] {
  const [address = '', bits = '', ...rest] = text.split('/');
  const family = ipFamily(address);
  const good = family !== 0 && rest.length === 0 && /^[0-9]{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
  return good ? [] : [invalidValue(field, text, NO_CIDR)];
}
