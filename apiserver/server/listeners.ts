/**
 * The listeners: HTTPS with HTTP/2 and HTTP/1.1 on one port, and plain HTTP on loopback for a local set-up. All bounds that protect a
 * connection are here. Never looks at a request.
 */
import { createServer, type Server as HttpServer } from 'node:http';
import {
  createSecureServer,
  type Http2SecureServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { RequestListener } from './chain';
import { answerUnreadable } from './unreadable';

export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Authorities of client certificates; absent = none are asked for. */
  readonly clientCa?: Buffer;
}

export interface SecureOptions {
  readonly host: string;
  /** 0 = any free one. */
  readonly port: number;
  readonly tls: TlsFiles;
  readonly maxStreams: number;
  readonly limits?: ConnectionLimits;
}

/** Patience with slow clients, in milliseconds. */
export interface ConnectionLimits {
  /** For a request's head. */
  readonly headersMs: number;
  /** How often connections are looked at. */
  readonly checkMs: number;
}

export interface Listener {
  readonly port: number;
  /** Puts a renewed certificate to use for new connections. */
  renew(tls: TlsFiles): void;
  /** No new connections; idle ones are closed, HTTP/2 clients are told to go. */
  stopAccepting(): void;
  /** Cuts what is left. */
  close(): Promise<void>;
}

const SECOND = 1000;
const IDLE_MS = 90 * SECOND;
/** How long a client may take for its request's head. */
const PATIENCE: ConnectionLimits = { headersMs: 32 * SECOND, checkMs: 5 * SECOND };
const MAX_HEADER_BYTES = 1024 * 1024;
const WINDOW_BYTES = 256 * 1024;

/** What HTTP/1.1 connections are bound by, on either listener. */
function http1Limits({ headersMs, checkMs }: ConnectionLimits) {
  return {
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: headersMs,
    // A whole request with its body; the deadline of the request itself comes first.
    requestTimeout: 65 * SECOND,
    keepAliveTimeout: IDLE_MS,
    connectionsCheckingInterval: checkMs,
  };
}

/** HTTP/2 streams that a client may open and reset at once, and how fast that budget fills up again per second. */
const RESET_BUDGET = { streamResetBurst: 1000, streamResetRate: 33 };

export async function listenSecurely(options: SecureOptions, listener: RequestListener): Promise<Listener> {
  const limits = http1Limits(options.limits ?? PATIENCE);
  const server = createSecureServer({
    ...limits,
    ...secureContext(options.tls),
    allowHTTP1: true,
    requestCert: options.tls.clientCa !== undefined,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    handshakeTimeout: 10 * SECOND,
    unknownProtocolTimeout: 10 * SECOND,
    settings: {
      maxConcurrentStreams: options.maxStreams,
      initialWindowSize: WINDOW_BYTES,
      maxFrameSize: WINDOW_BYTES,
      maxHeaderListSize: MAX_HEADER_BYTES + 320,
    },
    maxSessionMemory: 256,
    ...RESET_BUDGET,
  });
  // The HTTP/2 server takes HTTP/1.1's timeouts as properties.
  Object.assign(server, limits);
  server.on('request', listener);
  // Listening to requests puts Node's compatibility layer over every stream, a fifth of what a read takes; here streams are taken as they are.
  server.removeAllListeners('stream');
  server.on('stream', (stream, headers) => takeStream(stream, headers, listener));
  const sessions = trackSessions(server);
  server.on('clientError', answerUnreadable);
  server.on('tlsClientError', () => undefined);
  server.on('sessionError', () => undefined);
  const sockets = trackSockets(server);
  await listen(server, options.port, options.host);
  return {
    port: portOf(server),
    renew: (tls) => server.setSecureContext(secureContext(tls)),
    stopAccepting() {
      server.close();
      for (const session of sessions) session.close();
    },
    close: () => cut(sockets),
  };
}

/** Plain HTTP. Binds loopback addresses only; see the filter that keeps web pages away. */
export async function listenLocally(host: string, port: number, listener: RequestListener): Promise<Listener> {
  const server = createServer(http1Limits(PATIENCE), listener);
  server.on('clientError', answerUnreadable);
  const sockets = trackSockets(server);
  await listen(server, port, host);
  return {
    port: portOf(server),
    renew: () => undefined,
    stopAccepting() {
      server.close();
      server.closeIdleConnections();
    },
    close: () => cut(sockets),
  };
}

function secureContext({ cert, key, clientCa }: TlsFiles): { cert: Buffer; key: Buffer; ca?: Buffer } {
  return clientCa === undefined ? { cert, key } : { cert, key, ca: clientCa };
}

function takeStream(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, listener: RequestListener): void {
  const { ':method': method, ':path': url, expect } = headers;
  if (expect === '100-continue') stream.additionalHeaders({ ':status': 100 });
  else if (expect !== undefined || method === 'CONNECT') {
    stream.on('error', () => undefined);
    stream.respond({ ':status': expect === undefined ? 405 : 417 }, { endStream: true });
    return;
  }
  listener({ method, url, headers }, stream);
}

/** HTTP/2 connections without a stream for a while are closed in order. */
function trackSessions(server: Http2SecureServer): ReadonlySet<Http2Session> {
  const sessions = new Set<Http2Session>();
  server.on('session', (session) => {
    let streams = 0;
    sessions.add(session);
    session.on('stream', (stream) => {
      streams += 1;
      stream.once('close', () => (streams -= 1));
    });
    session.on('error', () => undefined);
    session.setTimeout(IDLE_MS, () => {
      if (streams === 0) session.close();
    });
    session.once('close', () => sessions.delete(session));
  });
  return sessions;
}

function trackSockets(server: HttpServer | Http2SecureServer): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

async function cut(sockets: ReadonlySet<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy();
  await Promise.resolve();
}

function listen(server: HttpServer | Http2SecureServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function portOf(server: HttpServer | Http2SecureServer): number {
  const address: AddressInfo | string | null = server.address();
  return address === null || typeof address === 'string' ? 0 : address.port;
}
