/**
 * The authenticators in their order (behaviour-reference §9.1): the first that knows the user decides. When all pass, the request is
 * anonymous if that is allowed; when one of them saw wrong credentials, it is refused.
 */
import type { UserInfo } from '../../shared/api/user';
import type { Authenticator, Credentials } from './contract';

const AUTHENTICATED = 'system:authenticated';
const UNAUTHENTICATED = 'system:unauthenticated';
const ANONYMOUS_USER: UserInfo = { name: 'system:anonymous', groups: [UNAUTHENTICATED] };

/** What a request is answered with: a user, or 401. */
export type AuthenticateRequest = (credentials: Credentials) => UserInfo | undefined;

export function authenticateInOrder(authenticators: readonly Authenticator[], anonymous: boolean): AuthenticateRequest {
  const known = new WeakMap<UserInfo, UserInfo>();
  return (credentials) => {
    let failed = false;
    for (const authenticator of authenticators) {
      const outcome = authenticator.authenticate(credentials);
      if (outcome.type === 'user') return authenticated(outcome.user, known);
      failed ||= outcome.type === 'failed';
    }
    return anonymous && !failed ? ANONYMOUS_USER : undefined;
  };
}

function authenticated(user: UserInfo, known: WeakMap<UserInfo, UserInfo>): UserInfo {
  const found = known.get(user);
  if (found !== undefined) return found;
  const { groups } = user;
  const complete =
    groups.includes(AUTHENTICATED) || groups.includes(UNAUTHENTICATED) ? user : { ...user, groups: [...groups, AUTHENTICATED] };
  known.set(user, complete);
  return complete;
}
