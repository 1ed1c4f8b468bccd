/**
 * An authenticating front proxy: it accepts the tokens that it knows and passes the user on in request headers. Such
 * headers from clients are removed. Bodies and responses are streamed, so that watches work.
 */
import { createServer, request, type Server } from 'node:https';
import type { IncomingHttpHeaders } from 'node:http';
import type { Credential } from '../../../shared/pki/certificates';
import { closeServer, listen } from './listen';

export interface ProxiedUser {
  readonly name: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, string>>;
}

export interface FrontProxyOptions {
  /** The address of the API server. */
  readonly target: URL;
  /** The authority of the API server's certificate, PEM. */
  readonly authority: string;
  /** The certificate that clients see. */
  readonly serving: Credential;
  /** The proxy's client certificate, for which the server trusts its headers. */
  readonly client: Credential;
  /** Users by token. */
  readonly users: ReadonlyMap<string, ProxiedUser>;
}

export interface FrontProxy {
  readonly url: string;
  close(): Promise<void>;
}

/** Resolves when the proxy listens on a free port of 127.0.0.1. */
export async function startFrontProxy({ target, authority, serving, client, users }: FrontProxyOptions): Promise<FrontProxy> {
  const identity = { ca: authority, cert: client.certificate, key: client.key };
  const server: Server = createServer({ cert: serving.certificate, key: serving.key }, (incoming, response) => {
    const user = users.get((incoming.headers.authorization ?? '').replace(/^Bearer /, ''));
    if (user === undefined) return void response.writeHead(401).end('the proxy does not know you\n');
    const headers = { ...forwardedHeaders(incoming.headers), ...remoteHeaders(user) };
    const outgoing = request(new URL(incoming.url ?? '/', target), { ...identity, method: incoming.method, headers }, (upstream) => {
      response.writeHead(upstream.statusCode ?? 502, upstream.headers);
      upstream.pipe(response);
    });
    outgoing.on('error', () => response.destroy());
    response.on('close', () => outgoing.destroy());
    incoming.pipe(outgoing);
  });
  return { url: `https://127.0.0.1:${await listen(server)}`, close: () => closeServer(server) };
}

/** Headers of the connection to the proxy, which are not those of the connection to the server. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set(['authorization', 'connection', 'host']);

function forwardedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const isForwarded = (name: string): boolean => !CONNECTION_HEADERS.has(name) && !name.startsWith('x-remote-');
  return Object.fromEntries(Object.entries(headers).filter(([name]) => isForwarded(name)));
}

function remoteHeaders({ name, groups, extra }: ProxiedUser): Record<string, string | string[]> {
  const extras = Object.entries(extra).map(([key, value]) => [`x-remote-extra-${encodeURIComponent(key)}`, value]);
  return { 'x-remote-user': name, 'x-remote-group': [...groups], ...Object.fromEntries(extras) };
}
