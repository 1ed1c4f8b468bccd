/**
 * Connections to the servers behind registrations: to one of the ready endpoints of the Service, with the certificate that says that it is this server who speaks for
 * users, kept for the next request. Knows nothing of what is said on them.
 */
import type { ClientRequest, OutgoingHttpHeaders } from 'node:http';
import type { UserInfo } from '../../shared/api/identity/user';
import { hostUrl, parseHost } from '../../shared/values/host-url';
import type { Clock } from '../../shared/runtime/clock';
import type { Resolve } from '../webhook-client/service-resolver';
import { dial } from '../endpoints/forward/backend';
import type { OutgoingTraces } from '../tracing/span';
import { IdleCheckingAgent } from './idle-checking-agent';
import type { Registration } from './registrations';

/** What this server shows of itself, in PEM; each absent = nothing. */
export interface ProxyCredentials {
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

export interface ExtensionsParts {
  /** A place behind a Service, or why there is none. */
  readonly resolve: Resolve;
  readonly credentials: () => ProxyCredentials;
  readonly clock: Clock;
  /** Told of all that is handed on; absent = nobody keeps traces. */
  readonly traces?: OutgoingTraces | undefined;
}

export interface ExtensionRequest {
  readonly method: string;
  /** With the query; as it is. */
  readonly path: string;
  readonly headers: OutgoingHttpHeaders;
  /** On a connection of its own: nobody knows what has become of a body on one that broke. */
  readonly alone: boolean;
}

/** For a connection to stand. */
const CONNECT_MS = 5_000;
const MOST_FREE = 16;

export class Extensions {
  private readonly agent = new IdleCheckingAgent({ keepAlive: true, maxFreeSockets: MOST_FREE });

  constructor(private readonly parts: ExtensionsParts) {}

  get traces(): OutgoingTraces | undefined {
    return this.parts.traces;
  }

  /** Where the server is at present. */
  locate({ service }: Registration): URL | { readonly fault: string } {
    const place = this.parts.resolve(service);
    if ('fault' in place) return place;
    const host = parseHost(place.host);
    return host === undefined ? { fault: `lookup ${place.host}: no such host` } : hostUrl('https', host, place.port);
  }

  /** The caller sends the body and listens. */
  open({ service, authority, believesAll }: Registration, url: URL, { method, path, headers, alone }: ExtensionRequest): ClientRequest {
    return dial({ clock: this.parts.clock, timeoutMs: CONNECT_MS }, url, {
      method,
      path,
      headers: { ...headers, host: `${url.hostname}:${url.port === '' ? '443' : url.port}` },
      agent: alone ? false : this.agent,
      servername: `${service.name}.${service.namespace}.svc`,
      rejectUnauthorized: !believesAll,
      ...(authority === '' ? {} : { ca: authority }),
      ...this.parts.credentials(),
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

/** As whom a request comes, for a server that believes this one. */
export function remoteHeaders({ name, groups, extra = {} }: UserInfo): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { 'X-Remote-User': headerValue(name), 'X-Remote-Group': groups.map(headerValue) };
  for (const [key, values] of Object.entries(extra)) headers[`X-Remote-Extra-${headerKey(key)}`] = values.map(headerValue);
  return headers;
}

/** Bytes of UTF-8; what would end a header is a space. */
const headerValue = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[\x00-\x1f\x7f]/g, ' ');

const NO_TOKEN = /[^!#$&'*+.^_`|~0-9A-Za-z-]/g;

const headerKey = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(NO_TOKEN, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
