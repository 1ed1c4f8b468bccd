/**
 * The connections to etcd: unary calls use unary-client.ts; streams use etcd3's channels, each to one member, with the
 * codecs of methods.ts. etcd3's retries, circuit breakers and high-level watcher are not used: they repeat writes,
 * reject all calls of the client after one large response, and lose events.
 */
import { noop } from 'cockatiel';
import { Etcd3, type ICallable } from 'etcd3';
import type { Clock } from '../../../shared/runtime/clock';
import type { Random } from '../../../shared/runtime/random';
import type { GrpcCallCounters } from '../grpc-call-counters';
import { StoreError } from '../store';
import { toStoreError, type CallKind } from './to-store-error';
import type { EtcdCredentials, EtcdMember, OnUnreachable } from './member-connection';
import { CallError, UnaryClient } from './unary-client';
import type { RpcMessage } from './rpc-message';

/** How to reach etcd. */
export interface EtcdConnection {
  /** `http://host:port` or `https://host:port`, one for each member. */
  readonly endpoints: readonly string[];
  /** Required for https endpoints unless the system's certificate authorities apply. Called for every connection. */
  readonly credentials?: () => EtcdCredentials;
  /** The name that every member's certificate must have; by default the host name or address of its own endpoint. */
  readonly serverName?: string;
  /** Called for every failed connection; absent: not reported. Calls that fail because of it are rejected as well. */
  readonly onUnreachable?: OnUnreachable;
}

/** What etcd3 gives to a user of a connection: the gRPC client and the metadata of its calls. */
type Connect = Parameters<ICallable<unknown>['withConnection']>[1];
type Resources = Parameters<Connect>[0];

/** An RPC method with its codec. */
export interface RpcMethod<Request, Response> {
  /** `/etcdserverpb.KV/Range`. */
  readonly path: string;
  /** The message of a request, without the gRPC frame. */
  readonly encode: (request: Request) => RpcMessage;
  /** The response of a message. Throws when the message is malformed. */
  readonly decode: (bytes: Buffer) => Response;
}

/** The part of a gRPC stream that the store uses. */
export interface RpcStream<Request, Response> {
  /** Sends a request; false when it is buffered because the connection is busy. */
  write(request: Request): boolean;
  /** Sends no more requests; responses may still arrive. */
  end(): void;
  /** Ends the stream at once, in both directions. */
  cancel(): void;
  /** Stops reading from the connection; flow control then stops the sender. */
  pause(): unknown;
  /** Continues reading after `pause`. */
  resume(): unknown;
  on(event: 'data', listener: (response: Response) => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'end', listener: () => void): unknown;
}

/**
 * Receive window for events. HTTP/2's default of 64 KB takes a dozen round trips for one long value, and consistent
 * reads wait for it.
 */
const RECEIVE_WINDOW = 1 << 20;

/** gRPC status codes. */
const OK = 0;
const UNKNOWN = 2;

/** Gives access to the channel that etcd3 keeps to itself. */
class MemberClient extends Etcd3 {
  connect(): Promise<Resources> {
    return this.pool.withConnection('KV', ({ resource, client, metadata }) => ({ resource, client, metadata }));
  }
}

/** A connection to one member, for streams and calls that must reach this member. */
export interface Channel {
  /** Reports that a stream could not be established. */
  reportFailure(reason: string): void;
  /** With `leader`, the member ends the stream when it has no leader. */
  stream<Request, Response>(method: RpcMethod<Request, Response>, options: { readonly leader: boolean }): RpcStream<Request, Response>;
  /** Makes a unary call without retries. `onResponse` is not called when the call fails. */
  callOnce<Request, Response>(method: RpcMethod<Request, Response>, request: Request, onResponse: (response: Response) => void): void;
  /** Releases the connection; no stream or call may be started afterwards. */
  close(): void;
}

/** The connections of one store. Streams are opened on one member each, unary calls go to any of them. */
export class RpcTransport {
  private readonly members: readonly EtcdMember[];
  private readonly unaryClient: UnaryClient;
  private readonly onUnreachable: OnUnreachable;
  private nextMember: number;

  constructor(
    connection: EtcdConnection,
    private readonly clock: Clock,
    random: Random,
    private readonly callCounters: GrpcCallCounters,
  ) {
    this.members = resolveMembers(connection);
    this.onUnreachable = connection.onUnreachable ?? (() => undefined);
    this.unaryClient = new UnaryClient(this.members, clock, this.onUnreachable);
    this.nextMember = Math.floor(random.float() * this.members.length);
  }

  /**
   * Makes a unary call.
   * @param deadline in milliseconds of the monotonic clock.
   */
  call<Request, Response>(method: RpcMethod<Request, Response>, request: Request, kind: CallKind, deadline: number): Promise<Response> {
    const remainingMs = deadline - this.clock.monotonic();
    if (remainingMs <= 0) {
      const failure = kind === 'read' ? 'deadline' : 'unavailable';
      return Promise.reject(new StoreError(failure, 'the deadline passed before the call'));
    }
    const counters = this.callCounters.forMethod(method.path, 'unary');
    counters.recordStart();
    return this.unaryClient.call(method.path, method.encode(request), deadline).then(
      (response) => {
        counters.recordEnd(OK);
        return method.decode(response);
      },
      (error: unknown) => {
        counters.recordEnd(error instanceof CallError ? error.code : UNKNOWN);
        throw toStoreError(error, kind);
      },
    );
  }

  /**
   * Opens a connection to the next member, in round-robin order; its host name is resolved again. The result does not
   * imply that the member is reachable.
   */
  async openChannel(): Promise<Channel> {
    const member = this.members[this.nextMember % this.members.length];
    this.nextMember = (this.nextMember + 1) % this.members.length;
    if (member === undefined) throw new StoreError('internal', 'no etcd endpoint is given');
    const memberClient = new MemberClient(clientOptions(member));
    const { client, metadata } = await memberClient.connect();
    return {
      reportFailure: (reason) => this.onUnreachable(member.origin, reason),
      stream: (method, { leader }) => {
        const headers = metadata.clone();
        if (leader) headers.set('hasleader', 'true');
        const counters = this.callCounters.forMethod(method.path, 'bidi_stream');
        const encode = (request: Parameters<typeof method.encode>[0]): Buffer => {
          counters.sent += 1;
          return method.encode(request).bytes;
        };
        const decode = (bytes: Buffer): ReturnType<typeof method.decode> => {
          counters.received += 1;
          return method.decode(bytes);
        };
        counters.recordStart();
        const stream = client.makeBidiStreamRequest(method.path, encode, decode, headers);
        stream.on('status', ({ code }) => counters.recordEnd(code));
        return stream;
      },
      callOnce: (method, request, onResponse) => {
        const counters = this.callCounters.forMethod(method.path, 'unary');
        counters.recordStart();
        const { bytes } = method.encode(request);
        client.makeUnaryRequest(
          method.path,
          (message) => message,
          method.decode,
          bytes,
          metadata.clone(),
          (error, response) => {
            counters.recordEnd(error === null ? OK : error.code);
            if (error === null && response !== undefined) onResponse(response);
          },
        );
      },
      close: () => memberClient.close(),
    };
  }

  /** Closes the connections of unary calls, which then fail. Channels are closed by their owners. */
  close(): void {
    this.unaryClient.close();
  }
}

const NO_CREDENTIALS = (): EtcdCredentials => ({});

/** The members behind the endpoints, in order. Throws {@link StoreError} when the endpoints are empty or mix http and https. */
export function resolveMembers({ endpoints, credentials = NO_CREDENTIALS, serverName }: EtcdConnection): readonly EtcdMember[] {
  const urls = endpoints.map((endpoint) => new URL(endpoint));
  if (urls.length === 0) throw new StoreError('internal', 'no etcd endpoint is given');
  if (new Set(urls.map(({ protocol }) => protocol)).size > 1) throw new StoreError('internal', 'the etcd endpoints mix http and https');
  return urls.map(({ origin, hostname, protocol }) => {
    // An IP address is verified against the certificate without SNI.
    const servername = serverName ?? (isIpAddress(hostname) ? undefined : hostname);
    const tls = { credentials, ...(servername !== undefined && { servername }) };
    return { origin, authority: servername ?? hostname, ...(protocol === 'https:' && { tls }) };
  });
}

type ClientOptions = NonNullable<ConstructorParameters<typeof Etcd3>[0]>;

function channelCredentials({ ca, cert, key }: EtcdCredentials): NonNullable<ClientOptions['credentials']> {
  const credentials = { rootCertificate: ca ?? Buffer.of(), ...(key && { privateKey: key }), ...(cert && { certChain: cert }) };
  // Without a CA, gRPC uses the authorities of the system; only the type of etcd3 requires one.
  return ca === undefined ? Object.assign(credentials, { rootCertificate: undefined }) : credentials;
}

function clientOptions({ origin, authority, tls }: EtcdMember): ClientOptions {
  const host = grpcTarget(new URL(origin));
  const servername = tls?.servername;
  return {
    hosts: tls === undefined ? host : `https://${host}`,
    ...(tls !== undefined && { credentials: channelCredentials(tls.credentials()) }),
    // Neither retries nor circuit breakers.
    faultHandling: { global: noop, host: () => noop },
    grpcOptions: {
      // Unlimited: the limits of etcd apply.
      'grpc.max_receive_message_length': -1,
      'grpc.max_send_message_length': -1,
      'grpc-node.flow_control_window': RECEIVE_WINDOW,
      'grpc.keepalive_time_ms': 10_000,
      'grpc.keepalive_timeout_ms': 5_000,
      'grpc.keepalive_permit_without_calls': 1,
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 1_000,
      // A new channel has a new connection, instead of sharing one that may hang.
      'grpc.use_local_subchannel_pool': 1,
      'grpc.enable_channelz': 0,
      'grpc.enable_retries': 0,
      'grpc.default_authority': authority,
      // The balancer connects to addresses and would otherwise verify those against the certificates.
      ...(servername !== undefined && { 'grpc.ssl_target_name_override': servername }),
    },
  };
}

/** A member in gRPC's target syntax: `dns:a.example:2379`, `ipv4:10.0.0.1:2379`, `ipv6:[::1]:2379`. */
function grpcTarget({ hostname, port, protocol }: URL): string {
  const defaultPort = protocol === 'https:' ? '443' : '80';
  return `${addressScheme(hostname)}:${hostname}:${port === '' ? defaultPort : port}`;
}

function addressScheme(hostname: string): 'dns' | 'ipv4' | 'ipv6' {
  if (hostname.startsWith('[')) return 'ipv6';
  return isIpAddress(hostname) ? 'ipv4' : 'dns';
}

/** Whether the host name of a URL is an IPv4 address, or an IPv6 address, which stands in brackets. */
function isIpAddress(hostname: string): boolean {
  return /^[\d.]+$|^\[/.test(hostname);
}
