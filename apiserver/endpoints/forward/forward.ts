/**
 * Hands a request on to the machine behind an object and its answer back, piece by piece as each side takes them: nothing is gathered. A redirect is never followed. What
 * goes wrong before there is an answer is told in upstream's words, what goes wrong later cuts the client off; a log just ends.
 */
import type { IncomingMessage } from 'node:http';
import { serviceUnavailable, StatusError } from '../../../shared/api/errors/status';
import { connectionText, isDistrusted } from '../../../shared/runtime/connection-text';
import type { Destination } from '../../registry/operations/destination';
import { allowUnread, forbidUnread } from '../output/write-progress';
import type { Exchange } from '../request/exchange';
import type { Backends } from './backend';
import { headersToBackend } from './headers';
import { logFailure } from './log-failure';
import { sendLogFrames, wantsLogFrames } from './log-frames';
import { answerOf, joinConnections, pathOf, relay, relayAnswer, sendBody } from './relay';
import { relayProxied } from './proxied-response';
import { saidIn } from './error-excerpt';

export interface Forwarded {
  readonly destination: Destination;
  /** Path and query there, where they are the client's own: a proxy's. */
  readonly target: string;
  /** Path of the proxy as the client sent it, without a trailing slash: `/api/v1/nodes/n/proxy`. Absent when links are not rewritten. */
  readonly prefix?: string | undefined;
  readonly upgrades: boolean;
  /** The client of a log does not care who shows it. */
  readonly believesAll: boolean;
  readonly name: string;
  /** The certificate of whom a log was asked of is not trusted. */
  logDistrusted(): void;
}

/** Resolves when both sides have ended. Rejects with StatusError as long as the client can be told something. */
export async function forward(backends: Backends, exchange: Exchange, forwarded: Forwarded): Promise<void> {
  const { destination, prefix, upgrades, believesAll } = forwarded;
  const { type, url, trust, pinned } = destination;
  const isLog = type === 'log';
  const request = backends.open({
    url,
    trust,
    pinned,
    believesAll,
    method: isLog ? 'GET' : exchange.method,
    headers: isLog ? {} : { ...headersToBackend(exchange, upgrades), ...(type === 'proxy' ? { 'x-forwarded-uri': pathOf(exchange) } : {}) },
    path: type === 'proxy' ? forwarded.target : url.pathname + url.search,
  });
  exchange.output.once('close', () => request.destroy());
  letStayUnread(exchange);
  const answered = answerOf(request);
  if (isLog) request.end();
  else sendBody(exchange, request);
  const answer = await answered;
  if (answer.type === 'failure') {
    if (isLog && isDistrusted(answer.error)) forwarded.logDistrusted();
    throw failureOf(destination, answer.error);
  }
  if (answer.type === 'upgraded') return joinConnections(exchange, answer.message, answer.socket, answer.head);
  if (isLog) return showLog(exchange, answer.message, forwarded.name);
  if (prefix === undefined || upgrades) return relayAnswer(exchange, answer.message);
  return relayProxied(exchange, answer.message, { prefix, backend: url, host: clientHost(exchange) });
}

const clientHost = ({ request: { headers } }: Exchange): string => String(headers.host ?? headers[':authority'] ?? '');

function letStayUnread(exchange: Exchange): void {
  const { output } = exchange;
  const target = 'socket' in output ? output.socket : output;
  if (target === null) return;
  allowUnread(target);
  exchange.whenFinished(() => forbidUnread(target));
}

/** No answer, in upstream's words. */
export function failureOf({ type, url }: Destination, error: Error): StatusError {
  const text = connectionText(error, url);
  switch (type) {
    case 'log':
      return unexplained(`Get ${JSON.stringify(url.href)}: ${text}`);
    case 'stream':
      return unexplained(`error dialing backend: ${text}`);
    case 'proxy':
      return serviceUnavailable(`error trying to reach service: ${text}`);
  }
}

const unexplained = (message: string): StatusError => new StatusError(undefined, message, undefined, { code: 500 });

/** Of what a kubelet says instead of a log so much is read. Bytes. */
const SAID_BYTES = 4_096;

async function showLog(exchange: Exchange, message: IncomingMessage, pod: string): Promise<void> {
  const status = message.statusCode ?? 502;
  if (status === 200 && wantsLogFrames(exchange)) return sendLogFrames(exchange, message);
  if (status === 200) {
    exchange.head(200, { 'Content-Type': 'text/plain' });
    return relay(exchange, message, 'end');
  }
  throw logFailure(status, await saidIn(message, SAID_BYTES), message.headers.location, pod);
}
