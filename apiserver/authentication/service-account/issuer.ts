/**
 * Signs service account tokens in the name of one issuer, with the current signing key. The claims, and with them the
 * lifetime of a token, are left to the caller.
 */
import { signToken } from '../../../shared/api/identity/signed-token';
import type { GeneratedNames } from '../../../shared/names/dialect';
import { writeClaims, type TokenClaims } from './claims';
import type { TokenKeys } from '../../../shared/api/identity/token-keys';

/** Resolves with the signed token. */
export type IssueToken = (claims: Omit<TokenClaims, 'issuer'>) => Promise<string>;

/** Returns the function that signs claims. `keys` is called for each token, because the signing key may change. */
export function tokenIssuer(issuer: string, keys: () => Pick<TokenKeys, 'signing'>, names: GeneratedNames): IssueToken {
  return (claims) => signToken(writeClaims({ ...claims, issuer }, names), keys().signing);
}
