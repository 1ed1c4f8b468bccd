/**
 * Creates the transport and credentials of a client configuration: HTTP/2 for `https:` servers, HTTP/1.1 for others
 * and on request, or the negotiated protocol.
 */
import type { Clock } from '../../runtime/clock';
import type { ClientConfig } from '../kubeconfig/client-config';
import { CredentialSource, type Credentials } from '../kubeconfig/credential-source';
import { ExecCredentials, type ClientKeyPair } from '../kubeconfig/exec-credentials';
import { Http1Transport } from './http1-transport';
import { MeteredTransport, type RequestMeter } from './metered-transport';
import { Http2Transport, HTTP2_DEFAULTS, type Http2Settings } from './http2-transport';
import { NegotiatedTransport } from './negotiated-transport';
import { ServerPool } from './server-pool';
import type { Transport, TransportRequest, TransportResponse } from './transport';

/** Settings of connections; absent ones have the defaults of {@link HTTP2_DEFAULTS}. */
export interface ConnectionSettings extends Partial<Omit<Http2Settings, 'clock'>> {
  /** Called for every attempt of a request, with or without a response. */
  readonly meter?: RequestMeter;
}

/** An opened transport with the credentials of its requests. The caller closes the transport. */
export interface ClientConnection {
  readonly transport: Transport;
  readonly credentials: Credentials;
}

/** Creates the transport and the credentials. Connects, and runs a credential plug-in, only with the first request. */
export function connect(config: ClientConfig, clock: Clock, settings: ConnectionSettings = {}): ClientConnection {
  if (config.credentials.type !== 'exec')
    return { transport: createTransport(config, clock, settings), credentials: new CredentialSource(config.credentials, clock) };
  const credentials = new ExecCredentials({ config: config.credentials.exec, clock });
  const open = (pair: ClientKeyPair | undefined): Transport =>
    createTransport(pair === undefined ? config : { ...config, tls: { ...config.tls, ...pair } }, clock, settings);
  return { transport: new RotatingTransport(() => credentials.pair(), open), credentials };
}

/** Creates the transport alone: its requests have no credentials but the client certificate. Connects with the first request. */
export function createTransport(config: Omit<ClientConfig, 'credentials'>, clock: Clock, settings: ConnectionSettings = {}): Transport {
  const { meter, ...http2Settings } = settings;
  const transports = config.servers.map((server) => {
    const transport = createServerTransport(server, config, { ...HTTP2_DEFAULTS, ...http2Settings, clock });
    return meter === undefined ? transport : new MeteredTransport(transport, server.host, meter, clock);
  });
  const [only] = transports;
  return transports.length === 1 && only !== undefined ? only : new ServerPool(transports);
}

function createServerTransport(
  server: URL,
  { tls, http1: usesHttp1, negotiates }: Omit<ClientConfig, 'credentials'>,
  settings: Http2Settings,
): Transport {
  const http1 = (): Transport => new Http1Transport(server, tls);
  const http2 = (): Transport => new Http2Transport(server, tls, settings);
  if (server.protocol === 'http:' || usesHttp1 === true) return http1();
  if (negotiates !== true) return http2();
  return new NegotiatedTransport({ server, tls, clock: settings.clock, timeoutMs: settings.connectTimeoutMs, http1, http2 });
}

/**
 * A transport for the client certificate of a credential plug-in. When the certificate changes, opens new connections
 * and closes the old ones, which the server has authenticated with the old certificate.
 */
class RotatingTransport implements Transport {
  private inner: { readonly pair: ClientKeyPair | undefined; readonly transport: Transport } | undefined;

  constructor(
    /** The current certificate with its key; `undefined` when the plug-in returns none. */
    private readonly pair: () => Promise<ClientKeyPair | undefined>,
    private readonly open: (pair: ClientKeyPair | undefined) => Transport,
  ) {}

  async send(request: TransportRequest): Promise<TransportResponse> {
    const pair = await this.pair();
    if (this.inner === undefined || this.inner.pair?.cert !== pair?.cert) {
      this.inner?.transport.close();
      this.inner = { pair, transport: this.open(pair) };
    }
    return this.inner.transport.send(request);
  }

  close(): void {
    this.inner?.transport.close();
  }
}
