/**
 * Chains token authenticators: the first that accepts the token decides. When none accepts it, the reasons of those
 * that rejected it are collected.
 */
import type { MaybePromise } from '../../shared/runtime/maybe-promise';
import type { TokenAuthenticator, TokenOutcome } from './authenticator';

/** Determines the user of a token that is valid for one of the audiences; see {@link TokenAuthenticator}. */
export type AuthenticateToken = (token: string, audiences: readonly string[]) => MaybePromise<TokenOutcome>;

const INVALID_TOKEN = 'invalid bearer token';

/**
 * Returns the chain. Its outcome is never `none`: an unknown token fails. It is synchronous as long as the authenticators
 * that it asks are.
 */
export function unionTokenAuthenticator(authenticators: readonly TokenAuthenticator[]): AuthenticateToken {
  /** Asks the authenticators from index `start` on. `reasons` are those of the authenticators before. */
  function authenticateFrom(
    start: number,
    token: string,
    audiences: readonly string[],
    reasons: readonly string[],
  ): MaybePromise<TokenOutcome> {
    let reasonsSoFar = reasons;
    for (let index = start; index < authenticators.length; index += 1) {
      const outcome = authenticators[index]?.authenticate(token, audiences) ?? { type: 'none' };
      if (outcome instanceof Promise) {
        const earlierReasons = reasonsSoFar;
        return outcome.then((resolved) =>
          resolved.type === 'user' ? resolved : authenticateFrom(index + 1, token, audiences, [...earlierReasons, ...reasonsOf(resolved)]),
        );
      }
      if (outcome.type === 'user') return outcome;
      reasonsSoFar = [...reasonsSoFar, ...reasonsOf(outcome)];
    }
    const reason = reasonsSoFar.length === 0 ? INVALID_TOKEN : `[${[INVALID_TOKEN, ...reasonsSoFar].join(', ')}]`;
    return { type: 'failed', reason };
  }
  return (token, audiences) => authenticateFrom(0, token, audiences, []);
}

function reasonsOf(outcome: TokenOutcome): readonly string[] {
  return outcome.type === 'failed' ? [outcome.reason] : [];
}
