/**
 * Proxies a request to the aggregated API server of its group version, on behalf of the user, and streams the
 * response back. Redirects are neither followed nor returned. Errors of the connection are plain text in upstream's words.
 * Authorization has happened before; choosing an endpoint is left to extension-servers.ts.
 */
import type { UserInfo } from '../../shared/api/identity/user';
import { badRequest } from '../../shared/api/errors/status';
import { decodePercent } from '../../shared/values/text/percent';
import { quote } from '../../shared/values/text/quote';
import { connectionErrorText } from '../../shared/runtime/connection-error';
import { errorCode } from '../../shared/runtime/error-code';
import { sendText } from '../endpoints/response/send-response';
import { hasBody, headersToBackend, upgradeProtocols } from '../endpoints/forward/headers';
import {
  awaitResponse,
  joinConnections,
  requestPath,
  relayResponse,
  sendBody,
  requestTarget,
  type BackendResponse,
} from '../endpoints/forward/relay';
import type { Exchange } from '../endpoints/request/exchange';
import { UpgradableResponse } from '../endpoints/request/upgradable-response';
import type { OutgoingRequest } from '../tracing/span';
import { remoteHeaders, type ExtensionServers } from './extension-servers';
import type { Registration } from './registrations';

const SERVICE_UNAVAILABLE = 'service unavailable\n';
const REDIRECT_REFUSED = 'the backend attempted to redirect this request, which is not permitted';
/** Requests with these methods and no body may use a kept connection, because they can be repeated when it breaks. */
const REPEATABLE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);
/** Status codes of redirects. */
const REDIRECTS: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308]);

/** The user for requests of OpenAPI documents, which do not depend on the user. */
const AGGREGATOR: UserInfo = { name: 'system:aggregator', groups: [] };

/**
 * Forwards a request to an aggregated server. Resolves when both sides have ended. Rejects with StatusError 400 when
 * the server might normalize the path to another one.
 */
export async function proxyRequest(extensions: ExtensionServers, registration: Registration, exchange: Exchange): Promise<void> {
  if (hasDotSegment(requestTarget(exchange)))
    throw badRequest(`the path has a segment that is "." or "..": ${quote(requestPath(exchange))}`);
  // Releases the seats of a watch at once: the aggregated server sends the initial state, so this one cannot see its end.
  exchange.signalInitialized();
  const url = registration.isAvailable ? extensions.locate(registration) : undefined;
  if (!(url instanceof URL)) {
    sendText(exchange, 503, SERVICE_UNAVAILABLE);
    return;
  }
  const isUpgrade = upgradeProtocols(exchange) !== undefined && exchange.output instanceof UpgradableResponse;
  const openRequest = (traceHeaders: Readonly<Record<string, string>>) =>
    extensions.open(registration, url, {
      method: exchange.method,
      path: requestTarget(exchange),
      headers: { ...headersFor(exchange, url, isUpgrade, traceHeaders), ...traceHeaders },
      needsOwnConnection: isUpgrade || hasBody(exchange) || !REPEATABLE_METHODS.has(exchange.method),
    });
  const sendOnce = (): Promise<AttemptResult> => {
    const { traces } = extensions;
    if (traces === undefined) return send(exchange, openRequest({}));
    return traces.traceOutgoing(outgoingRequest(exchange, url), (headers) => send(exchange, openRequest(headers)), statusOf);
  };
  let response = await sendOnce();
  // The server may close an idle connection at any time; then it has processed nothing of this request.
  if (response.type === 'failure' && response.isStale && !exchange.hasResponded) response = await sendOnce();
  if (response.type === 'failure') {
    if (exchange.hasResponded) exchange.abort();
    else sendText(exchange, 503, `error trying to reach service: ${connectionErrorText(response.error, url)}`);
    return;
  }
  return relayToClient(exchange, response);
}

/** `.` or `..` between slashes, or between backslashes, which servers may parse as slashes, as browsers do. */
const DOT_SEGMENT = /(?:^|[\\/])\.{1,2}(?:[\\/]|$)/;

/**
 * Whether a server that normalizes the path would serve another path than the one that was authorized here; also true
 * for a path with an invalid percent-encoding.
 */
function hasDotSegment(url: string): boolean {
  const path = decodePercent(url.split('?', 1)[0] ?? '');
  return path === undefined || DOT_SEGMENT.test(path);
}

/** The request as tracing records it. */
function outgoingRequest(exchange: Exchange, url: URL): OutgoingRequest {
  const agent = exchange.header('user-agent');
  const attributes = {
    'http.url': `${url.protocol}//${url.host}${exchange.request.url ?? ''}`,
    'net.peer.name': url.hostname,
    'net.peer.port': Number(url.port === '' ? '443' : url.port),
    ...(agent === undefined ? {} : { 'user_agent.original': agent }),
  };
  return { method: exchange.method, attributes };
}

/** The HTTP status of a response; `undefined` when there is none. */
function statusOf(response: AttemptResult): number | undefined {
  switch (response.type) {
    case 'failure':
      return undefined;
    case 'upgraded':
      return 101;
    default:
      return response.message.statusCode;
  }
}

/** Streams the response, or the bytes of an upgraded connection, to the client. */
function relayToClient(exchange: Exchange, response: Exclude<BackendResponse, { type: 'failure' }>): void | Promise<void> {
  if (response.type === 'upgraded') return joinConnections(exchange, response.message, response.socket, response.head);
  const { message } = response;
  if (REDIRECTS.has(message.statusCode) && message.headers.location !== undefined) {
    message.destroy();
    exchange.send(502, { 'Content-Type': 'text/plain; charset=utf-8' }, Buffer.from(REDIRECT_REFUSED));
    return undefined;
  }
  if (exchange.hasResponded) {
    message.destroy();
    return undefined;
  }
  return relayResponse(exchange, message);
}

/** The outcome of one attempt. `isStale`: the server has closed the idle connection that was reused, and processed nothing. */
type AttemptResult =
  | Exclude<BackendResponse, { type: 'failure' }>
  | { readonly type: 'failure'; readonly error: Error; readonly isStale: boolean };

/** Sends the body of the client's request, and waits for the headers of the response. */
async function send(exchange: Exchange, request: ReturnType<ExtensionServers['open']>): Promise<AttemptResult> {
  exchange.output.once('close', () => request.destroy());
  const pending = awaitResponse(request);
  sendBody(exchange, request);
  const response = await pending;
  if (response.type !== 'failure') return response;
  return { ...response, isStale: request.reusedSocket && errorCode(response.error) === 'ECONNRESET' };
}

/** The headers for the server: those of the client without its identity, the proxy's, and those that identify the user. */
function headersFor(exchange: Exchange, url: URL, isUpgrade: boolean, traceHeaders: object): ReturnType<typeof headersToBackend> {
  const isDocument = exchange.info.kind === 'path' && exchange.info.path.startsWith('/openapi/');
  const headers = headersToBackend(exchange, { isUpgrade });
  return {
    ...('traceparent' in traceHeaders ? withoutTraceState(headers) : headers),
    'Audit-Id': exchange.auditId,
    'X-Forwarded-Host': url.host,
    'X-Forwarded-Proto': 'https',
    'X-Forwarded-Uri': requestPath(exchange),
    ...remoteHeaders(isDocument ? AGGREGATOR : exchange.user),
  };
}

/** When this server traces the request, the client's trace state is dropped. */
function withoutTraceState({ tracestate: _, ...headers }: ReturnType<typeof headersToBackend>): ReturnType<typeof headersToBackend> {
  return headers;
}
