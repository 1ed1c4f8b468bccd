/** Where clients reach a server, as far as it knows. */
import type { ServerOptions } from './setting';

const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** `host:port`: the advertised address, else the one that is listened on, else loopback. */
export function serverAddress({ advertiseAddress, host, port }: Pick<ServerOptions, 'advertiseAddress' | 'host' | 'port'>): string {
  const address = advertiseAddress ?? (EVERYWHERE.has(host) ? '127.0.0.1' : host);
  return `${address.includes(':') ? `[${address}]` : address}:${port}`;
}
