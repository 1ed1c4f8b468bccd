/**
 * Builds the authenticators and authorizers of a server from its options, in their order. Makes no decisions itself.
 */
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import { memoizeBySource } from '../../../shared/runtime/memoize-by-source';
import type { FeatureGates } from '../../../shared/cli/feature-gates';
import type { Random } from '../../../shared/runtime/random';
import { bearerTokenAuthenticator } from '../../authentication/bearer-token';
import type { AnonymousPolicy } from '../../authentication/anonymous';
import { oidcAuthenticator, type OidcIssuer } from '../../authentication/oidc/authenticator';
import { clientCertificateAuthenticator } from '../../authentication/client-certificate';
import type { Authenticator, TokenAuthenticator } from '../../authentication/authenticator';
import { bootstrapTokenAuthenticator, type BootstrapSecrets } from '../../authentication/bootstrap-token';
import { frontProxyAuthenticator, type FrontProxyOptions } from '../../authentication/front-proxy';
import { serviceAccountTokenAuthenticator, type TokenUseRecorder } from '../../authentication/service-account/authenticator';
import type { BindableResource, BoundObjects } from '../../authentication/service-account/bound-objects';
import { tokenIssuer } from '../../authentication/service-account/issuer';
import { jsonWebKeySet, type TokenKeys } from '../../../shared/api/identity/token-keys';
import { staticTokenAuthenticator } from '../../authentication/static-tokens';
import type { FindStaticTokenUser } from '../../authentication/token-file';
import { unionTokenAuthenticator, type AuthenticateToken } from '../../authentication/token-union';
import { unionAuthenticator, type AuthenticateRequest } from '../../authentication/union';
import { webSocketTokenAuthenticator } from '../../authentication/websocket-token';
import type { Authorizer } from '../../authorization/authorizer';
import { createAuthorizers, type AuthorizerLink, type AuthorizerDependencies } from './authorizers';
import { unionAuthorizer } from '../../authorization/union';
import { createOpenId, type OpenId } from '../../discovery/openid';
import type { Reader, Resource } from '../../registry/verbs';
import type { OperationTable } from '../../registry/operations/operation';
import { createReviewTable } from '../../reviews/review-table';
import type { TokenRequestDependencies } from '../../reviews/token-request';

/** How users are authenticated, and how their requests are authorized. */
export interface AccessOptions {
  /** Lookups of static tokens, in the order in which they are consulted. */
  readonly tokens: readonly FindStaticTokenUser[];
  /** Absent when identity headers of a front proxy are ignored. */
  readonly frontProxy?: FrontProxyOptions;
  /** Whether tokens from bootstrap token Secrets are accepted. */
  readonly bootstrapTokens: boolean;
  /** Conditions under which requests without credentials are accepted as anonymous. */
  readonly anonymous: AnonymousPolicy;
  /** OpenID Connect issuers by URL; the same map until the configuration changes. */
  readonly tokenIssuers?: () => ReadonlyMap<string, OidcIssuer>;
  /** The authorizers in their order; the same list until the configuration changes. */
  readonly authorization: () => readonly AuthorizerLink[];
  /** A token review webhook, consulted last. */
  readonly tokenWebhook?: TokenAuthenticator;
  /** Audiences of which a token must have at least one. */
  readonly apiAudiences: readonly string[];
  /** Absent when no service account tokens are issued or accepted. */
  readonly serviceAccounts?: ServiceAccountOptions;
}

/** How tokens of service accounts are issued and verified. */
export interface ServiceAccountOptions {
  /** The first is this server's issuer; tokens of all are accepted. */
  readonly issuers: readonly [string, ...string[]];
  /** The keys that sign and verify tokens; the same object until the key files change. */
  readonly keys: () => TokenKeys;
  /** Upper bound for the requested lifetime of a token, in seconds; absent for no bound beyond the general one. */
  readonly maxExpirationSeconds?: number;
  /** Whether tokens of pods are valid for a year; their use after the requested expiration is then counted. */
  readonly extendExpiration: boolean;
}

/** The authorizer of requests and of the checks that writes make. It follows changes of the configuration. */
export function createAuthorizer({ authorization }: Pick<AccessOptions, 'authorization'>, deps: AuthorizerDependencies): Authorizer {
  const current = memoizeBySource(authorization, (links) => unionAuthorizer(createAuthorizers(links, deps)));
  return {
    authorize: (user, attributes) => current().authorize(user, attributes),
    rules: (user, namespace) => current().rules(user, namespace),
    explain: (user, attributes) => current().explain?.(user, attributes) ?? '',
  };
}

/** What authenticators and reviews use. */
export interface AccessDependencies {
  readonly authorizer: Authorizer;
  readonly gates: Pick<FeatureGates, 'isEnabled'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly names: GeneratedNames;
  readonly reader: Reader;
  /** The resources of the objects that a token can be bound to. */
  readonly bindable: Readonly<Record<BindableResource, Resource>>;
  /** The objects that service account tokens are bound to. */
  readonly objects: BoundObjects;
  readonly bootstrapSecrets: BootstrapSecrets;
  /** `host:port` under which clients reach this server. */
  readonly serverAddress: string;
  /** URL of the token keys; `undefined` when they are at this server. */
  readonly keySetAddress: string | undefined;
  /** Records uses of service account tokens, for metrics and for the last-used labels of Secrets. */
  readonly tokenUses: TokenUseRecorder;
}

/** Authentication, and the reviews of identities and access. */
export interface Access {
  /** Determines the user of a request; `undefined` when it is not authenticated. */
  readonly authenticate: AuthenticateRequest;
  /** The OpenID discovery documents for service account tokens; `undefined` when the server issues none. */
  readonly openId: OpenId | undefined;
  /** The review operations and TokenRequest. */
  readonly operations: OperationTable;
}

/** Called once per server. Reads no files and calls no webhook: that happens when a request has credentials. */
export function createAccess(options: AccessOptions, deps: AccessDependencies): Access {
  const { serviceAccounts, apiAudiences } = options;
  const authenticateToken = unionTokenAuthenticator(tokenAuthenticators(options, deps));
  return {
    authenticate: unionAuthenticator(requestAuthenticators(options, authenticateToken), options.anonymous, deps.names),
    openId: serviceAccounts === undefined ? undefined : createOpenIdDocuments(serviceAccounts, deps),
    operations: createReviewTable({
      authenticateToken,
      apiAudiences,
      authorizer: deps.authorizer,
      gates: deps.gates,
      clock: deps.clock,
      names: deps.names,
      tokenRequests: serviceAccounts === undefined ? undefined : tokenRequests(serviceAccounts, apiAudiences, deps),
    }),
  };
}

/** In the order in which they are consulted. */
function requestAuthenticators(
  { frontProxy: proxy, apiAudiences }: AccessOptions,
  authenticateToken: AuthenticateToken,
): readonly Authenticator[] {
  return [
    ...(proxy === undefined ? [] : [frontProxyAuthenticator(proxy)]),
    clientCertificateAuthenticator,
    bearerTokenAuthenticator(authenticateToken, apiAudiences),
    webSocketTokenAuthenticator(authenticateToken, apiAudiences),
  ];
}

function tokenRequests(
  accounts: ServiceAccountOptions,
  apiAudiences: readonly string[],
  deps: AccessDependencies,
): TokenRequestDependencies {
  const { clock, random, reader, bindable, names } = deps;
  return {
    issueToken: tokenIssuer(accounts.issuers[0], accounts.keys, names),
    apiAudiences,
    maxExpirationSeconds: accounts.maxExpirationSeconds,
    extendExpiration: accounts.extendExpiration,
    reader,
    resources: bindable,
    clock,
    random,
  };
}

/** In the order in which they are consulted. */
function tokenAuthenticators(options: AccessOptions, deps: AccessDependencies): readonly TokenAuthenticator[] {
  const { tokens, apiAudiences: audiences, serviceAccounts } = options;
  const { objects, clock, names, tokenUses: useRecorder, bootstrapSecrets: secrets } = deps;
  return [
    ...tokens.map((users) => staticTokenAuthenticator(users, audiences)),
    ...(serviceAccounts === undefined
      ? []
      : [
          serviceAccountTokenAuthenticator({
            issuers: serviceAccounts.issuers,
            keys: serviceAccounts.keys,
            audiences,
            objects,
            clock,
            names,
            useRecorder,
          }),
        ]),
    ...(options.bootstrapTokens ? [bootstrapTokenAuthenticator({ secrets, clock, audiences })] : []),
    ...(options.tokenIssuers === undefined ? [] : [oidcAuthenticator({ issuers: options.tokenIssuers, audiences, clock })]),
    ...(options.tokenWebhook === undefined ? [] : [options.tokenWebhook]),
  ];
}

function createOpenIdDocuments({ issuers, keys }: ServiceAccountOptions, { serverAddress, keySetAddress }: AccessDependencies): OpenId {
  return createOpenId({
    issuer: issuers[0],
    serverAddress,
    keySetAddress,
    keys: memoizeBySource(keys, ({ verifying }) => ({
      algorithms: verifying.map(({ algorithm }) => algorithm),
      keySet: jsonWebKeySet(verifying),
    })),
  });
}
