/**
 * What a service account token says: its claims as texts of a signed JSON object and as values.
 * Both dialects' spellings are read; the server's own is written. Never checks whether what is said is true.
 */
import { serviceAccountUserName } from '../../../shared/api/identity/user';
import { objectAt, own, stringAt, type JsonObject, type JsonValue } from '../../../shared/values/json';
import { GENERATED_NAMES, type GeneratedNames } from '../../../shared/names/dialect';

export interface ObjectClaim {
  readonly name: string;
  readonly uid: string;
}

/** Times are in seconds since 1970. */
export interface TokenClaims {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly expires: number;
  readonly notBefore: number;
  readonly issuedAt: number;
  /** When a token should have been replaced by a newer one that nevertheless is good for longer; absent = never. */
  readonly warnAfter?: number;
  readonly id: string;
  readonly namespace: string;
  readonly account: ObjectClaim;
  readonly pod?: ObjectClaim;
  readonly secret?: ObjectClaim;
  readonly node?: ObjectClaim;
}

/** Members in upstream's order. */
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
      ...(node === undefined ? {} : { node: writeObject(node) }),
      ...(pod === undefined ? {} : { pod: writeObject(pod) }),
      ...(secret === undefined ? {} : { secret: writeObject(secret) }),
      serviceaccount: writeObject(account),
      ...(warnAfter === undefined ? {} : { warnafter: warnAfter }),
    },
    nbf: claims.notBefore,
    sub: serviceAccountUserName(claims.namespace, account.name),
  };
}

function writeObject({ name, uid }: ObjectClaim): JsonObject {
  return { name, ...(uid === '' ? {} : { uid }) };
}

/** Some claim is not of its type; the message says which. */
export class ClaimError extends Error {}

/** Throws {@link ClaimError}. What is absent reads as empty, 0 or, of an end, as the beginning of time. */
export function readClaims(payload: JsonObject): TokenClaims {
  const bound =
    Object.values(GENERATED_NAMES)
      .map(({ prefix }) => objectAt(payload, prefix))
      .find((found) => found !== undefined) ?? {};
  const warnAfter = timeAt(bound, 'warnafter');
  const [pod, secret, node] = [objectClaim(bound, 'pod'), objectClaim(bound, 'secret'), objectClaim(bound, 'node')];
  return {
    issuer: stringAt(payload, 'iss') ?? '',
    audiences: audiencesOf(payload),
    expires: timeAt(payload, 'exp'),
    notBefore: timeAt(payload, 'nbf'),
    issuedAt: timeAt(payload, 'iat'),
    ...(warnAfter === 0 ? {} : { warnAfter }),
    id: stringAt(payload, 'jti') ?? '',
    namespace: stringAt(bound, 'namespace') ?? '',
    account: objectClaim(bound, 'serviceaccount') ?? { name: '', uid: '' },
    ...(pod === undefined ? {} : { pod }),
    ...(secret === undefined ? {} : { secret }),
    ...(node === undefined ? {} : { node }),
  };
}

function objectClaim(claims: JsonObject, member: string): ObjectClaim | undefined {
  const found = objectAt(claims, member);
  return found === undefined ? undefined : { name: stringAt(found, 'name') ?? '', uid: stringAt(found, 'uid') ?? '' };
}

function audiencesOf(payload: JsonObject): readonly string[] {
  const value = own(payload, 'aud');
  if (value === undefined || value === null) return [];
  const list: readonly JsonValue[] = Array.isArray(value) ? value : [value];
  if (!list.every((item) => typeof item === 'string'))
    throw new ClaimError('square/go-jose/jwt: expected string or array value to unmarshal to Audience');
  return list;
}

function timeAt(claims: JsonObject, member: string): number {
  const value = own(claims, member);
  if (value === undefined || value === null) return 0;
  if (typeof value !== 'number') throw new ClaimError('square/go-jose/jwt: expected number value to unmarshal NumericDate');
  return Math.floor(value);
}
