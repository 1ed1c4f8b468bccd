/**
 * The listeners: HTTPS with HTTP/2 and HTTP/1.1 on one port, and plain HTTP on loopback for a local set-up. All bounds that protect a
 * connection are here. Never looks at a request.
 */
import { createServer, type IncomingMessage, type Server as HttpServer } from 'node:http';
import { constants, createSecureServer, type Http2SecureServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import type { Clock } from '../../../shared/runtime/clock';
import { outsideReads } from '../../endpoints/request/outside-reads';
import { upgradableReply } from '../../endpoints/request/upgradable-reply';
import type { RequestListener } from '../chain';
import type { Connections } from './connection-limiter';
import { MAX_PARSED_HEAD_BYTES } from '../filters/head-limit';
import { isAnswering, speaksHttp1 } from './http1-socket';
import { Sessions, type ConnectionLimits } from './http2-sessions';
import type { Unread } from './stall-tracker';
import { UnreadSockets } from './unread-sockets';
import { unreadableAnswerer } from './client-error-handler';

export interface TlsFiles {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Authorities of client certificates; absent = none are asked for. */
  readonly clientCa?: Buffer;
  /** Who vouches for proxies that authenticate others. */
  readonly proxyCa?: Buffer;
}

export interface ListenOptions {
  readonly host: string;
  /** 0 = any free one. */
  readonly port: number;
  /** Those of all listeners together. */
  readonly connections: Connections;
  readonly clock: Clock;
  /** Where they are not the usual ones. */
  readonly limits?: Partial<ConnectionLimits>;
  /** Called for each answer, watch and connection that is ended because its client read nothing. */
  readonly unreadEnded?: (unread: Unread) => void;
}

/** What is spoken, in the names of node:tls. */
export interface TlsBounds {
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
  /** Absent = those of Node. */
  readonly ciphers?: string;
}

export const USUAL_TLS: TlsBounds = { minVersion: 'TLSv1.2' };

export interface SecureOptions extends ListenOptions {
  readonly tls: TlsFiles;
  readonly bounds: TlsBounds;
  readonly maxStreams: number;
  /** Called for each TLS handshake that fails or takes longer than `headersMs`. */
  readonly handshakeFailed: () => void;
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
/** How long a client may take. */
const PATIENCE: ConnectionLimits = { headersMs: 32 * SECOND, idleMs: 90 * SECOND, checkMs: 5 * SECOND, unreadMs: 60 * SECOND };
const WINDOW_BYTES = 256 * 1024;
/** What Node keeps for one HTTP/2 connection at most; beyond it, new streams are refused. */
const MAX_SESSION_MB = 32;

/** What HTTP/1.1 connections are bound by, on either listener. */
function http1Limits({ headersMs, idleMs, checkMs }: ConnectionLimits) {
  return {
    maxHeaderSize: MAX_PARSED_HEAD_BYTES,
    headersTimeout: headersMs,
    // A whole request with its body; the deadline of the request itself comes first.
    requestTimeout: 65 * SECOND,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: checkMs,
  };
}

/** HTTP/2 streams that a client may open and reset at once, and how fast that budget fills up again per second. */
const RESET_BUDGET = { streamResetBurst: 1000, streamResetRate: 33 };

export async function listenSecurely(options: SecureOptions, listener: RequestListener): Promise<Listener> {
  const { clock, connections, unreadEnded = ignoreUnread } = options;
  const patience = { ...PATIENCE, ...options.limits };
  const limits = http1Limits(patience);
  const sessions = new Sessions(clock, patience, unreadEnded);
  const server = createSecureServer({
    ...limits,
    ...secureContext(options),
    allowHTTP1: true,
    requestCert: options.tls.clientCa !== undefined || options.tls.proxyCa !== undefined,
    rejectUnauthorized: false,
    handshakeTimeout: patience.headersMs,
    settings: {
      maxConcurrentStreams: options.maxStreams,
      initialWindowSize: WINDOW_BYTES,
      maxFrameSize: WINDOW_BYTES,
      maxHeaderListSize: MAX_PARSED_HEAD_BYTES,
    },
    maxSessionMemory: MAX_SESSION_MB,
    ...RESET_BUDGET,
  });
  // The HTTP/2 server takes HTTP/1.1's limits as properties. Headers are bound by their bytes: what is beyond a number of them would be left out unseen.
  Object.assign(server, limits, { maxHeadersCount: 0 });
  server.on('request', listener);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => takeUpgrade(request, socket, head, listener));
  // Listening to requests puts Node's compatibility layer over every stream, a fifth of what a read takes; here streams are taken as they are.
  server.removeAllListeners('stream');
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, rawHeaders: readonly string[]) => {
    if (stream.session !== undefined && sessions.isDraining(stream.session)) refuseStream(stream);
    else takeStream(stream, headers, rawHeaders, listener);
  });
  trackSecureSockets(server, sessions, new UnreadSockets(clock, patience, unreadEnded));
  server.on('clientError', unreadableAnswerer(clock));
  server.on('tlsClientError', (_error: Error, socket: Duplex) => {
    options.handshakeFailed();
    // After a timeout Node keeps the socket and would complete the handshake later.
    socket.destroy();
  });
  server.on('sessionError', () => undefined);
  const sockets = trackSockets(server, connections);
  await listen(server, options.port, options.host);
  return {
    port: portOf(server),
    // It forgets whatever it is not told again.
    renew: (tls) => server.setSecureContext(secureContext({ tls, bounds: options.bounds })),
    stopAccepting() {
      server.close();
      sessions.close();
    },
    close: () => cut(sockets),
  };
}

/** Plain HTTP. Binds loopback addresses only; see the filter that keeps web pages away. */
export async function listenLocally(options: ListenOptions, listener: RequestListener): Promise<Listener> {
  const { clock, unreadEnded = ignoreUnread } = options;
  const limits = { ...PATIENCE, ...options.limits };
  const server = createServer(http1Limits(limits), listener);
  server.maxHeadersCount = 0;
  const unread = new UnreadSockets(clock, limits, unreadEnded);
  server.on('connection', (socket) => unread.add(socket));
  server.on('clientError', unreadableAnswerer(clock));
  const sockets = trackSockets(server, options.connections);
  await listen(server, options.port, options.host);
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

function secureContext({ tls, bounds }: Pick<SecureOptions, 'tls' | 'bounds'>): SecureContextOptions {
  const { cert, key, clientCa, proxyCa } = tls;
  const ca = [clientCa, proxyCa].filter((bundle) => bundle !== undefined);
  return { ...bounds, cert, key, ...(ca.length === 0 ? {} : { ca }) };
}

function refuseStream(stream: ServerHttp2Stream): void {
  stream.on('error', () => undefined);
  outsideReads(() => stream.close(constants.NGHTTP2_REFUSED_STREAM));
}

function takeStream(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[],
  listener: RequestListener,
): void {
  const { ':method': method, ':path': url, expect } = headers;
  // The client reset the stream together with its head: no response is possible, and Node would throw.
  if (stream.closed) {
    stream.on('error', () => undefined);
    return;
  }
  if (expect === '100-continue') stream.additionalHeaders({ ':status': 100 });
  else if (expect !== undefined || method === 'CONNECT') {
    stream.on('error', () => undefined);
    stream.respond({ ':status': expect === undefined ? 405 : 417 }, { endStream: true });
    return;
  }
  listener({ method, url, headers, rawHeaders }, stream);
}

/** Whoever asks for another protocol sends no body: Node stops reading requests on such a connection. */
function takeUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, listener: RequestListener): void {
  socket.on('error', () => undefined);
  // Node reports a pipelined upgrade before the earlier responses are complete, which still need the socket.
  if (!speaksHttp1(socket) || isAnswering(socket)) {
    socket.destroy();
    return;
  }
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  const reply = upgradableReply(request, socket, head);
  if (reply === undefined) socket.destroy();
  else if (length === '0' && coding === undefined) listener(request, reply);
  else socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', () => socket.destroy());
}

function ignoreUnread(): void {
  // No metric counts them.
}

/** Node makes the session of a connection while it reports its socket, which the session itself does not give away. */
function trackSecureSockets(server: Http2SecureServer, sessions: Sessions, http1: UnreadSockets): void {
  let current: TLSSocket | undefined;
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    current = socket;
    if (speaksHttp1(socket)) http1.add(socket);
  });
  server.on('session', (session) => {
    if (current !== undefined) sessions.add(session, current);
  });
}

/** Connections for which there is no place are cut before anything is read from them. */
function trackSockets(server: HttpServer | Http2SecureServer, connections: Connections): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    const leave = connections.enter(socket.remoteAddress ?? '');
    if (leave === undefined) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.setNoDelay(true);
    socket.once('close', () => {
      sockets.delete(socket);
      leave();
    });
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
