/**
 * Reads and writes the claims of service account tokens. Both spellings are read; this server's spelling is written.
 * Does not verify claims.
 */
import { serviceAccountUserName } from '../../../shared/api/identity/user';
import { objectAt, ownMember, stringAt, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { GENERATED_NAMES, type GeneratedNames } from '../../../shared/names/dialect';

/** An object that a token is bound to. A later object of the same name has another UID. */
export interface ObjectClaim {
  readonly name: string;
  readonly uid: string;
}

/** The claims of a bound token. Times are in seconds since 1970. */
export interface TokenClaims {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly expires: number;
  readonly notBefore: number;
  readonly issuedAt: number;
  /**
   * When the client should have replaced the token, which stays valid until `expires`. Absent for a token that need not
   * be replaced before.
   */
  readonly warnAfter?: number;
  readonly id: string;
  readonly namespace: string;
  readonly account: ObjectClaim;
  readonly pod?: ObjectClaim;
  readonly secret?: ObjectClaim;
  readonly node?: ObjectClaim;
}

/** Returns the payload of a token with these claims, in the spelling of `names`. Members are in upstream's order. */
export function writeClaims(claims: TokenClaims, names: GeneratedNames): JsonObject {
  const { account, pod, secret, node, warnAfter } = claims;
  return {
    aud: [...claims.audiences],
    exp: claims.expires,
    iat: claims.issuedAt,
    iss: claims.issuer,
    jti: claims.id,
    [names.prefix]: {
      namespace: claims.namespace,
      ...(node === undefined ? {} : { node: writeObjectClaim(node) }),
      ...(pod === undefined ? {} : { pod: writeObjectClaim(pod) }),
      ...(secret === undefined ? {} : { secret: writeObjectClaim(secret) }),
      serviceaccount: writeObjectClaim(account),
      ...(warnAfter === undefined ? {} : { warnafter: warnAfter }),
    },
    nbf: claims.notBefore,
    sub: serviceAccountUserName(claims.namespace, account.name),
  };
}

function writeObjectClaim({ name, uid }: ObjectClaim): JsonObject {
  return { name, ...(uid === '' ? {} : { uid }) };
}

/** A claim has the wrong type. */
export class ClaimError extends Error {}

/**
 * Reads the payload of a token. Absent texts read as '' and absent times as 0, so an absent `exp` is in the past.
 * Throws {@link ClaimError}.
 */
export function readClaims(payload: JsonObject): TokenClaims {
  const objectClaims = objectClaimsOf(payload);
  const warnAfter = timeAt(objectClaims, 'warnafter');
  const pod = objectClaim(objectClaims, 'pod');
  const secret = objectClaim(objectClaims, 'secret');
  const node = objectClaim(objectClaims, 'node');
  return {
    issuer: stringAt(payload, 'iss') ?? '',
    audiences: audiencesOf(payload),
    expires: timeAt(payload, 'exp'),
    notBefore: timeAt(payload, 'nbf'),
    issuedAt: timeAt(payload, 'iat'),
    ...(warnAfter === 0 ? {} : { warnAfter }),
    id: stringAt(payload, 'jti') ?? '',
    namespace: stringAt(objectClaims, 'namespace') ?? '',
    account: objectClaim(objectClaims, 'serviceaccount') ?? { name: '', uid: '' },
    ...(pod === undefined ? {} : { pod }),
    ...(secret === undefined ? {} : { secret }),
    ...(node === undefined ? {} : { node }),
  };
}

/** The claim that names the objects of the token, `kubernetes.io` or `platform.io`; empty when there is none. */
function objectClaimsOf(payload: JsonObject): JsonObject {
  const spellings = Object.values(GENERATED_NAMES).map(({ prefix }) => objectAt(payload, prefix));
  return spellings.find((claims) => claims !== undefined) ?? {};
}

function objectClaim(claims: JsonObject, member: string): ObjectClaim | undefined {
  const claim = objectAt(claims, member);
  return claim === undefined ? undefined : { name: stringAt(claim, 'name') ?? '', uid: stringAt(claim, 'uid') ?? '' };
}

/** `aud` may be one audience or a list. */
function audiencesOf(payload: JsonObject): readonly string[] {
  const value = ownMember(payload, 'aud');
  if (value === undefined || value === null) return [];
  const list: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  if (!list.every((item) => typeof item === 'string'))
    throw new ClaimError('square/go-jose/jwt: expected string or array value to unmarshal to Audience');
  return list;
}

/** Seconds since 1970, without the fraction that the claim may have; 0 when it is absent. */
function timeAt(claims: JsonObject, member: string): number {
  const value = ownMember(claims, member);
  if (value === undefined || value === null) return 0;
  if (typeof value !== 'number') throw new ClaimError('square/go-jose/jwt: expected number value to unmarshal NumericDate');
  return Math.floor(value);
}
