/** Reads bootstrap tokens from their Secrets. Whether a token may authenticate is decided by the API server. */
import { isBootstrapTokenId } from '../../shared/api/identity/bootstrap-token';
import { bootstrapTokenExpiry } from '../../shared/api/identity/bootstrap-token-expiry';
import type { CoreV1Secret } from '../../shared/api/types/generated/members';
import type { ApiObject } from '../../shared/client/rest/api-object';
import { BOOTSTRAP_SECRET_PREFIX } from '../../shared/names/bootstrap-token';

export type TokenSecret = ApiObject<CoreV1Secret>;

/** Milliseconds since 1970; Infinity for a token without expiration, -Infinity for an invalid expiration. */
export function expirationOf(secret: TokenSecret): number {
  return bootstrapTokenExpiry(dataOf(secret, 'expiration'));
}

/** A token that signs, `{id}.{secret}`. */
export interface SigningToken {
  readonly id: string;
  /** The part after the dot. */
  readonly secret: string;
  /** Milliseconds since 1970; Infinity for a token without expiration. */
  readonly expiration: number;
}

/** The token of a Secret, or why it does not sign. */
export type SigningTokenResult =
  /** The Secret does not have the usage `signing`. */
  | { readonly type: 'none' }
  | { readonly type: 'invalid'; readonly error: string }
  | { readonly type: 'token'; readonly token: SigningToken };

/**
 * `none` for a token that is not used for signing; `invalid` with the reason for a malformed one. An expired token is
 * returned: the caller compares its expiration with the time.
 */
export function parseSigningToken(secret: TokenSecret): SigningTokenResult {
  if (dataOf(secret, 'usage-bootstrap-signing') !== 'true') return { type: 'none' };
  const invalid = (error: string): SigningTokenResult => ({ type: 'invalid', error });
  const id = secret.name.startsWith(BOOTSTRAP_SECRET_PREFIX) ? secret.name.slice(BOOTSTRAP_SECRET_PREFIX.length) : '';
  if (!isBootstrapTokenId(id)) return invalid(`its name is not ${BOOTSTRAP_SECRET_PREFIX} with six lower-case letters or digits`);
  if (dataOf(secret, 'token-id') !== id) return invalid('its token-id differs from the ID in its name');
  const tokenSecret = dataOf(secret, 'token-secret');
  if (tokenSecret === '') return invalid('it has no token-secret');
  const expiration = expirationOf(secret);
  if (expiration === -Infinity) return invalid('its expiration is not a time');
  return { type: 'token', token: { id, secret: tokenSecret, expiration } };
}

/** Decoded; '' when it is absent. */
function dataOf({ body }: TokenSecret, name: string): string {
  return Buffer.from(body.data?.[name] ?? '', 'base64').toString();
}
