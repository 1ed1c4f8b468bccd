/** Reads the bearer token of the Authorization header and authenticates it with the token authenticators. */
import {
  INVALID_CREDENTIALS,
  NO_CREDENTIALS,
  type Authenticator,
  type RequestCredentials,
  type AuthenticationOutcome,
  type TokenOutcome,
} from './authenticator';
import type { AuthenticateToken } from './token-union';

/** `audiences`: those of this server. */
export function bearerTokenAuthenticator(authenticateToken: AuthenticateToken, audiences: readonly string[]): Authenticator {
  return {
    authenticate({ authorization }: RequestCredentials) {
      const token = authorization === undefined ? '' : parseBearerToken(authorization);
      if (token === '') return NO_CREDENTIALS;
      const outcome = authenticateToken(token, audiences);
      return outcome instanceof Promise ? outcome.then(toAuthenticationOutcome) : toAuthenticationOutcome(outcome);
    },
  };
}

function toAuthenticationOutcome(outcome: TokenOutcome): AuthenticationOutcome {
  return outcome.type === 'user' ? outcome : INVALID_CREDENTIALS;
}

/** '' for another scheme, an empty token, or two spaces before the token. */
function parseBearerToken(header: string): string {
  const text = header.trim();
  if (text.length < 8 || text[6] !== ' ' || text.slice(0, 6).toLowerCase() !== 'bearer') return '';
  const end = text.indexOf(' ', 7);
  return end < 0 ? text.slice(7) : text.slice(7, end);
}
