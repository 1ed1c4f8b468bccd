/** Who somebody is: the bearer of a token (TokenReview), and whoever asks (SelfSubjectReview). */
import { objectAt, stringAt, stringsAt } from '../../shared/values/json';
import { timestamp } from '../../shared/api/metadata/object-meta';
import { badRequest } from '../../shared/api/errors/status';
import type { GeneratedNames } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import type { AuthenticateToken } from '../authentication/tokens';
import { authenticated } from '../authentication/union';
import type { OperationHandler } from '../registry/operations/operation';
import { shownUser } from './user-info-json';

export interface TokenReviewParts {
  readonly authenticateToken: AuthenticateToken;
  /** What a token has to be made for when the review does not say. */
  readonly apiAudiences: readonly string[];
  readonly names: GeneratedNames;
}

/** The token counts as it stands: where upstream cuts it at a blank, as in a header, it is no token here. */
export function reviewToken({ authenticateToken, apiAudiences, names }: TokenReviewParts): OperationHandler {
  return async ({ object }) => {
    const spec = objectAt(object, 'spec') ?? {};
    const token = stringAt(spec, 'token') ?? '';
    if (token === '') throw badRequest('token is required for TokenReview in authentication');
    const asked = stringsAt(spec, 'audiences');
    const outcome = await authenticateToken(token, asked.length === 0 ? apiAudiences : asked);
    const status =
      outcome.type === 'user'
        ? {
            authenticated: true,
            user: shownUser(authenticated(outcome.user, names)),
            ...(outcome.audiences.length === 0 ? {} : { audiences: [...outcome.audiences] }),
          }
        : { user: {}, error: outcome.type === 'failed' ? outcome.reason : '' };
    return { ...object, status };
  };
}

/** Answers with an object of its own: nothing of the body counts. */
export function reviewSelf(clock: Clock): OperationHandler {
  return ({ context }) =>
    Promise.resolve({
      metadata: { creationTimestamp: timestamp(clock.now()) },
      status: { userInfo: shownUser(context.user) },
    });
}
