/**
 * Decides which IP addresses a client's request may be proxied to: those of other machines. Loopback, link-local (cloud
 * metadata), multicast, unspecified and reserved addresses are not proxyable, nor are IPv6 addresses that embed such an
 * IPv4 address. Compares bytes, never text.
 */
import type { IpAddress } from './ip-address';

/** The leading bits of an address. */
interface Prefix {
  readonly bits: bigint;
  readonly length: number;
}

/** "This network" (0.0.0.0/8), loopback (127.0.0.0/8), link-local (169.254.0.0/16), and those below. */
const REFUSED_IPV4: readonly Prefix[] = [
  { bits: 0x00n, length: 8 },
  { bits: 0x7fn, length: 8 },
  { bits: 0xa9fen, length: 16 },
  // Multicast (224.0.0.0/4), reserved (240.0.0.0/4) and broadcast.
  { bits: 0b111n, length: 3 },
];

/** Link-local (fe80::/10) and multicast (ff00::/8). */
const REFUSED_IPV6: readonly Prefix[] = [
  { bits: 0xfe80n >> 6n, length: 10 },
  { bits: 0xffn, length: 8 },
];

/** IPv6 prefixes of addresses that embed an IPv4 address, `shift` bits from the end. */
const EMBEDS_IPV4: readonly (Prefix & { readonly shift: bigint })[] = [
  // IPv4-compatible, including the unspecified and the loopback address.
  { bits: 0n, length: 96, shift: 0n },
  // IPv4-mapped.
  { bits: 0xffffn, length: 96, shift: 0n },
  // IPv4-translated (SIIT).
  { bits: 0xffff_0000n, length: 96, shift: 0n },
  // NAT64: the well-known prefix, and prefixes for local use.
  { bits: 0x0064_ff9bn << 64n, length: 96, shift: 0n },
  { bits: 0x0064_ff9b_0001n, length: 48, shift: 0n },
  // 6to4.
  { bits: 0x2002n, length: 16, shift: 80n },
];

const startsWith = (value: bigint, width: number, { bits, length }: Prefix): boolean => value >> BigInt(width - length) === bits;

/** Whether a client may let the server connect to the address. */
export function isProxyable({ family, value }: IpAddress): boolean {
  if (family === 4) return !REFUSED_IPV4.some((prefix) => startsWith(value, 32, prefix));
  if (REFUSED_IPV6.some((prefix) => startsWith(value, 128, prefix))) return false;
  const embedding = EMBEDS_IPV4.find((prefix) => startsWith(value, 128, prefix));
  return embedding === undefined || isProxyable({ family: 4, value: (value >> embedding.shift) & 0xffff_ffffn });
}
