/**
 * The ranges from which Services get addresses and node ports, as an operator states them: what is accepted and how the rest is refused.
 * Holds no state.
 */
import { formatIpAddress, parseIpRange, type IpAddress, type IpFamily } from '../../shared/values/ip-address';

/** A range of one family, its host bits cleared. */
export interface ServiceRange {
  readonly family: IpFamily;
  /** Canonical, such as `10.0.0.0/24`. */
  readonly text: string;
  /** The network address. */
  readonly first: bigint;
  readonly size: bigint;
}

/** One range, or one of each family; Services that ask for no family are of the first one's. */
export type ServiceRanges = readonly [ServiceRange] | readonly [ServiceRange, ServiceRange];

export interface PortRange {
  readonly first: number;
  readonly size: number;
}

interface Family {
  readonly name: IpFamily;
  readonly bits: number;
  /** The most bits that may be free in a range. */
  readonly free: number;
}

const FAMILIES: Readonly<Record<IpAddress['family'], Family>> = {
  4: { name: 'IPv4', bits: 32, free: 20 },
  6: { name: 'IPv6', bits: 128, free: 64 },
};
const LEAST_FREE_BITS = 3;
const MAX_PORT = 65_535;

/** The ranges, or what is wrong with them. */
export function parseServiceRanges(text: string): ServiceRanges | string {
  const parts = text.split(',');
  if (parts.length > 2) return 'must not contain more than two entries';
  const ranges: ServiceRange[] = [];
  for (const [index, part] of parts.entries()) {
    const range = parseServiceRange(part.trim(), index);
    if (typeof range === 'string') return range;
    ranges.push(range);
  }
  const [first, second] = ranges;
  if (first === undefined) return 'needs an entry';
  if (second === undefined) return [first];
  return first.family === second.family ? 'the two entries must be of different IP family' : [first, second];
}

function parseServiceRange(text: string, index: number): ServiceRange | string {
  const range = parseIpRange(text);
  if (range === undefined) return `entry ${index} is not a valid CIDR`;
  const { name, bits, free } = FAMILIES[range.family];
  const freeBits = bits - range.prefix;
  if (freeBits > free) return `${text} is too large; for ${bits}-bit addresses, the mask must be >= ${bits - free}`;
  if (freeBits < LEAST_FREE_BITS) return `${text} is too small; the service cluster IP range must be at least 8 IP addresses`;
  const network = formatIpAddress({ family: range.family, value: range.first });
  return { family: name, text: `${network}/${range.prefix}`, first: range.first, size: 1n << BigInt(freeBits) };
}

/** `30000-32767`, `30000+100` (so many more) or one port; '' = none. Or what is wrong with it, in upstream's words. */
export function parsePortRange(text: string): PortRange | string {
  if (text.trim() === '') return { first: 0, size: 0 };
  const match = /^\s*(\d+)\s*(?:([-+])\s*(\d+)\s*)?$/.exec(text);
  if (match === null) return 'must be two ports with a hyphen between them, such as 30000-32767';
  const first = Number(match[1]);
  const second = Number(match[3] ?? 0);
  const last = match[2] === undefined ? first : match[2] === '-' ? second : first + second;
  if (first > MAX_PORT || last > MAX_PORT) return `the port range cannot be greater than ${MAX_PORT}: ${text}`;
  return last < first ? `end port cannot be less than start port: ${text}` : { first, size: last - first + 1 };
}

export function portRangeText({ first, size }: PortRange): string {
  return size === 0 ? '' : size === 1 ? String(first) : `${first}-${first + size - 1}`;
}
