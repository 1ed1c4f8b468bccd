/**
 * Headers of a proxied request and of its response. Removes hop-by-hop headers and the client's credentials, and
 * frames the body again. Invariant: a client cannot choose where one request to the backend ends and the next begins.
 */
import { IncomingMessage, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import { WEBSOCKET_TOKEN_PROTOCOL_PREFIXES } from '../../../shared/names/stream-protocols';
import type { Exchange } from '../request/exchange';
import { sourceIps } from '../request/source-ips';

/** Hop-by-hop headers, and `Expect`, to which this server has already responded. */
const HOP_BY_HOP_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** CORS headers of a backend are removed: only this server grants other origins access to its responses. */
const CORS_HEADERS: ReadonlySet<string> = new Set([
  'access-control-allow-credentials',
  'access-control-allow-headers',
  'access-control-allow-methods',
  'access-control-allow-origin',
]);
/**
 * The client's credentials, and headers with which it could claim another identity: `authorization`,
 * `impersonate-user`, `x-remote-group`.
 */
const IDENTITY_HEADERS = /^(authorization|impersonate-|x-remote-)/;

/** A valid `Content-Length`: digits only. Other values are not forwarded. */
const CONTENT_LENGTH = /^[0-9]+$/;

/** A `Content-Length` of zero, or none. */
const EMPTY_LENGTH = /^0*$/;

/** Whether the request is framed with a body. Every method may have one. */
export function hasBody({ request, output }: Exchange): boolean {
  if (request instanceof IncomingMessage) {
    const { 'transfer-encoding': coding, 'content-length': length = '' } = request.headers;
    return coding !== undefined || !EMPTY_LENGTH.test(length);
  }
  // HTTP/2: a request without a body ends with its headers.
  return 'endAfterHeaders' in output && !output.endAfterHeaders;
}

/**
 * The framing headers of a body: its length if the client stated it, otherwise chunked, which Node does not choose by
 * itself for GET, HEAD, DELETE and OPTIONS.
 */
function framingHeaders(exchange: Exchange): OutgoingHttpHeaders {
  if (!hasBody(exchange)) return {};
  const { 'content-length': length = '', 'transfer-encoding': coding } = exchange.request.headers;
  return coding === undefined && CONTENT_LENGTH.test(length) ? { 'content-length': length } : { 'transfer-encoding': 'chunked' };
}

/**
 * HTTP in another version, or TLS (`h2c`, `HTTP/2.0`, `TLS/1.2`): requests on such an upgraded connection would bypass
 * authentication by this server.
 */
const HTTP_PROTOCOL = /^(h2c?|http|tls)(\/|$)/i;
/**
 * A protocol with or without a version: `websocket`, `SPDY/3.1`. A lenient server may accept a malformed one as a
 * protocol: `h2c;q=1`.
 */
const PROTOCOL = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+(\/[!#$%&'*+.^_`|~0-9A-Za-z-]+)?$/;

/**
 * The protocols that the client requests in `Upgrade` and that may be proxied, as one header value; `undefined` when
 * there is none.
 */
export function upgradeProtocols(exchange: Exchange): string | undefined {
  const protocols = (exchange.header('upgrade') ?? '').split(',').map((protocol) => protocol.trim());
  const allowed = protocols.filter((protocol) => PROTOCOL.test(protocol) && !HTTP_PROTOCOL.test(protocol));
  return allowed.length === 0 ? undefined : allowed.join(', ');
}

/** The request headers for the backend; with `isUpgrade`, also those that request a protocol upgrade. */
export function headersToBackend(exchange: Exchange, { isUpgrade }: { readonly isUpgrade: boolean }): OutgoingHttpHeaders {
  const { headers } = exchange.request;
  // The client names further hop-by-hop headers in `Connection`.
  const hopByHopNames = new Set((headers.connection ?? '').split(',').map((name) => name.trim().toLowerCase()));
  const toBackend: OutgoingHttpHeaders = {};
  for (const [name, value] of Object.entries(headers)) {
    const isPseudoHeader = name.startsWith(':');
    const isHopByHop = HOP_BY_HOP_HEADERS.has(name) || hopByHopNames.has(name);
    if (value === undefined || isPseudoHeader || isHopByHop || IDENTITY_HEADERS.test(name)) continue;
    toBackend[name] = value;
  }
  delete toBackend['content-length'];
  Object.assign(toBackend, framingHeaders(exchange));
  const host = headers.host ?? headers[':authority'];
  if (typeof host === 'string') toBackend['host'] = host;
  toBackend['x-forwarded-for'] = sourceIps(exchange).join(', ');
  if (!isUpgrade) return toBackend;
  toBackend['connection'] = 'Upgrade';
  toBackend['upgrade'] = upgradeProtocols(exchange);
  return withoutTokenProtocols(toBackend);
}

/** Removes bearer tokens, which clients may send as WebSocket sub-protocols. */
function withoutTokenProtocols(headers: OutgoingHttpHeaders): OutgoingHttpHeaders {
  const { 'sec-websocket-protocol': listed, ...others } = headers;
  if (typeof listed !== 'string') return headers;
  const remaining = listed
    .split(',')
    .filter((protocol) => !WEBSOCKET_TOKEN_PROTOCOL_PREFIXES.some((prefix) => protocol.trim().startsWith(prefix)));
  return remaining.length === 0 ? others : { ...others, 'sec-websocket-protocol': remaining.join(',').trim() };
}

/** The response headers for the client. */
export function headersToClient(headers: IncomingHttpHeaders): OutgoingHttpHeaders {
  const isForwarded = (name: string): boolean => !HOP_BY_HOP_HEADERS.has(name) && !CORS_HEADERS.has(name);
  return Object.fromEntries(Object.entries(headers).filter(([name, value]) => value !== undefined && isForwarded(name)));
}
