/**
 * The ids of one range in two bands, as in upstream's allocators: free ids are picked from the upper band first, so
 * that the lower one stays free for static allocation. {@link ServiceAllocator} stores the owners.
 */
import { formatIpAddress, parseIpAddress } from '../../shared/values/network/ip-address';
import { Band } from './band';
import { portRangeText, type PortRange, type ServiceRange } from './ranges';

/** Error messages of upstream. */
export interface PoolMessages {
  readonly alreadyAllocated: string;
  outOfRange(shown: string): string;
}

/** The ids of one range, and which of them are free as far as this replica knows. */
export interface AllocationPool {
  /** Metric labels; none for node ports. */
  readonly labels: { readonly cidr?: string };
  /** The range as it is configured. */
  readonly text: string;
  readonly messages: PoolMessages;
  /** Number of ids in the range. */
  readonly size: number;
  readonly first: string;
  /** Whether the id is in the range. Ids are `ips/10.0.0.1` and `ports/30000`, the allocation keys without prefix. */
  contains(id: string): boolean;
  /** The id is no longer picked, until it is released. */
  markAllocated(id: string): void;
  /** The id may be picked again. */
  release(id: string): void;
  /** A random free id; `chance` is in [0, 1). `undefined` when none is free. */
  pickFree(chance: number): string | undefined;
}

const IPS = 'ips/';
const PORTS = 'ports/';

/** The id of a node port. */
export const portId = (port: number): string => `${PORTS}${port}`;

/** Whether the id is of a node port; otherwise it is of an address. */
export const isPortId = (id: string): boolean => id.startsWith(PORTS);

/** `undefined` when the text is not an address. */
export function addressId(text: string): string | undefined {
  const address = parseIpAddress(text);
  return address === undefined ? undefined : `${IPS}${formatIpAddress(address)}`;
}

/** The address or port in an id. */
export const addressOrPortIn = (id: string): string => id.slice(id.indexOf('/') + 1);

/** Ids beyond this number are not picked. It keeps numbers exact, and no cluster allocates as many. */
const MAX_NUMBERS = 2 ** 52;

/** The lower band has 1/`divisor` of the range, but at least `min` and at most `max` ids. */
interface BandLimits {
  readonly min: number;
  readonly divisor: number;
  readonly max: number;
}

const IP_BANDS: BandLimits = { min: 16, divisor: 16, max: 256 };
const PORT_BANDS: BandLimits = { min: 16, divisor: 32, max: 128 };

/** Size of the lower band, for static allocation; 0 when the range has no more ids than the smallest band. */
function lowerBandSizeOf(size: number, { min, divisor, max }: BandLimits): number {
  return size <= min ? 0 : Math.min(Math.max(min, Math.floor(size / divisor)), max);
}

/** The pool of a range of addresses; all are free at first. */
export function addressPool(range: ServiceRange): AllocationPool {
  const family = range.family === 'IPv4' ? 4 : 6;
  const idOf = (number: number): string => IPS + formatIpAddress({ family, value: range.first + BigInt(number) });
  // The network address cannot be allocated, nor can the broadcast address of IPv4.
  const last = range.first + range.size - (family === 4 ? 2n : 1n);
  const size = Number(last - range.first);
  const numberOf = (id: string): number | undefined => {
    const address = id.startsWith(IPS) ? parseIpAddress(addressOrPortIn(id)) : undefined;
    if (address?.family !== family || address.value <= range.first || address.value > last) return undefined;
    return Number(address.value - range.first);
  };
  return bandedPool({
    labels: { cidr: range.text },
    text: range.text,
    messages: {
      alreadyAllocated: 'provided IP is already allocated',
      outOfRange: (shown) => `the provided IP (${shown}) is not in the valid range. The range of valid IPs is ${range.text}`,
    },
    first: 1,
    size,
    lowerBandSize: Math.min(lowerBandSizeOf(Number(range.size), IP_BANDS), size),
    idOf,
    numberOf,
  });
}

/** The pool of a range of node ports; all are free at first. */
export function portPool(range: PortRange): AllocationPool {
  return bandedPool({
    labels: {},
    text: portRangeText(range),
    messages: {
      alreadyAllocated: 'provided port is already allocated',
      outOfRange: () => `provided port is not in the valid range. The range of valid ports is ${portRangeText(range)}`,
    },
    first: range.first,
    size: range.size,
    lowerBandSize: lowerBandSizeOf(range.size, PORT_BANDS),
    idOf: portId,
    numberOf(id) {
      const port = id.startsWith(PORTS) ? Number(addressOrPortIn(id)) : -1;
      return port >= range.first && port < range.first + range.size ? port : undefined;
    },
  });
}

/** A pool of ids that stand for consecutive numbers: ports, or addresses relative to the network address. */
interface BandedPoolOptions extends Pick<AllocationPool, 'labels' | 'text' | 'messages' | 'size'> {
  /** The lowest number. */
  readonly first: number;
  readonly lowerBandSize: number;
  readonly idOf: (number: number) => string;
  /** `undefined` when the id is not in the range. */
  readonly numberOf: (id: string) => number | undefined;
}

function bandedPool({ labels, text, messages, first, size, lowerBandSize, idOf, numberOf }: BandedPoolOptions): AllocationPool {
  const lowerBand = new Band(first, lowerBandSize);
  const upperBand = new Band(first + lowerBandSize, Math.min(size, MAX_NUMBERS) - lowerBandSize);
  const bands = [upperBand, lowerBand];
  const bandOf = (id: string): { readonly band: Band | undefined; readonly number: number } => {
    const number = numberOf(id) ?? -1;
    return { band: bands.find((band) => band.contains(number)), number };
  };
  return {
    labels,
    text,
    messages,
    size,
    first: idOf(first),
    contains: (id) => numberOf(id) !== undefined,
    markAllocated(id) {
      const { band, number } = bandOf(id);
      band?.allocate(number);
    },
    release(id) {
      const { band, number } = bandOf(id);
      band?.release(number);
    },
    pickFree(chance) {
      const number = upperBand.pickFree(chance) ?? lowerBand.pickFree(chance);
      return number === undefined ? undefined : idOf(number);
    },
  };
}
