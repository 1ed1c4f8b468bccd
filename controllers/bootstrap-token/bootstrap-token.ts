/** Bootstrap tokens as their Secrets tell them. Never judges whether somebody may use one to sign in: that is the server's work. */
import type { ApiObject } from '../../shared/client/rest/api-object';
import { endOfToken } from '../../shared/api/identity/token-end';
import { BOOTSTRAP_SECRET_PREFIX } from '../../shared/names/bootstrap-token';
import { objectAt, stringAt } from '../../shared/values/json';

const ID = /^[a-z0-9]{6}$/;

/** Milliseconds since 1970; Infinity = never, -Infinity = what is said of it cannot be read. */
export function endOf(secret: ApiObject): number {
  return endOfToken(dataOf(secret, 'expiration'));
}

export interface SigningToken {
  readonly id: string;
  /** What follows the dot. */
  readonly secret: string;
  readonly end: number;
}

/** What a Secret says about signing: it is not asked to, it cannot (and why), or with what. */
export type Signer =
  | { readonly type: 'none' }
  | { readonly type: 'broken'; readonly problem: string }
  | { readonly type: 'token'; readonly token: SigningToken };

export function signerOf(secret: ApiObject): Signer {
  if (dataOf(secret, 'usage-bootstrap-signing') !== 'true') return { type: 'none' };
  const broken = (problem: string): Signer => ({ type: 'broken', problem });
  const id = secret.name.startsWith(BOOTSTRAP_SECRET_PREFIX) ? secret.name.slice(BOOTSTRAP_SECRET_PREFIX.length) : '';
  if (!ID.test(id)) return broken(`its name is not ${BOOTSTRAP_SECRET_PREFIX} and six lower-case letters or digits`);
  if (dataOf(secret, 'token-id') !== id) return broken('its token-id is not that of its name');
  const tokenSecret = dataOf(secret, 'token-secret');
  if (tokenSecret === '') return broken('it has no token-secret');
  const end = endOf(secret);
  if (end === -Infinity) return broken('its expiration is no time');
  return { type: 'token', token: { id, secret: tokenSecret, end } };
}

/** Decoded; '' where it is absent. */
function dataOf({ body }: ApiObject, name: string): string {
  return Buffer.from(stringAt(objectAt(body, 'data'), name) ?? '', 'base64').toString();
}
