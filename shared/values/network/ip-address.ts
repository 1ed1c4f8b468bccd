/**
 * Parses IP addresses and ranges as upstream does: decimal octets and hexadecimal groups may have leading zeros, an IPv6
 * address may end in dotted decimals, and an IPv4-mapped IPv6 address (`::ffff:10.0.0.1`) is an IPv4 address. Zones are
 * rejected. Which addresses are acceptable is up to the caller.
 */

/** The name of a family in API objects. */
export type IpFamily = 'IPv4' | 'IPv6';

/** An address as a number. */
export interface IpAddress {
  readonly family: 4 | 6;
  /** 32 bits for IPv4, 128 for IPv6. */
  readonly value: bigint;
}

/** A network. */
export interface IpRange {
  readonly family: 4 | 6;
  /** The first address. */
  readonly first: bigint;
  /** The number of leading bits that all addresses of the range share. */
  readonly prefix: number;
  /** The prefix length in the text: for a range of IPv4-mapped addresses it counts the bits of the IPv6 address. */
  readonly writtenPrefix: number;
}

const GROUPS = 8;
const IPV4_MAPPED_PREFIX = 0xffffn;

/** `undefined` when the text is not an IP address. */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (!text.includes(':')) {
    const value = parseDotted(text);
    return value === undefined ? undefined : { family: 4, value: BigInt(value) };
  }
  const value = parseGroups(text);
  if (value === undefined) return undefined;
  return value >> 32n === IPV4_MAPPED_PREFIX ? { family: 4, value: value & 0xffff_ffffn } : { family: 6, value };
}

const ZERO = 48;
const NINE = 57;
const DOT = 46;

const NO_DIGIT = -1;

/** Four decimal octets as one number. */
function parseDotted(text: string): number | undefined {
  let value = 0;
  let octet = NO_DIGIT;
  let dots = 0;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code >= ZERO && code <= NINE) {
      octet = Math.max(octet, 0) * 10 + code - ZERO;
      if (octet > 255) return undefined;
    } else if (code === DOT && octet !== NO_DIGIT && dots < 3) {
      value = value * 256 + octet;
      octet = NO_DIGIT;
      dots++;
    } else return undefined;
  }
  return octet === NO_DIGIT || dots < 3 ? undefined : value * 256 + octet;
}

function parseGroups(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half, index) => (index === halves.length - 1 ? parseLastGroups(half) : parseGroupList(half)));
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  const missing = GROUPS - head.length - (tail?.length ?? 0);
  // `::` stands for one group of zeros or more.
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  return [...head, ...Array.from({ length: missing }, () => 0), ...(tail ?? [])].reduce(
    (value, group) => (value << 16n) | BigInt(group),
    0n,
  );
}

const GROUP = /^0*[0-9a-fA-F]{1,4}$/;

/** Groups of 16 bits, separated by colons; `undefined` when one is malformed. */
const parseGroupList = (text: string): readonly number[] | undefined => (text === '' ? [] : parseEachGroup(text.split(':')));

/** As {@link parseGroupList}, for the end of an address: the last two groups may be dotted decimals. */
function parseLastGroups(text: string): readonly number[] | undefined {
  const parts = text.split(':');
  const dotted = parseDotted(parts.at(-1) ?? '');
  if (dotted === undefined) return parseGroupList(text);
  const groups = parseEachGroup(parts.slice(0, -1));
  return groups === undefined ? undefined : [...groups, Math.floor(dotted / 0x1_0000), dotted % 0x1_0000];
}

const parseEachGroup = (parts: readonly string[]): readonly number[] | undefined =>
  parts.every((part) => GROUP.test(part)) ? parts.map((part) => Number.parseInt(part, 16)) : undefined;

/** The canonical text (RFC 5952). */
export function formatIpAddress({ family, value }: IpAddress): string {
  if (family === 4) return [24n, 16n, 8n, 0n].map((shift) => (value >> shift) & 0xffn).join('.');
  const groups = Array.from({ length: GROUPS }, (_, index) => ((value >> BigInt(16 * (GROUPS - 1 - index))) & 0xffffn).toString(16));
  const { start, length } = longestZeros(groups);
  if (length < 2) return groups.join(':');
  return `${groups.slice(0, start).join(':')}::${groups.slice(start + length).join(':')}`;
}

/** The longest run of zero groups, the first of several. */
function longestZeros(groups: readonly string[]): { readonly start: number; readonly length: number } {
  let longest = { start: 0, length: 0 };
  for (let start = 0; start < groups.length; start++) {
    let end = start;
    while (groups[end] === '0') end++;
    if (end - start > longest.length) longest = { start, length: end - start };
  }
  return longest;
}

/** The number of bits of an address. */
export const ADDRESS_BITS = { 4: 32, 6: 128 } as const;

/** Parses `address/prefix`; address bits after the prefix are ignored. `undefined` when the text is not a range. */
export function parseIpRange(text: string): IpRange | undefined {
  const slash = text.indexOf('/');
  const digits = text.slice(slash + 1);
  if (slash < 0 || !/^[0-9]+$/.test(digits)) return undefined;
  const addressText = text.slice(0, slash);
  const address = parseIpAddress(addressText);
  const writtenPrefix = Number(digits);
  if (address === undefined || writtenPrefix > (addressText.includes(':') ? ADDRESS_BITS[6] : ADDRESS_BITS[4])) return undefined;
  const isMapped = address.family === 4 && addressText.includes(':');
  // The prefix length of an IPv4-mapped address counts the bits of the IPv6 address; a shorter one than the mapping
  // itself makes an IPv6 range.
  if (isMapped && writtenPrefix < ADDRESS_BITS[6] - ADDRESS_BITS[4]) {
    return {
      family: 6,
      first: maskAddress({ family: 6, value: (IPV4_MAPPED_PREFIX << 32n) | address.value }, writtenPrefix),
      prefix: writtenPrefix,
      writtenPrefix,
    };
  }
  const prefix = isMapped ? writtenPrefix - (ADDRESS_BITS[6] - ADDRESS_BITS[4]) : writtenPrefix;
  return { family: address.family, first: maskAddress(address, prefix), prefix, writtenPrefix };
}

/** The canonical text, with cleared host bits. */
export function formatIpRange({ family, first, prefix }: Omit<IpRange, 'writtenPrefix'>): string {
  return `${formatIpAddress({ family, value: first })}/${prefix}`;
}

function maskAddress({ family, value }: IpAddress, prefix: number): bigint {
  const hostBits = BigInt(ADDRESS_BITS[family] - prefix);
  return (value >> hostBits) << hostBits;
}

/** False for an address of the other family. */
export function rangeContains(range: IpRange, address: IpAddress): boolean {
  return range.family === address.family && maskAddress(address, range.prefix) === range.first;
}

/** Whether `outer` contains all addresses of `inner`, and the prefix length in its text is shorter. */
export function isStrictSubrange(inner: IpRange, outer: IpRange): boolean {
  return inner.writtenPrefix > outer.writtenPrefix && rangeContains(outer, { family: inner.family, value: inner.first });
}

/** A class of addresses that upstream rejects for endpoints. */
export type AddressClass = 'unspecified' | 'loopback' | 'link-local' | 'link-local multicast';

/** Masks of the whole address. */
const CLASSES_4: readonly ClassRow[] = [
  { name: 'loopback', mask: 0xff00_0000, bits: 0x7f00_0000 },
  { name: 'link-local', mask: 0xffff_0000, bits: 0xa9fe_0000 },
  { name: 'link-local multicast', mask: 0xffff_ff00, bits: 0xe000_0000 },
];
/** Masks of the first group. Of a multicast address the scope counts and the flags are ignored. */
const CLASSES_6: readonly ClassRow[] = [
  { name: 'link-local', mask: 0xffc0, bits: 0xfe80 },
  { name: 'link-local multicast', mask: 0xff0f, bits: 0xff02 },
];

/** The class of an address that is not meaningful on another machine; `undefined` for all other addresses. */
export function addressClass({ family, value }: IpAddress): AddressClass | undefined {
  if (value === 0n) return 'unspecified';
  if (family === 4) return classOf(CLASSES_4, Number(value));
  return value === 1n ? 'loopback' : classOf(CLASSES_6, Number(value >> 112n));
}

interface ClassRow {
  readonly name: AddressClass;
  /** The address belongs to the class when `value & mask` equals `bits`. */
  readonly mask: number;
  readonly bits: number;
}

const classOf = (rows: readonly ClassRow[], value: number): AddressClass | undefined =>
  rows.find(({ mask, bits }) => (value & mask) >>> 0 === bits)?.name;
