/**
 * The filter chain: what happens to every request, in its order, before a handler sees it. The order is upstream's, because it decides which of
 * several refusals a client gets. A filter that throws ends the chain; failures.ts answers. Nothing is decided here.
 */
import { GENERATED_NAMES, type Dialect } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/logger';
import type { Random } from '../../shared/runtime/random';
import { timed as withTime } from '../../shared/runtime/timed';
import type { Extensions } from '../aggregation/extensions';
import { handOn } from '../aggregation/hand-on';
import type { Registrations } from '../aggregation/registration';
import type { Auditor } from '../audit/auditor';
import type { ClientCertificate } from '../authentication/authenticator';
import type { StoredType } from '../cache/cache';
import type { FlowControl } from '../flow-control/flow-control';
import type { FrontProxyOptions } from '../authentication/front-proxy';
import type { AuthenticateRequest } from '../authentication/union';
import type { Authorizer } from '../authorization/authorizer';
import type { ApiParts } from '../endpoints/handlers/api-parts';
import { traced } from '../endpoints/request/traced';
import { Exchange, type Incoming, type Origin, type Outgoing } from '../endpoints/request/exchange';
import { PageNotFound, routeResource } from '../endpoints/routes';
import type { Metrics } from '../metrics/metrics';
import type { Tracing } from '../tracing/span';
import { auditReceived, beginAudit } from './filters/audit-filters';
import type { Deadlines } from './filters/deadlines';
import { answerFailure } from './filters/error-response';
import { hideFencingLease } from './filters/fence-filter';
import * as filters from './filters/filters';
import type { InFlight } from './filters/in-flight-limiter';
import type { Ongoing } from './filters/request-wait-group';
import { servedWhileStopping, type PathRoute } from './routes/path-routes';
import { requestLog } from './filters/request-log';
import { pathRouter } from './routes/router';
import { chainOf, type Failed, type Filter, type Handler } from './filters/filter-chain';
import type { ServerState } from './filters/server-state';

/** Other servers, and which requests are theirs. */
export interface Aggregation {
  readonly registrations: Registrations;
  readonly extensions: Extensions;
}

export interface ChainParts {
  readonly api: ApiParts;
  /** What is served besides resources. */
  readonly paths: readonly PathRoute[];
  /** Whether a group, in canonical spelling, is one of those that come with the server. */
  readonly servesGroup: (group: string) => boolean;
  readonly aggregation: Aggregation;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly naming: Dialect;
  readonly state: ServerState;
  readonly deadlines: Deadlines;
  readonly inFlight: InFlight;
  /** Undefined = there are only limits for all together. */
  readonly flowControl: FlowControl | undefined;
  /** Objects that there are of a type. */
  readonly countOf: (stored: StoredType) => number;
  readonly ongoing: Ongoing;
  readonly metrics: Metrics;
  /** Undefined = nothing is recorded. */
  readonly audit: Auditor | undefined;
  /** Undefined = no traces are kept. */
  readonly tracing: Tracing | undefined;
  readonly requestTimeoutMs: number;
  /** Of each request, that its HTTP/2 connection is ended with it. */
  readonly goawayChance: number;
  readonly authenticate: AuthenticateRequest;
  /** Undefined = no proxy speaks for others. */
  readonly frontProxy: FrontProxyOptions | undefined;
  readonly authorizer: Authorizer;
  certificateOf(exchange: Exchange): ClientCertificate | undefined;
}

/** `arrivedAt`: Clock.monotonic at arrival, when that was not just now. */
export type RequestListener = (request: Incoming, reply: Outgoing, arrivedAt?: number) => void;

/** What both listeners call for a request. */
export function requestListener(parts: ChainParts, origin: Origin): RequestListener {
  const failed = answerFailure(parts.logger);
  const run = chainOf(filterChain(parts), route(parts, failed), failed);
  const { api, clock, naming, metrics, tracing } = parts;
  const log = requestLog(parts.logger, clock);
  return (request, reply, arrivedAt = clock.monotonic()) => {
    const exchange = new Exchange(request, reply, api, origin, naming, arrivedAt);
    // A connection that breaks is the exchange's end, not an error of the process.
    exchange.input.on('error', ignore);
    reply.on('error', ignore);
    exchange.whenFinished(() => metrics.requests.finished(exchange));
    if (log !== undefined) exchange.whenFinished(() => log(exchange));
    if (tracing === undefined) run(exchange);
    else traced(tracing, exchange, run);
  };
}

function ignore(): void {
  // See above.
}

/** Filters whose time is measured, under upstream's words. */
type FilterName = 'audit' | 'authentication' | 'authorization' | 'impersonation' | 'priorityandfairness';

function filterChain(parts: ChainParts): readonly Filter[] {
  const { metrics, audit, flowControl, goawayChance } = parts;
  const timed = (name: FilterName, plain: Filter): Filter => {
    const filter = parts.tracing === undefined ? plain : tracedFilter(name, plain);
    const times = metrics.meters.observer('apiserver_request_filter_duration_seconds', name);
    const told = (from: number, until: number): void => times.observe((until - from) / 1000);
    return (exchange) => withTime(parts.clock, () => filter(exchange), told);
  };
  return [
    filters.identify(parts.random),
    filters.limitHead(),
    filters.guardLocal(),
    filters.readRequestInfo(parts.api.resources, parts.naming),
    filters.refuseWhenStopping(parts.state, servedWhileStopping(parts.paths)),
    ...(goawayChance > 0 ? [filters.rebalance(goawayChance, parts.random)] : []),
    filters.countOngoing(parts.ongoing),
    ...(audit === undefined ? [] : [timed('audit', beginAudit(audit, parts.naming))]),
    filters.setDeadline(parts.deadlines, parts.requestTimeoutMs),
    timed('authentication', authentication(parts)),
    ...(audit === undefined ? [] : [auditReceived(audit)]),
    filters.dropRemoteHeaders(parts.frontProxy),
    timed('impersonation', filters.impersonate(parts.authorizer, GENERATED_NAMES[parts.naming])),
    filters.limitInFlight(parts.inFlight),
    ...(flowControl === undefined ? [] : [timed('priorityandfairness', filters.controlFlow(flowControl, parts.countOf))]),
    filters.acquireSlot(),
    timed('authorization', authorization(parts)),
    hideFencingLease(parts.authorizer, GENERATED_NAMES[parts.naming]),
  ];
}

/** Upstream's traces hang all that follows below the filter that says who asks. */
function tracedFilter(name: FilterName, filter: Filter): Filter {
  return (exchange) => {
    const { trace } = exchange;
    if (trace === undefined) return filter(exchange);
    return name === 'authentication' ? trace.opened(name, () => filter(exchange)) : trace.waited(name, () => filter(exchange));
  };
}

function authentication(parts: ChainParts): Filter {
  const { authenticate, metrics, clock } = parts;
  return filters.authenticate(
    authenticate,
    (exchange) => parts.certificateOf(exchange),
    clock,
    (user, attempt) => metrics.authenticated(user, attempt),
  );
}

function authorization({ authorizer, api, metrics, clock }: ChainParts): Filter {
  return filters.authorize(authorizer, api.gates, clock, (type, ms) => metrics.authorized(type, ms));
}

/** What comes after the filters: the router for paths, and a way of their own for resources. */
function route(parts: ChainParts, failed: Failed): Handler {
  const routePath = pathRouter(parts.paths, failed);
  const { registrations, extensions } = parts.aggregation;
  return async (exchange) => {
    const { info } = exchange;
    const other = registrations.find(exchange.request.url ?? '');
    if (other !== undefined) return handOn(extensions, other, exchange);
    if (info.kind === 'path') {
      routePath(exchange, info.path);
      return;
    }
    const isBuiltIn = parts.servesGroup(info.group);
    // The definition of a custom kind may be newer than what this replica has seen.
    if (!isBuiltIn && exchange.resource === undefined) {
      const newest = await parts.api.findNewest(exchange, info);
      if (newest !== undefined) exchange.setResource(newest);
    }
    if (isBuiltIn || exchange.resource !== undefined) await routeResource(parts.api, exchange, info);
    else throw new PageNotFound();
  };
}
