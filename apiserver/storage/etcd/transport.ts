/**
 * The connection to etcd: streams go through etcd3's channels, single calls through unary.ts, both with our own messages. etcd3's
 * retries, circuit breakers and high-level watcher are not used: they repeat writes, fence off the whole client after
 * one large answer, and lose events.
 */
import { lookup } from 'node:dns/promises';
import { noop } from 'cockatiel';
import { Etcd3, type ICallable } from 'etcd3';
import type { Clock } from '../../../shared/runtime/clock';
import { StoreError } from '../store';
import { storeError, type CallKind } from './failure';
import { UnaryCalls, type Member } from './unary';

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
type GrpcClient = Resources['client'];
type Metadata = Resources['metadata'];

/** A call of one method: where it goes and how its messages are written. */
export interface Method<Request, Answer> {
  readonly path: string;
  readonly encode: (request: Request) => Buffer;
  readonly decode: (bytes: Buffer) => Answer;
}

/** The part of a gRPC stream that the store uses. */
export interface Stream<Request, Answer> {
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

export class Transport {
  private constructor(
    private readonly owner: Client,
    private readonly client: GrpcClient,
    private readonly metadata: Metadata,
    private readonly calls: UnaryCalls,
    private readonly clock: Clock,
  ) {}

  static async open(connection: EtcdConnection, clock: Clock): Promise<Transport> {
    const place = placeOf(connection);
    const owner = new Client(await clientOptions(connection, place));
    const { client, metadata } = await owner.connect();
    return new Transport(owner, client, metadata, new UnaryCalls(membersOf(connection, place), clock), clock);
  }

  /**
   * One request, one answer.
   * @param deadline in milliseconds of the monotonic clock.
   */
  call<Request, Answer>(method: Method<Request, Answer>, request: Request, kind: CallKind, deadline: number): Promise<Answer> {
    const left = deadline - this.clock.monotonic();
    if (left <= 0) {
      const failure = kind === 'read' ? 'deadline' : 'unavailable';
      return Promise.reject(new StoreError(failure, 'the deadline had passed before the call'));
    }
    return this.calls.call(method.path, method.encode(request), deadline).then(method.decode, (error: unknown) => {
      throw storeError(error, kind);
    });
  }

  /** A stream in both directions. `leader` = end the stream when the member has no leader. */
  stream<Request, Answer>(method: Method<Request, Answer>, options: { readonly leader: boolean }): Stream<Request, Answer> {
    const metadata = this.metadata.clone();
    if (options.leader) metadata.set('hasleader', 'true');
    return this.client.makeBidiStreamRequest(method.path, method.encode, method.decode, metadata);
  }

  close(): void {
    this.calls.close();
    this.owner.close();
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

function membersOf({ ca, cert, key }: EtcdConnection, { urls, secure, certified, authority }: Whereabouts): readonly Member[] {
  const tls = {
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key }),
    ...(certified !== undefined && { servername: certified }),
  };
  return urls.map(({ origin }) => ({ origin, authority, ...(secure && { tls }) }));
}

async function clientOptions(
  { ca, cert, key }: EtcdConnection,
  { urls, secure, certified, authority }: Whereabouts,
): Promise<ConstructorParameters<typeof Etcd3>[0]> {
  const host = await target(urls);
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
      'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
      'grpc.default_authority': authority,
      // The balancer connects to addresses, and by itself would look for those in the certificates.
      ...(secure && certified !== undefined && { 'grpc.ssl_target_name_override': certified }),
    },
  };
}

/**
 * grpc's own list of addresses, so that it balances and fails over by itself. It takes no list of names: one name is
 * left to its resolver, of several the present addresses are used.
 */
async function target(urls: readonly URL[]): Promise<string> {
  const places = urls.map(({ hostname, port, protocol }) => ({ hostname, port: port || (protocol === 'https:' ? '443' : '80') }));
  const [only] = places;
  if (only !== undefined && places.length === 1 && !isAddress(only.hostname)) return `dns:${only.hostname}:${only.port}`;
  if (places.every(({ hostname }) => hostname.startsWith('['))) return `ipv6:${places.map(joined).join(',')}`;
  return `ipv4:${(await Promise.all(places.map(resolved))).map(joined).join(',')}`;
}

function isAddress(hostname: string): boolean {
  return /^[\d.]+$|^\[/.test(hostname);
}

interface Place {
  readonly hostname: string;
  readonly port: string;
}

function joined({ hostname, port }: Place): string {
  return `${hostname}:${port}`;
}

async function resolved({ hostname, port }: Place): Promise<Place> {
  try {
    return { hostname: (await lookup(hostname, { family: 4 })).address, port };
  } catch {
    throw new StoreError('unavailable', `the etcd host ${hostname} cannot be resolved`);
  }
}
