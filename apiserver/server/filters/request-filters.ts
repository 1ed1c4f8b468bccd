/**
 * The filters that read the head of a request and track its life: audit ID, request info, deadline, shutdown. chain.ts
 * orders the filters. A filter rejects a request by throwing, and error-response.ts turns the error into a response;
 * during shutdown the filter responds itself.
 */
import { badRequest } from '../../../shared/api/errors/status';
import { decodeHeader } from '../../../shared/values/text/decode-header';
import { decodePercent } from '../../../shared/values/text/percent';
import { quote } from '../../../shared/values/text/quote';
import { GENERATED_NAMES, type Dialect } from '../../../shared/names/dialect';
import { parseDuration } from '../../../shared/cli/duration';
import type { Random } from '../../../shared/runtime/random';
import { Query } from '../../endpoints/request/query';
import { parseRequestInfo, MalformedRequest } from '../../endpoints/request/request-info';
import type { Resources } from '../../registry/resources';
import type { Deadlines } from './deadlines';
import { checkHeadLimit } from './head-limit';
import type { RequestWaitGroup } from './request-wait-group';
import type { Filter } from './filter-chain';
import { sendShuttingDown, type ServerState } from './server-state';

/** Rejects requests with a long head before any other filter parses it. */
export function limitHead(): Filter {
  return (exchange) => {
    const error = checkHeadLimit(exchange.request);
    if (error === undefined) return true;
    exchange.progress.refuseBody();
    throw error;
  };
}

/** Audit IDs that can be logged and returned as they are. */
const PLAIN_ID = /^[\x21-\x7e]{1,128}$/;

/** Uses the client's audit ID, or generates one. */
export function assignAuditId(random: Random): Filter {
  return (exchange) => {
    const clientId = exchange.header('audit-id');
    exchange.setAuditId(clientId !== undefined && PLAIN_ID.test(clientId) ? clientId : random.uuid());
    return true;
  };
}

/** Parses the request info from method and URL. Throws {@link MalformedRequest}. */
export function readRequestInfo(resources: Resources, naming: Dialect): Filter {
  const names = GENERATED_NAMES[naming];
  return (exchange) => {
    const { path, query } = splitUrl(exchange.request.url ?? '/');
    if (query !== '') exchange.setQuery(new Query(query));
    const info = parseRequestInfo(exchange.method, path, exchange.query, names);
    exchange.setInfo(info);
    const resource = info.kind === 'resource' ? resources.find(info.group, info.version, info.resource) : undefined;
    if (resource !== undefined) exchange.setResource(resource);
    return true;
  };
}

/** Path and query of a request target, which may be absolute. */
function splitUrl(target: string): { readonly path: string; readonly query: string } {
  let url = target;
  if (!url.startsWith('/')) {
    const authority = url.indexOf('://');
    const slash = authority < 0 ? -1 : url.indexOf('/', authority + 3);
    url = slash < 0 ? '/' : url.slice(slash);
  }
  const queryMark = url.indexOf('?');
  const rawPath = queryMark < 0 ? url : url.slice(0, queryMark);
  const query = queryMark < 0 ? '' : url.slice(queryMark + 1);
  return { path: decodePath(rawPath), query };
}

/** A path with an escape (`/api/v1/namespaces/a%20b`), or with bytes outside of ASCII. */
const NEEDS_DECODING = /[%\x80-\xff]/;

/** Throws {@link MalformedRequest} for an invalid escape. */
function decodePath(rawPath: string): string {
  if (!NEEDS_DECODING.test(rawPath)) return rawPath;
  const text = decodeHeader(rawPath);
  const path = text.includes('%') ? decodePercent(text) : text;
  if (path === undefined) throw new MalformedRequest('400 Bad Request', { closesConnection: true });
  return path;
}

/**
 * Rejects new requests during shutdown. Exempt, if `sendRetryAfter` is set, are the paths for which `isServed` is true,
 * such as health and metrics: the ports stay open then until the requests in flight have finished.
 */
export function rejectDuringShutdown(state: ServerState, isServed: (path: string) => boolean): Filter {
  return (exchange) => {
    // Clients leave with their next request, spread over time, instead of reconnecting elsewhere all at once at the end.
    if (state.isStopping) exchange.progress.goAway();
    if (!state.isRefusingRequests) return true;
    if (state.sendRetryAfter && exchange.info.kind === 'path' && isServed(exchange.info.path)) return true;
    sendShuttingDown(exchange, state);
    return false;
  };
}

/**
 * Ends a random fraction of HTTP/2 connections with GOAWAY, so that clients with long-lived connections spread over
 * the servers behind a load balancer. `chance`: the probability per request.
 */
export function sendGoawayRandomly(chance: number, random: Random): Filter {
  return (exchange) => {
    if (random.float() < chance && exchange.isMultiplexed) exchange.progress.goAway();
    return true;
  };
}

/** Adds the request to those that graceful shutdown waits for. */
export function trackRequest(waitGroup: RequestWaitGroup): Filter {
  return (exchange) => {
    if (exchange.longRunning === undefined) waitGroup.add(exchange);
    return true;
  };
}

/** Sets the deadline, counted from the arrival of the request. Long-running requests have none. */
export function setDeadline(deadlines: Deadlines, requestTimeoutMs: number): Filter {
  return (exchange) => {
    if (exchange.longRunning === undefined) {
      const requested = parseTimeout(exchange.query.get('timeout'));
      const limit = requested === undefined || requested <= 0 ? requestTimeoutMs : Math.min(requested, requestTimeoutMs);
      exchange.setDeadline(exchange.startedAt + limit);
      if (limit < requestTimeoutMs) deadlines.watchWithTimer(exchange);
      else deadlines.watch(exchange);
    } else {
      exchange.setDeadline(Number.POSITIVE_INFINITY);
    }
    return true;
  };
}

/** Longer values are shortened in the error message, because unauthenticated clients can send them. */
const MAX_TIMEOUT_LENGTH = 128;
/** A number without a unit: `30`, `-1.5`, `.5`. */
const BARE_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

/** In ms; `undefined` when no time-out is requested. Throws 400. */
function parseTimeout(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const shortened = text.slice(0, MAX_TIMEOUT_LENGTH);
  const parsed = shortened === text ? parseDuration(text) : undefined;
  if (parsed !== undefined) return parsed;
  const problem = BARE_NUMBER.test(shortened) ? 'missing unit in' : 'invalid';
  throw badRequest(`invalid timeout specified in the request URL - time: ${problem} duration ${quote(shortened)}`);
}
