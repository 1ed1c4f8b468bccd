/**
 * Identity reviews: TokenReview for the bearer of a token, and SelfSubjectReview for the requesting user. Both return
 * the user in `status`; a token that no authenticator accepts is reported there, not as an error.
 */
import type { AuthenticationV1TokenReview } from '../../shared/api/types/generated/members';
import { formatTimestamp } from '../../shared/api/metadata/object-meta';
import { badRequest } from '../../shared/api/errors/status';
import type { GeneratedNames } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import type { AuthenticateToken } from '../authentication/token-union';
import { withAuthenticatedGroup } from '../authentication/union';
import type { OperationHandler } from '../registry/operations/operation';
import { userInfoJson } from './user-info-json';

/** What verifies the reviewed tokens. */
export interface TokenReviewDependencies {
  readonly authenticateToken: AuthenticateToken;
  /** Audiences of a token when the review names none. */
  readonly apiAudiences: readonly string[];
  readonly names: GeneratedNames;
}

/** TokenReview. A token with a space is invalid here, whereas upstream cuts it off at the space. */
export function reviewToken({ authenticateToken, apiAudiences, names }: TokenReviewDependencies): OperationHandler {
  return async ({ object }) => {
    const { spec = {} }: AuthenticationV1TokenReview = object;
    const { token = '', audiences: requested = [] } = spec;
    if (token === '') throw badRequest('token is required for TokenReview in authentication');
    const outcome = await authenticateToken(token, requested.length === 0 ? apiAudiences : requested);
    const status =
      outcome.type === 'user'
        ? {
            authenticated: true,
            user: userInfoJson(withAuthenticatedGroup(outcome.user, names)),
            ...(outcome.audiences.length === 0 ? {} : { audiences: [...outcome.audiences] }),
          }
        : { user: {}, error: outcome.type === 'failed' ? outcome.reason : '' };
    return { ...object, status };
  };
}

/** SelfSubjectReview. Responds with a new object, and ignores the body. */
export function reviewOwnIdentity(clock: Clock): OperationHandler {
  return ({ context }) =>
    Promise.resolve({
      metadata: { creationTimestamp: formatTimestamp(clock.now()) },
      status: { userInfo: userInfoJson(context.user) },
    });
}
