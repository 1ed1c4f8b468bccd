/** Which function answers which review. */
import type { FeatureGates } from '../../shared/cli/feature-gates';
import type { Clock } from '../../shared/runtime/clock';
import type { Authorizer } from '../authorization/authorizer';
import type { OperationTable } from '../registry/operations/operation';
import { reviewAccess, reviewLocalAccess, reviewOwnAccess } from './access-reviews';
import { reviewSelf, reviewToken, type TokenReviewParts } from './identity-reviews';
import { reviewOwnRules } from './rules-review';
import { requestToken, type TokenRequestParts } from './token-request';

export interface ReviewParts extends TokenReviewParts {
  readonly authorizer: Authorizer;
  readonly gates: Pick<FeatureGates, 'enabled'>;
  readonly clock: Clock;
  /** Undefined = no tokens are issued. */
  readonly tokenRequests: TokenRequestParts | undefined;
}

export function reviewTable(parts: ReviewParts): OperationTable {
  const { authorizer, clock, gates, names } = parts;
  const access = { authorizer, names, withSelectors: gates.enabled('AuthorizeWithSelectors') };
  return {
    'serviceaccounts/token': requestToken(parts.tokenRequests),
    'tokenreviews.authentication.platform.io': reviewToken(parts),
    'selfsubjectreviews.authentication.platform.io': reviewSelf(clock),
    'subjectaccessreviews.authorization.platform.io': reviewAccess(access),
    'localsubjectaccessreviews.authorization.platform.io': reviewLocalAccess(access),
    'selfsubjectaccessreviews.authorization.platform.io': reviewOwnAccess(access),
    'selfsubjectrulesreviews.authorization.platform.io': reviewOwnRules(authorizer),
  };
}
