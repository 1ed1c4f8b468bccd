/**
 * Calls with one request and one answer, over HTTP/2 sessions of our own: gRPC's framing and nothing of its machinery, which costs several times as much
 * a call and is most of what a write takes. One session a member, used in turn; what is lost is made again at the next call, after a pause
 * that grows, wherever the member's name leads by then. Knows neither messages nor what a failure means to the store.
 */
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecurely, type TLSSocket } from 'node:tls';
import type { Clock, Timer } from '../../../shared/runtime/clock';
import { errorMessage } from '../../../shared/runtime/error-message';
import type { AnswerHead } from './http2/headers';
import { ClientSession, type Peer } from './http2/session';
import { MESSAGE_PREFIX, type RpcMessage } from './wire';

/** PEM. What is absent is left to the system's authorities, or not shown. */
export interface EtcdCredentials {
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** One etcd server. */
export interface EtcdMember {
  /** `http://host:port` or `https://host:port`. */
  readonly origin: string;
  /** What `:authority` says. */
  readonly authority: string;
  /** `credentials` are those of the moment: they are asked for at every connection. */
  readonly tls?: { readonly credentials: () => EtcdCredentials; readonly servername?: string };
}

/** Told of each attempt to connect that came to nothing: to which server, and why. */
export type Unreachable = (origin: string, reason: string) => void;

/** gRPC status codes that are made here. */
const DEADLINE_EXCEEDED = 4;
const INTERNAL = 13;
const UNAVAILABLE = 14;

/** A call that came to nothing, in gRPC's terms. */
export class CallError extends Error {
  override readonly name = 'CallError';

  constructor(
    readonly code: number,
    readonly details: string,
    /** False = the request certainly never left this process. */
    readonly sent: boolean,
  ) {
    super(details);
  }
}

function hasNoLeader(error: unknown): boolean {
  return error instanceof CallError && error.code === UNAVAILABLE && error.details === 'etcdserver: no leader';
}

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
const PING_EVERY_MS = 10_000;
const PING_TIMEOUT_MS = 5_000;
/** So long connecting, shaking hands and the server's first word may take together. */
const CONNECT_TIMEOUT_MS = 5_000;

export class UnaryCalls {
  private readonly connections: readonly Connection[];
  private next = 0;

  constructor(
    members: readonly EtcdMember[],
    private readonly clock: Clock,
    unreachable: Unreachable = () => undefined,
  ) {
    this.connections = members.map((member) => new Connection(member, clock, unreachable));
  }

  /** Resolves with the answer's message; rejects with {@link CallError}. `deadline` in ms of Clock.monotonic. */
  call(path: string, message: RpcMessage, deadline: number): Promise<Buffer> {
    return this.attempt(path, message, deadline, this.connections.length);
  }

  /** What a member refuses because it has no leader has had no effect, so the next one is asked; each once. */
  private attempt(path: string, message: RpcMessage, deadline: number, tries: number): Promise<Buffer> {
    const session = this.connected();
    const answer =
      session === undefined
        ? this.connect(deadline).then((made) => send(made, path, message, deadline, this.clock))
        : send(session, path, message, deadline, this.clock);
    if (tries <= 1) return answer;
    return answer.catch((error: unknown) => {
      if (hasNoLeader(error)) return this.attempt(path, message, deadline, tries - 1);
      throw error;
    });
  }

  close(): void {
    for (const connection of this.connections) connection.close();
  }

  /** The next member's session among those that stand; the others are made again meanwhile. */
  private connected(): ClientSession | undefined {
    const { connections } = this;
    let found: ClientSession | undefined;
    for (let tried = 0; tried < connections.length; tried++) {
      const connection = connections[(this.next + tried) % connections.length];
      const session = connection?.standing();
      if (session === undefined) connection?.open().catch(ignore);
      else if (found === undefined) {
        found = session;
        this.next = (this.next + tried + 1) % connections.length;
      }
    }
    return found;
  }

  private connect(deadline: number): Promise<ClientSession> {
    return new Promise((resolve, reject) => {
      const late = (): void => reject(notEstablished(this.connections.flatMap(({ lastFailure }) => lastFailure ?? [])));
      const timer = this.clock.after(Math.max(0, deadline - this.clock.monotonic()), late);
      Promise.any(this.connections.map((connection) => connection.open())).then(
        (session) => {
          timer.cancel();
          resolve(session);
        },
        (error: unknown) => {
          timer.cancel();
          reject(notEstablished(error instanceof AggregateError ? error.errors : [error]));
        },
      );
    });
  }
}

/** With what is known of why; nothing is while the first attempt has not come to an end. */
function notEstablished(errors: readonly unknown[]): CallError {
  const reason = errors.length === 0 ? 'none before the deadline' : errors.map(errorMessage).join('; ');
  return new CallError(UNAVAILABLE, `No connection established. Last error: ${reason}`, false);
}

/** The session with one member, as long as there is one. */
class Connection {
  /** What the last attempt came to, since a session stood. */
  lastFailure: Error | undefined;
  private session: ClientSession | undefined;
  private opening: Promise<ClientSession> | undefined;
  private made: Socket | undefined;
  private pause = FIRST_PAUSE_MS;
  private restsUntil = -Infinity;
  private closed = false;
  private ping: Timer | undefined;

  constructor(
    private readonly member: EtcdMember,
    private readonly clock: Clock,
    private readonly unreachable: Unreachable,
  ) {}

  /** The session if there is one. */
  standing(): ClientSession | undefined {
    // What has been destroyed says so before it reports its end.
    return this.session?.destroyed === false ? this.session : undefined;
  }

  /** The session, made when there is none. Rejects at once while it rests after a failure. */
  open(): Promise<ClientSession> {
    const standing = this.standing();
    if (standing !== undefined) return Promise.resolve(standing);
    if (this.closed) return Promise.reject(new Error('the connection is closed'));
    if (this.opening !== undefined) return this.opening;
    if (this.lastFailure !== undefined && this.clock.monotonic() < this.restsUntil) return Promise.reject(this.lastFailure);
    this.opening = new Promise((resolve, reject) => this.make(resolve, reject));
    return this.opening;
  }

  close(): void {
    this.closed = true;
    this.made?.destroy();
  }

  private make(resolve: (session: ClientSession) => void, reject: (error: Error) => void): void {
    const { socket, connected } = dial(this.member);
    this.made = socket;
    let failure = new Error('the connection was closed');
    let session: ClientSession | undefined;
    const late = new Error(`no answer within ${CONNECT_TIMEOUT_MS / 1_000} seconds of connecting`);
    const limit = this.clock.after(CONNECT_TIMEOUT_MS, () => socket.destroy(late));
    socket.once(connected, () => {
      // A server that takes no client without a certificate may have turned this one away by now.
      if (socket.destroyed) return;
      if ('alpnProtocol' in socket && socket.alpnProtocol !== ALPN) {
        socket.destroy(new Error('the server does not speak HTTP/2'));
        return;
      }
      const greeted = (): void => {
        if (session !== undefined) return;
        session = made;
        limit.cancel();
        this.session = made;
        this.opening = undefined;
        this.pause = FIRST_PAUSE_MS;
        this.lastFailure = undefined;
        this.keepAlive(made);
        resolve(made);
      };
      const made = new ClientSession(socket, peerOf(this.member), () => this.forget(made), greeted);
    });
    socket.on('error', (error: Error) => (failure = error));
    socket.once('close', () => {
      limit.cancel();
      if (session !== undefined) {
        this.forget(session);
        return;
      }
      this.opening = undefined;
      const { origin } = this.member;
      if (!this.closed) this.unreachable(origin, failure.message);
      this.lastFailure = new Error(`${origin}: ${failure.message}`, { cause: failure });
      this.restsUntil = this.clock.monotonic() + this.pause;
      this.pause = Math.min(2 * this.pause, LONGEST_PAUSE_MS);
      reject(this.lastFailure);
    });
  }

  /** Nothing new may go there. */
  private forget(session: ClientSession): void {
    if (this.session !== session) return;
    this.session = undefined;
    this.ping?.cancel();
  }

  /** A peer that has gone without a word is found out by pings that nobody answers. */
  private keepAlive(session: ClientSession): void {
    this.ping = this.clock.after(PING_EVERY_MS, () => {
      if (session.destroyed) return;
      const lost = this.clock.after(PING_TIMEOUT_MS, () => session.destroy(new Error('the server does not answer pings')));
      session.ping(() => {
        lost.cancel();
        if (!session.destroyed) this.keepAlive(session);
      });
    });
  }
}

const ALPN = 'h2';

/** A connection that is being made, and the event that says that it stands. */
function dial({ origin, tls }: EtcdMember): { readonly socket: Socket | TLSSocket; readonly connected: 'connect' | 'secureConnect' } {
  const { hostname, port } = new URL(origin);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  if (tls === undefined) return { socket: connectPlain({ host, port: Number(port || '80') }), connected: 'connect' };
  const { credentials, ...rest } = tls;
  const options = { ...credentials(), ...rest, host, port: Number(port || '443'), ALPNProtocols: [ALPN] };
  return { socket: connectSecurely(options), connected: 'secureConnect' };
}

function peerOf({ tls, authority }: EtcdMember): Peer {
  return { scheme: tls === undefined ? 'http' : 'https', authority };
}

const ignore = (): void => undefined;

function send(session: ClientSession, path: string, message: RpcMessage, deadline: number, clock: Clock): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(Math.max(0, deadline - clock.monotonic()), () => {
      giveUp();
      reject(new CallError(DEADLINE_EXCEEDED, 'Deadline exceeded', true));
    });
    const giveUp = session.call(path, message.framed, {
      answered(head, trailers, body) {
        timer.cancel();
        const outcome = trailers ?? head;
        if (outcome.grpcStatus === '0') {
          const whole = unframed(body);
          if (whole === undefined) reject(new CallError(INTERNAL, 'the answer is no whole message', true));
          else resolve(whole);
        } else reject(refusal(head, outcome));
      },
      lost(reason, sent) {
        timer.cancel();
        reject(new CallError(UNAVAILABLE, reason, sent));
      },
    });
  });
}

function refusal({ status }: AnswerHead, { grpcStatus, grpcMessage }: AnswerHead): CallError {
  if (grpcStatus !== undefined) return new CallError(Number(grpcStatus), decoded(grpcMessage ?? ''), true);
  const complaint =
    status === '200' ? 'the server did not say how the call ended' : `the server answered with HTTP status ${String(status)}`;
  return new CallError(UNAVAILABLE, complaint, true);
}

function unframed(chunks: readonly Buffer[]): Buffer | undefined {
  const [first] = chunks;
  const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
  const whole = bytes.length >= MESSAGE_PREFIX && bytes[0] === 0 && bytes.length === MESSAGE_PREFIX + bytes.readUInt32BE(1);
  return whole ? bytes.subarray(MESSAGE_PREFIX) : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
