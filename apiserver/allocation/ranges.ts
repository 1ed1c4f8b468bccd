/**
 * Parses and validates the flags for Service addresses and node ports, with upstream's limits. Allocating ids of the
 * ranges is left to pool.ts.
 */
import { formatIpRange, parseIpRange, type IpAddress, type IpFamily } from '../../shared/values/network/ip-address';

/** A range of one family with cleared host bits. */
export interface ServiceRange {
  readonly family: IpFamily;
  /** Canonical, such as `10.0.0.0/24`. */
  readonly text: string;
  /** The network address. */
  readonly first: bigint;
  readonly size: bigint;
}

/** One range, or one per family. The first family is the default. */
export type ServiceRanges = readonly [ServiceRange] | readonly [ServiceRange, ServiceRange];

/** A range of node ports; size 0 when there are none. */
export interface PortRange {
  readonly first: number;
  readonly size: number;
}

interface Family {
  readonly name: IpFamily;
  readonly bits: number;
  /** The largest allowed number of host bits. */
  readonly maxHostBits: number;
}

const FAMILIES: Readonly<Record<IpAddress['family'], Family>> = {
  4: { name: 'IPv4', bits: 32, maxHostBits: 20 },
  6: { name: 'IPv6', bits: 128, maxHostBits: 64 },
};
const MIN_HOST_BITS = 3;
const MAX_PORT = 65_535;
/** `30000-32767`, `30000+100` or one port, with the numbers and the separator as groups. */
const PORT_RANGE = /^\s*(\d+)\s*(?:([-+])\s*(\d+)\s*)?$/;

/** Returns the ranges or an error message. */
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
  const { name, bits, maxHostBits } = FAMILIES[range.family];
  const hostBits = bits - range.prefix;
  if (hostBits > maxHostBits) return `${text} is too large; for ${bits}-bit addresses, the mask must be >= ${bits - maxHostBits}`;
  if (hostBits < MIN_HOST_BITS) return `${text} is too small; the service cluster IP range must be at least 8 IP addresses`;
  return { family: name, text: formatIpRange(range), first: range.first, size: 1n << BigInt(hostBits) };
}

/**
 * `30000-32767`, `30000+100` (a first port and a count) or one port; empty for no ports. Returns an error message for
 * other texts.
 */
export function parsePortRange(text: string): PortRange | string {
  if (text.trim() === '') return { first: 0, size: 0 };
  const match = PORT_RANGE.exec(text);
  if (match === null) return 'must be two ports with a hyphen between them, such as 30000-32767';
  const first = Number(match[1]);
  const second = Number(match[3] ?? 0);
  const last = lastPort(match[2], first, second);
  if (first > MAX_PORT || last > MAX_PORT) return `the port range cannot be greater than ${MAX_PORT}: ${text}`;
  return last < first ? `end port cannot be less than start port: ${text}` : { first, size: last - first + 1 };
}

/** `separator`: `-` before a last port, `+` before a count, `undefined` for a single port. */
function lastPort(separator: string | undefined, first: number, second: number): number {
  if (separator === undefined) return first;
  return separator === '-' ? second : first + second;
}

/** The range as the flag spells it: `30000-32767`, one port, or '' for no ports. */
export function portRangeText({ first, size }: PortRange): string {
  if (size === 0) return '';
  return size === 1 ? String(first) : `${first}-${first + size - 1}`;
}
