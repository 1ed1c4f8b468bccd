/**
 * The authenticators in their order: the first that knows the user decides. When all pass, the request is
 * anonymous if that is allowed; when one of them saw wrong credentials, it is refused.
 */
import { ANONYMOUS_USER, AUTHENTICATED_GROUP, UNAUTHENTICATED_GROUP, type UserInfo } from '../../shared/api/identity/user';
import { canonicalUserName, type GeneratedNames } from '../../shared/names/dialect';
import type { MaybePromise } from '../../shared/runtime/maybe-promise';
import type { AnonymousPolicy } from './anonymous';
import type { Authenticator, PresentedCredentials, AuthenticationOutcome, Bearer } from './authenticator';

/** What a request is answered with: a user, or 401. `bearer` hears what is to be said of the credential that counts. */
export type AuthenticateRequest = (credentials: PresentedCredentials, bearer: Bearer) => MaybePromise<UserInfo | undefined>;

export function authenticateInOrder(
  authenticators: readonly Authenticator[],
  anonymous: AnonymousPolicy,
  names: GeneratedNames,
): AuthenticateRequest {
  function from(start: number, credentials: PresentedCredentials, bearer: Bearer, refused: boolean): MaybePromise<UserInfo | undefined> {
    let failed = refused;
    for (let index = start; index < authenticators.length; index += 1) {
      const outcome = authenticators[index]?.authenticate(credentials) ?? { type: 'none' };
      if (outcome instanceof Promise) {
        const soFar = failed;
        return outcome.then((known) =>
          known.type === 'user' ? admitted(known, bearer, names) : from(index + 1, credentials, bearer, soFar || known.type === 'failed'),
        );
      }
      if (outcome.type === 'user') return admitted(outcome, bearer, names);
      failed ||= outcome.type === 'failed';
    }
    return !failed && anonymous(credentials.url) ? ANONYMOUS_USER : undefined;
  }
  return (credentials, bearer) => from(0, credentials, bearer, false);
}

function admitted(
  { user, warning, notes }: Extract<AuthenticationOutcome, { readonly type: 'user' }>,
  bearer: Bearer,
  names: GeneratedNames,
): UserInfo {
  if (warning !== undefined) bearer.warn(warning);
  if (notes !== undefined) for (const [name, value] of notes) bearer.addAuditAnnotation(name, value);
  return authenticated(user, names);
}

/** Users that authenticators hand out again and again, with the group that says they are known. */
const known = new WeakMap<UserInfo, UserInfo>();

/**
 * Adds the group of authenticated users, unless the user is anonymous. Names that contain a system namespace (`system:serviceaccount:kube-system:x`) are converted to
 * this server's spelling, which is the only one that rules use, for every authenticator.
 */
export function authenticated(user: UserInfo, names: GeneratedNames): UserInfo {
  const found = known.get(user);
  if (found !== undefined) return found;
  const { name, groups } = user;
  const stays = name === ANONYMOUS_USER.name || groups.includes(AUTHENTICATED_GROUP) || groups.includes(UNAUTHENTICATED_GROUP);
  const complete = canonicalUser(stays ? user : { ...user, groups: [...groups, AUTHENTICATED_GROUP] }, names);
  known.set(user, complete);
  return complete;
}

/** The user with its name and groups in this server's spelling; the same object when they have it already. */
export function canonicalUser(user: UserInfo, names: GeneratedNames): UserInfo {
  const [name, ...groups] = [user.name, ...user.groups].map((each) => canonicalUserName(names, each));
  const isSame = name === user.name && groups.every((group, index) => group === user.groups[index]);
  return isSame || name === undefined ? user : { ...user, name, groups };
}
