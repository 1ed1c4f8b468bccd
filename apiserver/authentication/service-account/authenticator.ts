/**
 * Service account tokens as credentials. A token's signature is checked once and its claims are kept; its times, its audience and the objects
 * that it is bound to are looked at in every request.
 */
import { LRUCache } from 'lru-cache';
import type { ObjectKey } from '../../../shared/api/identity/identity';
import { stringAt } from '../../../shared/values/json';
import { quote } from '../../../shared/values/quote';
import { serviceAccountGroups, serviceAccountUserName, type UserInfo } from '../../../shared/api/identity/user';
import { canonicalNamespace, type GeneratedNames } from '../../../shared/names/dialect';
import type { Clock } from '../../../shared/runtime/clock';
import { NOT_MINE, type Remarks, type TokenAuthenticator, type TokenOutcome } from '../authenticator';
import { fingerprint } from '../fingerprint';
import { bindingFault, type BoundObjects } from './bound-objects';
import { ClaimError, readClaims, type TokenClaims, type ObjectClaim } from './claims';
import type { TokenKeys } from '../../../shared/api/identity/token-keys';
import { LEGACY_ISSUERS, legacyStanding, readLegacyClaims, type LegacyUse } from './legacy';
import { parseToken, TokenError, verifySignature, type UnverifiedToken } from './signature';

export interface ServiceAccountTokensOptions {
  /** Whose tokens are taken. */
  readonly issuers: readonly string[];
  readonly keys: () => Pick<TokenKeys, 'verifying'>;
  /** What a token without any audience is good for. */
  readonly audiences: readonly string[];
  readonly objects: BoundObjects;
  readonly clock: Clock;
  readonly names: GeneratedNames;
  readonly uses: TokenUses;
}

/** `stale`: its bearer should have had a newer one by now; `implicit`: it names no audience, which counts besides what else it is. */
export type TokenUse = 'fresh' | 'stale' | 'implicit' | LegacyUse;

/** Who is told of the use of tokens. Neither may throw. */
export interface TokenUses {
  /** A token was looked for among those that are known. */
  looked(isKnown: boolean): void;
  counted(use: TokenUse): void;
  /** The token that a Secret holds was presented; `lastUsed` is what the Secret says of it so far. */
  ofSecret(secret: ObjectKey, lastUsed: string): void;
}

/** Tokens whose signatures are known to be good. One costs some 2 KB. */
const KEPT = 8192;
/** By how much the clocks of those who issue and those who check may differ, in seconds; what is over is over to the second. */
const LEEWAY = 60;

/** A token whose signature is good. */
interface VerifiedToken {
  /** The same object at every use: what follows from it is found again by it. */
  readonly user: UserInfo;
  /** What it was made for. */
  readonly audiences: readonly string[];
  /** It names no audience: it is good for this server. */
  readonly implicit: boolean;
  /** What the time (in seconds since 1970) says against it, in upstream's words. */
  timeFault(now: number): string | undefined;
  /** How it stands with the objects that it is bound to. */
  standing(now: number): Standing;
}

interface Standing {
  /** In upstream's words; undefined = all is well. */
  readonly fault: string | undefined;
  readonly use?: { readonly as: TokenUse; readonly secret?: ObjectKey; readonly lastUsed?: string };
  readonly remarks?: Remarks;
}

const FRESH: Standing = { fault: undefined, use: { as: 'fresh' } };

/** What the bearer of a token hears that a controller once put into a Secret. */
const DISCOURAGED =
  'Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated secret-based tokens.';

export function serviceAccountTokens(options: ServiceAccountTokensOptions): TokenAuthenticator {
  const { issuers, keys, objects, clock, uses } = options;
  const verified = new LRUCache<string, VerifiedToken>({ max: KEPT });
  let present = keys();

  async function verify(name: string, token: UnverifiedToken, audiences: readonly string[]): Promise<TokenOutcome> {
    try {
      const used = present;
      await verifySignature(token, used.verifying);
      const known = isLegacy(token) ? legacyToken(options, name, token) : boundToken(options, token);
      if (used === present) verified.set(name, known);
      return await check(known, audiences);
    } catch (error) {
      if (error instanceof TokenError || error instanceof ClaimError) return { type: 'failed', reason: error.message };
      throw error;
    }
  }

  function check(token: VerifiedToken, audiences: readonly string[]): TokenOutcome | Promise<TokenOutcome> {
    if (token.implicit) uses.counted('implicit');
    const common = audiences.filter((audience) => token.audiences.includes(audience));
    const now = clock.now() / 1000;
    const fault = audiences.length > 0 && common.length === 0 ? audienceFault(token.audiences, audiences) : token.timeFault(now);
    if (fault !== undefined) return { type: 'failed', reason: fault };
    const standing = token.standing(now);
    if (standing.fault === undefined) return settled(token, standing, common);
    // The token may be younger than what this replica sees.
    return objects.current().then(() => settled(token, token.standing(now), common));
  }

  function settled({ user }: VerifiedToken, { fault, use, remarks }: Standing, audiences: readonly string[]): TokenOutcome {
    if (use !== undefined) uses.counted(use.as);
    if (use?.secret !== undefined) uses.ofSecret(use.secret, use.lastUsed ?? '');
    if (fault !== undefined) return { type: 'failed', reason: fault };
    return { type: 'user', user, audiences, ...remarks };
  }

  return {
    authenticate(text, audiences) {
      if (keys() !== present) {
        // What a key vouched for that may be gone is to be proven again.
        present = keys();
        verified.clear();
      }
      const name = fingerprint(text);
      const known = verified.get(name);
      if (known !== undefined) {
        uses.looked(true);
        return check(known, audiences);
      }
      const token = parseToken(text);
      const isMine = token !== undefined && (isLegacy(token) || issuers.some((issuer) => token.payload['iss'] === issuer));
      if (!isMine) return NOT_MINE;
      uses.looked(false);
      return verify(name, token, audiences);
    },
  };
}

function boundToken(options: ServiceAccountTokensOptions, { payload }: UnverifiedToken): VerifiedToken {
  const { names, objects, clock } = options;
  const written = readClaims(payload);
  const claims = { ...written, namespace: canonicalNamespace(names, written.namespace) };
  const user = userOf(claims, names);
  return {
    user,
    audiences: claims.audiences.length === 0 ? options.audiences : claims.audiences,
    implicit: claims.audiences.length === 0,
    timeFault: (now) => timeFault(claims, now),
    standing(now) {
      const fault = bindingFault(claims, objects, clock);
      if (fault !== undefined) return { fault };
      return claims.warnAfter !== undefined && now > claims.warnAfter ? staleStanding(user, now - claims.warnAfter) : FRESH;
    },
  };
}

function legacyToken(options: ServiceAccountTokensOptions, name: string, { payload }: UnverifiedToken): VerifiedToken {
  const { names, objects } = options;
  const written = readLegacyClaims(payload);
  const claims = { ...written, namespace: canonicalNamespace(names, written.namespace) };
  const user = accountOf(claims.namespace, claims.account);
  return {
    user,
    audiences: options.audiences,
    implicit: true,
    timeFault: () => undefined,
    standing() {
      const { fault, use } = legacyStanding(claims, name, objects, names);
      if (use === undefined) return { fault };
      const secret = { namespace: claims.namespace, name: claims.secret };
      return { fault, use: { ...use, secret }, remarks: legacyRemarks(user, use.as, claims.secret) };
    },
  };
}

function staleStanding({ name }: UserInfo, seconds: number): Standing {
  const note = `subject: ${name}, seconds after warning threshold: ${Math.floor(seconds)}`;
  return { fault: undefined, use: { as: 'stale' }, remarks: { notes: [['authentication.platform.io/stale-token', note]] } };
}

/** Not where the token is refused: nothing is said of those. */
function legacyRemarks({ name }: UserInfo, use: LegacyUse, secret: string): Remarks {
  const notes = (kind: string): NonNullable<Remarks['notes']> => [
    ['authentication.platform.io/legacy-token', name],
    [`authentication.platform.io/legacy-token-${kind}`, secret],
  ];
  switch (use) {
    case 'automatic':
      return { warning: DISCOURAGED, notes: notes('autogenerated-secret') };
    case 'manual':
      return { notes: notes('manual-secret') };
    case 'invalid':
      return {};
  }
}

function isLegacy({ payload }: UnverifiedToken): boolean {
  return LEGACY_ISSUERS.has(stringAt(payload, 'iss') ?? '');
}

/** Every token has an end: one that names none is taken for one that is over. */
function timeFault({ expires, notBefore, issuedAt }: TokenClaims, now: number): string | undefined {
  if (now > expires) return 'service account token has expired';
  if (now < notBefore - LEEWAY) return 'service account token is not valid yet';
  return now < issuedAt - LEEWAY ? 'service account token is issued in the future' : undefined;
}

function audienceFault(made: readonly string[], wanted: readonly string[]): string {
  const list = (audiences: readonly string[]): string => `[${audiences.map((audience) => quote(audience)).join(' ')}]`;
  return `token audiences ${list(made)} is invalid for the target audiences ${list(wanted)}`;
}

function userOf({ namespace, account, id, pod, node }: TokenClaims, { prefix }: GeneratedNames): UserInfo {
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
  return { name: serviceAccountUserName(namespace, name), uid, groups: serviceAccountGroups(namespace) };
}
