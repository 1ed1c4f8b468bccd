/** Determines the source IP addresses of a request. They are not verified, so they must not be used for decisions. */
import { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Exchange } from './exchange';

/** The addresses in forwarding headers, then the remote address. Clients may send any forwarding header. */
export function sourceIps(exchange: Exchange): readonly string[] {
  const remote = remoteAddress(exchange);
  const forwarded = exchange.header('x-forwarded-for');
  const real = exchange.header('x-real-ip');
  if (forwarded === undefined && real === undefined) return remote === undefined ? [] : [remote];
  const forwardedAddresses = [...(forwarded ?? '').split(','), real ?? '']
    .map((address) => address.trim())
    .filter((address) => isIP(address) !== 0);
  return [...new Set(remote === undefined ? forwardedAddresses : [...forwardedAddresses, remote])];
}

/** The prefix of an IPv4 address on an IPv6 socket. */
const IPV4_MAPPED_PREFIX = '::ffff:';

/** Cached per socket: reading the address from a socket costs as much as the rest of a log entry. */
const addresses = new WeakMap<object, string>();

/** The address of the peer, IPv4 without the IPv6 prefix; `undefined` when the connection is closed. */
export function remoteAddress(exchange: Exchange): string | undefined {
  const socket = socketOf(exchange);
  if (socket === undefined) return undefined;
  const cached = addresses.get(socket);
  if (cached !== undefined) return cached;
  const { remoteAddress: address } = socket;
  if (address === undefined) return undefined;
  const plain = address.startsWith(IPV4_MAPPED_PREFIX) ? address.slice(IPV4_MAPPED_PREFIX.length) : address;
  addresses.set(socket, plain);
  return plain;
}

/** The socket of the connection on which the request arrived. */
export function socketOf({ input }: Exchange): Pick<Socket, 'remoteAddress' | 'remotePort'> | undefined {
  return input instanceof IncomingMessage ? input.socket : input.session?.socket;
}
