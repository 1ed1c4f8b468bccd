/**
 * The filter chain that every request passes before its handler. Upstream's filters are in upstream's order, because it
 * decides which of several errors a client receives; filters that upstream does not have stand between them. A filter
 * that throws ends the chain, and error-response.ts responds. Makes no decisions itself.
 */
import { GENERATED_NAMES, type Dialect } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import type { Logger } from '../../shared/runtime/logger';
import type { Random } from '../../shared/runtime/random';
import { measureTime } from '../../shared/runtime/measure-time';
import type { ExtensionServers } from '../aggregation/extension-servers';
import { proxyRequest } from '../aggregation/proxy-request';
import type { Registrations } from '../aggregation/registrations';
import type { Auditor } from '../audit/auditor';
import type { ClientCertificate } from '../authentication/authenticator';
import type { StoredType } from '../cache/cache';
import type { FlowControl } from '../flow-control/flow-control';
import type { FrontProxyOptions } from '../authentication/front-proxy';
import type { AuthenticateRequest } from '../authentication/union';
import type { Authorizer } from '../authorization/authorizer';
import type { ApiDependencies } from '../endpoints/handlers/api-dependencies';
import { traceRequest } from '../endpoints/request/request-tracing';
import { Exchange, type Incoming, type Origin, type Outgoing } from '../endpoints/request/exchange';
import { PageNotFound, routeResource } from '../endpoints/routes';
import type { Metrics } from '../metrics/metrics';
import type { Tracing } from '../tracing/span';
import { auditReceived, startAudit } from './filters/audit-filters';
import type { Deadlines } from './filters/deadlines';
import { respondToError } from './filters/error-response';
import * as concurrencyFilters from './filters/concurrency-filters';
import * as identityFilters from './filters/identity-filters';
import { guardLoopback } from './filters/loopback-guard';
import * as requestFilters from './filters/request-filters';
import type { InFlightLimiter } from './filters/in-flight-limiter';
import type { RequestWaitGroup } from './filters/request-wait-group';
import { createShutdownExemption, type PathRoute } from './routes/path-routes';
import { createRequestLog } from './filters/request-log';
import { createPathRouter } from './routes/router';
import { createChain, type OnError, type Filter, type Handler } from './filters/filter-chain';
import type { ServerState } from './filters/server-state';

/** Aggregated API servers and their APIServices. */
export interface Aggregation {
  readonly registrations: Registrations;
  readonly extensions: ExtensionServers;
}

/** What the filters and the handler of a server use. */
export interface ChainDependencies {
  readonly api: ApiDependencies;
  /** Routes for paths that are not resources. */
  readonly paths: readonly PathRoute[];
  /** Whether a group, in canonical spelling, is built in. */
  readonly servesGroup: (group: string) => boolean;
  readonly aggregation: Aggregation;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly naming: Dialect;
  readonly serverState: ServerState;
  readonly deadlines: Deadlines;
  /** Limits requests by number; with flow control it only counts them. */
  readonly inFlight: InFlightLimiter;
  /** `undefined` when only the in-flight limits apply. */
  readonly flowControl: FlowControl | undefined;
  /** The number of objects of a stored type. */
  readonly countObjects: (stored: StoredType) => number;
  readonly waitGroup: RequestWaitGroup;
  readonly metrics: Metrics;
  /** `undefined` when no audit events are recorded. */
  readonly audit: Auditor | undefined;
  /** `undefined` when requests are not traced. */
  readonly tracing: Tracing | undefined;
  /** The deadline of a request that is not long-running, counted from its arrival. */
  readonly requestTimeoutMs: number;
  /** Probability per request of ending its HTTP/2 connection with GOAWAY. */
  readonly goawayChance: number;
  /** Determines the user of a request. */
  readonly authenticate: AuthenticateRequest;
  /** `undefined` when identity headers of a front proxy are ignored. */
  readonly frontProxy: FrontProxyOptions | undefined;
  readonly authorizer: Authorizer;
  /**
   * The client certificate of the request's connection, with its trust and validity at the time of the call; `undefined`
   * when there is none.
   */
  certificateOf(exchange: Exchange): ClientCertificate | undefined;
}

/** Receives the requests of a listener. `arrivedAt` is Clock.monotonic at the arrival of a request; absent for now. */
export type RequestListener = (request: Incoming, reply: Outgoing, arrivedAt?: number) => void;

/** The callback of a listener for its requests. */
export function requestListener(deps: ChainDependencies, origin: Origin): RequestListener {
  const onError = respondToError(deps.logger);
  const serve = createChain(filterChain(deps), route(deps, onError), onError);
  const { api, clock, naming, metrics, tracing } = deps;
  const log = createRequestLog(deps.logger, clock);
  return (request, reply, arrivedAt = clock.monotonic()) => {
    const exchange = new Exchange(request, reply, api, { origin, naming, startedAt: arrivedAt });
    exchange.input.on('error', ignoreConnectionError);
    reply.on('error', ignoreConnectionError);
    exchange.whenFinished(() => metrics.requests.recordRequest(exchange));
    if (log !== undefined) exchange.whenFinished(() => log(exchange));
    if (tracing === undefined) serve(exchange);
    else traceRequest(tracing, exchange, serve);
  };
}

function ignoreConnectionError(): void {
  // The `close` event of the exchange reports a broken connection; without a listener the error would end the process.
}

/** Filters with a measured duration, by upstream's names. */
type FilterName = 'audit' | 'authentication' | 'authorization' | 'impersonation' | 'priorityandfairness';

/** The filters of a server, in the order in which requests pass them. */
function filterChain(deps: ChainDependencies): readonly Filter[] {
  const { metrics, audit, flowControl, goawayChance } = deps;
  const timed = (name: FilterName, untracedFilter: Filter): Filter => {
    const filter = deps.tracing === undefined ? untracedFilter : withTrace(name, untracedFilter);
    const times = metrics.meters.observer('apiserver_request_filter_duration_seconds', name);
    const observeTime = (from: number, until: number): void => times.observe((until - from) / 1000);
    return (exchange) => measureTime(deps.clock, () => filter(exchange), observeTime);
  };
  return [
    requestFilters.assignAuditId(deps.random),
    requestFilters.limitHead(),
    guardLoopback(),
    requestFilters.readRequestInfo(deps.api.resources, deps.naming),
    requestFilters.rejectDuringShutdown(deps.serverState, createShutdownExemption(deps.paths)),
    ...(goawayChance > 0 ? [requestFilters.sendGoawayRandomly(goawayChance, deps.random)] : []),
    requestFilters.trackRequest(deps.waitGroup),
    ...(audit === undefined ? [] : [timed('audit', startAudit(audit, deps.naming))]),
    requestFilters.setDeadline(deps.deadlines, deps.requestTimeoutMs),
    timed('authentication', authenticationFilter(deps)),
    ...(audit === undefined ? [] : [auditReceived(audit)]),
    identityFilters.removeFrontProxyHeaders(deps.frontProxy),
    timed('impersonation', identityFilters.impersonate(deps.authorizer, GENERATED_NAMES[deps.naming])),
    concurrencyFilters.limitInFlight(deps.inFlight),
    ...(flowControl === undefined ? [] : [timed('priorityandfairness', priorityFilter(flowControl, deps))]),
    concurrencyFilters.acquireEventLoopSlot(),
    timed('authorization', authorizationFilter(deps)),
    identityFilters.hideFencingLease(deps.authorizer, GENERATED_NAMES[deps.naming]),
  ];
}

/** In upstream's traces, everything after authentication is a child of the authentication span. */
function withTrace(name: FilterName, filter: Filter): Filter {
  return (exchange) => {
    const { trace } = exchange;
    if (trace === undefined) return filter(exchange);
    return name === 'authentication' ? trace.runOpeningFilter(name, () => filter(exchange)) : trace.runFilter(name, () => filter(exchange));
  };
}

const priorityFilter = (flowControl: FlowControl, { countObjects }: ChainDependencies): Filter =>
  concurrencyFilters.applyPriorityAndFairness(flowControl, countObjects);

function authenticationFilter(deps: ChainDependencies): Filter {
  const { authenticate, metrics, clock } = deps;
  return identityFilters.authenticate(
    authenticate,
    (exchange) => deps.certificateOf(exchange),
    clock,
    (user, attempt) => metrics.identity.recordAuthentication(user, attempt),
  );
}

function authorizationFilter({ authorizer, api, metrics, clock }: ChainDependencies): Filter {
  return identityFilters.authorize(authorizer, api.gates, clock, (type, ms) => metrics.identity.recordAuthorization(type, ms));
}

/** The handler after the filters: proxies requests for aggregated API servers, and routes paths and resources. */
function route(deps: ChainDependencies, onError: OnError): Handler {
  const routePath = createPathRouter(deps.paths, onError);
  const { registrations, extensions } = deps.aggregation;
  return async (exchange) => {
    const { info } = exchange;
    const registration = registrations.findByTarget(exchange.request.url ?? '');
    if (registration !== undefined) return proxyRequest(extensions, registration, exchange);
    if (info.kind === 'path') {
      routePath(exchange, info.path);
      return;
    }
    const isBuiltIn = deps.servesGroup(info.group);
    // The definition of a custom resource may be newer than this replica's cache.
    if (!isBuiltIn && exchange.resource === undefined) {
      const newest = await deps.api.findNewest(exchange, info);
      if (newest !== undefined) exchange.setResource(newest);
    }
    if (isBuiltIn || exchange.resource !== undefined) await routeResource(deps.api, exchange, info);
    else throw new PageNotFound();
  };
}
