/** Bearer tokens: finds the token in the Authorization header and asks the token authenticators in their order. */
import type { UserInfo } from '../../shared/api/user';
import { FAILED, NONE, type Authenticator, type Credentials, type Outcome } from './contract';

export interface TokenAuthenticator {
  /** Undefined = not a token of mine. */
  user(token: string): UserInfo | undefined;
}

export function bearerTokens(authenticators: readonly TokenAuthenticator[]): Authenticator {
  return {
    authenticate({ authorization }: Credentials): Outcome {
      const token = authorization === undefined ? '' : bearerToken(authorization);
      if (token === '') return NONE;
      for (const authenticator of authenticators) {
        const user = authenticator.user(token);
        if (user !== undefined) return { type: 'user', user };
      }
      return FAILED;
    },
  };
}

/** '' for another scheme, an empty token or two blanks before it: no credentials. */
function bearerToken(header: string): string {
  const text = header.trim();
  if (text.length < 8 || text[6] !== ' ' || text.slice(0, 6).toLowerCase() !== 'bearer') return '';
  const end = text.indexOf(' ', 7);
  return end < 0 ? text.slice(7) : text.slice(7, end);
}
