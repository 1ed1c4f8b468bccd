/**
 * Asks webhooks: one POST each, over connections that are kept, bounded in their number, in time and in what is read of an answer. A redirect
 * to another server, or by another method, is an answer that nobody can use. What went wrong is told in upstream's words.
 */
import type { TlsOptions } from '../../shared/client/kubeconfig/client-config';
import { Http1Transport } from '../../shared/client/transport/http1-transport';
import { ConnectionError, type Transport } from '../../shared/client/transport/transport';
import { callWebhook, type WebhookAnswer } from '../../shared/client/rest/webhook';
import { JSON_MEDIA_TYPE, WEBHOOK_USER_AGENT } from '../../shared/names/dialect';
import { hostUrl, parseHost } from '../../shared/values/host-url';
import type { Clock } from '../../shared/runtime/clock';
import { withTimeout } from '../../shared/runtime/with-timeout';
import { NOBODY, type Identify, type NoIdentity, type WebhookIdentity } from './identity';
import type { OutgoingTraces } from '../tracing/span';
import type { WebhookTarget } from './webhook-target';
import { replyOf, type Reply } from './reply';
import type { Resolve } from './service-resolver';

export interface WebhookClientParts {
  readonly resolve: Resolve;
  readonly clock: Clock;
  /** Absent = they are asked by nobody in particular. */
  readonly identify?: Identify;
  /** Told of all that is asked on behalf of requests; absent = nobody keeps traces. */
  readonly traces?: OutgoingTraces | undefined;
}

/** Who is talked to is forgotten beyond these, the longest unused first. */
const MOST_PLACES = 256;
const MOST_ASKED = 1_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;
const CLOSED_AFTER_MS = 60_000;
const OK = 200;

export interface CallOptions {
  /** After the path; with its question mark. */
  readonly query?: string;
  readonly timeoutMs: number;
  /** Of an answer; 4 MiB when nothing is said. */
  readonly maxBytes?: number;
}

/** Where one call goes. */
interface Destination {
  /** As messages name it. */
  readonly url: string;
  readonly server: URL;
  readonly path: string;
  readonly host: string;
  /** For whom the certificate has to be. */
  readonly servername: string | undefined;
}

/** One call, and as whom it is made. */
interface Call {
  readonly to: Destination;
  readonly body: Buffer;
  readonly who: WebhookIdentity;
  readonly options: CallOptions;
}

interface Place {
  readonly transport: Transport;
  /** When an answer came last, in ms of Clock.monotonic. */
  usedAt: number;
}

/** Servers end connections that nobody has used for a while. */
const IDLE_MS = 1_000;
const UNAUTHORIZED = 401;

export class WebhookClient {
  private readonly places = new Map<string, Place>();
  private asked = 0;

  constructor(private readonly parts: WebhookClientParts) {}

  /** Never rejects. */
  async ask(target: WebhookTarget, body: Buffer, options: CallOptions): Promise<Reply> {
    const to = this.destination(target, options.query ?? '');
    if ('fault' in to) return to;
    if (this.asked >= MOST_ASKED) return { fault: `Post "${to.url}": too many webhooks are being called`, asked: true };
    this.asked += 1;
    try {
      return await this.asSomebody(target, to, body, options);
    } finally {
      this.asked -= 1;
    }
  }

  close(): void {
    for (const { transport } of this.places.values()) transport.close();
    this.places.clear();
  }

  private destination({ place }: WebhookTarget, query: string): Destination | { readonly fault: string; readonly asked: boolean } {
    if (place === undefined) return { fault: 'webhook configuration must have either service or URL', asked: false };
    if (place.type === 'url') {
      const server = new URL(place.url);
      const port = server.port === '' ? '' : `:${server.port}`;
      const path = server.pathname + query;
      return { url: `${server.protocol}//${server.hostname}${port}${path}`, server, path, host: server.host, servername: undefined };
    }
    const { namespace, name, port } = place;
    const servername = `${name}.${namespace}.svc`;
    const path = (place.path === '' ? '/' : place.path) + query;
    const url = `https://${servername}:${port}${path}`;
    const found = this.parts.resolve(place);
    if ('fault' in found) return { fault: `Post "${url}": ${found.fault}`, asked: true };
    const address = parseHost(found.host);
    if (address === undefined) return { fault: `Post "${url}": lookup ${found.host}: no such host`, asked: true };
    return { url, server: hostUrl('https', address, found.port), path, host: `${servername}:${port}`, servername };
  }

  private async asSomebody(target: WebhookTarget, to: Destination, body: Buffer, options: CallOptions): Promise<Reply> {
    const { clock, identify } = this.parts;
    const startedAt = clock.monotonic();
    const found = identify?.(to.host) ?? NOBODY;
    const who = found instanceof Promise ? await withTimeout(found, clock, options.timeoutMs, tooLate) : found;
    if ('fault' in who) return who.asked ? { ...who, fault: `Post "${to.url}": ${who.fault}` } : who;
    const timeoutMs = Math.max(1, options.timeoutMs - (clock.monotonic() - startedAt));
    const answer = await this.call(this.placeFor(to, target.authority, who), { to, body, who, options: { ...options, timeoutMs } });
    if (answer.type === 'fault' && answer.status === UNAUTHORIZED) who.refused();
    return replyOf(answer, to);
  }

  /** A connection that the server has ended while nobody used it is no answer: webhooks may be asked twice. */
  private async call(place: Place, call: Call): Promise<WebhookAnswer> {
    const { clock } = this.parts;
    const wasIdle = clock.monotonic() - place.usedAt >= IDLE_MS;
    const once = (): Promise<WebhookAnswer> => this.callOnce(place.transport, call);
    const answer = await once();
    place.usedAt = clock.monotonic();
    const isStale = answer.type === 'fault' && answer.error instanceof ConnectionError && answer.error.reused && wasIdle;
    return isStale ? once() : answer;
  }

  private callOnce(transport: Transport, { to, body, who, options }: Call): Promise<WebhookAnswer> {
    const { clock, traces } = this.parts;
    const { timeoutMs, maxBytes = MAX_ANSWER_BYTES } = options;
    const address = { transport, path: to.path, authorization: () => undefined };
    const headers = {
      accept: `${JSON_MEDIA_TYPE}, */*`,
      'user-agent': WEBHOOK_USER_AGENT,
      ...who.headers,
      host: to.host,
      'content-length': String(body.length),
    };
    const send = (more: Readonly<Record<string, string>>): Promise<WebhookAnswer> =>
      callWebhook({ address: () => address, clock, timeoutMs, headers: { ...headers, ...more }, maxBytes }, body);
    if (traces === undefined) return send({});
    const port = Number(to.server.port === '' ? '443' : to.server.port);
    const attributes = {
      'http.url': to.url,
      'http.request_content_length': body.length,
      'net.peer.name': hostOf(to),
      'net.peer.port': port,
    };
    return traces.asked({ method: 'POST', attributes }, send, statusOf);
  }

  private placeFor({ server, servername }: Destination, authority: string, { pair }: WebhookIdentity): Place {
    const key = `${server.origin}\n${servername ?? ''}\n${authority}\n${pair?.cert ?? ''}`;
    const transport = (): Transport => new Http1Transport(server, tlsOf(authority, servername, pair));
    const place = this.places.get(key) ?? { transport: transport(), usedAt: Number.NEGATIVE_INFINITY };
    this.places.delete(key);
    this.places.set(key, place);
    if (this.places.size > MOST_PLACES) this.forgetOldest();
    return place;
  }

  /** Whoever is being asked may still answer. */
  private forgetOldest(): void {
    const [oldest] = this.places;
    if (oldest === undefined) return;
    this.places.delete(oldest[0]);
    this.parts.clock.after(CLOSED_AFTER_MS, () => oldest[1].transport.close());
  }
}

const hostOf = ({ server, servername }: Destination): string => servername ?? server.hostname;

function statusOf(answer: WebhookAnswer): number | undefined {
  return answer.type === 'answer' ? OK : answer.status;
}

const tlsOf = (authority: string, servername: string | undefined, pair: WebhookIdentity['pair']): TlsOptions => ({
  ...(authority === '' ? {} : { ca: authority }),
  ...(servername === undefined ? {} : { servername }),
  ...pair,
});

/** Whoever waits does not wait longer than for the webhook itself. */
const tooLate = (): NoIdentity => ({ fault: 'context deadline exceeded', asked: true });
