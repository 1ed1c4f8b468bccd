/**
 * HTTP/2 where the server speaks it, else HTTP/1.1. Which of the two is asked once, on a connection of its own, and again when nobody is reached as it
 * was found out: servers are replaced.
 */
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import type { Clock } from '../../runtime/clock';
import { PARTIAL_CHAIN_TRUST } from '../../pki/partial-chain-trust';
import type { TlsOptions } from '../kubeconfig/client-config';
import { raceSignal } from '../signals';
import { ConnectionError, connectionError, type Transport, type TransportRequest, type TransportResponse } from './transport';

export interface NegotiatedParts {
  readonly server: URL;
  readonly tls: TlsOptions;
  readonly clock: Clock;
  /** The handshake must be over within this time. Milliseconds. */
  readonly timeoutMs: number;
  readonly http1: () => Transport;
  readonly http2: () => Transport;
}

export class NegotiatedTransport implements Transport {
  private chosen: Promise<Transport> | undefined;
  private closed = false;

  constructor(private readonly parts: NegotiatedParts) {}

  async send(request: TransportRequest): Promise<TransportResponse> {
    const known = this.chosen;
    try {
      return await this.sendBy(known ?? this.choose(), request);
    } catch (error) {
      if (known === undefined || !(error instanceof ConnectionError) || error.sent) throw error;
      return this.sendBy(this.chosen === known ? this.choose() : (this.chosen ?? this.choose()), request);
    }
  }

  close(): void {
    this.closed = true;
    this.forget();
  }

  private async sendBy(chosen: Promise<Transport>, request: TransportRequest): Promise<TransportResponse> {
    request.signal?.throwIfAborted();
    return (await raceSignal(chosen, request.signal)).send(request);
  }

  private choose(): Promise<Transport> {
    if (this.closed) return Promise.reject(new ConnectionError('the client was closed', false));
    this.forget();
    const chosen = speaksHttp2(this.parts).then((speaks) => (speaks ? this.parts.http2() : this.parts.http1()));
    this.chosen = chosen;
    chosen.catch(() => {
      if (this.chosen === chosen) this.chosen = undefined;
    });
    return chosen;
  }

  private forget(): void {
    this.chosen?.then(
      (transport) => transport.close(),
      () => undefined,
    );
    this.chosen = undefined;
  }
}

/** What the server picks when it is offered both. Rejects with {@link ConnectionError}. */
function speaksHttp2({ server, tls, clock, timeoutMs }: NegotiatedParts): Promise<boolean> {
  const host = server.hostname.replace(/^\[|\]$/g, '');
  const named = isIP(host) === 0 ? { servername: host } : {};
  return new Promise((resolve, reject) => {
    const port = server.port === '' ? 443 : Number(server.port);
    const socket = connect({ host, port, ...named, ...PARTIAL_CHAIN_TRUST, ...tls, ALPNProtocols: ['h2', 'http/1.1'] });
    const late = clock.after(timeoutMs, () => socket.destroy(new ConnectionError('connecting took too long', false)));
    const end = (): void => {
      late.cancel();
      socket.destroy();
    };
    socket.once('secureConnect', () => {
      resolve(socket.alpnProtocol === 'h2');
      end();
    });
    socket.on('error', (error) => {
      reject(connectionError(error, false));
      end();
    });
  });
}
