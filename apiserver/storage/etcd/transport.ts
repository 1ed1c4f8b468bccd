/**
 * The connection to etcd: single calls go through unary.ts, streams through etcd3's channels, one to one member each, both with our own messages.
 * etcd3's retries, circuit breakers and high-level watcher are not used: they repeat writes, fence off the whole client after
 * one large answer, and lose events.
 */
import { noop } from 'cockatiel';
import { Etcd3, type ICallable } from 'etcd3';
import type { Clock } from '../../../shared/runtime/clock';
import type { Random } from '../../../shared/runtime/random';
import { StoreError } from '../store';
import { storeError, type CallKind } from './failure';
import { UnaryCalls, type EtcdMember } from './unary';

/** How to reach etcd. */
export interface EtcdConnection {
  /** `http://host:port` or `https://host:port`, one for each member. */
  readonly endpoints: readonly string[];
  /** PEM. Needed where the endpoints are https, unless the system's authorities do. */
  readonly ca?: Buffer;
  readonly cert?: Buffer;
  readonly key?: Buffer;
  /**
   * The name that every member's certificate must bear. By default that is the member's own address where all endpoints
   * are addresses, and otherwise the first name among them.
   */
  readonly serverName?: string;
}

type Connect = Parameters<ICallable<unknown>['withConnection']>[1];
type Resources = Parameters<Connect>[0];

/** A call of one method: where it goes and how its messages are written. */
export interface RpcMethod<Request, Answer> {
  readonly path: string;
  readonly encode: (request: Request) => Buffer;
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

class Client extends Etcd3 {
  connect(): Promise<Resources> {
    return this.pool.withConnection('KV', ({ resource, client, metadata }) => ({ resource, client, metadata }));
  }
}

/** A connection to one member, for streams. What is done over it goes to that member. */
export interface Channel {
  /** `leader` = end the stream when the member has no leader. */
  stream<Request, Answer>(method: RpcMethod<Request, Answer>, options: { readonly leader: boolean }): RpcStream<Request, Answer>;
  /** Asks once. Never called when there is no answer. */
  ask<Request, Answer>(method: RpcMethod<Request, Answer>, request: Request, answered: (answer: Answer) => void): void;
  close(): void;
}

export class RpcTransport {
  private readonly place: Whereabouts;
  private readonly calls: UnaryCalls;
  private next: number;

  constructor(
    private readonly connection: EtcdConnection,
    private readonly clock: Clock,
    random: Random,
  ) {
    this.place = placeOf(connection);
    this.calls = new UnaryCalls(membersOf(connection, this.place), clock);
    this.next = Math.floor(random.float() * this.place.urls.length);
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
    return this.calls.call(method.path, method.encode(request), deadline).then(method.decode, (error: unknown) => {
      throw storeError(error, kind);
    });
  }

  /** A connection of its own to the next member in turn, wherever its name leads now. Says nothing of whether that member is there. */
  async channel(): Promise<Channel> {
    const { place } = this;
    const url = place.urls[this.next % place.urls.length];
    this.next = (this.next + 1) % place.urls.length;
    if (url === undefined) throw new StoreError('internal', 'no etcd endpoint is given');
    const owner = new Client(clientOptions(this.connection, place, url));
    const { client, metadata } = await owner.connect();
    return {
      stream: (method, { leader }) => {
        const heads = metadata.clone();
        if (leader) heads.set('hasleader', 'true');
        return client.makeBidiStreamRequest(method.path, method.encode, method.decode, heads);
      },
      ask: (method, request, answered) => {
        client.makeUnaryRequest(method.path, method.encode, method.decode, request, metadata.clone(), (error, answer) => {
          if (error === null && answer !== undefined) answered(answer);
        });
      },
      close: () => owner.close(),
    };
  }

  close(): void {
    this.calls.close();
  }
}

/** What follows from the endpoints for both kinds of calls. */
interface Whereabouts {
  readonly urls: readonly URL[];
  readonly secure: boolean;
  /** The name that certificates must bear; absent = the address that was dialled. */
  readonly certified: string | undefined;
  readonly authority: string;
}

function placeOf({ endpoints, serverName }: EtcdConnection): Whereabouts {
  const urls = endpoints.map((endpoint) => new URL(endpoint));
  const [first] = urls;
  if (first === undefined) throw new StoreError('internal', 'no etcd endpoint is given');
  const secure = first.protocol === 'https:';
  if (urls.some(({ protocol }) => (protocol === 'https:') !== secure)) {
    throw new StoreError('internal', 'the etcd endpoints mix http and https');
  }
  const certified = serverName ?? urls.find(({ hostname }) => !isAddress(hostname))?.hostname;
  return { urls, secure, certified, authority: certified ?? first.hostname };
}

function membersOf({ ca, cert, key }: EtcdConnection, { urls, secure, certified, authority }: Whereabouts): readonly EtcdMember[] {
  const tls = {
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(certified !== undefined && { servername: certified }),
  };
  return urls.map(({ origin }) => ({ origin, authority, ...(secure && { tls }) }));
}

function clientOptions(
  { ca, cert, key }: EtcdConnection,
  { secure, certified, authority }: Whereabouts,
  url: URL,
): ConstructorParameters<typeof Etcd3>[0] {
  const host = target(url);
  return {
    hosts: secure ? `https://${host}` : host,
    ...(secure && ca !== undefined
      ? { credentials: { rootCertificate: ca, ...(key && { privateKey: key }), ...(cert && { certChain: cert }) } }
      : {}),
    faultHandling: { global: noop, host: () => noop },
    grpcOptions: {
      'grpc.max_receive_message_length': -1,
      'grpc.max_send_message_length': -1,
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
      ...(secure && certified !== undefined && { 'grpc.ssl_target_name_override': certified }),
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
