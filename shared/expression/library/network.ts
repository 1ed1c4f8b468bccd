/**
 * Addresses and networks: `ip`, `cidr` and their methods. Written strictly: no leading zeros, no zones, no IPv4 addresses in IPv6 clothes.
 */
import { formatIpAddress, parseIpAddress, rangeContains, isStrictSubrange, type IpAddress, type IpRange } from '../../values/ip-address';
import { parseStrictIpPrefix, parseStrictIpAddress } from '../../values/strict-ip-address';
import { quote } from '../../values/quote';
import { Failure, OpaqueValue, sizeOf, type Value } from '../values/value';
import { binary, isOpaque, isString, traversal, traverses, unary, type Costs, type FunctionRow, type ValueGuard } from './function';

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

export class CidrValue extends OpaqueValue {
  readonly typeName = 'net.CIDR';

  constructor(
    /** The address as it was written, with the bits behind the prefix. */
    readonly address: IpAddress,
    readonly prefix: number,
  ) {
    super();
  }

  get range(): IpRange {
    const { family, value } = this.address;
    const shift = BigInt((family === 4 ? 32 : 128) - this.prefix);
    return { family, first: (value >> shift) << shift, prefix: this.prefix, writtenPrefix: this.prefix };
  }

  equals(other: OpaqueValue): boolean {
    if (!(other instanceof CidrValue)) return false;
    const [a, b] = [this.address, other.address];
    return a.family === b.family && a.value === b.value && this.prefix === other.prefix;
  }

  override print(): string {
    return `${formatIpAddress(this.address)}/${this.prefix}`;
  }
}

const isIp: ValueGuard<IpValue> = isOpaque(IpValue);
const isCidr: ValueGuard<CidrValue> = isOpaque(CidrValue);

function parseIp(text: string): IpValue | Failure {
  const reading = parseStrictIpAddress(text);
  const prefix = `IP Address ${quote(text)} parse error during conversion from string: `;
  if ('fault' in reading) return new Failure(prefix + reading.fault);
  if (text.includes('%')) return new Failure(`IP address ${quote(text)} with zone value is not allowed`);
  if (reading.canonical.startsWith('::ffff:') && reading.canonical.includes('.')) {
    return new Failure(`IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  }
  const address = parseIpAddress(text);
  return address === undefined ? new Failure(`${prefix}ParseAddr(${quote(text)}): unable to parse IP`) : new IpValue(address);
}

const NETWORK_FAULT = 'network address parse error during conversion from string: ';

function parseCidr(text: string): CidrValue | Failure {
  if (!text.includes('/')) return new Failure(`${NETWORK_FAULT}${NETWORK_FAULT}netip.ParsePrefix(${quote(text)}): no '/'`);
  const reading = parseStrictIpPrefix(text);
  if ('fault' in reading) return new Failure(`${NETWORK_FAULT}${NETWORK_FAULT}${reading.fault}`);
  const slash = text.lastIndexOf('/');
  const written = text.slice(0, slash);
  if (written.includes('%'))
    return new Failure(`${NETWORK_FAULT}${NETWORK_FAULT}netip.ParsePrefix(${quote(text)}): IPv6 zones cannot be present in a prefix`);
  if (/^::ffff:/i.test(reading.canonical) && reading.canonical.includes('.')) {
    return new Failure(`${NETWORK_FAULT}IPv4-mapped IPv6 address ${quote(text)} is not allowed`);
  }
  const address = parseIpAddress(written);
  const prefix = Number(text.slice(slash + 1));
  if (address === undefined || prefix > (address.family === 4 ? 32 : 128)) {
    return new Failure(`${NETWORK_FAULT}${NETWORK_FAULT}netip.ParsePrefix(${quote(text)}): prefix length out of range`);
  }
  return new CidrValue(address, prefix);
}

/** Unspecified, loopback, multicast and link-local ranges as `family:bits:prefix`. */
const within = (address: IpAddress, four: readonly [bigint, number], six: readonly [bigint, number]): boolean => {
  const [first, prefix] = address.family === 4 ? four : six;
  const shift = BigInt((address.family === 4 ? 32 : 128) - prefix);
  return address.value >> shift === first >> shift;
};

const v6 = (group: bigint): bigint => group << 112n;
const v4 = (a: bigint, b = 0n, c = 0n, d = 0n): bigint => (a << 24n) | (b << 16n) | (c << 8n) | d;

const isUnspecified = (address: IpAddress): boolean => address.value === 0n;
const isLoopback = (address: IpAddress): boolean => within(address, [v4(127n), 8], [1n, 128]);
const isMulticast = (address: IpAddress): boolean => within(address, [v4(224n), 4], [v6(0xff00n), 8]);
const isLinkLocalMulticast = (address: IpAddress): boolean =>
  address.family === 4 ? within(address, [v4(224n), 24], [0n, 0]) : ((address.value >> 112n) & 0xff0fn) === 0xff02n;
const isLinkLocalUnicast = (address: IpAddress): boolean => within(address, [v4(169n, 254n), 16], [v6(0xfe80n), 10]);
const isBroadcast = (address: IpAddress): boolean => address.family === 4 && address.value === 0xffff_ffffn;
const isGlobalUnicast = (address: IpAddress): boolean =>
  !isUnspecified(address) && !isLoopback(address) && !isMulticast(address) && !isLinkLocalUnicast(address) && !isBroadcast(address);

function isCanonical(text: string): Value {
  const address = parseIp(text);
  return address instanceof Failure ? address : formatIpAddress(address.address) === text;
}

function containsIp(cidr: CidrValue, text: string): Value {
  const address = parseIp(text);
  return address instanceof Failure ? new Failure('no such overload') : rangeContains(cidr.range, address.address);
}

function containsCidr(cidr: CidrValue, text: string): Value {
  const other = parseCidr(text);
  return other instanceof Failure ? other : isStrictSubrange(other.range, cidr.range);
}

const PARSED = traverses();
const CONTAINS_IP: Costs = { estimate: () => 4, charge: () => 1 };
const CONTAINS_CIDR: Costs = { estimate: () => 7, charge: () => 3 };
const CONTAINS_IP_TEXT: Costs = {
  estimate: (sizes) => 4 + traversal(sizes.size(1)),
  charge: ([, text = null]) => 1 + traversal(sizeOf(text)),
};
const CONTAINS_CIDR_TEXT: Costs = {
  estimate: (sizes) => 7 + traversal(sizes.size(1)),
  charge: ([, text = null]) => 3 + traversal(sizeOf(text)),
};

export const NETWORK_ROWS: readonly FunctionRow[] = [
  unary('ip(string): net.IP', isString, parseIp, PARSED),
  unary('isIP(string): bool', isString, (text) => !(parseIp(text) instanceof Failure), PARSED),
  unary('ip.isCanonical(string): bool', isString, isCanonical, traverses(2)),
  unary('net.IP.family(): int', isIp, ({ address }) => BigInt(address.family)),
  unary('net.IP.isUnspecified(): bool', isIp, ({ address }) => isUnspecified(address)),
  unary('net.IP.isLoopback(): bool', isIp, ({ address }) => isLoopback(address)),
  unary('net.IP.isLinkLocalMulticast(): bool', isIp, ({ address }) => isLinkLocalMulticast(address)),
  unary('net.IP.isLinkLocalUnicast(): bool', isIp, ({ address }) => isLinkLocalUnicast(address)),
  unary('net.IP.isGlobalUnicast(): bool', isIp, ({ address }) => isGlobalUnicast(address)),
  unary('string(net.IP): string', isIp, ({ address }) => formatIpAddress(address)),
  unary('cidr(string): net.CIDR', isString, parseCidr, PARSED),
  unary('isCIDR(string): bool', isString, (text) => !(parseCidr(text) instanceof Failure), PARSED),
  binary('net.CIDR.containsIP(string): bool', isCidr, isString, containsIp, CONTAINS_IP_TEXT),
  binary('net.CIDR.containsIP(net.IP): bool', isCidr, isIp, (cidr, { address }) => rangeContains(cidr.range, address), CONTAINS_IP),
  binary('net.CIDR.containsCIDR(string): bool', isCidr, isString, containsCidr, CONTAINS_CIDR_TEXT),
  binary(
    'net.CIDR.containsCIDR(net.CIDR): bool',
    isCidr,
    isCidr,
    (cidr, other) => isStrictSubrange(other.range, cidr.range),
    CONTAINS_CIDR,
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
