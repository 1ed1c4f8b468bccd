/**
 * Tokens of OpenID providers: who is named in them is who presents them. A token's signature is checked once and what follows from it is kept for a few
 * seconds; its end is looked at in every request.
 */
import { LRUCache } from 'lru-cache';
import { compactVerify } from 'jose/jws/compact/verify';
import { own, type JsonObject, type JsonValue } from '../../../shared/values/json';
import type { UserInfo } from '../../../shared/api/identity/user';
import type { Clock } from '../../../shared/runtime/clock';
import { NOT_MINE, type TokenAuthenticator, type TokenOutcome } from '../authenticator';
import { fingerprint } from '../fingerprint';
import { parseToken, type UnverifiedToken } from '../service-account/signature';
import type { TokenIssuerConfig } from './issuer';
import { ClaimsError, type Mapping } from './mapping';
import type { Provider, ProviderKey } from './provider';

export interface IssuerParts {
  readonly config: TokenIssuerConfig;
  readonly mapping: Mapping;
  readonly provider: Provider;
}

export interface IssuedTokensOptions {
  /** The same object until the configuration changes; by issuer. */
  readonly issuers: () => ReadonlyMap<string, IssuerParts>;
  /** What this server answers to. */
  readonly audiences: readonly string[];
  readonly clock: Clock;
}

interface KnownToken {
  readonly user: UserInfo;
  /** Seconds since 1970. */
  readonly expires: number;
  /** Clock.monotonic at which it is to be looked at anew. */
  readonly until: number;
}

const KEPT = 4096;
/** A key that its provider withdraws is good for so long yet. */
const KEPT_MS = 10_000;

class Refused extends Error {}

export function issuedTokens({ issuers, audiences: ownAudiences, clock }: IssuedTokensOptions): TokenAuthenticator {
  const known = new LRUCache<string, KnownToken>({ max: KEPT });
  let present = issuers();

  function settled(user: UserInfo, audiences: readonly string[]): TokenOutcome {
    const common = audiences.filter((audience) => ownAudiences.includes(audience));
    return common.length === 0 && audiences.length > 0 ? NOT_MINE : { type: 'user', user, audiences: common };
  }

  async function verify(name: string, token: UnverifiedToken, issuer: IssuerParts, audiences: readonly string[]): Promise<TokenOutcome> {
    try {
      const expires = await check(token, issuer, clock.now() / 1000);
      const user = issuer.mapping.user(token.payload);
      known.set(name, { user, expires, until: clock.monotonic() + KEPT_MS });
      return settled(user, audiences);
    } catch (error) {
      if (error instanceof Refused || error instanceof ClaimsError) return { type: 'failed', reason: error.message };
      throw error;
    }
  }

  return {
    authenticate(text, audiences) {
      if (issuers() !== present) {
        present = issuers();
        known.clear();
      }
      if (present.size === 0) return NOT_MINE;
      const name = fingerprint(text);
      const found = known.get(name);
      if (found !== undefined && clock.monotonic() < found.until && clock.now() / 1000 < found.expires)
        return settled(found.user, audiences);
      const token = parseToken(text);
      const issuer = token === undefined ? undefined : present.get(textOf(token.payload, 'iss'));
      return token === undefined || issuer === undefined ? NOT_MINE : verify(name, token, issuer, audiences);
    },
  };
}

const textOf = (payload: JsonObject, claim: string): string => {
  const value = own(payload, claim);
  return typeof value === 'string' ? value : '';
};

/** When the token ends; throws {@link Refused}. Nothing that the token says of itself widens what is taken. */
async function check(token: UnverifiedToken, { config, provider }: IssuerParts, now: number): Promise<number> {
  const { payload, repeated } = token;
  if (repeated.length > 0) throw new Refused('oidc: a member of the token occurs twice');
  const { audiences, expires, notBefore } = readRegistered(payload);
  if (!audiences.some((audience) => config.audiences.includes(audience)))
    throw new Refused(
      `oidc: verify token: oidc: expected audience in ${JSON.stringify(config.audiences)} got ${JSON.stringify(audiences)}`,
    );
  if (expires === undefined || now >= expires || expires > LAST_SECOND) throw new Refused('oidc: verify token: oidc: token is expired');
  if (notBefore !== undefined && now + LEEWAY < notBefore)
    throw new Refused('oidc: verify token: oidc: current time is before the nbf (not before) time');
  if (!(await isSigned(token, config, provider)))
    throw new Refused('oidc: verify token: failed to verify signature: failed to verify id token signature');
  return expires;
}

/** By how much the clock of a provider may be ahead, in seconds. What is over is over to the second. */
const LEEWAY = 60;
/** Of the year 9999: an end beyond it is none. */
const LAST_SECOND = 253_402_300_799;

interface RegisteredClaims {
  readonly audiences: readonly string[];
  /** Seconds since 1970. */
  readonly expires: number | undefined;
  readonly notBefore: number | undefined;
}

/** The claims that every such token has or may have; throws {@link Refused} where one is not of its type. */
function readRegistered(payload: JsonObject): RegisteredClaims {
  const claim = (name: string): JsonValue => own(payload, name) ?? null;
  const time = (name: string): number | undefined => {
    const value = claim(name);
    if (value !== null && typeof value !== 'number') throw malformed(name);
    return value ?? undefined;
  };
  const subject = claim('sub');
  if (subject !== null && typeof subject !== 'string') throw malformed('sub');
  const audience = claim('aud');
  const audiences = Array.isArray(audience) ? audience : audience === null ? [] : [audience];
  if (!isTexts(audiences)) throw malformed('aud');
  time('iat');
  return { audiences, expires: time('exp'), notBefore: time('nbf') };
}

const isTexts = (values: JsonValue[]): values is string[] => values.every((value) => typeof value === 'string');
const malformed = (name: string): Refused => new Refused(`oidc: verify token: oidc: the claim ${JSON.stringify(name)} is not of its type`);

async function isSigned(token: UnverifiedToken, { algorithms }: TokenIssuerConfig, provider: Provider): Promise<boolean> {
  if (token.isExtended) return false;
  const { keyId } = token;
  return (
    (await isSignedByOne(token, await provider.candidates(keyId), algorithms)) ||
    (await isSignedByOne(token, await provider.newCandidates(keyId), algorithms))
  );
}

async function isSignedByOne({ text }: UnverifiedToken, keys: readonly ProviderKey[], algorithms: readonly string[]): Promise<boolean> {
  for (const { key, algorithm } of keys) {
    const allowed = algorithm === undefined ? algorithms : algorithms.filter((known) => known === algorithm);
    try {
      await compactVerify(text, key, { algorithms: [...allowed] });
      return true;
    } catch {
      // Another key may fit.
    }
  }
  return false;
}
