/**
 * The listeners: HTTPS with HTTP/2 and HTTP/1.1 on one port, and plain HTTP on loopback for a local set-up. Configures
 * the limits of Node's servers and the components that end slow connections. Passes every request to one callback.
 */
import { createServer, type IncomingMessage, type Server as HttpServer } from 'node:http';
import { constants, createSecureServer, type Http2SecureServer, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { SecureContextOptions, TLSSocket } from 'node:tls';
import type { Clock } from '../../../shared/runtime/clock';
import { adaptPieces } from '../../endpoints/output/piece-writer';
import { afterReading } from '../../endpoints/request/after-reading';
import { createUpgradableResponse } from '../../endpoints/request/upgradable-response';
import type { RequestListener } from '../chain';
import type { ConnectionLimiter } from './connection-limiter';
import { MAX_PARSED_HEAD_BYTES } from '../filters/head-limit';
import { isResponding, speaksHttp1 } from './http1-socket';
import { Http2Sessions, type ConnectionTimeouts } from './http2-sessions';
import type { UnreadKind } from './stall-tracker';
import { UnreadSockets } from './unread-sockets';
import { createClientErrorHandler } from './client-error-handler';

/** The contents of the files of a TLS listener, in PEM. */
export interface TlsFiles {
  /** The server's certificate, followed by its intermediate certificates. */
  readonly cert: Buffer;
  /** The private key of the certificate. */
  readonly key: Buffer;
  /** Authorities of client certificates; absent when clients are asked for none. */
  readonly clientCa?: Buffer;
  /** Authorities of the client certificates of front proxies. */
  readonly proxyCa?: Buffer;
}

/** What both listeners need. */
export interface ListenOptions {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Shared by all listeners. */
  readonly connections: ConnectionLimiter;
  readonly clock: Clock;
  /** Overrides of the default timeouts. */
  readonly limits?: Partial<ConnectionTimeouts>;
  /** Called for each response, watch and connection that is ended because its client read nothing. */
  readonly onUnreadEnded?: (unread: UnreadKind) => void;
}

/** Allowed TLS versions and ciphers, in the terms of node:tls. */
export interface TlsBounds {
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
  /** Absent for Node's defaults. */
  readonly ciphers?: string;
}

/** The bounds of a server that configures none, as upstream's. */
export const DEFAULT_TLS: TlsBounds = { minVersion: 'TLSv1.2' };

/** What the HTTPS listener needs. */
export interface SecureOptions extends ListenOptions {
  readonly tls: TlsFiles;
  readonly bounds: TlsBounds;
  /** Concurrent streams of an HTTP/2 connection. */
  readonly maxStreams: number;
  /** Called for each TLS handshake that fails or takes longer than `headersMs`. */
  readonly onHandshakeFailed: () => void;
}

/** A port that is listened on. */
export interface Listener {
  /** The actual port, also when any free one was requested. */
  readonly port: number;
  /** Uses a renewed certificate for new connections. */
  renew(tls: TlsFiles): void;
  /** Accepts no new connections; closes idle ones and drains HTTP/2 sessions. */
  stopAccepting(): void;
  /** Destroys all connections. */
  close(): Promise<void>;
}

/** `headersMs` and `idleMs` are upstream's time limits; `checkMs` and `unreadMs` bound memory that slow clients hold. */
const DEFAULT_TIMEOUTS: ConnectionTimeouts = { headersMs: 32_000, idleMs: 90_000, checkMs: 5_000, unreadMs: 60_000 };
/** The receive window of an HTTP/2 stream, and the greatest frame, as upstream's. */
const WINDOW_BYTES = 256 * 1024;
/**
 * Connections that the kernel keeps until they are accepted; it applies its own limit (net.core.somaxconn, 4,096). When
 * the clients of a whole cluster connect together, those beyond Node's default of 511 would try again after 1, 3, 7, …
 * seconds.
 */
const BACKLOG = 65_535;
/** Upper bound for Node's buffers of one HTTP/2 session, in MB; beyond it, new streams are refused. */
const MAX_SESSION_MB = 32;

/** Options of HTTP/1.1 connections, on both listeners. */
function http1Options({ headersMs, idleMs, checkMs }: ConnectionTimeouts) {
  return {
    maxHeaderSize: MAX_PARSED_HEAD_BYTES,
    headersTimeout: headersMs,
    // For a whole request with its body. The request's deadline expires earlier with the default `--request-timeout`, 60 s.
    requestTimeout: 65_000,
    keepAliveTimeout: idleMs,
    connectionsCheckingInterval: checkMs,
  };
}

/**
 * Number of HTTP/2 streams that a client may open and reset in a burst, and the rate at which that budget is restored
 * per second.
 */
const RESET_BUDGET = { streamResetBurst: 1000, streamResetRate: 33 };

/** HTTPS with HTTP/2 and HTTP/1.1. Rejects when the port cannot be listened on. */
export async function listenSecurely(options: SecureOptions, listener: RequestListener): Promise<Listener> {
  const { clock, connections, onUnreadEnded = ignoreUnread } = options;
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.limits };
  const sessions = new Http2Sessions(clock, timeouts, onUnreadEnded);
  const server = createHttpsServer(options, timeouts);
  passRequests(server, sessions, listener);
  trackSecureSockets(server, sessions, new UnreadSockets(clock, timeouts, onUnreadEnded));
  server.on('clientError', createClientErrorHandler(clock));
  server.on('tlsClientError', (_error: Error, socket: Duplex) => {
    options.onHandshakeFailed();
    // After a timeout Node keeps the socket and would complete the handshake later.
    socket.destroy();
  });
  server.on('sessionError', () => undefined);
  const sockets = trackSockets(server, connections);
  await listen(server, options.port, options.host);
  return {
    port: portOf(server),
    // Node drops every option that is not passed again.
    renew: (tls) => server.setSecureContext(secureContext({ tls, bounds: options.bounds })),
    stopAccepting() {
      server.close();
      sessions.close();
    },
    close: () => destroyAll(sockets),
  };
}

function createHttpsServer(options: SecureOptions, timeouts: ConnectionTimeouts): Http2SecureServer {
  const http1Limits = http1Options(timeouts);
  const server = createSecureServer({
    ...http1Limits,
    ...secureContext(options),
    allowHTTP1: true,
    requestCert: options.tls.clientCa !== undefined || options.tls.proxyCa !== undefined,
    // Client certificates are verified by the authenticators.
    rejectUnauthorized: false,
    handshakeTimeout: timeouts.headersMs,
    settings: {
      maxConcurrentStreams: options.maxStreams,
      initialWindowSize: WINDOW_BYTES,
      maxFrameSize: WINDOW_BYTES,
      maxHeaderListSize: MAX_PARSED_HEAD_BYTES,
    },
    maxSessionMemory: MAX_SESSION_MB,
    ...RESET_BUDGET,
  });
  // The HTTP/2 server takes the HTTP/1.1 options as properties. The size limit bounds headers; with a limit for their
  // number, Node would drop headers silently.
  Object.assign(server, http1Limits, { maxHeadersCount: 0 });
  return server;
}

/** Passes the requests of both protocols to `listener`. */
function passRequests(server: Http2SecureServer, sessions: Http2Sessions, listener: RequestListener): void {
  server.on('request', listener);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => handleUpgrade(request, socket, head, listener));
  // Node's `request` listener adds its compatibility layer to every stream, a fifth of the cost of a read; streams
  // are handled directly instead.
  server.removeAllListeners('stream');
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, rawHeaders: readonly string[]) => {
    if (stream.session !== undefined && sessions.isDraining(stream.session)) refuseStream(stream);
    else handleStream(stream, headers, rawHeaders, listener);
  });
}

/**
 * Plain HTTP on loopback addresses only; the filter `guardLoopback` rejects requests of web pages. Rejects when the port
 * cannot be listened on.
 */
export async function listenLocally(options: ListenOptions, listener: RequestListener): Promise<Listener> {
  const { clock, onUnreadEnded = ignoreUnread } = options;
  const limits = { ...DEFAULT_TIMEOUTS, ...options.limits };
  const server = createServer(http1Options(limits), listener);
  server.maxHeadersCount = 0;
  const unread = new UnreadSockets(clock, limits, onUnreadEnded);
  server.on('connection', (socket) => unread.add(socket));
  server.on('clientError', createClientErrorHandler(clock));
  const sockets = trackSockets(server, options.connections);
  await listen(server, options.port, options.host);
  return {
    port: portOf(server),
    renew: () => undefined,
    stopAccepting() {
      server.close();
      server.closeIdleConnections();
    },
    close: () => destroyAll(sockets),
  };
}

function secureContext({ tls, bounds }: Pick<SecureOptions, 'tls' | 'bounds'>): SecureContextOptions {
  const { cert, key, clientCa, proxyCa } = tls;
  const ca = [clientCa, proxyCa].filter((bundle) => bundle !== undefined);
  return { ...bounds, cert, key, ...(ca.length === 0 ? {} : { ca }) };
}

/** Refuses a stream that a client opened before it received GOAWAY, so that the client sends the request elsewhere. */
function refuseStream(stream: ServerHttp2Stream): void {
  stream.on('error', () => undefined);
  afterReading(() => stream.close(constants.NGHTTP2_REFUSED_STREAM));
}

function handleStream(
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

/** An upgrade request must not have a body: Node stops parsing requests on its connection. */
function handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, listener: RequestListener): void {
  socket.on('error', () => undefined);
  // Node reports a pipelined upgrade before the earlier responses are complete, which still need the socket.
  if (!speaksHttp1(socket) || isResponding(socket)) {
    socket.destroy();
    return;
  }
  const { 'content-length': length = '0', 'transfer-encoding': coding } = request.headers;
  const reply = createUpgradableResponse(request, socket, head);
  if (reply === undefined) socket.destroy();
  else if (length === '0' && coding === undefined) listener(request, reply);
  else socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n', () => socket.destroy());
}

function ignoreUnread(): void {
  // The default of `onUnreadEnded`: ended connections are not counted.
}

/**
 * Passes HTTP/1.1 sockets to `http1`, and HTTP/2 sessions with their sockets to `sessions`. A session does not expose its
 * socket; but Node emits `session` while it emits `secureConnection`, so the socket is that of the last event.
 */
function trackSecureSockets(server: Http2SecureServer, sessions: Http2Sessions, http1: UnreadSockets): void {
  let lastSocket: TLSSocket | undefined;
  server.prependListener('secureConnection', (socket: TLSSocket) => {
    lastSocket = socket;
    if (speaksHttp1(socket)) http1.add(socket);
  });
  server.on('session', (session) => {
    if (lastSocket !== undefined) sessions.add(session, lastSocket);
  });
}

/** Destroys connections beyond the limits before any byte of them is read. */
function trackSockets(server: HttpServer | Http2SecureServer, connections: ConnectionLimiter): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    const release = connections.tryEnter(socket.remoteAddress ?? '');
    if (release === undefined) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    adaptPieces(connections.open);
    socket.setNoDelay(true);
    socket.on('close', () => {
      sockets.delete(socket);
      release();
      adaptPieces(connections.open);
    });
  });
  return sockets;
}

function destroyAll(sockets: ReadonlySet<Socket>): Promise<void> {
  for (const socket of sockets) socket.destroy();
  return Promise.resolve();
}

function listen(server: HttpServer | Http2SecureServer, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, backlog: BACKLOG }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function portOf(server: HttpServer | Http2SecureServer): number {
  const address: AddressInfo | string | null = server.address();
  return address === null || typeof address === 'string' ? 0 : address.port;
}
