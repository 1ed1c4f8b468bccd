/**
 * What may be given out of one range, in its two bands: dynamic choice takes from the upper one first, so that the lower one stays for those who
 * name what they want. Knows numbers as the texts that stand in keys; who holds what is the ledger's business.
 */
import { formatIpAddress, parseIpAddress } from '../../shared/values/ip-address';
import { Band } from './band';
import { portRangeText, type PortRange, type ServiceRange } from './ranges';

/** What the owner of a refused wish is told; the words are upstream's. */
export interface PoolTexts {
  readonly taken: string;
  outside(shown: string): string;
}

export interface Pool {
  /** What its metrics are told apart by; none for node ports. */
  readonly labels: { readonly cidr?: string };
  /** The range as an operator states it. */
  readonly text: string;
  readonly texts: PoolTexts;
  /** How many there are to give. */
  readonly size: number;
  /** The id of the first one. */
  readonly first: string;
  /** Ids are `ips/10.0.0.1`, `ports/30000`: what follows the keys' common prefix. Whether it is one of this range that may be given. */
  contains(id: string): boolean;
  /** From here on it is not chosen. */
  take(id: string): void;
  release(id: string): void;
  /** A free one by chance, in [0, 1); undefined when there is none. */
  choose(chance: number): string | undefined;
}

const IPS = 'ips/';
const PORTS = 'ports/';

export const portId = (port: number): string => `${PORTS}${port}`;

export const isPortId = (id: string): boolean => id.startsWith(PORTS);

/** Undefined for what is no address. */
export function addressId(text: string): string | undefined {
  const address = parseIpAddress(text);
  return address === undefined ? undefined : `${IPS}${formatIpAddress(address)}`;
}

/** The address or port in an id. */
export const shownIn = (id: string): string => id.slice(id.indexOf('/') + 1);

/** More numbers than these are not chosen from: they can still be told apart exactly, and no cluster uses them up. */
const MOST = 2 ** 52;

const IP_BANDS = { least: 16, share: 16, most: 256 };
const PORT_BANDS = { least: 16, share: 32, most: 128 };

/** How many numbers of a range are kept for manual choice: none of a small one. */
function lowerSize(size: number, { least, share, most }: typeof IP_BANDS): number {
  return size <= least ? 0 : Math.min(Math.max(least, Math.floor(size / share)), most);
}

export function addressPool(range: ServiceRange): Pool {
  const family = range.family === 'IPv4' ? 4 : 6;
  const idOf = (number: number): string => IPS + formatIpAddress({ family, value: range.first + BigInt(number) });
  // The network's own address is nobody's, and with IPv4 neither is the last one, which reaches all.
  const last = range.first + range.size - (family === 4 ? 2n : 1n);
  const size = Number(last - range.first);
  const numberOf = (id: string): number | undefined => {
    const address = id.startsWith(IPS) ? parseIpAddress(shownIn(id)) : undefined;
    if (address?.family !== family || address.value <= range.first || address.value > last) return undefined;
    return Number(address.value - range.first);
  };
  return bandedPool({
    labels: { cidr: range.text },
    text: range.text,
    texts: {
      taken: 'provided IP is already allocated',
      outside: (shown) => `the provided IP (${shown}) is not in the valid range. The range of valid IPs is ${range.text}`,
    },
    first: 1,
    size,
    lower: Math.min(lowerSize(Number(range.size), IP_BANDS), size),
    idOf,
    numberOf,
  });
}

export function portPool(range: PortRange): Pool {
  return bandedPool({
    labels: {},
    text: portRangeText(range),
    texts: {
      taken: 'provided port is already allocated',
      outside: () => `provided port is not in the valid range. The range of valid ports is ${portRangeText(range)}`,
    },
    first: range.first,
    size: range.size,
    lower: lowerSize(range.size, PORT_BANDS),
    idOf: portId,
    numberOf(id) {
      const port = id.startsWith(PORTS) ? Number(shownIn(id)) : -1;
      return port >= range.first && port < range.first + range.size ? port : undefined;
    },
  });
}

interface Numbers extends Pick<Pool, 'labels' | 'text' | 'texts' | 'size'> {
  readonly first: number;
  readonly lower: number;
  readonly idOf: (number: number) => string;
  /** Undefined for what is not to be had from here. */
  readonly numberOf: (id: string) => number | undefined;
}

function bandedPool({ labels, text, texts, first, size, lower, idOf, numberOf }: Numbers): Pool {
  const lowerBand = new Band(first, lower);
  const upperBand = new Band(first + lower, Math.min(size, MOST) - lower);
  const bands = [upperBand, lowerBand];
  const bandOf = (id: string): { readonly band: Band | undefined; readonly number: number } => {
    const number = numberOf(id) ?? -1;
    return { band: bands.find((band) => band.contains(number)), number };
  };
  return {
    labels,
    text,
    texts,
    size,
    first: idOf(first),
    contains: (id) => numberOf(id) !== undefined,
    take(id) {
      const { band, number } = bandOf(id);
      band?.take(number);
    },
    release(id) {
      const { band, number } = bandOf(id);
      band?.release(number);
    },
    choose(chance) {
      const number = upperBand.choose(chance) ?? lowerBand.choose(chance);
      return number === undefined ? undefined : idOf(number);
    },
  };
}
