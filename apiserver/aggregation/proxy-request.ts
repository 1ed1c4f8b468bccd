/**
 * Hands a request on to the server that answers for its group version, in the name of its user, and the answer back piece by piece. A redirect is never followed nor
 * passed on. What goes wrong is told in upstream's words, as plain text.
 */
import type { UserInfo } from '../../shared/api/identity/user';
import { badRequest } from '../../shared/api/errors/status';
import { decodePercent } from '../../shared/values/percent';
import { quote } from '../../shared/values/quote';
import { connectionText } from '../../shared/runtime/connection-text';
import { errorCode } from '../../shared/runtime/error-code';
import { sendText } from '../endpoints/response/send-response';
import { hasBody, headersToBackend, upgradeTo } from '../endpoints/forward/headers';
import { answerOf, joinConnections, pathOf, relayAnswer, sendBody, targetOf, type BackendAnswer } from '../endpoints/forward/relay';
import type { Exchange } from '../endpoints/request/exchange';
import { UpgradableReply } from '../endpoints/request/upgradable-response';
import type { OutgoingRequest } from '../tracing/span';
import { remoteHeaders, type Extensions } from './extension-servers';
import type { Registration } from './registrations';

const UNAVAILABLE = 'service unavailable\n';
const REDIRECTED = 'the backend attempted to redirect this request, which is not permitted';
/** Requests with these methods and no body may use a kept connection, because they can be repeated when it breaks. */
const REPEATABLE: ReadonlySet<string> = new Set(['GET', 'HEAD']);
const REDIRECTS: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308]);

/** In whose name documents are asked for that belong to nobody. */
const OF_NOBODY: UserInfo = { name: 'system:aggregator', groups: [] };

/** `.` or `..` between slashes, or between backslashes, which servers may parse as slashes, as browsers do. */
const DOT_SEGMENT = /(?:^|[\\/])\.{1,2}(?:[\\/]|$)/;

/** Whether a server that normalizes the path would serve another path than the one that was authorized here. */
function hasDotSegment(url: string): boolean {
  const path = decodePercent(url.split('?', 1)[0] ?? '');
  return path === undefined || DOT_SEGMENT.test(path);
}

/**
 * Forwards a request to an aggregated server. Resolves when both sides have ended. Rejects with StatusError 400 when the server might normalize the path to another one.
 * Returns the seats of a watch at once, because the other server sends its initial state.
 */
export async function handOn(extensions: Extensions, registration: Registration, exchange: Exchange): Promise<void> {
  if (hasDotSegment(targetOf(exchange))) throw badRequest(`the path has a segment that is "." or "..": ${quote(pathOf(exchange))}`);
  exchange.begun();
  const url = registration.isAvailable ? extensions.locate(registration) : undefined;
  if (!(url instanceof URL)) {
    sendText(exchange, 503, UNAVAILABLE);
    return;
  }
  const upgrades = upgradeTo(exchange) !== undefined && exchange.output instanceof UpgradableReply;
  const request = (more: Readonly<Record<string, string>>) =>
    extensions.open(registration, url, {
      method: exchange.method,
      path: targetOf(exchange),
      headers: { ...headersFor(exchange, url, upgrades, more), ...more },
      alone: upgrades || hasBody(exchange) || !REPEATABLE.has(exchange.method),
    });
  const once = (): Promise<Sent> => {
    const { traces } = extensions;
    if (traces === undefined) return send(exchange, request({}));
    return traces.asked(asked(exchange, url), (headers) => send(exchange, request(headers)), statusOf);
  };
  let answer = await once();
  // Another server ends connections when it likes; nothing has been asked on them yet.
  if (answer.type === 'failure' && answer.isStale && !exchange.answered) answer = await once();
  if (answer.type === 'failure') {
    if (exchange.answered) exchange.abort();
    else sendText(exchange, 503, `error trying to reach service: ${connectionText(answer.error, url)}`);
    return;
  }
  return pass(exchange, answer);
}

function asked(exchange: Exchange, url: URL): OutgoingRequest {
  const agent = exchange.header('user-agent');
  const attributes = {
    'http.url': `${url.protocol}//${url.host}${exchange.request.url ?? ''}`,
    'net.peer.name': url.hostname,
    'net.peer.port': Number(url.port === '' ? '443' : url.port),
    ...(agent === undefined ? {} : { 'user_agent.original': agent }),
  };
  return { method: exchange.method, attributes };
}

function statusOf(answer: Sent): number | undefined {
  switch (answer.type) {
    case 'failure':
      return undefined;
    case 'upgraded':
      return 101;
    default:
      return answer.message.statusCode;
  }
}

function pass(exchange: Exchange, answer: Exclude<BackendAnswer, { type: 'failure' }>): void | Promise<void> {
  if (answer.type === 'upgraded') return joinConnections(exchange, answer.message, answer.socket, answer.head);
  const { message } = answer;
  if (REDIRECTS.has(message.statusCode) && message.headers.location !== undefined) {
    message.destroy();
    exchange.send(502, { 'Content-Type': 'text/plain; charset=utf-8' }, Buffer.from(REDIRECTED));
    return undefined;
  }
  if (exchange.answered) {
    message.destroy();
    return undefined;
  }
  return relayAnswer(exchange, message);
}

type Sent = Exclude<BackendAnswer, { type: 'failure' }> | { readonly type: 'failure'; readonly error: Error; readonly isStale: boolean };

async function send(exchange: Exchange, request: ReturnType<Extensions['open']>): Promise<Sent> {
  exchange.output.once('close', () => request.destroy());
  const answered = answerOf(request);
  sendBody(exchange, request);
  const answer = await answered;
  if (answer.type !== 'failure') return answer;
  return { ...answer, isStale: request.reusedSocket && errorCode(answer.error) === 'ECONNRESET' };
}

function headersFor(exchange: Exchange, url: URL, upgrades: boolean, traced: object): ReturnType<typeof headersToBackend> {
  const isDocument = exchange.info.kind === 'path' && exchange.info.path.startsWith('/openapi/');
  return {
    ...('traceparent' in traced ? withoutTrace(headersToBackend(exchange, upgrades)) : headersToBackend(exchange, upgrades)),
    'Audit-Id': exchange.auditId,
    'X-Forwarded-Host': url.host,
    'X-Forwarded-Proto': 'https',
    'X-Forwarded-Uri': pathOf(exchange),
    ...remoteHeaders(isDocument ? OF_NOBODY : exchange.user),
  };
}

/** What the client says of its own trace is no word of ours. */
function withoutTrace({ tracestate: _, ...headers }: ReturnType<typeof headersToBackend>): ReturnType<typeof headersToBackend> {
  return headers;
}
