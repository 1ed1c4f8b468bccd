/** Signs service account tokens. What they say is decided by whoever asks for one. */
import { CompactSign } from 'jose/jws/compact/sign';
import type { GeneratedNames } from '../../../shared/names/dialect';
import { writeClaims, type TokenClaims } from './claims';
import type { TokenKeys } from './keys';

export type IssueToken = (claims: Omit<TokenClaims, 'issuer'>) => Promise<string>;

export function tokenIssuer(issuer: string, keys: () => Pick<TokenKeys, 'signing'>, names: GeneratedNames): IssueToken {
  return (claims) => {
    const { id, algorithm, key } = keys().signing;
    const payload = Buffer.from(JSON.stringify(writeClaims({ ...claims, issuer }, names)));
    return new CompactSign(payload).setProtectedHeader({ alg: algorithm, kid: id }).sign(key);
  };
}
