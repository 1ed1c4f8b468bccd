/**
 * The HTTP/2 connection to one member of etcd: connects on demand, with back-off after failures, and resolves the host
 * name of the member again each time. Destroys a session of which the pings are not acknowledged. Which member a call uses
 * is up to unary-client.ts.
 */
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecurely, type TLSSocket } from 'node:tls';
import type { Clock, Timer } from '../../../shared/runtime/clock';
import { hostWithoutBrackets } from '../../../shared/values/network/host-url';
import { Http2ClientSession, type Http2Peer } from './http2/session';

/** PEM. Without `ca` the system's authorities apply; without `cert` and `key` no client certificate is presented. */
export interface EtcdCredentials {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** One etcd server. */
export interface EtcdMember {
  /** `http://host:port` or `https://host:port`. */
  readonly origin: string;
  /** The value of `:authority`. */
  readonly authority: string;
  /** `credentials` is called for every connection and returns the current ones. */
  readonly tls?: { readonly credentials: () => EtcdCredentials; readonly servername?: string };
}

/** Called for every failed attempt to connect. */
export type OnUnreachable = (origin: string, reason: string) => void;

/** Delays before another attempt to connect: the first, which doubles, and the limit. */
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 1_000;
/** Interval of the pings of a session, and the time after which a session without a response to one is destroyed. */
const PING_INTERVAL_MS = 10_000;
const PING_TIMEOUT_MS = 5_000;
/** Maximum time for connecting, the TLS handshake and the server's first SETTINGS together. */
const CONNECT_TIMEOUT_MS = 5_000;

/** The protocol that TLS must have negotiated. */
const ALPN = 'h2';

/** The session with one member, re-established on demand. */
export class MemberConnection {
  /** The error of the last attempt to connect; undefined after a successful one. */
  lastFailure: Error | undefined;
  private session: Http2ClientSession | undefined;
  private opening: Promise<Http2ClientSession> | undefined;
  private socket: Socket | undefined;
  private backoffMs = FIRST_BACKOFF_MS;
  /** Monotonic time before which no attempt to connect is made. */
  private retryAt = -Infinity;
  private isClosed = false;
  private pingTimer: Timer | undefined;

  constructor(
    private readonly member: EtcdMember,
    private readonly clock: Clock,
    private readonly onUnreachable: OnUnreachable,
  ) {}

  /** The session if it is open. */
  openSession(): Http2ClientSession | undefined {
    // The socket is destroyed before its `close` event removes the session.
    return this.session?.destroyed === false ? this.session : undefined;
  }

  /** Returns the open session or connects. Rejects immediately during the back-off after a failure. */
  open(): Promise<Http2ClientSession> {
    const openSession = this.openSession();
    if (openSession !== undefined) return Promise.resolve(openSession);
    if (this.isClosed) return Promise.reject(new Error('the connection is closed'));
    if (this.opening !== undefined) return this.opening;
    if (this.lastFailure !== undefined && this.clock.monotonic() < this.retryAt) return Promise.reject(this.lastFailure);
    this.opening = new Promise((resolve, reject) => this.establish(resolve, reject));
    return this.opening;
  }

  /** Closes the session, or ends the attempt to connect. No further attempt is made. */
  close(): void {
    this.isClosed = true;
    this.socket?.destroy();
  }

  /**
   * Connects and calls `resolve` once the server has sent its SETTINGS. When the socket is closed before, starts the
   * back-off and calls `reject`; when it is closed later, drops the session.
   */
  private establish(resolve: (session: Http2ClientSession) => void, reject: (error: Error) => void): void {
    const { socket, connected } = dial(this.member);
    this.socket = socket;
    let failure = new Error('the connection was closed');
    let readySession: Http2ClientSession | undefined;
    const timeoutError = new Error(`no response within ${CONNECT_TIMEOUT_MS / 1_000} seconds of connecting`);
    const timeout = this.clock.after(CONNECT_TIMEOUT_MS, () => socket.destroy(timeoutError));
    socket.once(connected, () => {
      // A server that requires a client certificate may have closed the connection already.
      if (socket.destroyed) return;
      if ('alpnProtocol' in socket && socket.alpnProtocol !== ALPN) {
        socket.destroy(new Error('the server does not speak HTTP/2'));
        return;
      }
      const session = new Http2ClientSession({
        socket,
        peer: peerOf(this.member),
        clock: this.clock,
        onClosing: () => this.dropSession(session),
        onReady: () => {
          if (readySession !== undefined) return;
          readySession = session;
          timeout.cancel();
          this.useSession(session);
          resolve(session);
        },
      });
    });
    socket.on('error', (error: Error) => (failure = error));
    socket.once('close', () => {
      timeout.cancel();
      if (readySession !== undefined) {
        this.dropSession(readySession);
        return;
      }
      this.opening = undefined;
      const { origin } = this.member;
      if (!this.isClosed) this.onUnreachable(origin, failure.message);
      this.lastFailure = new Error(`${origin}: ${failure.message}`, { cause: failure });
      this.retryAt = this.clock.monotonic() + this.backoffMs;
      this.backoffMs = Math.min(2 * this.backoffMs, MAX_BACKOFF_MS);
      reject(this.lastFailure);
    });
  }

  /** Uses the session for new calls, and ends the back-off. */
  private useSession(session: Http2ClientSession): void {
    this.session = session;
    this.opening = undefined;
    this.backoffMs = FIRST_BACKOFF_MS;
    this.lastFailure = undefined;
    this.keepAlive(session);
  }

  /** Stops using the session for new calls. */
  private dropSession(session: Http2ClientSession): void {
    if (this.session !== session) return;
    this.session = undefined;
    this.pingTimer?.cancel();
  }

  /**
   * Detects a peer that disappeared without closing the connection: its session is destroyed when a ping is not
   * acknowledged.
   */
  private keepAlive(session: Http2ClientSession): void {
    this.pingTimer = this.clock.after(PING_INTERVAL_MS, () => {
      if (session.destroyed) return;
      const pingTimeout = this.clock.after(PING_TIMEOUT_MS, () => session.destroy(new Error('the server does not respond to pings')));
      session.ping(() => {
        pingTimeout.cancel();
        if (!session.destroyed) this.keepAlive(session);
      });
    });
  }
}

/** Starts to connect; `connected` is the event after which the socket can be used. */
function dial({ origin, tls }: EtcdMember): { readonly socket: Socket | TLSSocket; readonly connected: 'connect' | 'secureConnect' } {
  const url = new URL(origin);
  const { port } = url;
  const host = hostWithoutBrackets(url);
  if (tls === undefined) return { socket: connectPlain({ host, port: Number(port || '80') }), connected: 'connect' };
  const { credentials, ...rest } = tls;
  const options = { ...credentials(), ...rest, host, port: Number(port || '443'), ALPNProtocols: [ALPN] };
  return { socket: connectSecurely(options), connected: 'secureConnect' };
}

function peerOf({ tls, authority }: EtcdMember): Http2Peer {
  return { scheme: tls === undefined ? 'http' : 'https', authority };
}
