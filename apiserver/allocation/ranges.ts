/**
 * The ranges from which Services get addresses and node ports, as an operator states them: what is accepted and how the rest is refused.
 * Holds no state.
 */
import { ADDRESS_BITS, parseIpRange, type IpFamily, type IpRange } from '../../shared/api/ip-address';

/** One range, or one of each family; new Services are of the first one's. */
export type ServiceRanges = readonly [IpRange] | readonly [IpRange, IpRange];

export interface PortRange {
  readonly first: number;
  readonly size: number;
}

const LONGEST_HOST_PART: Readonly<Record<IpFamily, number>> = { IPv4: 20, IPv6: 64 };
const LEAST_ADDRESSES = 8n;
const MAX_PORT = 65_535;

/** The ranges, or what is wrong with them, in upstream's words. */
export function parseServiceRanges(text: string): ServiceRanges | string {
  const parts = text.split(',');
  if (parts.length > 2) return 'must not contain more than two entries';
  const ranges: IpRange[] = [];
  for (const [index, part] of parts.entries()) {
    const range = parseIpRange(part.trim());
    if (range === undefined) return `entry ${index} is not a valid CIDR`;
    ranges.push(range);
  }
  for (const range of ranges) {
    const bits = ADDRESS_BITS[range.family];
    const least = bits - LONGEST_HOST_PART[range.family];
    if (range.size > 1n << BigInt(LONGEST_HOST_PART[range.family]))
      return `${range.text} is too large; for ${bits}-bit addresses, the mask must be >= ${least}`;
    if (range.size < LEAST_ADDRESSES) return `${range.text} is too small; it must be at least ${LEAST_ADDRESSES} IP addresses`;
  }
  const [first, second] = ranges;
  if (first === undefined) return 'needs an entry';
  if (second === undefined) return [first];
  return first.family === second.family ? 'the two entries must be of different IP family' : [first, second];
}

/** `30000-32767`, `30000+100` (so many more) or one port; '' = none. What is wrong is said in upstream's words. */
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
