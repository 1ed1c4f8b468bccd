/** Where a request came from, as far as anybody says. Decides nothing. */
import { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import type { Exchange } from './exchange';

/** What proxies say, and who is connected. Anybody may say the former. */
export function sourceIps(exchange: Exchange): readonly string[] {
  const forwarded = exchange.header('x-forwarded-for');
  const real = exchange.header('x-real-ip');
  if (forwarded === undefined && real === undefined) return remoteOnly(exchange);
  const remote = remoteAddress(exchange);
  const said = [...(forwarded ?? '').split(','), real ?? ''].map((address) => address.trim()).filter((address) => isIP(address) !== 0);
  return [...new Set(remote === undefined ? said : [...said, remote])];
}

/** The address of a socket's other end, as a list. To ask a socket for it costs as much as all else that is told of a request. */
const remotes = new WeakMap<object, readonly string[]>();
const NONE: readonly string[] = [];

function remoteOnly(exchange: Exchange): readonly string[] {
  const socket = socketOf(exchange);
  const known = socket === undefined ? undefined : remotes.get(socket);
  if (known !== undefined) return known;
  const remote = remoteAddress(exchange);
  if (socket === undefined || remote === undefined) return NONE;
  const list = [remote];
  remotes.set(socket, list);
  return list;
}

const MAPPED = '::ffff:';

export function remoteAddress(exchange: Exchange): string | undefined {
  const address = socketOf(exchange)?.remoteAddress;
  return address?.startsWith(MAPPED) === true ? address.slice(MAPPED.length) : address;
}

/** Whose other end sends the request. */
export function socketOf({ input }: Exchange): Pick<Socket, 'remoteAddress' | 'remotePort'> | undefined {
  return input instanceof IncomingMessage ? input.socket : input.session?.socket;
}
