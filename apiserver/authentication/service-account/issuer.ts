/** Signs service account tokens. The caller decides their claims. */
import { signToken } from '../../../shared/api/identity/signed-token';
import type { GeneratedNames } from '../../../shared/names/dialect';
import { writeClaims, type TokenClaims } from './claims';
import type { TokenKeys } from '../../../shared/api/identity/token-keys';

export type IssueToken = (claims: Omit<TokenClaims, 'issuer'>) => Promise<string>;

export function tokenIssuer(issuer: string, keys: () => Pick<TokenKeys, 'signing'>, names: GeneratedNames): IssueToken {
  return (claims) => signToken(writeClaims({ ...claims, issuer }, names), keys().signing);
}
