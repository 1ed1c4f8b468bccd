/**
 * Calls webhooks: one POST each over pooled connections, with limits for the number of calls, the time and the size of the
 * response. Redirects that change the server or the method are errors. Error messages are those of upstream, apart from
 * those about redirects and the number of calls.
 */
import type { TlsOptions } from '../../shared/client/kubeconfig/client-config';
import { Http1Transport } from '../../shared/client/transport/http1-transport';
import { ConnectionError, type Transport } from '../../shared/client/transport/transport';
import { callWebhook, type WebhookResult } from '../../shared/client/rest/webhook';
import { JSON_MEDIA_TYPE, WEBHOOK_USER_AGENT } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import { withTimeout } from '../../shared/runtime/with-timeout';
import { ANONYMOUS, type Identify, type IdentityFailure, type WebhookIdentity } from './identity';
import type { OutgoingRequest, OutgoingTracing } from '../tracing/span';
import { findDestination, type WebhookDestination } from './webhook-destination';
import type { WebhookTarget } from './webhook-target';
import { replyOf, type Reply } from './reply';
import type { Resolve } from './service-resolver';

/** Shared by the calls of all webhooks. */
export interface WebhookClientDependencies {
  readonly resolve: Resolve;
  readonly clock: Clock;
  /** Absent when calls carry no credentials. */
  readonly identify?: Identify;
  /** Traces calls made for requests; absent when requests are not traced. */
  readonly traces?: OutgoingTracing | undefined;
}

/** Transports beyond this number are dropped, the least recently used first. */
const MAX_TRANSPORTS = 256;
/** Calls of all webhooks at a time; further ones fail immediately. */
const MAX_CALLS_IN_FLIGHT = 1_000;
/** Limit of a response; longer ones are an error of the webhook. */
const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
/** How long a dropped transport stays open for the calls that still use it. */
const CLOSE_DELAY_MS = 60_000;
/** After a pause of this length, a server may have closed the pooled connections as idle. */
const IDLE_MS = 1_000;
const OK = 200;
const UNAUTHORIZED = 401;
const HTTPS_PORT = 443;

/** What differs between the calls of one webhook client. */
export interface CallOptions {
  /** Appended to the path; starts with `?`. */
  readonly query?: string;
  /** Milliseconds for the credentials and one attempt together. */
  readonly timeoutMs: number;
  /** Limit for the response; 4 MiB by default. */
  readonly maxBytes?: number;
}

/** One call with its credentials. */
interface Call {
  readonly destination: WebhookDestination;
  readonly body: Buffer;
  readonly identity: WebhookIdentity;
  readonly options: CallOptions;
}

/** A transport that is shared by the calls with the same server, authorities and client certificate. */
interface PooledTransport {
  readonly transport: Transport;
  /** Clock.monotonic at the end of the last call; -Infinity before the first. */
  usedAt: number;
}

/** Calls the webhooks of a server. */
export class WebhookClient {
  /** In the order of their last use, the oldest first. */
  private readonly transports = new Map<string, PooledTransport>();
  private callsInFlight = 0;

  constructor(private readonly deps: WebhookClientDependencies) {}

  /** Sends `body` to the webhook. A failure of any kind resolves with an error; the promise never rejects. */
  async call(target: WebhookTarget, body: Buffer, options: CallOptions): Promise<Reply> {
    const destination = findDestination(target, this.deps.resolve, options.query);
    if ('error' in destination) return destination;
    if (this.callsInFlight >= MAX_CALLS_IN_FLIGHT)
      return { error: `Post "${destination.url}": too many webhooks are being called`, isCallFailure: true };
    this.callsInFlight += 1;
    try {
      return await this.callWithIdentity(target, destination, body, options);
    } finally {
      this.callsInFlight -= 1;
    }
  }

  /** Closes the connections; calls in progress fail. */
  close(): void {
    for (const { transport } of this.transports.values()) transport.close();
    this.transports.clear();
  }

  private async callWithIdentity(
    target: WebhookTarget,
    destination: WebhookDestination,
    body: Buffer,
    options: CallOptions,
  ): Promise<Reply> {
    const { clock, identify } = this.deps;
    const startedAt = clock.monotonic();
    const pending = identify?.(destination.host) ?? ANONYMOUS;
    const identity = pending instanceof Promise ? await withTimeout(pending, clock, options.timeoutMs, failureAfterTimeout) : pending;
    if ('error' in identity)
      return identity.isCallFailure ? { ...identity, error: `Post "${destination.url}": ${identity.error}` } : identity;
    const timeoutMs = Math.max(1, options.timeoutMs - (clock.monotonic() - startedAt));
    const transport = this.transportFor(destination, target.caBundle, identity);
    const response = await this.callWithRetry(transport, { destination, body, identity, options: { ...options, timeoutMs } });
    if (response.type === 'failure' && response.status === UNAUTHORIZED) identity.onUnauthorized();
    return replyOf(response, destination);
  }

  /**
   * Calls a second time when the server closed a connection that had been idle before it responded. The server may have
   * received the first call, so a webhook may be called twice.
   */
  private async callWithRetry(pooled: PooledTransport, call: Call): Promise<WebhookResult> {
    const { clock } = this.deps;
    const wasIdle = clock.monotonic() - pooled.usedAt >= IDLE_MS;
    const response = await this.callOnce(pooled.transport, call);
    pooled.usedAt = clock.monotonic();
    const isStale = response.type === 'failure' && response.error instanceof ConnectionError && response.error.isReused && wasIdle;
    return isStale ? this.callOnce(pooled.transport, call) : response;
  }

  private callOnce(transport: Transport, { destination, body, identity, options }: Call): Promise<WebhookResult> {
    const { clock, traces } = this.deps;
    const { timeoutMs, maxBytes = MAX_RESPONSE_BYTES } = options;
    const address = { transport, path: destination.path, authorization: () => undefined };
    const headers = {
      accept: `${JSON_MEDIA_TYPE}, */*`,
      'user-agent': WEBHOOK_USER_AGENT,
      ...identity.headers,
      host: destination.host,
      'content-length': String(body.length),
    };
    const send = (traceHeaders: Readonly<Record<string, string>>): Promise<WebhookResult> =>
      callWebhook({ address: () => address, clock, timeoutMs, headers: { ...headers, ...traceHeaders }, maxBytes }, body);
    return traces === undefined ? send({}) : traces.traceOutgoing(describeRequest(destination, body), send, statusOf);
  }

  private transportFor({ server, servername }: WebhookDestination, caBundle: string, { pair }: WebhookIdentity): PooledTransport {
    const key = `${server.origin}\n${servername ?? ''}\n${caBundle}\n${pair?.cert ?? ''}`;
    const createTransport = (): Transport => new Http1Transport(server, tlsOptions(caBundle, servername, pair));
    const pooled = this.transports.get(key) ?? { transport: createTransport(), usedAt: Number.NEGATIVE_INFINITY };
    this.transports.delete(key);
    this.transports.set(key, pooled);
    if (this.transports.size > MAX_TRANSPORTS) this.evictOldest();
    return pooled;
  }

  /** Closes the transport after a delay, because calls may still be in progress. */
  private evictOldest(): void {
    const [oldest] = this.transports;
    if (oldest === undefined) return;
    const [key, { transport }] = oldest;
    this.transports.delete(key);
    this.deps.clock.after(CLOSE_DELAY_MS, () => transport.close());
  }
}

/** The request as its span describes it. */
function describeRequest({ url, server, servername }: WebhookDestination, body: Buffer): OutgoingRequest {
  const attributes = {
    'http.url': url,
    'http.request_content_length': body.length,
    'net.peer.name': servername ?? server.hostname,
    'net.peer.port': Number(server.port === '' ? HTTPS_PORT : server.port),
  };
  return { method: 'POST', attributes };
}

function statusOf(response: WebhookResult): number | undefined {
  return response.type === 'response' ? OK : response.status;
}

const tlsOptions = (caBundle: string, servername: string | undefined, pair: WebhookIdentity['pair']): TlsOptions => ({
  ...(caBundle === '' ? {} : { ca: caBundle }),
  ...(servername === undefined ? {} : { servername }),
  ...pair,
});

/** The outcome when the credentials are not available within the timeout of the call. */
const failureAfterTimeout = (): IdentityFailure => ({ error: 'context deadline exceeded', isCallFailure: true });
