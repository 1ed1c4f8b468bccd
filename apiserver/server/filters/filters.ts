/**
 * The filters, each a small step of every request. Their order is in chain.ts. A filter that refuses throws; how refusals are written is
 * failures.ts' business.
 */
import { AUTHENTICATED, isMaster, MASTERS, type UserInfo } from '../../../shared/api/identity/user';
import { badRequest, unauthorized, type StatusError } from '../../../shared/api/errors/status';
import { headerText } from '../../../shared/values/header-text';
import { decodePercent } from '../../../shared/values/percent';
import { quote } from '../../../shared/values/quote';
import { GENERATED_NAMES, type Dialect, type GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import { parseDuration } from '../../../shared/cli/duration';
import type { FeatureGates } from '../../../shared/cli/feature-gates';
import type { Priority } from '../../../shared/scheduling/event-loop-scheduler';
import type { Random } from '../../../shared/runtime/random';
import type { ClientCertificate } from '../../authentication/authenticator';
import { isRemoteHeader, type FrontProxyOptions } from '../../authentication/front-proxy';
import type { AuthenticateRequest } from '../../authentication/union';
import type { Attributes, Authorizer, Decision, ResourceAttributes } from '../../authorization/authorizer';
import { selectorsOf } from '../../authorization/selectors';
import { refusalOf, turnedRefusal } from '../../authorization/union';
import { whenKnown, type Eventually } from '../../../shared/runtime/eventually';
import type { Exchange } from '../../endpoints/request/exchange';
import { Query } from '../../endpoints/request/query';
import { pinnedName, requestInfo, UnreadableRequest, type RequestInfo } from '../../endpoints/request/request-info';
import { sendStatus, sendText } from '../../endpoints/answer/respond';
import type { StoredType } from '../../cache/cache';
import type { Admitted, FlowControl, Rejected } from '../../flow-control/flow-control';
import { estimateSeats } from '../../flow-control/seats';
import type { Resources } from '../../registry/resources';
import type { Deadlines } from './deadlines';
import { headFault } from './head-limit';
import { isImpersonation, readImpersonation, type Impersonation } from './impersonation';
import type { InFlight } from './in-flight-limiter';
import type { Ongoing } from './request-wait-group';
import type { Filter } from './filter-chain';
import { sendStopping, type ServerState } from './server-state';

/** Refuses long heads before anything looks into them. */
export function limitHead(): Filter {
  return (exchange) => {
    const fault = headFault(exchange.request);
    if (fault === undefined) return true;
    exchange.progress.refuseBody();
    throw fault;
  };
}

const PLAIN_ID = /^[\x21-\x7e]{1,128}$/;

/** Takes the client's audit id or makes one. */
export function identify(random: Random): Filter {
  return (exchange) => {
    const given = exchange.header('audit-id');
    exchange.setAuditId(given !== undefined && PLAIN_ID.test(given) ? given : random.uuid());
    return true;
  };
}

/** Tells from method and URL what is asked for. Throws {@link UnreadableRequest}. */
export function readRequestInfo(resources: Resources, naming: Dialect): Filter {
  const names = GENERATED_NAMES[naming];
  return (exchange) => {
    const { path, query } = splitUrl(exchange.request.url ?? '/');
    if (query !== '') exchange.setQuery(new Query(query));
    const info = requestInfo(exchange.method, path, exchange.query, names);
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

const NOT_PLAIN = /[%\x80-\xff]/;

function decodedPath(raw: string): string {
  if (!NOT_PLAIN.test(raw)) return raw;
  const text = headerText(raw);
  const path = text.includes('%') ? decodePercent(text) : text;
  if (path === undefined) throw new UnreadableRequest('400 Bad Request', true);
  return path;
}

/** While the server goes down, new requests are turned away; with `sendRetryAfter`, but for paths that are `served` to the end. */
export function refuseWhenStopping(state: ServerState, served: (path: string) => boolean): Filter {
  return (exchange) => {
    // Those who leave early do not all come to another server at the end.
    if (state.stopping) exchange.progress.goAway();
    if (!state.refusing) return true;
    if (state.sendRetryAfter && exchange.info.kind === 'path' && served(exchange.info.path)) return true;
    sendStopping(exchange, state);
    return false;
  };
}

/**
 * Sends one in so many HTTP/2 connections away, so that clients which keep theirs for ever spread over the servers behind a balancer.
 * `chance` is that of each request.
 */
export function rebalance(chance: number, random: Random): Filter {
  return (exchange) => {
    if (random.float() < chance && exchange.isMultiplexed) exchange.progress.goAway();
    return true;
  };
}

/** Counts what a server on its way down waits for. */
export function countOngoing(ongoing: Ongoing): Filter {
  return (exchange) => {
    if (exchange.longRunning === undefined) ongoing.add(exchange);
    return true;
  };
}

/** Sets when the request must have been answered, counted from its arrival; long-running ones may last. */
export function setDeadline(deadlines: Deadlines, requestTimeoutMs: number): Filter {
  return (exchange) => {
    if (exchange.longRunning === undefined) {
      const asked = timeoutOf(exchange.query.get('timeout'));
      const limit = asked === undefined || asked <= 0 ? requestTimeoutMs : Math.min(asked, requestTimeoutMs);
      exchange.setDeadline(exchange.startedAt + limit);
      deadlines.watch(exchange, limit < requestTimeoutMs);
    } else {
      exchange.setDeadline(Number.POSITIVE_INFINITY);
    }
    return true;
  };
}

/** Anybody may send one, and gets it back in the refusal. */
const LONGEST_TIMEOUT = 128;
const BARE_NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;

function timeoutOf(text: string | undefined): number | undefined {
  if (text === undefined || text === '') return undefined;
  const judged = text.slice(0, LONGEST_TIMEOUT);
  const parsed = judged === text ? parseDuration(text) : undefined;
  if (parsed !== undefined) return parsed;
  const complaint = BARE_NUMBER.test(judged) ? 'missing unit in' : 'invalid';
  throw badRequest(`invalid timeout specified in the request URL - time: ${complaint} duration ${quote(judged)}`);
}

/** What was presented. */
export interface AuthenticationAttempt {
  readonly hasCredentials: boolean;
  readonly certificate: ClientCertificate | undefined;
  readonly ms: number;
}

/** Who asks. Throws 401. */
export function authenticate(
  authenticateRequest: AuthenticateRequest,
  certificateOf: (exchange: Exchange) => ClientCertificate | undefined,
  clock: Pick<Clock, 'monotonic'>,
  attempted: (user: UserInfo | undefined, attempt: AuthenticationAttempt) => void,
): Filter {
  return (exchange) => {
    const startedAt = clock.monotonic();
    const authorization = exchange.header('authorization');
    const certificate = certificateOf(exchange);
    const hasCredentials = authorization !== undefined || certificate !== undefined;
    const local = exchange.origin === 'local' && authorization === undefined && certificate === undefined;
    const user = local
      ? LOCAL_ADMIN
      : authenticateRequest(
          { authorization, certificate, rawHeaders: exchange.request.rawHeaders, url: exchange.request.url ?? '' },
          exchange,
        );
    return user instanceof Promise ? user.then(admit) : admit(user);

    function admit(found: UserInfo | undefined): true {
      attempted(found, { hasCredentials, certificate, ms: clock.monotonic() - startedAt });
      if (found === undefined) throw unauthorized();
      exchange.setUser(found);
      return true;
    }
  };
}

/** Whoever may act as somebody else goes on as that user. Throws 403, or the 400 of headers that name nobody. */
export function impersonate(authorizer: Authorizer, names: GeneratedNames): Filter {
  return (exchange) => {
    const { request } = exchange;
    for (const name in request.headers) {
      if (!isImpersonation(name)) continue;
      const asked = readImpersonation(request.rawHeaders, names);
      return asked === undefined ? true : actAs(exchange, asked);
    }
    return true;
  };

  async function actAs(exchange: Exchange, { user, permissions }: Impersonation): Promise<boolean> {
    for (const permission of permissions) {
      const decision = await authorizer.authorize(exchange.user, permission);
      if (decision.type !== 'allow') return refuse(exchange, permission, decision);
    }
    exchange.setImpersonatedUser(user);
    return true;
  }
}

function refuse(exchange: Exchange, attributes: Attributes, decision: Decision): false {
  const refusal = refusalOf(exchange.user, attributes, decision);
  sendStatus(exchange, refusal.status, refusal.code, { 'X-Content-Type-Options': 'nosniff' });
  return false;
}

/** From here on nobody sees what a proxy says of others, whoever said it. */
export function dropRemoteHeaders(proxy: FrontProxyOptions | undefined): Filter {
  return ({ request: { headers } }) => {
    if (proxy !== undefined) for (const name in headers) if (isRemoteHeader(proxy, name)) Reflect.deleteProperty(headers, name);
    return true;
  };
}

/** Whoever reaches the loopback listener of a local set-up without credentials is its administrator. */
const LOCAL_ADMIN: UserInfo = { name: 'local-admin', groups: [MASTERS, AUTHENTICATED] };

/** Bounds how many requests are worked on at once. Administrators and long-running requests are exempt. */
export function limitInFlight(inFlight: InFlight): Filter {
  return (exchange) => {
    if (exchange.longRunning !== undefined || isMaster(exchange.user) || inFlight.enter(exchange)) return true;
    exchange.progress.terminate();
    sendText(exchange, 429, 'Too many requests, please try again later.\n', { 'Retry-After': '1' });
    return false;
  };
}

/**
 * Grants the request seats of its priority level, queues it until they are free, or refuses it with 429. A watch returns its seats once its initial state has been
 * sent. Other long-running requests take no seats, and their responses name no flow schema.
 */
export function controlFlow(flowControl: FlowControl, countOf: (stored: StoredType) => number): Filter {
  return (exchange) => {
    const { info, user, deadline } = exchange;
    if (exchange.longRunning?.seats === 'none') return true;
    const entered = flowControl.startRequest({ user, attributes: info, seats: () => seatsOf(exchange, countOf), deadline });
    if (entered === undefined) return true;
    exchange.setFlow(entered.schema.uid, entered.level.spec.uid);
    if (!('decision' in entered)) return applyDecision(exchange, entered);
    exchange.whenFinished(entered.cancel);
    return exchange.afterQueue(entered.decision, (decided) => applyDecision(exchange, decided));
  };

  function applyDecision(exchange: Exchange, decided: Admitted | Rejected): boolean {
    if ('done' in decided) {
      if (exchange.longRunning === undefined) exchange.whenFinished(decided.done);
      else exchange.whenBegun(decided.done);
      return !exchange.finished;
    }
    exchange.progress.terminate();
    sendText(exchange, 429, 'Too many requests, please try again later.\n', { 'Retry-After': '1' });
    return false;
  }
}

/** Upstream's estimate of seats: a list, or a watch that starts with one (`sendInitialEvents`), takes seats by its number of objects; other requests take one. */
function seatsOf({ info, resource, query }: Exchange, countOf: (stored: StoredType) => number): number {
  if (info.kind !== 'resource' || info.name !== '' || resource?.stored === undefined) return 1;
  const lists = info.verb === 'list' || (info.verb === 'watch' && query.boolean('sendInitialEvents') === true);
  if (!lists) return 1;
  const selects = (query.get('labelSelector') ?? '') !== '' || (query.get('fieldSelector') ?? '') !== '';
  const limit = Number(query.get('limit') ?? '');
  return estimateSeats(countOf(resource.stored), selects || !Number.isInteger(limit) ? undefined : limit);
}

/** Acquires the slot on the event loop of a request without a body. A request with one acquires it when the body has arrived. */
export function acquireSlot(): Filter {
  return (exchange) => {
    exchange.setPriority(priorityOf(exchange.info));
    return BODILESS.has(exchange.method) ? (exchange.acquireSlot() ?? true) : true;
  };
}

const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD']);

/** What others need to stay alive or to be let in, by resource. */
const VITAL: ReadonlySet<string> = new Set(['leases', 'tokenreviews', 'subjectaccessreviews']);

function priorityOf(info: RequestInfo): Priority {
  if (info.kind === 'path' || VITAL.has(info.resource)) return 'urgent';
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

/** Whether the user may; else 403. */
export function authorize(
  authorizer: Authorizer,
  gates: Pick<FeatureGates, 'enabled'>,
  clock: Pick<Clock, 'monotonic'>,
  decided: (type: Decision['type'], ms: number) => void,
): Filter {
  const withSelectors = gates.enabled('AuthorizeWithSelectors');
  return (exchange) => {
    const attributes = withSelectors ? selecting(exchange, attributesOf(exchange)) : attributesOf(exchange);
    const startedAt = clock.monotonic();
    return whenKnown(authorizer.authorize(exchange.user, attributes), (decision) => {
      decided(decision.type, clock.monotonic() - startedAt);
      return act(exchange, attributes, decision);
    });
  };

  function act(exchange: Exchange, attributes: Attributes, decision: Decision): boolean {
    const isAllowed = decision.type === 'allow';
    exchange.annotate('authorization.platform.io/decision', isAllowed ? 'allow' : 'forbid');
    exchange.annotate('authorization.platform.io/reason', decision.reason);
    if (isAllowed) {
      if (attributes.kind === 'resource')
        exchange.setCreationRefusal(() => creationRefusal(exchange.user, { ...attributes, verb: 'create' }));
      return true;
    }
    return refuse(exchange, attributes, decision);
  }

  function creationRefusal(user: UserInfo, attributes: ResourceAttributes): Eventually<StatusError | undefined> {
    return whenKnown(authorizer.authorize(user, attributes), (decision) =>
      decision.type === 'allow' ? undefined : turnedRefusal(attributes, decision),
    );
  }
}

const SELECTING: ReadonlySet<string> = new Set(['list', 'watch', 'deletecollection']);

function selecting({ query }: Exchange, attributes: Attributes): Attributes {
  if (attributes.kind === 'path' || !SELECTING.has(attributes.verb)) return attributes;
  return { ...attributes, selectors: selectorsOf(query.get('fieldSelector'), query.get('labelSelector')) };
}

function attributesOf(exchange: Exchange): Attributes {
  const { info } = exchange;
  if (info.kind === 'path') return info;
  // A list or watch of one name counts as a request for that name.
  const pinned = info.name === '' && (info.verb === 'list' || info.verb === 'watch') ? pinnedName(exchange.query) : '';
  return pinned === '' ? info : { ...info, name: pinned };
}

const LOCAL_HOSTS: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/** Keeps web pages away from the loopback listener, which asks for no credentials. */
export function guardLocal(): Filter {
  return (exchange) => {
    if (exchange.origin === 'local') {
      const complaint = localComplaint(exchange);
      if (complaint !== undefined) {
        exchange.progress.closeConnection();
        sendText(exchange, 403, `${complaint}\n`);
        return false;
      }
    }
    return true;
  };
}

function localComplaint(exchange: Exchange): string | undefined {
  const host = (exchange.header('host') ?? '').replace(/:\d+$/, '');
  if (!LOCAL_HOSTS.has(host)) return 'this listener serves requests for localhost only';
  if (exchange.header('origin') !== undefined) return 'this listener does not serve web pages';
  const site = exchange.header('sec-fetch-site');
  if (site !== undefined && site !== 'none') return 'this listener does not serve web pages';
  const hasBody = exchange.header('transfer-encoding') !== undefined || Number(exchange.header('content-length') ?? '0') > 0;
  if (hasBody && exchange.header('content-type') === undefined) return 'a body needs a Content-Type here';
  return undefined;
}
