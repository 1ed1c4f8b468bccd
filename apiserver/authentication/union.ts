/**
 * Chains authenticators: the first that determines a user decides. Without a user the request is anonymous if the
 * policy allows that and no authenticator rejected its credentials.
 */
import { ANONYMOUS_USER, AUTHENTICATED_GROUP, UNAUTHENTICATED_GROUP, type UserInfo } from '../../shared/api/identity/user';
import { canonicalUserName, type GeneratedNames } from '../../shared/names/dialect';
import type { MaybePromise } from '../../shared/runtime/maybe-promise';
import type { AnonymousPolicy } from './anonymous';
import type { Authenticator, RequestCredentials, AuthenticationOutcome, RemarkSink } from './authenticator';

/** Returns the user, or `undefined` for a 401. `remarks` receives the remarks about the accepted credentials. */
export type AuthenticateRequest = (credentials: RequestCredentials, remarks: RemarkSink) => MaybePromise<UserInfo | undefined>;

/** Returns the chain, which is synchronous as long as the authenticators that it asks are. */
export function unionAuthenticator(
  authenticators: readonly Authenticator[],
  anonymous: AnonymousPolicy,
  names: GeneratedNames,
): AuthenticateRequest {
  /** Asks the authenticators from index `start` on. `outcomeSoFar` is `failed` when one before rejected its credentials. */
  function authenticateFrom(
    start: number,
    credentials: RequestCredentials,
    remarks: RemarkSink,
    outcomeSoFar: 'none' | 'failed',
  ): MaybePromise<UserInfo | undefined> {
    let combinedOutcome = outcomeSoFar;
    for (let index = start; index < authenticators.length; index += 1) {
      const outcome = authenticators[index]?.authenticate(credentials) ?? { type: 'none' };
      if (outcome instanceof Promise) {
        const earlierOutcome = combinedOutcome;
        return outcome.then((resolved) =>
          resolved.type === 'user'
            ? acceptUser(resolved, remarks, names)
            : authenticateFrom(index + 1, credentials, remarks, resolved.type === 'failed' ? 'failed' : earlierOutcome),
        );
      }
      if (outcome.type === 'user') return acceptUser(outcome, remarks, names);
      if (outcome.type === 'failed') combinedOutcome = 'failed';
    }
    return combinedOutcome === 'none' && anonymous(credentials.url) ? ANONYMOUS_USER : undefined;
  }
  return (credentials, remarks) => authenticateFrom(0, credentials, remarks, 'none');
}

/** Reports the remarks about the accepted credentials. Returns the user as authorizers see it. */
function acceptUser(
  { user, warning, auditAnnotations }: Extract<AuthenticationOutcome, { readonly type: 'user' }>,
  remarks: RemarkSink,
  names: GeneratedNames,
): UserInfo {
  if (warning !== undefined) remarks.warn(warning);
  if (auditAnnotations !== undefined) for (const [name, value] of auditAnnotations) remarks.addAuditAnnotation(name, value);
  return withAuthenticatedGroup(user, names);
}

/** The results of {@link withAuthenticatedGroup} by user object: authenticators return the same object in many requests. */
const completedUsers = new WeakMap<UserInfo, UserInfo>();

/**
 * Returns the user as authorizers and admission see it:
 *
 * - It has the group `system:authenticated`, unless it is anonymous or has the group `system:unauthenticated`.
 * - Names that contain a system namespace (`system:serviceaccount:kube-system:x`) are in this server's spelling, because
 *   rules are.
 */
export function withAuthenticatedGroup(user: UserInfo, names: GeneratedNames): UserInfo {
  const cached = completedUsers.get(user);
  if (cached !== undefined) return cached;
  const { name, groups } = user;
  const needsNoGroup = name === ANONYMOUS_USER.name || groups.includes(AUTHENTICATED_GROUP) || groups.includes(UNAUTHENTICATED_GROUP);
  const complete = canonicalUser(needsNoGroup ? user : { ...user, groups: [...groups, AUTHENTICATED_GROUP] }, names);
  completedUsers.set(user, complete);
  return complete;
}

/** The user with its name and groups in this server's spelling; the same object when they have it already. */
export function canonicalUser(user: UserInfo, names: GeneratedNames): UserInfo {
  const [name, ...groups] = [user.name, ...user.groups].map((userOrGroup) => canonicalUserName(names, userOrGroup));
  const isSame = name === user.name && groups.every((group, index) => group === user.groups[index]);
  return isSame || name === undefined ? user : { ...user, name, groups };
}
