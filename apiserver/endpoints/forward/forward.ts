/**
 * Forwards a request to the backend behind an object, and streams its response back with backpressure. Redirects are not
 * followed. Errors before the response are reported in upstream's words. A response that breaks off is aborted, except
 * that of a log, which ends normally.
 */
import type { ClientRequest, IncomingMessage } from 'node:http';
import { serviceUnavailable, StatusError } from '../../../shared/api/errors/status';
import { connectionErrorText, isCertificateError } from '../../../shared/runtime/connection-error';
import { errorCode } from '../../../shared/runtime/error-code';
import type { Destination } from '../../registry/operations/destination';
import { allowUnread, forbidUnread } from '../output/write-progress';
import type { Exchange } from '../request/exchange';
import type { BackendRequest, Backends } from './backend';
import { hasBody, headersToBackend } from './headers';
import { kubeletLogError } from './log-failure';
import { sendLogFrames, wantsLogFrames } from './log-frames';
import { awaitResponse, joinConnections, requestPath, relay, relayResponse, sendBody, type BackendResponse } from './relay';
import { relayProxiedResponse } from './proxied-response';
import { readExcerpt } from './error-excerpt';

/** How one request is forwarded. */
export interface ForwardOptions {
  /** The backend, with the certificates that are accepted from it. */
  readonly destination: Destination;
  /**
   * Path and query for the backend of a proxy, as the client sent them. Other backends have their own in `destination`.
   */
  readonly target: string;
  /**
   * Path of the proxy as the client sent it, without a trailing slash: `/api/v1/nodes/n/proxy`. Absent when links are
   * not rewritten.
   */
  readonly prefix?: string | undefined;
  /** Whether the client requests a protocol upgrade that may be proxied. */
  readonly isUpgrade: boolean;
  /** Whether the client of a log has disabled verification of the kubelet's certificate. */
  readonly insecureSkipTlsVerify: boolean;
  /** The name of the object, for errors. */
  readonly name: string;
  /** Called when the certificate of the kubelet that serves a log is not trusted. */
  onLogTlsFailure(): void;
}

/** Forwards one request. Resolves when both sides have ended. Rejects with StatusError before a response has been sent. */
export async function forward(backends: Backends, exchange: Exchange, options: ForwardOptions): Promise<void> {
  const { destination, prefix, isUpgrade } = options;
  const isLog = destination.type === 'log';
  const backendRequest = isLog ? logRequest(options) : clientRequest(exchange, options);
  allowUnreadOutput(exchange);
  const attempt = (): Promise<Attempt> => {
    const request = backends.open(backendRequest);
    return send(exchange, request, isLog ? () => request.end() : () => sendBody(exchange, request));
  };
  let result = await attempt();
  // The kubelet has closed the kept connection instead of reading the request, which is therefore sent once more.
  if (result.isStale && !exchange.output.destroyed) result = await attempt();
  const { response } = result;
  if (response.type === 'failure') {
    if (isLog && isCertificateError(response.error)) options.onLogTlsFailure();
    throw connectionError(destination, response.error);
  }
  if (response.type === 'upgraded') return joinConnections(exchange, response.message, response.socket, response.head);
  if (isLog) return sendLog(exchange, response.message, options.name);
  if (prefix === undefined || isUpgrade) return relayResponse(exchange, response.message);
  return relayProxiedResponse(exchange, response.message, { prefix, backend: destination.url, host: clientHost(exchange) });
}

/** The request for a log, which has neither headers nor a body of the client's request. */
function logRequest({ destination, insecureSkipTlsVerify }: ForwardOptions): BackendRequest {
  const { url, trust, pinnedAddresses: pinned } = destination;
  return { url, trust, pinned, insecureSkipTlsVerify, isRepeatable: true, method: 'GET', headers: {}, path: url.pathname + url.search };
}

const REPEATABLE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** The client's request, with its method and headers. */
function clientRequest(exchange: Exchange, { destination, target, isUpgrade, insecureSkipTlsVerify }: ForwardOptions): BackendRequest {
  const { type, url, trust, pinnedAddresses: pinned } = destination;
  const isProxied = type === 'proxy';
  return {
    url,
    trust,
    pinned,
    insecureSkipTlsVerify,
    isRepeatable: REPEATABLE_METHODS.has(exchange.method) && !hasBody(exchange) && !isUpgrade,
    method: exchange.method,
    headers: { ...headersToBackend(exchange, { isUpgrade }), ...(isProxied ? { 'x-forwarded-uri': requestPath(exchange) } : {}) },
    path: isProxied ? target : url.pathname + url.search,
  };
}

/** The outcome of one request to the backend; a stale one is sent again once. */
interface Attempt {
  readonly response: BackendResponse;
  /** Whether a kept connection was closed before the response, so that the request may be sent again. */
  readonly isStale: boolean;
}

/** Awaits the response. `endRequest` sends the body and ends the request; it is called with all listeners attached. */
async function send(exchange: Exchange, request: ClientRequest, endRequest: () => void): Promise<Attempt> {
  exchange.output.once('close', () => request.destroy());
  const pending = awaitResponse(request);
  endRequest();
  const response = await pending;
  return { response, isStale: response.type === 'failure' && request.reusedSocket && errorCode(response.error) === 'ECONNRESET' };
}

const clientHost = ({ request: { headers } }: Exchange): string => String(headers.host ?? headers[':authority'] ?? '');

/** Lets the client leave output unread until the exchange is finished. */
function allowUnreadOutput(exchange: Exchange): void {
  const { output } = exchange;
  const target = 'socket' in output ? output.socket : output;
  if (target === null) return;
  allowUnread(target);
  exchange.whenFinished(() => forbidUnread(target));
}

/** The error for a missing response, in upstream's words. */
export function connectionError({ type, url }: Destination, error: Error): StatusError {
  const text = connectionErrorText(error, url);
  switch (type) {
    case 'log':
      return internalFailure(`Get ${JSON.stringify(url.href)}: ${text}`);
    case 'stream':
      return internalFailure(`error dialing backend: ${text}`);
    case 'proxy':
      return serviceUnavailable(`error trying to reach service: ${text}`);
  }
}

const internalFailure = (message: string): StatusError => new StatusError(undefined, message, undefined, { code: 500 });

/** Limit for the excerpt of a kubelet's error response. Bytes. */
const MAX_EXCERPT_BYTES = 4_096;

/** Sends the log of a kubelet, or the error for its response. */
async function sendLog(exchange: Exchange, message: IncomingMessage, pod: string): Promise<void> {
  const status = message.statusCode ?? 502;
  if (status === 200 && wantsLogFrames(exchange)) return sendLogFrames(exchange, message);
  if (status === 200) {
    exchange.sendHead(200, { 'Content-Type': 'text/plain' });
    return relay(exchange, message, { endsNormallyWhenBroken: true });
  }
  throw kubeletLogError(pod, { status, message: await readExcerpt(message, MAX_EXCERPT_BYTES), location: message.headers.location });
}
