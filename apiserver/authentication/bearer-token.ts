/**
 * Reads the bearer token of the Authorization header and authenticates it with the token authenticators. A request without
 * a bearer token is left to the other authenticators.
 */
import {
  INVALID_CREDENTIALS,
  NO_CREDENTIALS,
  type Authenticator,
  type RequestCredentials,
  type AuthenticationOutcome,
  type TokenOutcome,
} from './authenticator';
import type { AuthenticateToken } from './token-union';

/** `audiences`: those of this server. An unknown token is `failed`: no authenticator but these can accept it. */
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

const SCHEME = 'bearer ';

/** `Bearer abc` -> `abc`. '' for another scheme, an empty token, or two spaces before the token. */
function parseBearerToken(header: string): string {
  const text = header.trim();
  if (text.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return '';
  const end = text.indexOf(' ', SCHEME.length);
  return end < 0 ? text.slice(SCHEME.length) : text.slice(SCHEME.length, end);
}
