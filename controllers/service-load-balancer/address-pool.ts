/**
 * The addresses of the development load balancer in memory: which Service holds which addresses of the ranges, at most
 * one of each family. A Service keeps an address until it is released. The network and broadcast addresses of an IPv4
 * range, and the first address of an IPv6 range, are never allocated, except of ranges with one or two addresses.
 */
import {
  ADDRESS_BITS,
  formatIpAddress,
  parseIpAddress,
  type IpAddress,
  type IpFamily,
  type IpRange,
} from '../../shared/values/network/ip-address';
import { CidrSet } from '../runtime/cidr-set';

/** Ranges with fewer host bits have no reserved addresses. */
const MIN_RESERVED_HOST_BITS = 2;

type HeldAddresses = ReadonlyMap<IpFamily, IpAddress>;

const NONE: HeldAddresses = new Map();

/** Services are named by their uids. */
export class AddressPool {
  private readonly sets: ReadonlyMap<IpFamily, CidrSet>;
  /** By the uid of the Service. */
  private readonly heldByService = new Map<string, HeldAddresses>();

  /** `ranges`: at most one of each family, none with more than 2^20 addresses. */
  constructor(ranges: readonly IpRange[]) {
    this.sets = new Map(ranges.map((range) => [familyOf(range), addressSet(range)]));
  }

  /** Whether the ranges contain the address. */
  contains(text: string): boolean {
    const address = parseIpAddress(text);
    return address !== undefined && this.setOf(address)?.overlaps(asRange(address)) === true;
  }

  /** Those of the families that have a range, in the given order. */
  servedFamilies(families: readonly string[]): readonly IpFamily[] {
    return [...this.sets.keys()].filter((family) => families.includes(family)).sort((a, b) => families.indexOf(a) - families.indexOf(b));
  }

  /** Holds addresses of the ranges that a Service has in its status, except those that another Service holds. */
  adopt(service: string, texts: readonly string[]): void {
    const held = new Map(this.heldByService.get(service));
    for (const text of texts) {
      const address = parseIpAddress(text);
      const set = address === undefined ? undefined : this.setOf(address);
      if (address === undefined || set === undefined) continue;
      if (held.has(familyOf(address)) || set.isInUse(asRange(address))) continue;
      if (set.occupy(asRange(address))) held.set(familyOf(address), address);
    }
    if (held.size > 0) this.heldByService.set(service, held);
  }

  /**
   * The Service's addresses of the families, in their order: those that it holds, and new ones. Releases addresses of
   * other families. Returns `undefined` when a range has no free address; nothing changes then.
   */
  acquire(service: string, families: readonly IpFamily[]): readonly string[] | undefined {
    if (!this.canAcquire(service, families)) return undefined;
    const held = this.heldByService.get(service) ?? NONE;
    const acquired = new Map<IpFamily, IpAddress>();
    for (const family of families) {
      const address = held.get(family) ?? this.allocate(family);
      if (address !== undefined) acquired.set(family, address);
    }
    for (const [family, address] of held) if (!acquired.has(family)) this.setOf(address)?.release(asRange(address));
    this.heldByService.set(service, acquired);
    return [...acquired.values()].map(formatIpAddress);
  }

  /** Whether each of the families has a free address, or one that the Service holds. */
  canAcquire(service: string, families: readonly IpFamily[]): boolean {
    const held = this.heldByService.get(service) ?? NONE;
    return families.every((family) => {
      const set = this.sets.get(family);
      return held.has(family) || (set !== undefined && set.used < set.capacity);
    });
  }

  /** Whether the Service has addresses of the pool. */
  holds(service: string): boolean {
    return this.heldByService.has(service);
  }

  /** Releases all addresses of the Service. Returns whether it held one. */
  release(service: string): boolean {
    const held = this.heldByService.get(service) ?? NONE;
    for (const address of held.values()) this.setOf(address)?.release(asRange(address));
    return this.heldByService.delete(service);
  }

  private allocate(family: IpFamily): IpAddress | undefined {
    const block = this.sets.get(family)?.allocate()?.block;
    return block === undefined ? undefined : { family: block.family, value: block.first };
  }

  private setOf(address: IpAddress): CidrSet | undefined {
    return this.sets.get(familyOf(address));
  }
}

const familyOf = ({ family }: Pick<IpAddress, 'family'>): IpFamily => (family === 4 ? 'IPv4' : 'IPv6');

function asRange({ family, value }: IpAddress): IpRange {
  const prefix = ADDRESS_BITS[family];
  return { family, first: value, prefix, writtenPrefix: prefix };
}

/** The addresses of the range as blocks of one, with the reserved ones in use. */
function addressSet(range: IpRange): CidrSet {
  const { family, first, prefix } = range;
  const set = new CidrSet(range, ADDRESS_BITS[family]);
  if (ADDRESS_BITS[family] - prefix < MIN_RESERVED_HOST_BITS) return set;
  set.occupy(asRange({ family, value: first }));
  if (family === 4) set.occupy(asRange({ family, value: first + BigInt(set.capacity - 1) }));
  return set;
}
