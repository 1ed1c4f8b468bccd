/**
 * The connection to etcd: single calls go through unary.ts, streams through etcd3's channels, one to one member each, both with our own messages.
 * etcd3's retries, circuit breakers and high-level watcher are not used: they repeat writes, fence off the whole client after
 * one large answer, and lose events.
 */
import { noop } from 'cockatiel';
import { Etcd3, type ICallable } from 'etcd3';
import type { Clock } from '../../../shared/runtime/clock';
import type { Random } from '../../../shared/runtime/random';
import type { GrpcCalls } from '../grpc-calls';
import { StoreError } from '../store';
import { storeError, type CallKind } from './failure';
import { CallError, UnaryCalls, type EtcdCredentials, type EtcdMember, type Unreachable } from './unary';
import type { RpcMessage } from './wire';

/** How to reach etcd. */
export interface EtcdConnection {
  /** `http://host:port` or `https://host:port`, one for each member. */
  readonly endpoints: readonly string[];
  /** Needed where the endpoints are https, unless the system's authorities do. Asked for at every connection. */
  readonly credentials?: () => EtcdCredentials;
  /** The name that every member's certificate must bear; by default each bears the name or address in its own endpoint. */
  readonly serverName?: string;
  /** Absent = nobody wants to know. What was to be done is told to whoever asked for it as well. */
  readonly unreachable?: Unreachable;
}

type Connect = Parameters<ICallable<unknown>['withConnection']>[1];
type Resources = Parameters<Connect>[0];

/** A call of one method: where it goes and how its messages are written. */
export interface RpcMethod<Request, Answer> {
  readonly path: string;
  readonly encode: (request: Request) => RpcMessage;
  readonly decode: (bytes: Buffer) => Answer;
}

/** The part of a gRPC stream that the store uses. */
export interface RpcStream<Request, Answer> {
  write(request: Request): boolean;
  end(): void;
  cancel(): void;
  /** Stops reading from the connection; the sender is held back by flow control. */
  pause(): unknown;
  resume(): unknown;
  on(event: 'data', listener: (answer: Answer) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
}

/** Events on their way to us: the 64 KB that HTTP/2 begins with take a dozen round trips for one long value, and whoever reads consistently waits for them. */
const EVENTS_WINDOW = 1 << 20;

const OK = 0;
const UNKNOWN = 2;

class Client extends Etcd3 {
  connect(): Promise<Resources> {
    return this.pool.withConnection('KV', ({ resource, client, metadata }) => ({ resource, client, metadata }));
  }
}

/** A connection to one member, for streams. What is done over it goes to that member. */
export interface Channel {
  /** To be told that a stream came to nothing, and why. */
  failed(reason: string): void;
  /** `leader` = end the stream when the member has no leader. */
  stream<Request, Answer>(method: RpcMethod<Request, Answer>, options: { readonly leader: boolean }): RpcStream<Request, Answer>;
  /** Asks once. Never called when there is no answer. */
  ask<Request, Answer>(method: RpcMethod<Request, Answer>, request: Request, answered: (answer: Answer) => void): void;
  close(): void;
}

export class RpcTransport {
  private readonly members: readonly EtcdMember[];
  private readonly calls: UnaryCalls;
  private readonly unreachable: Unreachable;
  private next: number;

  constructor(
    connection: EtcdConnection,
    private readonly clock: Clock,
    random: Random,
    private readonly counts: GrpcCalls,
  ) {
    this.members = membersOf(connection);
    this.unreachable = connection.unreachable ?? (() => undefined);
    this.calls = new UnaryCalls(this.members, clock, this.unreachable);
    this.next = Math.floor(random.float() * this.members.length);
  }

  /**
   * One request, one answer.
   * @param deadline in milliseconds of the monotonic clock.
   */
  call<Request, Answer>(method: RpcMethod<Request, Answer>, request: Request, kind: CallKind, deadline: number): Promise<Answer> {
    const left = deadline - this.clock.monotonic();
    if (left <= 0) {
      const failure = kind === 'read' ? 'deadline' : 'unavailable';
      return Promise.reject(new StoreError(failure, 'the deadline had passed before the call'));
    }
    const counted = this.counts.of(method.path, 'unary');
    counted.begin();
    return this.calls.call(method.path, method.encode(request), deadline).then(
      (answer) => {
        counted.end(OK);
        return method.decode(answer);
      },
      (error: unknown) => {
        counted.end(error instanceof CallError ? error.code : UNKNOWN);
        throw storeError(error, kind);
      },
    );
  }

  /** A connection of its own to the next member in turn, wherever its name leads now. Says nothing of whether that member is there. */
  async channel(): Promise<Channel> {
    const member = this.members[this.next % this.members.length];
    this.next = (this.next + 1) % this.members.length;
    if (member === undefined) throw new StoreError('internal', 'no etcd endpoint is given');
    const owner = new Client(clientOptions(member));
    const { client, metadata } = await owner.connect();
    return {
      failed: (reason) => this.unreachable(member.origin, reason),
      stream: (method, { leader }) => {
        const heads = metadata.clone();
        if (leader) heads.set('hasleader', 'true');
        const counted = this.counts.of(method.path, 'bidi_stream');
        const encode = (request: Parameters<typeof method.encode>[0]): Buffer => {
          counted.sent += 1;
          return method.encode(request).bytes;
        };
        const decode = (bytes: Buffer): ReturnType<typeof method.decode> => {
          counted.received += 1;
          return method.decode(bytes);
        };
        counted.begin();
        const stream = client.makeBidiStreamRequest(method.path, encode, decode, heads);
        stream.on('status', ({ code }) => counted.end(code));
        return stream;
      },
      ask: (method, request, answered) => {
        const counted = this.counts.of(method.path, 'unary');
        counted.begin();
        const { bytes } = method.encode(request);
        client.makeUnaryRequest(
          method.path,
          (message) => message,
          method.decode,
          bytes,
          metadata.clone(),
          (error, answer) => {
            counted.end(error === null ? OK : error.code);
            if (error === null && answer !== undefined) answered(answer);
          },
        );
      },
      close: () => owner.close(),
    };
  }

  close(): void {
    this.calls.close();
  }
}

const NO_CREDENTIALS = (): EtcdCredentials => ({});

/** Exported for tests. Throws on endpoints that do not fit together. */
export function membersOf({ endpoints, credentials = NO_CREDENTIALS, serverName }: EtcdConnection): readonly EtcdMember[] {
  const urls = endpoints.map((endpoint) => new URL(endpoint));
  if (urls.length === 0) throw new StoreError('internal', 'no etcd endpoint is given');
  if (new Set(urls.map(({ protocol }) => protocol)).size > 1) throw new StoreError('internal', 'the etcd endpoints mix http and https');
  return urls.map(({ origin, hostname, protocol }) => {
    // An address is looked for in the certificate without being named.
    const servername = serverName ?? (isAddress(hostname) ? undefined : hostname);
    const tls = { credentials, ...(servername !== undefined && { servername }) };
    return { origin, authority: servername ?? hostname, ...(protocol === 'https:' && { tls }) };
  });
}

function clientOptions({ origin, authority, tls }: EtcdMember): ConstructorParameters<typeof Etcd3>[0] {
  const host = target(new URL(origin));
  const { ca, cert, key } = tls?.credentials() ?? {};
  const servername = tls?.servername;
  return {
    hosts: tls === undefined ? host : `https://${host}`,
    ...(ca === undefined
      ? {}
      : { credentials: { rootCertificate: ca, ...(key && { privateKey: key }), ...(cert && { certChain: cert }) } }),
    faultHandling: { global: noop, host: () => noop },
    grpcOptions: {
      'grpc.max_receive_message_length': -1,
      'grpc.max_send_message_length': -1,
      'grpc-node.flow_control_window': EVENTS_WINDOW,
      'grpc.keepalive_time_ms': 10_000,
      'grpc.keepalive_timeout_ms': 5_000,
      'grpc.keepalive_permit_without_calls': 1,
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 1_000,
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_channelz': 0,
      'grpc.enable_retries': 0,
      'grpc.default_authority': authority,
      // The balancer connects to addresses, and by itself would look for those in the certificates.
      ...(servername !== undefined && { 'grpc.ssl_target_name_override': servername }),
    },
  };
}

/** One member as grpc takes it. */
function target({ hostname, port, protocol }: URL): string {
  const scheme = hostname.startsWith('[') ? 'ipv6' : isAddress(hostname) ? 'ipv4' : 'dns';
  return `${scheme}:${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`;
}

function isAddress(hostname: string): boolean {
  return /^[\d.]+$|^\[/.test(hostname);
}
