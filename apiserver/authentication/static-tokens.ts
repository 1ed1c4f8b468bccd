/**
 * Authenticates the tokens of the static token file, which are valid for all audiences of this server. A token that the
 * file does not contain is left to the other authenticators.
 */
import { outcomeForAudiences, UNKNOWN_TOKEN, type TokenAuthenticator } from './authenticator';
import type { FindStaticTokenUser } from './token-file';

/** `findUser` returns the user of a token in the file, as {@link FindStaticTokenUser} describes. */
export function staticTokenAuthenticator(findUser: FindStaticTokenUser, serverAudiences: readonly string[]): TokenAuthenticator {
  return {
    authenticate(token, audiences) {
      const user = findUser(token);
      return user === undefined ? UNKNOWN_TOKEN : outcomeForAudiences(user, audiences, serverAudiences);
    },
  };
}
