/**
 * The operations of the groups authentication and authorization: reviews of tokens, identities and access, and the
 * request for a service account's token. None of them stores an object.
 */
import type { FeatureGates } from '../../shared/cli/feature-gates';
import type { Clock } from '../../shared/runtime/clock';
import type { Authorizer } from '../authorization/authorizer';
import type { OperationTable } from '../registry/operations/operation';
import { reviewAccess, reviewLocalAccess, reviewOwnAccess } from './access-reviews';
import { reviewOwnIdentity, reviewToken, type TokenReviewDependencies } from './identity-reviews';
import { reviewOwnRules } from './rules-review';
import { requestToken, type TokenRequestDependencies } from './token-request';

/** What the operations depend on. The members of {@link TokenReviewDependencies} are for TokenReview. */
export interface ReviewDependencies extends TokenReviewDependencies {
  readonly authorizer: Authorizer;
  readonly gates: Pick<FeatureGates, 'isEnabled'>;
  readonly clock: Clock;
  /** `undefined` when the server issues no tokens. */
  readonly tokenRequests: TokenRequestDependencies | undefined;
}

/** The operations by `RESOURCE.GROUP`, or by `RESOURCE/SUBRESOURCE` for a subresource. */
export function createReviewTable(deps: ReviewDependencies): OperationTable {
  const { authorizer, clock, gates, names } = deps;
  const access = { authorizer, names, evaluatesSelectors: gates.isEnabled('AuthorizeWithSelectors') };
  return {
    'serviceaccounts/token': requestToken(deps.tokenRequests),
    'tokenreviews.authentication.platform.io': reviewToken(deps),
    'selfsubjectreviews.authentication.platform.io': reviewOwnIdentity(clock),
    'subjectaccessreviews.authorization.platform.io': reviewAccess(access),
    'localsubjectaccessreviews.authorization.platform.io': reviewLocalAccess(access),
    'selfsubjectaccessreviews.authorization.platform.io': reviewOwnAccess(access),
    'selfsubjectrulesreviews.authorization.platform.io': reviewOwnRules(authorizer),
  };
}
