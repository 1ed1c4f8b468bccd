/**
 * Unary gRPC calls over the HTTP/2 sessions of http2/session.ts. grpc-js is not used: it takes several times as long for
 * a call and would dominate the time of a write. There is one session per member, and calls use them round-robin. The
 * next call re-establishes a lost session, with back-off and after resolving the member's host name again. Message
 * formats and the meaning of failures are left to the callers.
 */
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecurely, type TLSSocket } from 'node:tls';
import type { Clock, Timer } from '../../../shared/runtime/clock';
import { errorMessage } from '../../../shared/runtime/error-message';
import { hostWithoutBrackets } from '../../../shared/values/network/host-url';
import type { ResponseHeaders } from './http2/headers';
import { Http2ClientSession, type Http2Peer } from './http2/session';
import { MESSAGE_PREFIX_BYTES, type RpcMessage } from './rpc-writer';

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

/** gRPC status codes that originate here. */
const DEADLINE_EXCEEDED = 4;
const INTERNAL = 13;
const UNAVAILABLE = 14;

/** A failed call, with its gRPC status. */
export class CallError extends Error {
  override readonly name = 'CallError';
  /** False when the request was certainly not sent. */
  readonly wasSent: boolean;

  constructor(
    readonly code: number,
    readonly details: string,
    { wasSent }: { readonly wasSent: boolean },
  ) {
    super(details);
    this.wasSent = wasSent;
  }
}

/** Whether the member certainly did not process the call: it has no leader, or it closed the connection first. */
function isUnprocessed(error: unknown): boolean {
  if (!(error instanceof CallError)) return false;
  return !error.wasSent || (error.code === UNAVAILABLE && error.details === 'etcdserver: no leader');
}

/** Delays before another attempt to connect: the first, which doubles, and the limit. */
const FIRST_BACKOFF_MS = 100;
const MAX_BACKOFF_MS = 1_000;
/** Interval of the pings of a session, and the time after which a session without a response to one is destroyed. */
const PING_INTERVAL_MS = 10_000;
const PING_TIMEOUT_MS = 5_000;
/** Maximum time for connecting, the TLS handshake and the server's first SETTINGS together. */
const CONNECT_TIMEOUT_MS = 5_000;

/** The connections to all members. A member that is not reachable is tried again in the background. */
export class UnaryClient {
  private readonly connections: readonly Connection[];
  private nextConnection = 0;

  constructor(
    members: readonly EtcdMember[],
    private readonly clock: Clock,
    onUnreachable: OnUnreachable = () => undefined,
  ) {
    this.connections = members.map((member) => new Connection(member, clock, onUnreachable));
  }

  /**
   * Resolves with the response message; rejects with {@link CallError}. `deadline` is in milliseconds of
   * {@link Clock.monotonic}.
   */
  call(path: string, message: RpcMessage, deadline: number): Promise<Buffer> {
    return this.attempt(path, message, deadline, this.connections.length);
  }

  /** A call that a member did not process is sent to the next one. Each member is tried once. */
  private attempt(path: string, message: RpcMessage, deadline: number, tries: number): Promise<Buffer> {
    const session = this.pickSession();
    const response =
      session === undefined
        ? this.connectAny(deadline).then((newSession) => sendCall(newSession, path, message, deadline, this.clock))
        : sendCall(session, path, message, deadline, this.clock);
    if (tries <= 1) return response;
    return response.catch((error: unknown) => {
      if (isUnprocessed(error)) return this.attempt(path, message, deadline, tries - 1);
      throw error;
    });
  }

  /** Closes all connections; pending and later calls fail as `UNAVAILABLE`. */
  close(): void {
    for (const connection of this.connections) connection.close();
  }

  /** The session of the next connected member. Reconnects the other members in the background. */
  private pickSession(): Http2ClientSession | undefined {
    const { connections } = this;
    let picked: Http2ClientSession | undefined;
    for (let tried = 0; tried < connections.length; tried++) {
      const connection = connections[(this.nextConnection + tried) % connections.length];
      const session = connection?.openSession();
      if (session === undefined) connection?.open().catch(ignore);
      else if (picked === undefined) {
        picked = session;
        this.nextConnection = (this.nextConnection + tried + 1) % connections.length;
      }
    }
    return picked;
  }

  /** Connects to all members. Resolves with the first session; rejects when all attempts fail or the deadline passes. */
  private connectAny(deadline: number): Promise<Http2ClientSession> {
    return new Promise((resolve, reject) => {
      const onDeadline = (): void => {
        const failures = this.connections.map(({ lastFailure }) => lastFailure).filter((failure) => failure !== undefined);
        reject(notEstablishedError(failures));
      };
      const timer = this.clock.after(Math.max(0, deadline - this.clock.monotonic()), onDeadline);
      Promise.any(this.connections.map((connection) => connection.open())).then(
        (session) => {
          timer.cancel();
          resolve(session);
        },
        (error: unknown) => {
          timer.cancel();
          reject(notEstablishedError(error instanceof AggregateError ? error.errors : [error]));
        },
      );
    });
  }
}

/** The error when there is no session; `errors` is empty when no attempt has ended yet. */
function notEstablishedError(errors: readonly unknown[]): CallError {
  const reason = errors.length === 0 ? 'none before the deadline' : errors.map(errorMessage).join('; ');
  return new CallError(UNAVAILABLE, `No connection established. Last error: ${reason}`, { wasSent: false });
}

const ALPN = 'h2';

/** The session with one member, re-established on demand. */
class Connection {
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

const ignore = (): void => undefined;

/** Makes one call on a session. Cancels it at the deadline. */
function sendCall(session: Http2ClientSession, path: string, message: RpcMessage, deadline: number, clock: Clock): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(Math.max(0, deadline - clock.monotonic()), () => {
      cancel();
      reject(new CallError(DEADLINE_EXCEEDED, 'Deadline exceeded', { wasSent: true }));
    });
    const cancel = session.call(path, message.framed, {
      onResponse(head, trailers, body) {
        timer.cancel();
        // A response without trailers has its gRPC status in the headers.
        const outcome = trailers ?? head;
        if (outcome.grpcStatus === '0') {
          const responseMessage = unframe(body);
          if (responseMessage === undefined) reject(new CallError(INTERNAL, 'the response is not a complete message', { wasSent: true }));
          else resolve(responseMessage);
        } else reject(statusError(head, outcome));
      },
      onFailure({ reason, wasSent }) {
        timer.cancel();
        reject(new CallError(UNAVAILABLE, reason, { wasSent }));
      },
    });
  });
}

function statusError({ status }: ResponseHeaders, { grpcStatus, grpcMessage }: ResponseHeaders): CallError {
  if (grpcStatus !== undefined) return new CallError(Number(grpcStatus), percentDecode(grpcMessage ?? ''), { wasSent: true });
  const message = status === '200' ? 'the server sent no gRPC status' : `the server responded with HTTP status ${String(status)}`;
  return new CallError(UNAVAILABLE, message, { wasSent: true });
}

/** The message behind gRPC's prefix; undefined when it is compressed, or not exactly one whole message. */
function unframe(chunks: readonly Buffer[]): Buffer | undefined {
  const [first] = chunks;
  const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
  const isComplete =
    bytes.length >= MESSAGE_PREFIX_BYTES && bytes[0] === 0 && bytes.length === MESSAGE_PREFIX_BYTES + bytes.readUInt32BE(1);
  return isComplete ? bytes.subarray(MESSAGE_PREFIX_BYTES) : undefined;
}

/** The text itself when it is malformed. */
function percentDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
