/**
 * A transport that uses HTTP/2 if the server supports it, and HTTP/1.1 otherwise. The protocol is negotiated with ALPN on
 * a connection of its own: before the first request, and again when a request could not be sent, because the server
 * may have been replaced by one with another protocol.
 */
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { Clock } from '../../runtime/clock';
import { PARTIAL_CHAIN_TRUST } from '../../pki/partial-chain-trust';
import { hostWithoutBrackets } from '../../values/network/host-url';
import type { TlsOptions } from '../kubeconfig/client-config';
import { raceSignal } from '../signals';
import { ConnectionError, connectionError, type Transport, type TransportRequest, type TransportResponse } from './transport';

/** The server, and how to create the transport for each protocol. */
export interface NegotiatedParts {
  readonly server: URL;
  readonly tls: TlsOptions;
  readonly clock: Clock;
  /** Time limit of the handshake. Milliseconds. */
  readonly timeoutMs: number;
  /** Creates the transport for a server without HTTP/2. */
  readonly http1: () => Transport;
  /** Creates the transport for a server with HTTP/2. */
  readonly http2: () => Transport;
}

/** Requests wait while the protocol is negotiated. A new negotiation closes the previous transport. */
export class NegotiatedTransport implements Transport {
  /** The transport of the negotiated protocol; `undefined` before a negotiation and after a failed one. */
  private negotiated: Promise<Transport> | undefined;
  private isClosed = false;

  constructor(private readonly parts: NegotiatedParts) {}

  async send(request: TransportRequest): Promise<TransportResponse> {
    const known = this.negotiated;
    try {
      return await this.sendOver(known ?? this.negotiate(), request);
    } catch (error) {
      if (known === undefined || !(error instanceof ConnectionError) || error.wasSent) throw error;
      // A concurrent request may have negotiated again already.
      const renegotiated = this.negotiated === known ? undefined : this.negotiated;
      return this.sendOver(renegotiated ?? this.negotiate(), request);
    }
  }

  close(): void {
    this.isClosed = true;
    this.reset();
  }

  private async sendOver(negotiated: Promise<Transport>, request: TransportRequest): Promise<TransportResponse> {
    request.signal?.throwIfAborted();
    return (await raceSignal(negotiated, request.signal)).send(request);
  }

  private negotiate(): Promise<Transport> {
    if (this.isClosed) return Promise.reject(new ConnectionError('the client was closed', { wasSent: false }));
    this.reset();
    const negotiated = negotiatesHttp2(this.parts).then((isHttp2) => (isHttp2 ? this.parts.http2() : this.parts.http1()));
    this.negotiated = negotiated;
    negotiated.catch(() => {
      if (this.negotiated === negotiated) this.negotiated = undefined;
    });
    return negotiated;
  }

  private reset(): void {
    this.negotiated?.then(
      (transport) => transport.close(),
      () => undefined,
    );
    this.negotiated = undefined;
  }
}

/** Whether the server chooses h2 over http/1.1. Rejects with {@link ConnectionError}. */
function negotiatesHttp2({ server, tls, clock, timeoutMs }: NegotiatedParts): Promise<boolean> {
  const host = hostWithoutBrackets(server);
  const sni = isIP(host) === 0 ? { servername: host } : {};
  return new Promise((resolve, reject) => {
    const port = server.port === '' ? 443 : Number(server.port);
    const socket = connect({ host, port, ...sni, ...PARTIAL_CHAIN_TRUST, ...tls, ALPNProtocols: ['h2', 'http/1.1'] });
    const timeout = clock.after(timeoutMs, () => socket.destroy(new ConnectionError('connecting timed out', { wasSent: false })));
    const end = (): void => {
      timeout.cancel();
      socket.destroy();
    };
    socket.once('secureConnect', () => {
      resolve(socket.alpnProtocol === 'h2');
      end();
    });
    socket.on('error', (error) => {
      reject(connectionError(error, { wasSent: false }));
      end();
    });
  });
}
