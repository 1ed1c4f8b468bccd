/** Tokens that are good for whatever this server is asked as: those of the token file. */
import { NOT_MINE, type TokenAuthenticator } from './authenticator';
import type { StaticTokens } from './token-file';

/** `own`: the audiences that this server answers to. */
export function staticTokens(users: StaticTokens, own: readonly string[]): TokenAuthenticator {
  return {
    authenticate(token, audiences) {
      const user = users(token);
      if (user === undefined) return NOT_MINE;
      const common = audiences.filter((audience) => own.includes(audience));
      return common.length === 0 && audiences.length > 0 ? NOT_MINE : { type: 'user', user, audiences: common };
    },
  };
}
