/**
 * The IP and CIDR libraries: `ip`, `cidr` and their methods. Parsing is strict: leading zeros, zones (`fe80::1%eth0`) and
 * IPv4-mapped IPv6 addresses (`::ffff:10.0.0.1`) are errors.
 */
import {
  formatIpAddress,
  parseIpAddress,
  rangeContains,
  isStrictSubrange,
  type IpAddress,
  type IpRange,
} from '../../values/network/ip-address';
import { parseStrictIpPrefix, parseStrictIpAddress } from '../../values/network/strict-ip-address';
import { quote } from '../../values/text/quote';
import { ErrorValue, OpaqueValue, valueSize, type Value } from '../values/value';
import {
  binary,
  isOpaque,
  isString,
  traversalCost,
  traversalCosts,
  unary,
  type FunctionCosts,
  type FunctionOverload,
  type ValueGuard,
} from './function';

/** The length of an address by IP family. */
const ADDRESS_BITS = { 4: 32, 6: 128 } as const;

/** An IP address. An IPv4-mapped IPv6 address is rejected before it becomes a value. */
export class IpValue extends OpaqueValue {
  readonly typeName = 'net.IP';

  constructor(readonly address: IpAddress) {
    super();
  }

  equals(other: OpaqueValue): boolean {
    return other instanceof IpValue && other.address.family === this.address.family && other.address.value === this.address.value;
  }

  override print(): string {
    return formatIpAddress(this.address);
  }
}

/** A network in CIDR notation. */
export class CidrValue extends OpaqueValue {
  readonly typeName = 'net.CIDR';

  constructor(
    /** The address as written, including the bits after the prefix. */
    readonly address: IpAddress,
    readonly prefix: number,
  ) {
    super();
  }

  /** The addresses of the network. */
  get range(): IpRange {
    const { family, value } = this.address;
    const shift = BigInt(ADDRESS_BITS[family] - this.prefix);
    return { family, first: (value >> shift) << shift, prefix: this.prefix, writtenPrefix: this.prefix };
  }

  equals(other: OpaqueValue): boolean {
    if (!(other instanceof CidrValue)) return false;
    const a = this.address;
    const b = other.address;
    return a.family === b.family && a.value === b.value && this.prefix === other.prefix;
  }

  override print(): string {
    return `${formatIpAddress(this.address)}/${this.prefix}`;
  }
}

const isIp: ValueGuard<IpValue> = isOpaque(IpValue);
const isCidr: ValueGuard<CidrValue> = isOpaque(CidrValue);

function parseIp(text: string): IpValue | ErrorValue {
  const reading = parseStrictIpAddress(text);
  const prefix = `IP Address ${quote(text)} parse error during conversion from string: `;
  if ('error' in reading) return new ErrorValue(prefix + reading.error);
  if (text.includes('%')) return new ErrorValue(`IP address ${quote(text)} with zone value is not allowed`);
  if (reading.canonical.startsWith('::ffff:') && reading.canonical.includes('.')) {
    return new ErrorValue(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  }
  const address = parseIpAddress(text);
  return address === undefined ? new ErrorValue(`${prefix}ParseAddr(${quote(text)}): unable to parse IP`) : new IpValue(address);
}

const NETWORK_ERROR = 'network address parse error during conversion from string: ';
/** Upstream adds the prefix twice to errors of the prefix parser. */
const PREFIX_ERROR = NETWORK_ERROR + NETWORK_ERROR;

function parseCidr(text: string): CidrValue | ErrorValue {
  if (!text.includes('/')) return new ErrorValue(`${PREFIX_ERROR}netip.ParsePrefix(${quote(text)}): no '/'`);
  const reading = parseStrictIpPrefix(text);
  if ('error' in reading) return new ErrorValue(`${PREFIX_ERROR}${reading.error}`);
  const slash = text.lastIndexOf('/');
  const written = text.slice(0, slash);
  if (written.includes('%'))
    return new ErrorValue(`${PREFIX_ERROR}netip.ParsePrefix(${quote(text)}): IPv6 zones cannot be present in a prefix`);
  if (/^::ffff:/i.test(reading.canonical) && reading.canonical.includes('.')) {
    return new ErrorValue(`${NETWORK_ERROR}IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  }
  const address = parseIpAddress(written);
  const prefix = Number(text.slice(slash + 1));
  if (address === undefined || prefix > ADDRESS_BITS[address.family]) {
    return new ErrorValue(`${PREFIX_ERROR}netip.ParsePrefix(${quote(text)}): prefix length out of range`);
  }
  return new CidrValue(address, prefix);
}

/** The addresses of one family with a common prefix. */
interface AddressRange {
  readonly first: bigint;
  /** The length of the prefix in bits. */
  readonly prefix: number;
}

/** Whether an address is in the range of its family. */
const isInRange = (address: IpAddress, ranges: { readonly v4: AddressRange; readonly v6: AddressRange }): boolean => {
  const { first, prefix } = address.family === 4 ? ranges.v4 : ranges.v6;
  const shift = BigInt(ADDRESS_BITS[address.family] - prefix);
  return address.value >> shift === first >> shift;
};

/** The IPv6 address that begins with a group of 16 bits: `ff00::` of 0xff00. */
const ipv6Prefix = (group: bigint): bigint => group << 112n;
/** The IPv4 address that begins with two octets: `169.254.0.0` of 169 and 254. */
const ipv4Prefix = (first: bigint, second = 0n): bigint => (first << 24n) | (second << 16n);

const isUnspecified = (address: IpAddress): boolean => address.value === 0n;
const isLoopback = (address: IpAddress): boolean =>
  isInRange(address, { v4: { first: ipv4Prefix(127n), prefix: 8 }, v6: { first: 1n, prefix: 128 } });
const isMulticast = (address: IpAddress): boolean =>
  isInRange(address, { v4: { first: ipv4Prefix(224n), prefix: 4 }, v6: { first: ipv6Prefix(0xff00n), prefix: 8 } });
/** 224.0.0.0/24, and ff02::/16 with any flags: the third hexadecimal digit of a multicast address. */
const isLinkLocalMulticast = ({ family, value }: IpAddress): boolean =>
  family === 4 ? value >> 8n === ipv4Prefix(224n) >> 8n : ((value >> 112n) & 0xff0fn) === 0xff02n;
const isLinkLocalUnicast = (address: IpAddress): boolean =>
  isInRange(address, { v4: { first: ipv4Prefix(169n, 254n), prefix: 16 }, v6: { first: ipv6Prefix(0xfe80n), prefix: 10 } });
const isBroadcast = (address: IpAddress): boolean => address.family === 4 && address.value === 0xffff_ffffn;
const isGlobalUnicast = (address: IpAddress): boolean =>
  !isUnspecified(address) && !isLoopback(address) && !isMulticast(address) && !isLinkLocalUnicast(address) && !isBroadcast(address);

function isCanonical(text: string): Value {
  const address = parseIp(text);
  return address instanceof ErrorValue ? address : formatIpAddress(address.address) === text;
}

function containsIp(cidr: CidrValue, text: string): Value {
  const address = parseIp(text);
  return address instanceof ErrorValue ? new ErrorValue('no such overload') : rangeContains(cidr.range, address.address);
}

function containsCidr(cidr: CidrValue, text: string): Value {
  const other = parseCidr(text);
  return other instanceof ErrorValue ? other : isStrictSubrange(other.range, cidr.range);
}

// The costs are upstream's, which estimates more than it charges. Those of a text add the cost of parsing it.
const PARSE_COSTS = traversalCosts();
const CONTAINS_IP_COSTS: FunctionCosts = { estimate: () => 4, charge: () => 1 };
const CONTAINS_CIDR_COSTS: FunctionCosts = { estimate: () => 7, charge: () => 3 };
const CONTAINS_IP_TEXT_COSTS: FunctionCosts = {
  estimate: (sizes) => 4 + traversalCost(sizes.size(1)),
  charge: ([, text = null]) => 1 + traversalCost(valueSize(text)),
};
const CONTAINS_CIDR_TEXT_COSTS: FunctionCosts = {
  estimate: (sizes) => 7 + traversalCost(sizes.size(1)),
  charge: ([, text = null]) => 3 + traversalCost(valueSize(text)),
};

/** The overloads, each with its signature, its checks of arguments, its function and its costs. */
export const NETWORK_FUNCTIONS: readonly FunctionOverload[] = [
  unary('ip(string): net.IP', isString, parseIp, PARSE_COSTS),
  unary('isIP(string): bool', isString, (text) => !(parseIp(text) instanceof ErrorValue), PARSE_COSTS),
  unary('ip.isCanonical(string): bool', isString, isCanonical, traversalCosts(2)),
  unary('net.IP.family(): int', isIp, ({ address }) => BigInt(address.family)),
  unary('net.IP.isUnspecified(): bool', isIp, ({ address }) => isUnspecified(address)),
  unary('net.IP.isLoopback(): bool', isIp, ({ address }) => isLoopback(address)),
  unary('net.IP.isLinkLocalMulticast(): bool', isIp, ({ address }) => isLinkLocalMulticast(address)),
  unary('net.IP.isLinkLocalUnicast(): bool', isIp, ({ address }) => isLinkLocalUnicast(address)),
  unary('net.IP.isGlobalUnicast(): bool', isIp, ({ address }) => isGlobalUnicast(address)),
  unary('string(net.IP): string', isIp, ({ address }) => formatIpAddress(address)),
  unary('cidr(string): net.CIDR', isString, parseCidr, PARSE_COSTS),
  unary('isCIDR(string): bool', isString, (text) => !(parseCidr(text) instanceof ErrorValue), PARSE_COSTS),
  binary('net.CIDR.containsIP(string): bool', [isCidr, isString], containsIp, CONTAINS_IP_TEXT_COSTS),
  binary('net.CIDR.containsIP(net.IP): bool', [isCidr, isIp], (cidr, { address }) => rangeContains(cidr.range, address), CONTAINS_IP_COSTS),
  binary('net.CIDR.containsCIDR(string): bool', [isCidr, isString], containsCidr, CONTAINS_CIDR_TEXT_COSTS),
  binary(
    'net.CIDR.containsCIDR(net.CIDR): bool',
    [isCidr, isCidr],
    (cidr, other) => isStrictSubrange(other.range, cidr.range),
    CONTAINS_CIDR_COSTS,
  ),
  unary('net.CIDR.ip(): net.IP', isCidr, ({ address }) => new IpValue(address)),
  unary(
    'net.CIDR.masked(): net.CIDR',
    isCidr,
    (cidr) => new CidrValue({ family: cidr.address.family, value: cidr.range.first }, cidr.prefix),
  ),
  unary('net.CIDR.prefixLength(): int', isCidr, ({ prefix }) => BigInt(prefix)),
  unary('string(net.CIDR): string', isCidr, (cidr) => cidr.print()),
];
