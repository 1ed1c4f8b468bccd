/** Determines the address under which clients reach a server, for URLs in documents. Resolves no names. */
import type { ServerOptions } from './server-options';

const ANY_ADDRESS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

type AddressOptions = Pick<ServerOptions, 'externalHostname' | 'advertiseAddress' | 'host' | 'port'>;

/** `host:port`: the external name, otherwise the advertised address, otherwise the bind address, otherwise loopback. */
export function serverAddress({ externalHostname, advertiseAddress, host, port }: AddressOptions): string {
  const address = externalHostname ?? advertiseAddress ?? (ANY_ADDRESS.has(host) ? '127.0.0.1' : host);
  return `${address.includes(':') ? `[${address}]` : address}:${port}`;
}
