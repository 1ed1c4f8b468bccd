/** Bearer tokens: finds the token in the Authorization header. Whose it is, the token authenticators say. */
import {
  FAILED,
  NONE,
  type Authenticator,
  type PresentedCredentials,
  type AuthenticationOutcome,
  type TokenOutcome,
} from './authenticator';
import type { AuthenticateToken } from './tokens';

/** `audiences`: what a token has to be made for to open this server. */
export function bearerTokens(authenticateToken: AuthenticateToken, audiences: readonly string[]): Authenticator {
  return {
    authenticate({ authorization }: PresentedCredentials) {
      const token = authorization === undefined ? '' : bearerToken(authorization);
      if (token === '') return NONE;
      const outcome = authenticateToken(token, audiences);
      return outcome instanceof Promise ? outcome.then(asCredentials) : asCredentials(outcome);
    },
  };
}

function asCredentials(outcome: TokenOutcome): AuthenticationOutcome {
  return outcome.type === 'user' ? outcome : FAILED;
}

/** '' for another scheme, an empty token or two blanks before it: no credentials. */
function bearerToken(header: string): string {
  const text = header.trim();
  if (text.length < 8 || text[6] !== ' ' || text.slice(0, 6).toLowerCase() !== 'bearer') return '';
  const end = text.indexOf(' ', 7);
  return end < 0 ? text.slice(7) : text.slice(7, end);
}
