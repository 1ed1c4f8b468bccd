/** An HTTPS server with limits for its connections. What it serves, and to which clients, is left to its handler. */
import type { RequestListener, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { ServingCertificates } from './serving-certificates';

/** Where the server listens. */
export interface HttpsServerOptions {
  readonly host: string;
  /** 0: any unused port. */
  readonly port: number;
  readonly certificates: ServingCertificates;
  /** Time limit in milliseconds for a TLS handshake and for the head of a request; 10,000 by default. */
  readonly headTimeoutMs?: number | undefined;
}

/** A server that listens. */
export interface HttpsServer {
  /** The port that was bound. */
  readonly port: number;
  /** New connections use these certificates. */
  renew(certificates: ServingCertificates): void;
  /** Closes all connections, also those with a request in progress. */
  close(): Promise<void>;
}

/** A whole response. `type`: the media type. */
export interface ResponseContent {
  readonly code: number;
  readonly type: string;
  readonly text: string;
}

export const PLAIN_TEXT = 'text/plain; charset=utf-8';
/** Upstream's response to an unknown path. */
export const PATH_NOT_FOUND: ResponseContent = { code: 404, type: PLAIN_TEXT, text: '404 page not found\n' };

/** Clients of metrics and health are few; more connections are a fault or an attack. */
const MAX_CONNECTIONS = 256;
/** Time limit in milliseconds for the TLS handshake, and for the head of a request. */
const HEAD_TIMEOUT_MS = 10_000;
/** Time limit in milliseconds for a whole request. */
const REQUEST_TIMEOUT_MS = 30_000;

/** Resolves when the server listens; rejects when the address cannot be bound. */
export function startHttpsServer(options: HttpsServerOptions, handler: RequestListener): Promise<HttpsServer> {
  const { host, port, certificates, headTimeoutMs = HEAD_TIMEOUT_MS } = options;
  const limits = { handshakeTimeout: headTimeoutMs, headersTimeout: headTimeoutMs, requestTimeout: REQUEST_TIMEOUT_MS };
  // Node destroys the socket of a handshake that fails or times out, unless the server has a `clientError` listener.
  const server = createServer({ ...tlsOptions(certificates), ...limits }, handler);
  server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve({ port: portOf(server), renew: (renewed) => server.setSecureContext(tlsOptions(renewed)), close: () => close(server) });
    });
  });
}

/** Ends the response. The content is never cached. */
export function sendContent(response: ServerResponse, { code, type, text }: ResponseContent): void {
  response.writeHead(code, { 'content-type': type, 'x-content-type-options': 'nosniff', 'cache-control': 'no-cache, private' });
  response.end(text);
}

function tlsOptions({ certificate, key, clientAuthorities }: ServingCertificates): object {
  // A handshake with an untrusted client certificate succeeds too: the handler decides what an unverified client may do.
  const clientCertificates = clientAuthorities === undefined ? {} : { ca: clientAuthorities, requestCert: true, rejectUnauthorized: false };
  return { cert: certificate, key, ...clientCertificates };
}

function portOf(server: Server): number {
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
