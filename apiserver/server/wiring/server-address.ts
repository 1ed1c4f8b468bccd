/** Where clients reach a server, as far as it knows. */
import type { ServerOptions } from './server-options';

const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

type Placed = Pick<ServerOptions, 'externalHostname' | 'advertiseAddress' | 'host' | 'port'>;

/** `host:port`: the external name, else the advertised address, else the one that is listened on, else loopback. */
export function serverAddress({ externalHostname, advertiseAddress, host, port }: Placed): string {
  const address = externalHostname ?? advertiseAddress ?? (EVERYWHERE.has(host) ? '127.0.0.1' : host);
  return `${address.includes(':') ? `[${address}]` : address}:${port}`;
}
