/**
 * The filters that determine the user of a request and decide whether the user may make it: authentication,
 * impersonation, and authorization of the request and of its fencing token. chain.ts orders the filters; authenticators and authorizers make the decisions.
 */
import { FENCE_HEADER, parseFence } from '../../../shared/api/identity/fencing';
import { AUTHENTICATED_GROUP, MASTERS_GROUP, parseServiceAccountUserName, type UserInfo } from '../../../shared/api/identity/user';
import { unauthorized, type StatusError } from '../../../shared/api/errors/status';
import { canonicalNamespace, type GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import type { FeatureGates } from '../../../shared/cli/feature-gates';
import type { ClientCertificate } from '../../authentication/authenticator';
import { isIdentityHeader, type FrontProxyOptions } from '../../authentication/front-proxy';
import type { AuthenticateRequest } from '../../authentication/union';
import type { Attributes, Authorizer, Decision, ResourceAttributes } from '../../authorization/authorizer';
import { selectorsOf } from '../../authorization/selectors';
import { forbiddenError, forbiddenReasonError } from '../../authorization/union';
import { whenResolved, type MaybePromise } from '../../../shared/runtime/maybe-promise';
import type { Exchange } from '../../endpoints/request/exchange';
import { nameFromFieldSelector } from '../../endpoints/request/request-info';
import { sendStatus } from '../../endpoints/response/send-response';
import { isImpersonationHeader, readImpersonation, type Impersonation } from './impersonation';
import type { Filter } from './filter-chain';

/** The credentials of a request. */
export interface AuthenticationAttempt {
  /** Whether the request has an Authorization header or its connection a client certificate. */
  readonly hasCredentials: boolean;
  readonly certificate: ClientCertificate | undefined;
  /** Duration of the authentication. */
  readonly ms: number;
}

/** The user of requests without credentials on the loopback listener of a local set-up. */
const LOCAL_ADMIN: UserInfo = { name: 'local-admin', groups: [MASTERS_GROUP, AUTHENTICATED_GROUP] };

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
    const isLocalAdmin = exchange.origin === 'local' && !hasCredentials;
    const { rawHeaders, url = '' } = exchange.request;
    const authenticated = isLocalAdmin ? LOCAL_ADMIN : authenticateRequest({ authorization, certificate, rawHeaders, url }, exchange);
    return whenResolved(authenticated, (user) => {
      onAttempt(user, { hasCredentials, certificate, ms: clock.monotonic() - startedAt });
      if (user === undefined) throw unauthorized();
      exchange.setUser(user);
      return true;
    });
  };
}

/**
 * Processes the request as the impersonated user, if the authenticated user may impersonate it; otherwise responds with
 * 403. Throws 400 for impersonation headers that name no user.
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

/**
 * Removes the headers in which front proxies name the user, whether a proxy sent them or not, so that later components do
 * not forward them. `rawHeaders` keep them.
 */
export function removeFrontProxyHeaders(proxy: FrontProxyOptions | undefined): Filter {
  return ({ request: { headers } }) => {
    if (proxy !== undefined) for (const name in headers) if (isIdentityHeader(proxy, name)) Reflect.deleteProperty(headers, name);
    return true;
  };
}

/**
 * Authorizes the request; responds with 403 when it is denied. Also prepares the check of an update or apply that turns
 * out to create its object, for which the user needs `create` as well; its 403 has only the reason, as upstream's.
 */
export function authorize(
  authorizer: Authorizer,
  gates: Pick<FeatureGates, 'isEnabled'>,
  clock: Pick<Clock, 'monotonic'>,
  onDecision: (type: Decision['type'], ms: number) => void,
): Filter {
  const includesSelectors = gates.isEnabled('AuthorizeWithSelectors');
  return (exchange) => {
    const attributes = includesSelectors ? withSelectorAttributes(exchange, attributesOf(exchange)) : attributesOf(exchange);
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
  // A list or watch with `metadata.name=<name>` as field selector counts as a request for that name.
  const selectedName = info.name === '' && (info.verb === 'list' || info.verb === 'watch') ? nameFromFieldSelector(exchange.query) : '';
  return selectedName === '' ? info : { ...info, name: selectedName };
}

/** Methods that store nothing, so that a fencing token has no effect. */
const READS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Hides the Lease that a write names as its fence from users that may not read it: the write is refused as if the
 * term were over, so that a user cannot probe holders and terms. Service accounts of the system namespace are exempt:
 * controllers write with these accounts, and their upstream roles do not include Leases.
 */
export function hideFencingLease(authorizer: Authorizer, names: GeneratedNames): Filter {
  return (exchange) => {
    if (READS.has(exchange.method)) return true;
    const text = exchange.header(FENCE_HEADER);
    // A fence that cannot be parsed is refused by the write.
    const fence = text === undefined ? undefined : parseFence(text);
    const { user } = exchange;
    if (fence === undefined || parseServiceAccountUserName(user.name)?.namespace === names.systemNamespace) return true;
    const attributes = {
      kind: 'resource',
      verb: 'get',
      group: 'coordination.platform.io',
      version: 'v1',
      resource: 'leases',
      subresource: '',
      namespace: canonicalNamespace(names, fence.namespace),
      name: fence.name,
    } as const;
    return whenResolved(authorizer.authorize(user, attributes), ({ type }) => {
      exchange.setFenceHidden(type !== 'allow');
      return true;
    });
  };
}
