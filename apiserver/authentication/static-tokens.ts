/**
 * Authenticates the tokens of the static token file, which are valid for all audiences of this server. A token that the
 * file does not contain is left to the other authenticators.
 */
import { UNKNOWN_TOKEN, type TokenAuthenticator } from './authenticator';
import type { FindStaticTokenUser } from './token-file';

/** `findUser`: see parseTokenFile. `serverAudiences`: those of this server. */
export function staticTokenAuthenticator(findUser: FindStaticTokenUser, serverAudiences: readonly string[]): TokenAuthenticator {
  return {
    authenticate(token, audiences) {
      const user = findUser(token);
      if (user === undefined) return UNKNOWN_TOKEN;
      const commonAudiences = audiences.filter((audience) => serverAudiences.includes(audience));
      return commonAudiences.length === 0 && audiences.length > 0 ? UNKNOWN_TOKEN : { type: 'user', user, audiences: commonAudiences };
    },
  };
}
