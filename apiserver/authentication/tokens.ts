/** The token authenticators in their order: the first that knows the token decides; reasons of those that refuse it are collected. */
import type { MaybePromise } from '../../shared/runtime/maybe-promise';
import type { TokenAuthenticator, TokenOutcome } from './authenticator';

export type AuthenticateToken = (token: string, audiences: readonly string[]) => MaybePromise<TokenOutcome>;

const UNKNOWN = 'invalid bearer token';

/** What it answers is never `none`: a token that nobody knows is refused. */
export function authenticateTokensInOrder(authenticators: readonly TokenAuthenticator[]): AuthenticateToken {
  function from(start: number, token: string, audiences: readonly string[], reasons: readonly string[]): MaybePromise<TokenOutcome> {
    let refused = reasons;
    for (let index = start; index < authenticators.length; index += 1) {
      const outcome = authenticators[index]?.authenticate(token, audiences) ?? { type: 'none' };
      if (outcome instanceof Promise) {
        const soFar = refused;
        return outcome.then((known) => (known.type === 'user' ? known : from(index + 1, token, audiences, [...soFar, ...reasonOf(known)])));
      }
      if (outcome.type === 'user') return outcome;
      refused = [...refused, ...reasonOf(outcome)];
    }
    return { type: 'failed', reason: refused.length === 0 ? UNKNOWN : `[${[UNKNOWN, ...refused].join(', ')}]` };
  }
  return (token, audiences) => from(0, token, audiences, []);
}

function reasonOf(outcome: TokenOutcome): readonly string[] {
  return outcome.type === 'failed' ? [outcome.reason] : [];
}
