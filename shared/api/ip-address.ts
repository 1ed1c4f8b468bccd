/**
 * IP addresses and CIDR ranges as numbers, and back in canonical text (RFC 5952). Leading zeros in an IPv4 address are taken as decimal and
 * IPv4-mapped IPv6 addresses as IPv4, as upstream takes them.
 */
import { isIP } from 'node:net';

export type IpFamily = 'IPv4' | 'IPv6';

export interface IpAddress {
  readonly family: IpFamily;
  readonly value: bigint;
}

export interface IpRange {
  readonly family: IpFamily;
  /** Canonical, such as `10.0.0.0/24`. */
  readonly text: string;
  /** The network address. */
  readonly first: bigint;
  readonly size: bigint;
}

export const ADDRESS_BITS: Readonly<Record<IpFamily, number>> = { IPv4: 32, IPv6: 128 };

const GROUP_BITS = 16n;
const GROUP_MASK = 0xffffn;
const MAPPED = 0xffff_0000_0000n;

/** Undefined when it is none. */
export function parseIp(text: string): IpAddress | undefined {
  if (!text.includes(':')) {
    const value = parseIpv4(text);
    return value === undefined ? undefined : { family: 'IPv4', value };
  }
  const value = parseIpv6(text);
  if (value === undefined) return undefined;
  return value >> 32n === MAPPED >> 32n ? { family: 'IPv4', value: value - MAPPED } : { family: 'IPv6', value };
}

function parseIpv4(text: string): bigint | undefined {
  if (!/^[0-9.]+$/.test(text)) return undefined;
  const plain = text.replace(/(^|\.)0+(?=[0-9])/g, '$1');
  return isIP(plain) === 4 ? BigInt(plain.split('.').reduce((sum, octet) => sum * 256 + Number(octet), 0)) : undefined;
}

function parseIpv6(text: string): bigint | undefined {
  if (isIP(text) !== 6 || text.includes('%')) return undefined;
  const [head = '', tail] = text.split('::');
  const front = groupsOf(head);
  const back = tail === undefined ? [] : groupsOf(tail);
  const gap = Array.from({ length: 8 - front.length - back.length }, () => 0n);
  return [...front, ...gap, ...back].reduce((sum, group) => (sum << GROUP_BITS) | group, 0n);
}

/** The 16-bit groups of a part without `::`; dotted decimals at its end count for two. */
function groupsOf(part: string): bigint[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => {
    if (!group.includes('.')) return [BigInt(`0x${group}`)];
    const value = parseIpv4(group) ?? 0n;
    return [value >> GROUP_BITS, value & GROUP_MASK];
  });
}

export function formatIp({ family, value }: IpAddress): string {
  if (family === 'IPv4') return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
  const groups = Array.from({ length: 8 }, (_, index) => ((value >> (BigInt(7 - index) * GROUP_BITS)) & GROUP_MASK).toString(16));
  const { start, length } = longestZeros(groups);
  if (length < 2) return groups.join(':');
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
}

function longestZeros(groups: readonly string[]): { readonly start: number; readonly length: number } {
  let longest = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let end = start;
    while (groups[end] === '0') end++;
    if (end - start > longest.length) longest = { start, length: end - start };
  }
  return longest;
}

/** A range with its host bits cleared; undefined when it is none. */
export function parseIpRange(text: string): IpRange | undefined {
  const [address = '', bits = '', ...rest] = text.split('/');
  const ip = parseIp(address);
  if (ip === undefined || rest.length > 0 || !/^[0-9]{1,3}$/.test(bits)) return undefined;
  const hostBits = ADDRESS_BITS[ip.family] - Number(bits);
  // An IPv4-mapped range would count its prefix in the other family's bits.
  if (hostBits < 0 || (ip.family === 'IPv4' && address.includes(':'))) return undefined;
  const size = 1n << BigInt(hostBits);
  const first = (ip.value / size) * size;
  return { family: ip.family, text: `${formatIp({ family: ip.family, value: first })}/${Number(bits)}`, first, size };
}

export function isInRange(range: IpRange, { family, value }: IpAddress): boolean {
  return family === range.family && value >= range.first && value < range.first + range.size;
}
