/**
 * Forwards a request to the backend behind an object, and streams its response back with backpressure. Redirects are
 * not followed. Errors before the response are reported in upstream's words; later errors abort the response, except
 * that a log just ends.
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

export interface ForwardOptions {
  readonly destination: Destination;
  /** Path and query for the backend when they are the client's own, as for a proxy. */
  readonly target: string;
  /**
   * Path of the proxy as the client sent it, without a trailing slash: `/api/v1/nodes/n/proxy`. Absent when links are
   * not rewritten.
   */
  readonly prefix?: string | undefined;
  readonly upgrades: boolean;
  /** The client of a log has disabled verification of the kubelet's certificate. */
  readonly insecureSkipTlsVerify: boolean;
  readonly name: string;
  /** Called when the certificate of the kubelet that serves a log is not trusted. */
  onLogTlsFailure(): void;
}

/** Resolves when both sides have ended. Rejects with StatusError as long as no response has been sent. */
export async function forward(backends: Backends, exchange: Exchange, options: ForwardOptions): Promise<void> {
  const { destination, prefix, upgrades, insecureSkipTlsVerify } = options;
  const { type, url, trust, pinnedAddresses } = destination;
  const isLog = type === 'log';
  const isRepeatable = isLog || (REPEATABLE_METHODS.has(exchange.method) && !hasBody(exchange) && !upgrades);
  const backendRequest: BackendRequest = {
    url,
    trust,
    pinned: pinnedAddresses,
    insecureSkipTlsVerify,
    isRepeatable,
    method: isLog ? 'GET' : exchange.method,
    headers: isLog
      ? {}
      : { ...headersToBackend(exchange, { upgrades }), ...(type === 'proxy' ? { 'x-forwarded-uri': requestPath(exchange) } : {}) },
    path: type === 'proxy' ? options.target : url.pathname + url.search,
  };
  allowUnreadOutput(exchange);
  const attempt = (): Promise<Attempt> => send(exchange, backends.open(backendRequest), isLog);
  let result = await attempt();
  // The kubelet may close an idle connection at any time; then it has processed nothing of this request.
  if (result.isStale && !exchange.output.destroyed) result = await attempt();
  const { response } = result;
  if (response.type === 'failure') {
    if (isLog && isCertificateError(response.error)) options.onLogTlsFailure();
    throw connectionError(destination, response.error);
  }
  if (response.type === 'upgraded') return joinConnections(exchange, response.message, response.socket, response.head);
  if (isLog) return sendLog(exchange, response.message, options.name);
  if (prefix === undefined || upgrades) return relayResponse(exchange, response.message);
  return relayProxiedResponse(exchange, response.message, { prefix, backend: url, host: clientHost(exchange) });
}

const REPEATABLE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

interface Attempt {
  readonly response: BackendResponse;
  /** A kept connection was closed before the response. */
  readonly isStale: boolean;
}

async function send(exchange: Exchange, request: ClientRequest, isLog: boolean): Promise<Attempt> {
  exchange.output.once('close', () => request.destroy());
  const pending = awaitResponse(request);
  if (isLog) request.end();
  else sendBody(exchange, request);
  const response = await pending;
  return { response, isStale: response.type === 'failure' && request.reusedSocket && errorCode(response.error) === 'ECONNRESET' };
}

const clientHost = ({ request: { headers } }: Exchange): string => String(headers.host ?? headers[':authority'] ?? '');

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

async function sendLog(exchange: Exchange, message: IncomingMessage, pod: string): Promise<void> {
  const status = message.statusCode ?? 502;
  if (status === 200 && wantsLogFrames(exchange)) return sendLogFrames(exchange, message);
  if (status === 200) {
    exchange.sendHead(200, { 'Content-Type': 'text/plain' });
    return relay(exchange, message, 'end');
  }
  throw kubeletLogError(status, await readExcerpt(message, MAX_EXCERPT_BYTES), message.headers.location, pod);
}
