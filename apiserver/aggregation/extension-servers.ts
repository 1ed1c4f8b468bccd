/**
 * Connections to aggregated API servers (extension API servers): to one of the ready endpoints of the Service, with
 * the front-proxy client certificate that authorizes this server to act for users. Connections are kept alive,
 * except those of requests that need their own.
 */
import type { ClientRequest, OutgoingHttpHeaders } from 'node:http';
import type { UserInfo } from '../../shared/api/identity/user';
import { hostUrl, parseHost } from '../../shared/values/network/host-url';
import type { Clock } from '../../shared/runtime/clock';
import type { Resolve } from '../webhook-client/service-resolver';
import { dial } from '../endpoints/forward/backend';
import type { OutgoingTracing } from '../tracing/span';
import { IdleCheckingAgent } from '../endpoints/forward/idle-checking-agent';
import type { Registration } from './registrations';

/** The client certificate of this server in PEM; each member is optional. */
export interface ProxyCredentials {
  readonly cert?: Buffer;
  readonly key?: Buffer;
}

/** How servers are found, and how this server identifies itself to them. */
export interface ExtensionServersDependencies {
  /** Resolves a Service to an address, or to the reason why there is none. */
  readonly resolve: Resolve;
  /** The present front-proxy client certificate. Called for every request, because the files may have been replaced. */
  readonly credentials: () => ProxyCredentials;
  readonly clock: Clock;
  /** Traces proxied requests; absent without tracing. */
  readonly traces?: OutgoingTracing | undefined;
}

/** A request to an aggregated API server. */
export interface ExtensionRequest {
  readonly method: string;
  /** Includes the query; sent unchanged. */
  readonly path: string;
  /** All headers but `Host`, which is set here. The caller adds those that identify the user ({@link remoteHeaders}). */
  readonly headers: OutgoingHttpHeaders;
  /**
   * Whether to use a new connection instead of a kept one. A request that cannot be repeated needs one: when a kept
   * connection breaks, it is unknown whether the server has received the request.
   */
  readonly needsOwnConnection: boolean;
}

/** Time limit for the connection and the TLS handshake. */
const CONNECT_TIMEOUT_MS = 5_000;
/** Kept connections to each API server; further ones are closed after their request. */
const MAX_IDLE_SOCKETS = 16;

/** The connections of this server to all aggregated API servers. */
export class ExtensionServers {
  private readonly agent = new IdleCheckingAgent({ keepAlive: true, maxFreeSockets: MAX_IDLE_SOCKETS });

  constructor(private readonly deps: ExtensionServersDependencies) {}

  /** Traces proxied requests; `undefined` without tracing. */
  get traces(): OutgoingTracing | undefined {
    return this.deps.traces;
  }

  /** The present address of the server, or the reason why there is none. Each call may choose another endpoint. */
  locate({ service }: Registration): URL | { readonly error: string } {
    const resolved = this.deps.resolve(service);
    if ('error' in resolved) return resolved;
    const host = parseHost(resolved.host);
    return host === undefined ? { error: `lookup ${resolved.host}: no such host` } : hostUrl('https', host, resolved.port);
  }

  /** Opens a request to an address that {@link locate} returned. The caller sends the body and listens for the response. */
  open(
    { service, caBundle, insecureSkipTlsVerify }: Registration,
    url: URL,
    { method, path, headers, needsOwnConnection }: ExtensionRequest,
  ): ClientRequest {
    return dial({ clock: this.deps.clock, timeoutMs: CONNECT_TIMEOUT_MS }, url, {
      method,
      path,
      headers: { ...headers, host: `${url.hostname}:${url.port === '' ? '443' : url.port}` },
      agent: needsOwnConnection ? false : this.agent,
      servername: `${service.name}.${service.namespace}.svc`,
      rejectUnauthorized: !insecureSkipTlsVerify,
      ...(caBundle === '' ? {} : { ca: caBundle }),
      ...this.deps.credentials(),
    });
  }

  /** Closes the kept connections, also those in use. */
  close(): void {
    this.agent.destroy();
  }
}

/** The headers with which an aggregated API server identifies the user. */
export function remoteHeaders({ name, groups, extra = {} }: UserInfo): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = { 'X-Remote-User': headerValue(name), 'X-Remote-Group': groups.map(headerValue) };
  for (const [key, values] of Object.entries(extra)) headers[`X-Remote-Extra-${headerKey(key)}`] = values.map(headerValue);
  return headers;
}

/** UTF-8 bytes; control characters, which could end a header, become spaces. */
const headerValue = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(/[\x00-\x1f\x7f]/g, ' ');

/**
 * The characters that are escaped in the name of a header, with `%` and two digits: those that it cannot contain, such as
 * the `/` in `example.com/team`, and `%` itself.
 */
const ESCAPED_IN_NAME = /[^!#$&'*+.^_`|~0-9A-Za-z-]/g;

const headerKey = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replace(ESCAPED_IN_NAME, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
