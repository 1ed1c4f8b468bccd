/**
 * Service account tokens as credentials. A token's signature is checked once and its claims are kept; its times, its audience and the objects
 * that it is bound to are looked at in every request.
 */
import { LRUCache } from 'lru-cache';
import { stringAt } from '../../../shared/api/json';
import { quote } from '../../../shared/api/quote';
import type { UserInfo } from '../../../shared/api/user';
import { canonicalNamespace, type GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import { NOT_MINE, type TokenAuthenticator, type TokenOutcome } from '../contract';
import { fingerprint } from '../fingerprint';
import { bindingFault, type BoundObjects } from './bound-objects';
import { accountUser, ClaimError, readClaims, type Claims, type ObjectClaim } from './claims';
import type { TokenKey } from './keys';
import { LEGACY_ISSUERS, legacyFault, readLegacyClaims } from './legacy';
import { parseToken, TokenError, verifySignature, type UnverifiedToken } from './signature';

export interface ServiceAccountTokensOptions {
  /** Whose tokens are taken. */
  readonly issuers: readonly string[];
  readonly keys: readonly TokenKey[];
  /** What a token without any audience is good for. */
  readonly audiences: readonly string[];
  readonly objects: BoundObjects;
  readonly clock: Clock;
  readonly names: GeneratedNames;
  /** A good token was used; `stale` when its bearer should have had a newer one by now. */
  used(stale: boolean): void;
}

/** Tokens whose signatures are known to be good. One costs some 2 KB. */
const KEPT = 8192;
/** By how much clocks may differ, in seconds. */
const LEEWAY = 60;

/** A token whose signature is good. */
interface VerifiedToken {
  /** The same object at every use: what follows from it is found again by it. */
  readonly user: UserInfo;
  /** What it was made for. */
  readonly audiences: readonly string[];
  /** In seconds since 1970, as `now`. */
  readonly warnAfter: number | undefined;
  /** What the time says against it, in upstream's words. */
  timeFault(now: number): string | undefined;
  /** What the objects that it is bound to say against it. */
  bindingFault(): string | undefined;
}

export function serviceAccountTokens(options: ServiceAccountTokensOptions): TokenAuthenticator {
  const { issuers, keys, objects, clock, names } = options;
  const verified = new LRUCache<string, VerifiedToken>({ max: KEPT });

  async function verify(name: string, token: UnverifiedToken, audiences: readonly string[]): Promise<TokenOutcome> {
    try {
      await verifySignature(token, keys);
      const known = isLegacy(token) ? legacyToken(name, token) : boundToken(token);
      verified.set(name, known);
      return await check(known, audiences);
    } catch (error) {
      if (error instanceof TokenError || error instanceof ClaimError) return { type: 'failed', reason: error.message };
      throw error;
    }
  }

  function boundToken({ payload }: UnverifiedToken): VerifiedToken {
    const written = readClaims(payload);
    const claims = { ...written, namespace: canonicalNamespace(names, written.namespace) };
    return {
      user: userOf(claims, names),
      audiences: claims.audiences.length === 0 ? options.audiences : claims.audiences,
      warnAfter: claims.warnAfter,
      timeFault: (now) => timeFault(claims, now),
      bindingFault: () => bindingFault(claims, objects, clock),
    };
  }

  function legacyToken(name: string, { payload }: UnverifiedToken): VerifiedToken {
    const written = readLegacyClaims(payload);
    const claims = { ...written, namespace: canonicalNamespace(names, written.namespace) };
    return {
      user: accountOf(claims.namespace, claims.account),
      audiences: options.audiences,
      warnAfter: undefined,
      timeFault: () => undefined,
      bindingFault: () => legacyFault(claims, name, objects, names),
    };
  }

  function check(token: VerifiedToken, audiences: readonly string[]): TokenOutcome | Promise<TokenOutcome> {
    const common = audiences.filter((audience) => token.audiences.includes(audience));
    const now = clock.now() / 1000;
    const fault = audiences.length > 0 && common.length === 0 ? audienceFault(token.audiences, audiences) : token.timeFault(now);
    if (fault !== undefined) return { type: 'failed', reason: fault };
    const good = (): TokenOutcome => {
      options.used(token.warnAfter !== undefined && now > token.warnAfter);
      return { type: 'user', user: token.user, audiences: common };
    };
    if (token.bindingFault() === undefined) return good();
    // The token may be younger than what this replica sees.
    return objects.current().then(() => {
      const reason = token.bindingFault();
      return reason === undefined ? good() : { type: 'failed', reason };
    });
  }

  return {
    authenticate(text, audiences) {
      const name = fingerprint(text);
      const known = verified.get(name);
      if (known !== undefined) return check(known, audiences);
      const token = parseToken(text);
      const isMine = token !== undefined && (isLegacy(token) || issuers.some((issuer) => token.payload['iss'] === issuer));
      return isMine ? verify(name, token, audiences) : NOT_MINE;
    },
  };
}

function isLegacy({ payload }: UnverifiedToken): boolean {
  return LEGACY_ISSUERS.has(stringAt(payload, 'iss') ?? '');
}

/** Every token has an end: one that names none is taken for one that is over. */
function timeFault({ expires, notBefore, issuedAt }: Claims, now: number): string | undefined {
  if (now > expires + LEEWAY) return 'service account token has expired';
  if (now < notBefore - LEEWAY) return 'service account token is not valid yet';
  return now < issuedAt - LEEWAY ? 'service account token is issued in the future' : undefined;
}

function audienceFault(made: readonly string[], wanted: readonly string[]): string {
  const list = (audiences: readonly string[]): string => `[${audiences.map((audience) => quote(audience)).join(' ')}]`;
  return `token audiences ${list(made)} is invalid for the target audiences ${list(wanted)}`;
}

function userOf({ namespace, account, id, pod, node }: Claims, { prefix }: GeneratedNames): UserInfo {
  const facts: readonly (readonly [name: string, value: string | undefined])[] = [
    ['credential-id', id === '' ? undefined : `JTI=${id}`],
    ['node-name', node?.name],
    ['node-uid', node?.uid],
    ['pod-name', pod?.name],
    ['pod-uid', pod?.uid],
  ];
  const extra: Record<string, readonly string[]> = {};
  for (const [fact, value] of facts) if (value !== undefined && value !== '') extra[`authentication.${prefix}/${fact}`] = [value];
  return { ...accountOf(namespace, account), ...(Object.keys(extra).length === 0 ? {} : { extra }) };
}

function accountOf(namespace: string, { name, uid }: ObjectClaim): UserInfo {
  return { name: accountUser(namespace, name), uid, groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`] };
}
