/**
 * Allocates IP addresses of a range to owners. Takes the next unused address after the last allocated one, so that a
 * released address is not reused at once. Holds one entry for each owner.
 */
import { formatIpAddress, parseIpAddress, type IpRange } from '../../../shared/values/network/ip-address';

/** The offset of the first address that is allocated: offset 0 is the address of the network. */
const FIRST_OFFSET = 1n;

/** Owners are named by any string that identifies them. */
export class OwnedAddresses {
  private readonly byOwner = new Map<string, bigint>();
  private readonly used = new Set<bigint>();
  /** The offset with which the search for an unused address begins. */
  private next: bigint;
  /** The number of addresses in the range. */
  private readonly size: bigint;

  constructor(private readonly range: IpRange) {
    const bits = (range.family === 4 ? 32 : 128) - range.prefix;
    this.size = 1n << BigInt(bits);
    this.next = FIRST_OFFSET;
  }

  /** The owner's address, which is allocated at the first call; undefined when all addresses are in use. */
  allocate(owner: string): string | undefined {
    const existing = this.byOwner.get(owner);
    if (existing !== undefined) return this.format(existing);
    // The last address of the range, which IPv4 uses for broadcasts, is never allocated.
    const last = this.size - 2n;
    if (BigInt(this.used.size) >= last) return undefined;
    while (this.used.has(this.next) || this.next > last) this.next = this.next >= last ? FIRST_OFFSET : this.next + 1n;
    const offset = this.next;
    this.record(owner, offset);
    this.next = offset >= last ? FIRST_OFFSET : offset + 1n;
    return this.format(offset);
  }

  /**
   * Records an address that the owner has already. Ignored when the address is outside of the range or in use, and when
   * another address of the owner is recorded.
   */
  occupy(owner: string, address: string): void {
    const parsed = parseIpAddress(address);
    if (parsed === undefined || this.byOwner.has(owner)) return;
    const offset = parsed.value - this.range.first;
    const isInRange = parsed.family === this.range.family && offset >= 0n && offset < this.size;
    if (isInRange && !this.used.has(offset)) this.record(owner, offset);
  }

  /** Does nothing for an owner without an address. */
  release(owner: string): void {
    const offset = this.byOwner.get(owner);
    if (offset === undefined) return;
    this.byOwner.delete(owner);
    this.used.delete(offset);
  }

  private record(owner: string, offset: bigint): void {
    this.byOwner.set(owner, offset);
    this.used.add(offset);
  }

  private format(offset: bigint): string {
    return formatIpAddress({ family: this.range.family, value: this.range.first + offset });
  }
}
