/**
 * Who may come in and what they may do: the authenticators and authorizers of a server, made from its options in their order. Decides nothing.
 */
import type { GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import { derived } from '../../../shared/runtime/derived';
import type { FeatureGates } from '../../../shared/cli/feature-gates';
import type { Random } from '../../../shared/runtime/random';
import { bearerTokens } from '../../authentication/bearer-token';
import type { AnonymousPolicy } from '../../authentication/anonymous';
import { issuedTokens, type IssuerParts } from '../../authentication/oidc/authenticator';
import { clientCertificates } from '../../authentication/client-certificate';
import type { Authenticator, TokenAuthenticator } from '../../authentication/authenticator';
import { bootstrapTokens, type BootstrapSecrets } from '../../authentication/bootstrap-token';
import { frontProxy, type FrontProxyOptions } from '../../authentication/front-proxy';
import { serviceAccountTokens, type TokenUses } from '../../authentication/service-account/authenticator';
import type { BindableResource, BoundObjects } from '../../authentication/service-account/bound-objects';
import { tokenIssuer } from '../../authentication/service-account/issuer';
import { keySet, type TokenKeys } from '../../../shared/api/identity/token-keys';
import { staticTokens } from '../../authentication/static-tokens';
import type { StaticTokens } from '../../authentication/token-file';
import { authenticateTokensInOrder, type AuthenticateToken } from '../../authentication/tokens';
import { authenticateInOrder, type AuthenticateRequest } from '../../authentication/union';
import { webSocketTokens } from '../../authentication/websocket-token';
import type { Authorizer } from '../../authorization/authorizer';
import { authorizersFor, type AuthorizerLink, type AuthorizerParts } from './authorizers';
import { inOrder } from '../../authorization/union';
import { createOpenId, type OpenId } from '../../discovery/openid';
import type { Reader, Resource } from '../../registry/verbs';
import type { OperationTable } from '../../registry/operations/operation';
import { reviewTable } from '../../reviews/table';
import type { TokenRequestParts } from '../../reviews/token-request';

export interface AccessOptions {
  readonly tokens: readonly StaticTokens[];
  /** Absent = no proxy speaks for others. */
  readonly frontProxy?: FrontProxyOptions;
  /** Whether tokens of the bootstrap Secrets are taken. */
  readonly bootstrapTokens: boolean;
  /** Where somebody without credentials is let in. */
  readonly anonymous: AnonymousPolicy;
  /** Of OpenID providers, by issuer; the same object until the configuration changes. */
  readonly tokenIssuers?: () => ReadonlyMap<string, IssuerParts>;
  /** Who decides, in this order; the same list until the configuration changes. */
  readonly authorization: () => readonly AuthorizerLink[];
  /** Somebody else who knows tokens, asked last. */
  readonly tokenWebhook?: TokenAuthenticator;
  /** What tokens have to be made for to open this server. */
  readonly apiAudiences: readonly string[];
  /** Absent = no tokens are issued for service accounts, and none are taken. */
  readonly serviceAccounts?: ServiceAccountOptions;
}

export interface ServiceAccountOptions {
  /** The first is this server's own name; tokens of all are taken. */
  readonly issuers: readonly [string, ...string[]];
  readonly keys: () => TokenKeys;
  /** The longest that a token may be asked for, in seconds; absent = as long as any token may be. */
  readonly maxExpirationSeconds?: number;
  /** A pod's token goes on for a year, and its use after the time asked for is counted. */
  readonly extendExpiration: boolean;
}

/** Who may do what; that what writes can ask as well. */
export function createAuthorizer({ authorization }: Pick<AccessOptions, 'authorization'>, parts: AuthorizerParts): Authorizer {
  const present = derived(authorization, (links) => inOrder(authorizersFor(links, parts)));
  return {
    authorize: (user, attributes) => present().authorize(user, attributes),
    rules: (user, namespace) => present().rules(user, namespace),
    explain: (user, attributes) => present().explain?.(user, attributes) ?? '',
  };
}

export interface AccessParts {
  readonly authorizer: Authorizer;
  readonly gates: Pick<FeatureGates, 'enabled'>;
  readonly clock: Clock;
  readonly random: Random;
  readonly names: GeneratedNames;
  readonly reader: Reader;
  readonly bindable: Readonly<Record<BindableResource, Resource>>;
  /** What service account tokens are bound to. */
  readonly objects: BoundObjects;
  readonly bootstrapSecrets: BootstrapSecrets;
  /** `host:port` under which clients reach this server. */
  readonly serverAddress: string;
  /** Where the keys of tokens are found; undefined = here. */
  readonly keySetAddress: string | undefined;
  readonly tokenUses: TokenUses;
}

export interface Access {
  readonly authenticate: AuthenticateRequest;
  /** What others check this server's tokens with; absent = it issues none. */
  readonly openId: OpenId | undefined;
  /** The reviews, and the requests for tokens. */
  readonly operations: OperationTable;
}

export function createAccess(options: AccessOptions, parts: AccessParts): Access {
  const { serviceAccounts, apiAudiences } = options;
  const authenticateToken = authenticateTokensInOrder(tokenAuthenticators(options, parts));
  return {
    authenticate: authenticateInOrder(requestAuthenticators(options, authenticateToken), options.anonymous, parts.names),
    openId: serviceAccounts === undefined ? undefined : openId(serviceAccounts, parts),
    operations: reviewTable({
      authenticateToken,
      apiAudiences,
      authorizer: parts.authorizer,
      gates: parts.gates,
      clock: parts.clock,
      names: parts.names,
      tokenRequests: serviceAccounts === undefined ? undefined : tokenRequests(serviceAccounts, apiAudiences, parts),
    }),
  };
}

/** In the order in which they are asked. */
function requestAuthenticators(
  { frontProxy: proxy, apiAudiences }: AccessOptions,
  authenticateToken: AuthenticateToken,
): readonly Authenticator[] {
  return [
    ...(proxy === undefined ? [] : [frontProxy(proxy)]),
    clientCertificates,
    bearerTokens(authenticateToken, apiAudiences),
    webSocketTokens(authenticateToken, apiAudiences),
  ];
}

function tokenRequests(accounts: ServiceAccountOptions, apiAudiences: readonly string[], parts: AccessParts): TokenRequestParts {
  const { clock, random, reader, bindable, names } = parts;
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

/** In the order in which they are asked. */
function tokenAuthenticators(options: AccessOptions, parts: AccessParts): readonly TokenAuthenticator[] {
  const { tokens, apiAudiences: audiences, serviceAccounts } = options;
  const { objects, clock, names, tokenUses: uses, bootstrapSecrets: secrets } = parts;
  return [
    ...tokens.map((users) => staticTokens(users, audiences)),
    ...(serviceAccounts === undefined
      ? []
      : [serviceAccountTokens({ issuers: serviceAccounts.issuers, keys: serviceAccounts.keys, audiences, objects, clock, names, uses })]),
    ...(options.bootstrapTokens ? [bootstrapTokens({ secrets, clock, audiences })] : []),
    ...(options.tokenIssuers === undefined ? [] : [issuedTokens({ issuers: options.tokenIssuers, audiences, clock })]),
    ...(options.tokenWebhook === undefined ? [] : [options.tokenWebhook]),
  ];
}

function openId({ issuers, keys }: ServiceAccountOptions, { serverAddress, keySetAddress }: AccessParts): OpenId {
  return createOpenId({
    issuer: issuers[0],
    serverAddress,
    keySetAddress,
    keys: derived(keys, ({ checking }) => ({ algorithms: checking.map(({ algorithm }) => algorithm), keySet: keySet(checking) })),
  });
}
