/**
 * Calls with one request and one answer, over HTTP/2 sessions of our own: gRPC's framing and nothing of its machinery, which costs twice as much
 * a call and is most of what a write takes. One session a member, used in turn; what is lost is made again at the next call, after a pause
 * that grows. Knows neither messages nor what a failure means to the store.
 */
import { connect, constants, type ClientHttp2Session, type ClientHttp2Stream, type IncomingHttpHeaders } from 'node:http2';
import type { Clock, Timer } from '../../../shared/runtime/clock';

/** One etcd server. */
export interface Member {
  /** `http://host:port` or `https://host:port`. */
  readonly origin: string;
  /** What `:authority` says. */
  readonly authority: string;
  readonly tls?: { readonly ca?: Buffer; readonly cert?: Buffer; readonly key?: Buffer; readonly servername?: string };
}

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

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
const PING_EVERY_MS = 10_000;
const PING_TIMEOUT_MS = 5_000;
/** What may be under way on one stream and on a whole session: a page of a range is 8 MiB. */
const STREAM_WINDOW = 4 << 20;
const SESSION_WINDOW = 32 << 20;
const SESSION_MEMORY_MB = 512;

export class UnaryCalls {
  private readonly connections: readonly Connection[];
  private next = 0;

  constructor(
    members: readonly Member[],
    private readonly clock: Clock,
  ) {
    this.connections = members.map((member) => new Connection(member, clock));
  }

  /** Resolves with the answer's message; rejects with {@link CallError}. `deadline` in ms of Clock.monotonic. */
  call(path: string, message: Buffer, deadline: number): Promise<Buffer> {
    const session = this.connected();
    if (session !== undefined) return send(session, path, message, deadline, this.clock);
    return this.connect(deadline).then((made) => send(made, path, message, deadline, this.clock));
  }

  close(): void {
    for (const connection of this.connections) connection.close();
  }

  /** The next member's session among those that stand; the others are made again meanwhile. */
  private connected(): OpenSession | undefined {
    const { connections } = this;
    let found: OpenSession | undefined;
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

  private connect(deadline: number): Promise<OpenSession> {
    return new Promise((resolve, reject) => {
      const late = (): void => reject(new CallError(UNAVAILABLE, 'No connection established before the deadline', false));
      const timer = this.clock.after(Math.max(0, deadline - this.clock.monotonic()), late);
      Promise.any(this.connections.map((connection) => connection.open())).then(
        (session) => {
          timer.cancel();
          resolve(session);
        },
        (error: unknown) => {
          timer.cancel();
          const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
          const reason = first instanceof Error ? first.message : String(first);
          reject(new CallError(UNAVAILABLE, `No connection established. Last error: ${reason}`, false));
        },
      );
    });
  }
}

interface OpenSession {
  readonly session: ClientHttp2Session;
  readonly member: Member;
}

/** The session with one member, as long as there is one. */
class Connection {
  private session: OpenSession | undefined;
  private opening: Promise<OpenSession> | undefined;
  private made: ClientHttp2Session | undefined;
  private pause = FIRST_PAUSE_MS;
  private restsUntil = -Infinity;
  private lastFailure = new Error('not tried yet');
  private closed = false;
  private ping: Timer | undefined;

  constructor(
    private readonly member: Member,
    private readonly clock: Clock,
  ) {}

  /** The session if there is one. */
  standing(): OpenSession | undefined {
    // What has been destroyed says so before it reports its end.
    return this.session?.session.destroyed === false ? this.session : undefined;
  }

  /** The session, made when there is none. Rejects at once while it rests after a failure. */
  open(): Promise<OpenSession> {
    const standing = this.standing();
    if (standing !== undefined) return Promise.resolve(standing);
    if (this.closed) return Promise.reject(new Error('the connection is closed'));
    if (this.opening !== undefined) return this.opening;
    if (this.clock.monotonic() < this.restsUntil) return Promise.reject(this.lastFailure);
    this.opening = new Promise((resolve, reject) => this.make(resolve, reject));
    return this.opening;
  }

  close(): void {
    this.closed = true;
    this.made?.destroy();
  }

  private make(resolve: (session: OpenSession) => void, reject: (error: Error) => void): void {
    const session = connect(this.member.origin, {
      ...this.member.tls,
      settings: { enablePush: false, initialWindowSize: STREAM_WINDOW },
      maxSessionMemory: SESSION_MEMORY_MB,
    });
    this.made = session;
    let failure = new Error(`the connection to ${this.member.origin} was closed`);
    let stood = false;
    session.once('connect', () => {
      // A server that takes no client without a certificate may have turned this one away by now.
      if (session.destroyed) return;
      stood = true;
      session.setLocalWindowSize(SESSION_WINDOW);
      this.session = { session, member: this.member };
      this.opening = undefined;
      this.pause = FIRST_PAUSE_MS;
      this.keepAlive(session);
      resolve(this.session);
    });
    session.on('error', (error: Error) => (failure = error));
    // Nothing new may go where the server says that it is leaving.
    session.once('goaway', () => this.forget(session));
    session.once('close', () => {
      this.forget(session);
      if (stood) return;
      this.opening = undefined;
      this.lastFailure = failure;
      this.restsUntil = this.clock.monotonic() + this.pause;
      this.pause = Math.min(2 * this.pause, LONGEST_PAUSE_MS);
      reject(failure);
    });
  }

  private forget(session: ClientHttp2Session): void {
    if (this.session?.session !== session) return;
    this.session = undefined;
    this.ping?.cancel();
  }

  /** A peer that has gone without a word is found out by pings that nobody answers. */
  private keepAlive(session: ClientHttp2Session): void {
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

const ignore = (): void => undefined;

function send({ session, member }: OpenSession, path: string, message: Buffer, deadline: number, clock: Clock): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let stream: ClientHttp2Stream;
    try {
      stream = session.request({
        [constants.HTTP2_HEADER_METHOD]: 'POST',
        [constants.HTTP2_HEADER_PATH]: path,
        [constants.HTTP2_HEADER_AUTHORITY]: member.authority,
        [constants.HTTP2_HEADER_CONTENT_TYPE]: 'application/grpc',
        [constants.HTTP2_HEADER_TE]: 'trailers',
      });
    } catch (error) {
      reject(new CallError(UNAVAILABLE, error instanceof Error ? error.message : String(error), false));
      return;
    }
    const chunks: Buffer[] = [];
    let outcome: IncomingHttpHeaders | undefined;
    let failure = 'the connection was lost before the answer was complete';
    const timer = clock.after(Math.max(0, deadline - clock.monotonic()), () => {
      reject(new CallError(DEADLINE_EXCEEDED, 'Deadline exceeded', true));
      stream.close(constants.NGHTTP2_CANCEL);
    });
    // An answer that is nothing but a refusal has its outcome in the head.
    stream.on('response', (headers) => {
      if (headers['grpc-status'] !== undefined || headers[':status'] !== 200) outcome = headers;
    });
    stream.on('trailers', (headers: IncomingHttpHeaders) => (outcome = headers));
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', (error: Error) => (failure = error.message));
    stream.on('end', () => {
      if (outcome === undefined) return;
      timer.cancel();
      settle(outcome, chunks, resolve, reject);
    });
    // After `end` with an outcome this comes too late to change anything.
    stream.on('close', () => {
      timer.cancel();
      // A refused stream was not looked at (RFC 9113 §8.7).
      const refused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
      if (outcome === undefined) reject(new CallError(UNAVAILABLE, failure, !refused));
      else settle(outcome, chunks, resolve, reject);
    });
    stream.end(framed(message));
  });
}

function settle(
  outcome: IncomingHttpHeaders,
  chunks: readonly Buffer[],
  resolve: (message: Buffer) => void,
  reject: (error: CallError) => void,
): void {
  const code = outcome['grpc-status'];
  if (code === '0') {
    const message = unframed(chunks);
    if (message === undefined) reject(new CallError(INTERNAL, 'the answer is no whole message', true));
    else resolve(message);
    return;
  }
  if (code === undefined) reject(new CallError(UNAVAILABLE, `the server answered with HTTP status ${String(outcome[':status'])}`, true));
  else reject(new CallError(Number(code), decoded(outcome['grpc-message']), true));
}

/** One byte that says "not compressed", four for the length. */
const PREFIX = 5;

function framed(message: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX + message.length);
  frame[0] = 0;
  frame.writeUInt32BE(message.length, 1);
  frame.set(message, PREFIX);
  return frame;
}

function unframed(chunks: readonly Buffer[]): Buffer | undefined {
  const [first] = chunks;
  const bytes = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks);
  const whole = bytes.length >= PREFIX && bytes[0] === 0 && bytes.length === PREFIX + bytes.readUInt32BE(1);
  return whole ? bytes.subarray(PREFIX) : undefined;
}

function decoded(text: string | string[] | undefined): string {
  const encoded = typeof text === 'string' ? text : '';
  try {
    return decodeURIComponent(encoded);
  } catch {
    return encoded;
  }
}
