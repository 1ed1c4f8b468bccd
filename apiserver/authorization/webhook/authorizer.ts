/**
 * The webhook authorizer: sends a SubjectAccessReview to a remote server. Decisions are cached, concurrent equal reviews
 * share one call, and concurrent calls are bounded. When the webhook fails, the failure policy decides.
 */
import type { Clock } from '../../../shared/runtime/clock';
import type { MaybePromise } from '../../../shared/runtime/maybe-promise';
import { ResponseCache, type CacheableResponse } from '../../../shared/runtime/response-cache';
import { throttle } from '../../../shared/runtime/throttle';
import type { Dialect } from '../../../shared/names/dialect';
import { WebhookTimeout, type AttemptListener, type WebhookResult } from '../../../shared/client/rest/webhook';
import type { JsonObject } from '../../../shared/values/json';
import { NO_OPINION, NO_RULES, type Attributes, type Authorizer, type Decision } from '../authorizer';
import type { UserInfo } from '../../../shared/api/identity/user';
import type { MatchResult, MatchConditions } from './match-conditions';
import { readDecision, subjectAccessReviewBody, subjectAccessReviewSpec, type ReviewVersion } from './subject-access-review';

/** Metrics of webhook calls. */
export interface WebhookAuthorizerMetrics {
  /** Called for each POST; `ms` is its duration without the delay before a retry. */
  observeCall(result: CallResult, ms: number): void;
  /** The webhook failed and the failure policy is NoOpinion. */
  countFailOpen(result: Exclude<CallResult, 'success'>): void;
  /** Called for each request when there are match conditions; `ms` is the duration of their evaluation. */
  observeMatchConditions(response: MatchResult, ms: number): void;
}

/** `error` includes responses without a decision. */
type CallResult = 'success' | 'error' | 'timeout';

/** How the remote server is asked, and for how long a decision is valid. */
export interface WebhookAuthorizerOptions {
  /** Sends a review. Never rejects: a failure is a result. `onAttempt` is called for each POST. */
  readonly send: (body: Buffer, onAttempt: AttemptListener) => Promise<WebhookResult>;
  readonly version: ReviewVersion;
  /** The spelling that is sent. */
  readonly dialect: Dialect;
  /** How long a decision that allows is cached. */
  readonly allowedTtlMs: number;
  /** How long a decision that denies, or that has no opinion, is cached. */
  readonly notAllowedTtlMs: number;
  /** The failure policy: the decision when the webhook fails. */
  readonly onFailure: 'NoOpinion' | 'Deny';
  /** `undefined` to call the webhook for every request. */
  readonly matchConditions: MatchConditions | undefined;
  readonly clock: Clock;
  /** Absent when calls are not counted. */
  readonly metrics?: WebhookAuthorizerMetrics;
  /** Called when the webhook fails, at most once in 60 s. */
  readonly onError: (message: string, error: unknown) => void;
}

/** Limit of the cache of decisions, as upstream's. */
const MAX_CACHED_DECISIONS = 8_192;
/** The decision of a longer review is not cached: a user chooses the length, and long reviews would fill the cache. */
const MAX_CACHED_REVIEW_BYTES = 10_000;
/** Reviews in flight; further ones fail as if the webhook had failed. */
const MAX_CONCURRENT_REVIEWS = 1_000;
/** Minimum time between two calls of `onError`. */
const ERROR_INTERVAL_MS = 60_000;

/** Creates the authorizer with an empty cache. */
export function webhookAuthorizer(options: WebhookAuthorizerOptions): Authorizer {
  const { clock, matchConditions, metrics, dialect } = options;
  const decisions = new ResponseCache<Decision>({
    clock,
    maxEntries: MAX_CACHED_DECISIONS,
    maxBytes: MAX_CACHED_DECISIONS * MAX_CACHED_REVIEW_BYTES,
    maxConcurrent: MAX_CONCURRENT_REVIEWS,
  });

  const reportError = throttle(clock, ERROR_INTERVAL_MS, (error: Error) =>
    options.onError('an authorization webhook could not be called', error),
  );

  /** `body` is the review; `bytes` is the size of the cache entry. Failures are not cached. */
  async function fetchDecision(bytes: number, body: Buffer): Promise<CacheableResponse<Decision>> {
    const response = await options.send(body, (attempt, ms) => metrics?.observeCall(resultOf(attempt), ms));
    const decision = response.type === 'response' ? readDecision(response.bytes) : undefined;
    if (decision === undefined) {
      const error = response.type === 'failure' ? response.error : new Error('the response of the webhook has no decision');
      reportError(error);
      const result = resultOf(response);
      if (options.onFailure === 'NoOpinion' && result !== 'success') metrics?.countFailOpen(result);
      return { response: failureDecision(options, error.message), ttlMs: 0, bytes };
    }
    const ttlMs = decision.type === 'allow' ? options.allowedTtlMs : options.notAllowedTtlMs;
    return { response: decision, ttlMs: bytes <= MAX_CACHED_REVIEW_BYTES ? ttlMs : 0, bytes };
  }

  function evaluateConditions(conditions: MatchConditions, spec: JsonObject): MatchResult {
    const startedAt = clock.monotonic();
    const match = conditions(spec);
    metrics?.observeMatchConditions(match, clock.monotonic() - startedAt);
    return match;
  }

  function authorize(user: UserInfo, attributes: Attributes): MaybePromise<Decision> {
    const spec = subjectAccessReviewSpec(user, attributes, dialect);
    const match = matchConditions === undefined ? 'yes' : evaluateConditions(matchConditions, spec);
    if (match === 'no') return NO_OPINION;
    if (match === 'error') return failureDecision(options, 'a match condition could not be evaluated');
    const key = JSON.stringify(spec);
    const decision = decisions.getOrFetch(key, () => fetchDecision(key.length, subjectAccessReviewBody(spec, options.version, dialect)));
    return decision ?? failureDecision(options, 'too many calls are in flight');
  }

  return {
    authorize,
    rules: () => ({ ...NO_RULES, isIncomplete: true, errors: ['webhook authorizer does not support user rule resolution'] }),
  };
}

/** A response without a decision is an error. */
function resultOf(response: WebhookResult): CallResult {
  if (response.type === 'response') return readDecision(response.bytes) === undefined ? 'error' : 'success';
  return response.error instanceof WebhookTimeout ? 'timeout' : 'error';
}

const failureDecision = ({ onFailure }: WebhookAuthorizerOptions, reason: string): Decision => ({
  type: onFailure === 'Deny' ? 'deny' : 'no-opinion',
  reason,
});
