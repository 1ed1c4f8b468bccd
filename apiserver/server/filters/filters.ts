/**
 * The filters, one step of the request each; chain.ts orders them. A filter rejects a request by throwing;
 * error-response.ts turns the error into a response.
 */
import { AUTHENTICATED_GROUP, isInMastersGroup, MASTERS_GROUP, type UserInfo } from '../../../shared/api/identity/user';
import { badRequest, unauthorized, type StatusError } from '../../../shared/api/errors/status';
import { decodeHeader } from '../../../shared/values/text/decode-header';
import { decodePercent } from '../../../shared/values/text/percent';
import { quote } from '../../../shared/values/text/quote';
import { GENERATED_NAMES, type Dialect, type GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import { parseDuration } from '../../../shared/cli/duration';
import type { FeatureGates } from '../../../shared/cli/feature-gates';
import type { Priority } from '../../../shared/scheduling/event-loop-scheduler';
import type { Random } from '../../../shared/runtime/random';
import type { ClientCertificate } from '../../authentication/authenticator';
import { isIdentityHeader, type FrontProxyOptions } from '../../authentication/front-proxy';
import type { AuthenticateRequest } from '../../authentication/union';
import type { Attributes, Authorizer, Decision, ResourceAttributes } from '../../authorization/authorizer';
import { selectorsOf } from '../../authorization/selectors';
import { forbiddenError, forbiddenReasonError } from '../../authorization/union';
import { whenResolved, type MaybePromise } from '../../../shared/runtime/maybe-promise';
import type { Exchange } from '../../endpoints/request/exchange';
import { Query } from '../../endpoints/request/query';
import { nameFromFieldSelector, parseRequestInfo, MalformedRequest, type RequestInfo } from '../../endpoints/request/request-info';
import { sendStatus, sendText } from '../../endpoints/response/send-response';
import type { StoredType } from '../../cache/cache';
import type { Admitted, FlowControl, Rejected } from '../../flow-control/flow-control';
import { estimateSeats } from '../../flow-control/seats';
import type { Resources } from '../../registry/resources';
import type { Deadlines } from './deadlines';
import { checkHeadLimit } from './head-limit';
import { isImpersonationHeader, readImpersonation, type Impersonation } from './impersonation';
import type { InFlightLimiter } from './in-flight-limiter';
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
  const mark = url.indexOf('?');
  const raw = mark < 0 ? url : url.slice(0, mark);
  const query = mark < 0 ? '' : url.slice(mark + 1);
  return { path: decodedPath(raw), query };
}

const NEEDS_DECODING = /[%\x80-\xff]/;

function decodedPath(raw: string): string {
  if (!NEEDS_DECODING.test(raw)) return raw;
  const text = decodeHeader(raw);
  const path = text.includes('%') ? decodePercent(text) : text;
  if (path === undefined) throw new MalformedRequest('400 Bad Request', { closesConnection: true });
  return path;
}

/** Rejects new requests during shutdown, except paths that are served to the end when `sendRetryAfter` is set. */
export function rejectDuringShutdown(state: ServerState, isServed: (path: string) => boolean): Filter {
  return (exchange) => {
    // Clients that leave early are spread over time, instead of reconnecting elsewhere all at once at the end.
    if (state.stopping) exchange.progress.goAway();
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
      deadlines.watch(exchange, limit < requestTimeoutMs);
    } else {
      exchange.setDeadline(Number.POSITIVE_INFINITY);
    }
    return true;
  };
}

/** Longer values are shortened in the error message, because unauthenticated clients can send them. */
const MAX_TIMEOUT_LENGTH = 128;
const BARE_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

function parseTimeout(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const shortened = text.slice(0, MAX_TIMEOUT_LENGTH);
  const parsed = shortened === text ? parseDuration(text) : undefined;
  if (parsed !== undefined) return parsed;
  const problem = BARE_NUMBER.test(shortened) ? 'missing unit in' : 'invalid';
  throw badRequest(`invalid timeout specified in the request URL - time: ${problem} duration ${quote(shortened)}`);
}

/** The credentials of a request. */
export interface AuthenticationAttempt {
  readonly hasCredentials: boolean;
  readonly certificate: ClientCertificate | undefined;
  readonly ms: number;
}

/** Authenticates the request. Throws 401. */
export function authenticate(
  authenticateRequest: AuthenticateRequest,
  certificateOf: (exchange: Exchange) => ClientCertificate | undefined,
  clock: Pick<Clock, 'monotonic'>,
  onAttempt: (user: UserInfo | undefined, attempt: AuthenticationAttempt) => void,
): Filter {
  return (exchange) => {
    const startedAt = clock.monotonic();
    const authorization = exchange.header('authorization');
    const certificate = certificateOf(exchange);
    const hasCredentials = authorization !== undefined || certificate !== undefined;
    const isLocalAdmin = exchange.origin === 'local' && authorization === undefined && certificate === undefined;
    const user = isLocalAdmin
      ? LOCAL_ADMIN
      : authenticateRequest(
          { authorization, certificate, rawHeaders: exchange.request.rawHeaders, url: exchange.request.url ?? '' },
          exchange,
        );
    return user instanceof Promise ? user.then(admit) : admit(user);

    function admit(user: UserInfo | undefined): true {
      onAttempt(user, { hasCredentials, certificate, ms: clock.monotonic() - startedAt });
      if (user === undefined) throw unauthorized();
      exchange.setUser(user);
      return true;
    }
  };
}

/**
 * Processes the request as the impersonated user, if the authenticated user may impersonate. Responds with 403, or
 * throws the 400 of headers without a user.
 */
export function impersonate(authorizer: Authorizer, names: GeneratedNames): Filter {
  return (exchange) => {
    const { request } = exchange;
    for (const name in request.headers) {
      if (!isImpersonationHeader(name)) continue;
      const impersonation = readImpersonation(request.rawHeaders, names);
      return impersonation === undefined ? true : authorizeImpersonation(exchange, impersonation);
    }
    return true;
  };

  async function authorizeImpersonation(exchange: Exchange, { user, permissions }: Impersonation): Promise<boolean> {
    for (const permission of permissions) {
      const decision = await authorizer.authorize(exchange.user, permission);
      if (decision.type !== 'allow') return respondForbidden(exchange, permission, decision);
    }
    exchange.setImpersonatedUser(user);
    return true;
  }
}

function respondForbidden(exchange: Exchange, attributes: Attributes, decision: Decision): false {
  const refusal = forbiddenError(exchange.user, attributes, decision);
  sendStatus(exchange, refusal.status, refusal.code, { 'X-Content-Type-Options': 'nosniff' });
  return false;
}

/** Removes the identity headers of front proxies, so that no later component sees them. */
export function removeFrontProxyHeaders(proxy: FrontProxyOptions | undefined): Filter {
  return ({ request: { headers } }) => {
    if (proxy !== undefined) for (const name in headers) if (isIdentityHeader(proxy, name)) Reflect.deleteProperty(headers, name);
    return true;
  };
}

/** The user of requests without credentials on the loopback listener of a local set-up. */
const LOCAL_ADMIN: UserInfo = { name: 'local-admin', groups: [MASTERS_GROUP, AUTHENTICATED_GROUP] };

/** Limits the requests in flight. Members of system:masters and long-running requests are exempt. */
export function limitInFlight(inFlight: InFlightLimiter): Filter {
  return (exchange) => {
    if (exchange.longRunning !== undefined || isInMastersGroup(exchange.user) || inFlight.tryEnter(exchange)) return true;
    exchange.progress.terminate();
    sendText(exchange, 429, 'Too many requests, please try again later.\n', { 'Retry-After': '1' });
    return false;
  };
}

/**
 * Grants the request seats of its priority level, queues it until they are available, or rejects it with 429. A watch
 * releases its seats once its initial state has been sent. Other long-running requests take no seats, and their
 * responses name no flow schema.
 */
export function applyPriorityAndFairness(flowControl: FlowControl, countObjects: (stored: StoredType) => number): Filter {
  return (exchange) => {
    const { info, user, deadline } = exchange;
    if (exchange.longRunning?.seats === 'none') return true;
    const outcome = flowControl.startRequest({
      user,
      attributes: info,
      seats: () => estimateRequestSeats(exchange, countObjects),
      deadline,
    });
    if (outcome === undefined) return true;
    exchange.setFlow(outcome.schema.uid, outcome.level.spec.uid);
    if (!('decision' in outcome)) return applyDecision(exchange, outcome);
    exchange.whenFinished(outcome.cancel);
    return exchange.afterQueue(outcome.decision, (decision) => applyDecision(exchange, decision));
  };

  function applyDecision(exchange: Exchange, decision: Admitted | Rejected): boolean {
    if ('done' in decision) {
      if (exchange.longRunning === undefined) exchange.whenFinished(decision.done);
      else exchange.whenInitialized(decision.done);
      return !exchange.isFinished;
    }
    exchange.progress.terminate();
    sendText(exchange, 429, 'Too many requests, please try again later.\n', { 'Retry-After': '1' });
    return false;
  }
}

/**
 * Upstream's estimate of seats: a list, or a watch that starts with one (`sendInitialEvents`), takes seats by its
 * number of objects; other requests take one.
 */
function estimateRequestSeats({ info, resource, query }: Exchange, countObjects: (stored: StoredType) => number): number {
  if (info.kind !== 'resource' || info.name !== '' || resource?.stored === undefined) return 1;
  const isList = info.verb === 'list' || (info.verb === 'watch' && query.boolean('sendInitialEvents') === true);
  if (!isList) return 1;
  const hasSelectors = (query.get('labelSelector') ?? '') !== '' || (query.get('fieldSelector') ?? '') !== '';
  const limit = Number(query.get('limit') ?? '');
  return estimateSeats(countObjects(resource.stored), hasSelectors || !Number.isInteger(limit) ? undefined : limit);
}

/**
 * Acquires the event loop slot of a request without a body. A request with a body acquires it when the body has been
 * received.
 */
export function acquireEventLoopSlot(): Filter {
  return (exchange) => {
    exchange.setPriority(priorityOf(exchange.info));
    return BODILESS.has(exchange.method) ? (exchange.acquireSlot() ?? true) : true;
  };
}

const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** Requests that other components need in order to stay alive or to be authenticated. */
const URGENT_RESOURCES: ReadonlySet<string> = new Set(['leases', 'tokenreviews', 'subjectaccessreviews']);

function priorityOf(info: RequestInfo): Priority {
  if (info.kind === 'path' || URGENT_RESOURCES.has(info.resource)) return 'urgent';
  switch (info.verb) {
    case 'get':
      return 'urgent';
    case 'list':
    case 'watch':
    case 'deletecollection':
      return info.name === '' ? 'bulk' : 'usual';
    default:
      return 'usual';
  }
}

/** Authorizes the request; responds with 403 when it is denied. */
export function authorize(
  authorizer: Authorizer,
  gates: Pick<FeatureGates, 'isEnabled'>,
  clock: Pick<Clock, 'monotonic'>,
  onDecision: (type: Decision['type'], ms: number) => void,
): Filter {
  const withSelectors = gates.isEnabled('AuthorizeWithSelectors');
  return (exchange) => {
    const attributes = withSelectors ? withSelectorAttributes(exchange, attributesOf(exchange)) : attributesOf(exchange);
    const startedAt = clock.monotonic();
    return whenResolved(authorizer.authorize(exchange.user, attributes), (decision) => {
      onDecision(decision.type, clock.monotonic() - startedAt);
      return applyDecision(exchange, attributes, decision);
    });
  };

  function applyDecision(exchange: Exchange, attributes: Attributes, decision: Decision): boolean {
    const isAllowed = decision.type === 'allow';
    exchange.addAuditAnnotation('authorization.platform.io/decision', isAllowed ? 'allow' : 'forbid');
    exchange.addAuditAnnotation('authorization.platform.io/reason', decision.reason);
    if (isAllowed) {
      if (attributes.kind === 'resource')
        exchange.setAuthorizeCreate(() => checkCreation(exchange.user, { ...attributes, verb: 'create' }));
      return true;
    }
    return respondForbidden(exchange, attributes, decision);
  }

  function checkCreation(user: UserInfo, attributes: ResourceAttributes): MaybePromise<StatusError | undefined> {
    return whenResolved(authorizer.authorize(user, attributes), (decision) =>
      decision.type === 'allow' ? undefined : forbiddenReasonError(attributes, decision),
    );
  }
}

const VERBS_WITH_SELECTORS: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

function withSelectorAttributes({ query }: Exchange, attributes: Attributes): Attributes {
  if (attributes.kind === 'path' || !VERBS_WITH_SELECTORS.has(attributes.verb)) return attributes;
  return {
    ...attributes,
    selectors: selectorsOf({ fieldSelector: query.get('fieldSelector'), labelSelector: query.get('labelSelector') }),
  };
}

function attributesOf(exchange: Exchange): Attributes {
  const { info } = exchange;
  if (info.kind === 'path') return info;
  // A list or watch of one name counts as a request for that name.
  const pinned = info.name === '' && (info.verb === 'list' || info.verb === 'watch') ? nameFromFieldSelector(exchange.query) : '';
  return pinned === '' ? info : { ...info, name: pinned };
}

const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Rejects requests of web pages on the loopback listener, which requires no credentials. */
export function guardLoopback(): Filter {
  return (exchange) => {
    if (exchange.origin === 'local') {
      const problem = loopbackProblem(exchange);
      if (problem !== undefined) {
        exchange.progress.closeConnection();
        sendText(exchange, 403, `${problem}\n`);
        return false;
      }
    }
    return true;
  };
}

function loopbackProblem(exchange: Exchange): string | undefined {
  const host = (exchange.header('host') ?? '').replace(/:\d+$/, '');
  if (!LOCAL_HOSTS.has(host)) return 'this listener serves requests for localhost only';
  if (exchange.header('origin') !== undefined) return 'this listener does not serve web pages';
  const site = exchange.header('sec-fetch-site');
  if (site !== undefined && site !== 'none') return 'this listener does not serve web pages';
  const hasBody = exchange.header('transfer-encoding') !== undefined || Number(exchange.header('content-length') ?? '0') > 0;
  if (hasBody && exchange.header('content-type') === undefined) return 'this path requires a Content-Type header for a body';
  return undefined;
}
