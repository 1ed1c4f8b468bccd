/**
 * Unary gRPC calls over the HTTP/2 sessions of http2/session.ts. grpc-js is not used: it takes several times as long for
 * a call and would dominate the time of a write. There is one session per member (member-connection.ts), and calls use
 * them round-robin. Message formats and the meaning of failures are left to the callers.
 */
import type { Clock } from '../../../shared/runtime/clock';
import { errorMessage } from '../../../shared/runtime/error-message';
import type { ResponseHeaders } from './http2/headers';
import type { Http2ClientSession } from './http2/session';
import { MemberConnection, type EtcdMember, type OnUnreachable } from './member-connection';
import { MESSAGE_PREFIX_BYTES, type RpcMessage } from './rpc-message';

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

/** The connections to all members. A member that is not reachable is tried again in the background. */
export class UnaryClient {
  private readonly connections: readonly MemberConnection[];
  private nextConnection = 0;

  constructor(
    members: readonly EtcdMember[],
    private readonly clock: Clock,
    onUnreachable: OnUnreachable = () => undefined,
  ) {
    this.connections = members.map((member) => new MemberConnection(member, clock, onUnreachable));
  }

  /**
   * Resolves with the response message; rejects with {@link CallError}. `deadline` is in milliseconds of
   * {@link Clock.monotonic}.
   */
  call(path: string, message: RpcMessage, deadline: number): Promise<Buffer> {
    return this.attempt(path, message, deadline, this.connections.length);
  }

  /** A call that a member did not process is sent to the next one that is connected, until `tries` attempts have failed. */
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
