/** From a configuration to a transport: HTTP/2 to `https:` servers, HTTP/1.1 to the others and on request. */
import type { Clock } from '../runtime/clock';
import type { ClientConfig } from './client-config';
import { Http1Transport } from './http1-transport';
import { Http2Transport, HTTP2_DEFAULTS, type Http2Settings } from './http2-transport';
import { ServerPool } from './server-pool';
import type { Transport } from './transport';

/** Makes no connection yet. */
export function connectTo(config: ClientConfig, clock: Clock, settings: Partial<Omit<Http2Settings, 'clock'>> = {}): Transport {
  const transports = config.servers.map((server) =>
    server.protocol === 'http:' || config.http1 === true
      ? new Http1Transport(server, config.tls)
      : new Http2Transport(server, config.tls, { ...HTTP2_DEFAULTS, ...settings, clock }),
  );
  const [only] = transports;
  return transports.length === 1 && only !== undefined ? only : new ServerPool(transports);
}
