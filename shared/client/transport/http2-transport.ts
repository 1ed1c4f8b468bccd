/**
 * HTTP/2 transport that multiplexes requests over few connections. Connections with open requests are pinged, because a
 * paused or disconnected server leaves its sockets open. A connection that the server is closing (GOAWAY) takes no new
 * requests. Retries are left to the callers.
 */
import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import type { Clock, Timer } from '../../runtime/clock';
import { PARTIAL_CHAIN_TRUST } from '../../pki/partial-chain-trust';
import type { TlsOptions } from '../kubeconfig/client-config';
import { raceSignal } from '../signals';
import { ResponseBody } from './response-body';
import { ConnectionError, connectionError, type Transport, type TransportRequest, type TransportResponse } from './transport';

/** The times after which a connection is given up. */
export interface Http2Settings {
  readonly clock: Clock;
  /** Ping interval of a connection with open requests. Milliseconds. */
  readonly pingEveryMs: number;
  /** The connection is closed when a ping is not acknowledged within this time. Milliseconds. */
  readonly pingTimeoutMs: number;
  /** Time limit for a connection to be established. Milliseconds. */
  readonly connectTimeoutMs: number;
}

/** With open requests, a server that does not respond is noticed within 20 s: a ping interval and a ping timeout. */
export const HTTP2_DEFAULTS = { pingEveryMs: 10_000, pingTimeoutMs: 10_000, connectTimeoutMs: 10_000 } as const;

/**
 * Streams (requests) of a connection, after which another connection is opened. Servers allow about 100 and may count
 * streams longer than the client does, so a margin is left.
 */
const STREAMS_PER_SESSION = 90;
/**
 * Receive window of a connection, which its streams share. With the default of 64 KiB the server would pause a list
 * until each acknowledgement arrives.
 */
const SESSION_WINDOW_BYTES = 8 * 1024 * 1024;
/** Receive window of a stream, so that a page of a list arrives in few round trips. */
const STREAM_WINDOW_BYTES = 1024 * 1024;

/** HTTP/2 to one server, over as few connections as its concurrent requests need. */
export class Http2Transport implements Transport {
  private sessions: Session[] = [];
  private isClosed = false;

  constructor(
    private readonly server: URL,
    private readonly tls: TlsOptions,
    private readonly settings: Http2Settings,
  ) {}

  async send(request: TransportRequest): Promise<TransportResponse> {
    request.signal?.throwIfAborted();
    const session = this.availableSession();
    // Reserved before the connection is established, because many requests may wait for one connection.
    session.reserve();
    try {
      await raceSignal(session.ready, request.signal);
    } catch (error) {
      session.release();
      throw error;
    }
    return session.send(request);
  }

  close(): void {
    this.isClosed = true;
    for (const session of this.sessions) session.destroy(new ConnectionError('the client was closed', { wasSent: true }));
  }

  /** A session with capacity, opened if there is none. Throws when the transport is closed. */
  private availableSession(): Session {
    if (this.isClosed) throw new ConnectionError('the client was closed', { wasSent: false });
    const available = this.sessions.find((session) => session.hasCapacity);
    if (available !== undefined) return available;
    const created = new Session(this.server, this.tls, this.settings, () => {
      this.sessions = this.sessions.filter((session) => session !== created);
    });
    this.sessions.push(created);
    return created;
  }
}

/** One connection and the number of its requests. */
class Session {
  /** Resolves when connected; rejects when the connection fails. */
  readonly ready: Promise<void>;

  private readonly http2: ClientHttp2Session;
  /** Reserved and open streams. */
  private streams = 0;
  /** Whether new requests are refused. Open ones continue; with the last of them the connection is closed. */
  private isRetired = false;
  private pingTimer: Timer | undefined;

  constructor(
    server: URL,
    tls: TlsOptions,
    private readonly settings: Http2Settings,
    private readonly onClosed: () => void,
  ) {
    const http2 = connect(server.origin, {
      ...PARTIAL_CHAIN_TRUST,
      ...tls,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW_BYTES },
    });
    this.http2 = http2;
    this.ready = new Promise((resolve, reject) => {
      const connectTimeout = settings.clock.after(settings.connectTimeoutMs, () =>
        this.destroy(new ConnectionError('connecting timed out', { wasSent: false })),
      );
      // Why the connection failed, once an error states it.
      let failure = new ConnectionError(`no connection to ${server.host}`, { wasSent: false });
      http2.once('connect', () => {
        connectTimeout.cancel();
        // The client may have been closed meanwhile.
        if (http2.destroyed) return;
        http2.setLocalWindowSize(SESSION_WINDOW_BYTES);
        resolve();
      });
      // The listener for 'close', which follows every error, rejects. An error without a listener would end the process.
      http2.on('error', (error) => (failure = connectionError(error, { wasSent: false })));
      http2.once('close', () => {
        connectTimeout.cancel();
        this.pingTimer?.cancel();
        this.retire();
        reject(failure);
      });
    });
    // A rejection that no request waits for must not end the process.
    this.ready.catch(() => undefined);
    http2.on('goaway', () => this.retire());
  }

  get hasCapacity(): boolean {
    return this.isUsable && this.streams < STREAMS_PER_SESSION;
  }

  /** Whether requests can be sent. Node marks a session as closed before it emits the event that retires it here. */
  private get isUsable(): boolean {
    return !this.isRetired && !this.http2.closed && !this.http2.destroyed;
  }

  /** Reserves a stream. The caller sends a request, which releases the stream when it ends, or calls {@link release}. */
  reserve(): void {
    this.streams += 1;
  }

  release(): void {
    this.streams -= 1;
    if (this.isRetired && this.streams === 0 && !this.http2.closed) this.http2.close();
  }

  /** Sends a request on a stream that the caller has reserved. */
  send({ method, path, headers, body, signal }: TransportRequest): Promise<TransportResponse> {
    if (!this.isUsable) {
      this.release();
      return Promise.reject(new ConnectionError('the connection was closed', { wasSent: false }));
    }
    const stream = this.http2.request({ ':method': method, ':path': path, ...headers }, { endStream: body === undefined });
    this.schedulePing();
    const abort = (): void => stream.close(constants.NGHTTP2_CANCEL);
    signal?.addEventListener('abort', abort, { once: true });
    stream.once('close', () => {
      signal?.removeEventListener('abort', abort);
      this.release();
    });
    const response = awaitResponse(stream, signal);
    if (body !== undefined) stream.end(body);
    return response;
  }

  destroy(error: Error): void {
    this.retire();
    this.http2.destroy(error);
  }

  private retire(): void {
    if (this.isRetired) return;
    this.isRetired = true;
    this.onClosed();
    if (this.streams === 0 && !this.http2.closed) this.http2.close();
  }

  /** Schedules a ping, which schedules the next one as long as requests are open. */
  private schedulePing(): void {
    if (this.pingTimer !== undefined) return;
    const { clock, pingEveryMs, pingTimeoutMs } = this.settings;
    this.pingTimer = clock.after(pingEveryMs, () => {
      this.pingTimer = undefined;
      if (this.streams === 0 || this.http2.destroyed) return;
      const pingTimeout = clock.after(pingTimeoutMs, () =>
        this.destroy(new ConnectionError('the server does not respond to pings', { wasSent: true })),
      );
      const isSent = this.http2.ping((error) => {
        pingTimeout.cancel();
        if (error === null && this.streams > 0) this.schedulePing();
      });
      if (!isSent) pingTimeout.cancel();
    });
  }
}

/** Resolves with the response headers. Rejects with ConnectionError or the signal's reason when the stream closes without. */
function awaitResponse(stream: ClientHttp2Stream, signal: AbortSignal | undefined): Promise<TransportResponse> {
  const body = new ResponseBody(stream, signal);
  return new Promise((resolve, reject) => {
    let failure: unknown;
    let hasResponse = false;
    stream.on('error', (error: unknown) => {
      failure = error;
    });
    // Every stream emits 'close'; an error with a stack is created only for a request without a response.
    stream.once('close', () => {
      if (hasResponse) return;
      if (signal?.aborted === true) reject(signal.reason);
      else {
        const wasSent = stream.rstCode !== constants.NGHTTP2_REFUSED_STREAM;
        reject(connectionError(failure ?? 'the connection was closed', { wasSent }));
      }
    });
    stream.once('response', (headers) => {
      hasResponse = true;
      resolve(responseOf(headers, body));
    });
  });
}

function responseOf(headers: IncomingHttpHeaders, body: ResponseBody): TransportResponse {
  return {
    status: Number(headers[':status'] ?? 0),
    header: (name) => {
      const value = headers[name];
      return Array.isArray(value) ? value.join(', ') : value;
    },
    body,
  };
}
