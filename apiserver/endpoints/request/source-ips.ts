/** Where a request came from, as far as anybody says. Decides nothing. */
import { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Exchange } from './exchange';

/** What proxies say, and who is connected. Anybody may say the former. */
export function sourceIps(exchange: Exchange): readonly string[] {
  const remote = remoteAddress(exchange);
  const forwarded = exchange.header('x-forwarded-for');
  const real = exchange.header('x-real-ip');
  if (forwarded === undefined && real === undefined) return remote === undefined ? [] : [remote];
  const said = [...(forwarded ?? '').split(','), real ?? ''].map((address) => address.trim()).filter((address) => isIP(address) !== 0);
  return [...new Set(remote === undefined ? said : [...said, remote])];
}

const MAPPED = '::ffff:';

/** By socket: to ask one for it costs as much as all else that is told of a request. */
const addresses = new WeakMap<object, string>();

export function remoteAddress(exchange: Exchange): string | undefined {
  const socket = socketOf(exchange);
  if (socket === undefined) return undefined;
  const known = addresses.get(socket);
  if (known !== undefined) return known;
  const { remoteAddress: address } = socket;
  if (address === undefined) return undefined;
  const plain = address.startsWith(MAPPED) ? address.slice(MAPPED.length) : address;
  addresses.set(socket, plain);
  return plain;
}

/** Whose other end sends the request. */
export function socketOf({ input }: Exchange): Pick<Socket, 'remoteAddress' | 'remotePort'> | undefined {
  return input instanceof IncomingMessage ? input.socket : input.session?.socket;
}
