/**
 * Authenticates ID tokens of OpenID Connect issuers. A verified token and its user are cached for some seconds; the
 * expiry is checked in every request. Finding the keys of an issuer is left to provider.ts, mapping claims to a user to
 * claim-mapping.ts.
 */
import { LRUCache } from 'lru-cache';
import { compactVerify } from 'jose/jws/compact/verify';
import { ownMember, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { UserInfo } from '../../../shared/api/identity/user';
import type { Clock } from '../../../shared/runtime/clock';
import { outcomeForAudiences, UNKNOWN_TOKEN, type TokenAuthenticator, type TokenOutcome } from '../authenticator';
import { tokenFingerprint } from '../token-fingerprint';
import { parseToken, type UnverifiedToken } from '../service-account/signature';
import type { TokenIssuerConfig } from './issuer';
import { ClaimsError, type ClaimMapping } from './claim-mapping';
import type { OidcProvider, ProviderKey } from './provider';

/** A configured issuer with its compiled mapping and the source of its keys. */
export interface OidcIssuer {
  readonly config: TokenIssuerConfig;
  readonly mapping: ClaimMapping;
  readonly provider: OidcProvider;
}

/** The issuers of accepted tokens, and the audiences of this server. */
export interface OidcAuthenticatorOptions {
  /** The configured issuers by their URL; the same map until the configuration changes. Called in every request. */
  readonly issuers: () => ReadonlyMap<string, OidcIssuer>;
  /** Audiences of this server. */
  readonly audiences: readonly string[];
  readonly clock: Clock;
}

/** A verified token. */
interface CachedToken {
  readonly user: UserInfo;
  /** Seconds since 1970. */
  readonly expires: number;
  /** Time of Clock.monotonic after which the signature is verified again. */
  readonly verifyAgainAt: number;
}

/** Limit of the cache of verified tokens; the least recently used is dropped. */
const MAX_CACHED_TOKENS = 4096;
/** How long a verified token is cached, and thus accepted after its key was withdrawn from the known keys. */
const CACHE_TTL_MS = 10_000;

/** The token is invalid; the message is the reason in a TokenReview. */
class TokenRejected extends Error {}

/**
 * Creates the authenticator with an empty cache. Tokens of other issuers are `none`, so that another authenticator may
 * accept them.
 */
export function oidcAuthenticator({ issuers, audiences: serverAudiences, clock }: OidcAuthenticatorOptions): TokenAuthenticator {
  const cache = new LRUCache<string, CachedToken>({ max: MAX_CACHED_TOKENS });
  let currentIssuers = issuers();

  async function verify(cacheKey: string, token: UnverifiedToken, issuer: OidcIssuer, audiences: readonly string[]): Promise<TokenOutcome> {
    try {
      const expires = await verifyToken(token, issuer, clock.now() / 1000);
      const user = issuer.mapping.mapToUser(token.payload);
      cache.set(cacheKey, { user, expires, verifyAgainAt: clock.monotonic() + CACHE_TTL_MS });
      return outcomeForAudiences(user, audiences, serverAudiences);
    } catch (error) {
      if (error instanceof TokenRejected || error instanceof ClaimsError) return { type: 'failed', reason: error.message };
      throw error;
    }
  }

  return {
    authenticate(text, audiences) {
      if (issuers() !== currentIssuers) {
        currentIssuers = issuers();
        cache.clear();
      }
      if (currentIssuers.size === 0) return UNKNOWN_TOKEN;
      const cacheKey = tokenFingerprint(text);
      const cached = cache.get(cacheKey);
      const isCacheValid = cached !== undefined && clock.monotonic() < cached.verifyAgainAt && clock.now() / 1000 < cached.expires;
      if (isCacheValid) return outcomeForAudiences(cached.user, audiences, serverAudiences);
      const token = parseToken(text);
      const issuer = token === undefined ? undefined : currentIssuers.get(stringClaim(token.payload, 'iss'));
      return token === undefined || issuer === undefined ? UNKNOWN_TOKEN : verify(cacheKey, token, issuer, audiences);
    },
  };
}

/** '' when the claim is absent or not a string. */
const stringClaim = (payload: JsonObject, claim: string): string => {
  const value = ownMember(payload, claim);
  return typeof value === 'string' ? value : '';
};

/** How far the clock of a provider may be ahead. Does not extend the expiry. */
const CLOCK_SKEW_SECONDS = 60;
/** The end of the year 9999: a later expiry counts as none. */
const MAX_EXPIRY_SECONDS = 253_402_300_799;

/**
 * Verifies audience, times and signature at `now` (seconds since 1970). Returns the expiry in seconds since 1970;
 * rejects with {@link TokenRejected}.
 */
async function verifyToken(token: UnverifiedToken, { config, provider }: OidcIssuer, now: number): Promise<number> {
  const { payload, duplicateMembers } = token;
  if (duplicateMembers.length > 0) throw new TokenRejected('oidc: a member of the token occurs twice');
  const { audiences, expires, notBefore } = readRegisteredClaims(payload);
  if (!audiences.some((audience) => config.audiences.includes(audience)))
    throw new TokenRejected(
      `oidc: verify token: oidc: expected audience in ${JSON.stringify(config.audiences)} got ${JSON.stringify(audiences)}`,
    );
  if (expires === undefined || now >= expires || expires > MAX_EXPIRY_SECONDS)
    throw new TokenRejected('oidc: verify token: oidc: token is expired');
  if (notBefore !== undefined && now + CLOCK_SKEW_SECONDS < notBefore)
    throw new TokenRejected('oidc: verify token: oidc: current time is before the nbf (not before) time');
  if (!(await isSigned(token, config, provider)))
    throw new TokenRejected('oidc: verify token: failed to verify signature: failed to verify id token signature');
  return expires;
}

/** The claims that every issuer uses alike. Times are in seconds since 1970; `undefined` when they are absent. */
interface RegisteredClaims {
  readonly audiences: readonly string[];
  readonly expires: number | undefined;
  readonly notBefore: number | undefined;
}

/** Throws {@link TokenRejected} when a claim has the wrong type, also for `sub` and `iat`, which are not used here. */
function readRegisteredClaims(payload: JsonObject): RegisteredClaims {
  const claim = (name: string): JsonValue => ownMember(payload, name) ?? null;
  const readTime = (name: string): number | undefined => {
    const value = claim(name);
    if (value !== null && typeof value !== 'number') throw malformedClaim(name);
    return value ?? undefined;
  };
  const subject = claim('sub');
  if (subject !== null && typeof subject !== 'string') throw malformedClaim('sub');
  const audiences = listOf(claim('aud'));
  if (!isStringArray(audiences)) throw malformedClaim('aud');
  readTime('iat');
  return { audiences, expires: readTime('exp'), notBefore: readTime('nbf') };
}

/** A claim may be one value or a list of values. */
function listOf(value: JsonValue): JsonValue[] {
  if (Array.isArray(value)) return value;
  return value === null ? [] : [value];
}

const isStringArray = (values: JsonValue[]): values is string[] => values.every((value) => typeof value === 'string');
const malformedClaim = (name: string): TokenRejected =>
  new TokenRejected(`oidc: verify token: oidc: the claim ${JSON.stringify(name)} has the wrong type`);

/** Tries the known keys first, and after that the keys that a refresh finds. */
async function isSigned(token: UnverifiedToken, { algorithms }: TokenIssuerConfig, provider: OidcProvider): Promise<boolean> {
  if (token.hasCriticalHeader) return false;
  const { keyId } = token;
  if (await isSignedByAny(token, await provider.candidates(keyId), algorithms)) return true;
  return isSignedByAny(token, await provider.newCandidates(keyId), algorithms);
}

/** The token's header does not choose the algorithm: the configuration and the key do. */
async function isSignedByAny({ text }: UnverifiedToken, keys: readonly ProviderKey[], algorithms: readonly string[]): Promise<boolean> {
  for (const { key, algorithm } of keys) {
    const allowed = algorithm === undefined ? algorithms : algorithms.filter((configured) => configured === algorithm);
    try {
      await compactVerify(text, key, { algorithms: [...allowed] });
      return true;
    } catch {
      // Another key may match.
    }
  }
  return false;
}
