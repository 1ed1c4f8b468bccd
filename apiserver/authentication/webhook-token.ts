/**
 * The webhook token authenticator: sends a TokenReview to a remote server. The response is cached for a known and for an
 * unknown token, but not when the review failed. Concurrent reviews are bounded; further tokens are rejected.
 */
import type { WebhookResult } from '../../shared/client/rest/webhook';
import type { Dialect } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import { ResponseCache, type CacheableResponse } from '../../shared/runtime/response-cache';
import { throttle } from '../../shared/runtime/throttle';
import { outcomeForAudiences, UNKNOWN_TOKEN, type TokenAuthenticator, type TokenOutcome } from './authenticator';
import { tokenFingerprint } from './token-fingerprint';
import { readTokenReview, tokenReviewBody, type TokenReviewResult, type TokenReviewVersion } from './token-review';

/** How the remote server is asked, and for how long a response is valid. */
export interface WebhookTokensOptions {
  /** Sends a review. Never rejects: a failure is a result. */
  readonly send: (body: Buffer) => Promise<WebhookResult>;
  /** The version that the remote server expects. */
  readonly version: TokenReviewVersion;
  /** The spelling that is sent; responses are accepted in either spelling. */
  readonly dialect: Dialect;
  /** Audiences of this server. A token is valid for them when the remote server does not return audiences. */
  readonly audiences: readonly string[];
  /** How long a response is cached. */
  readonly cacheTtlMs: number;
  readonly clock: Clock;
  /** Called when the webhook fails, at most once in 60 s. */
  readonly onError: (message: string, error: unknown) => void;
}

/** The longest token that fits into the headers of a request. A token review can contain longer ones. */
const MAX_TOKEN_LENGTH = 16 * 1024;
/** Reviews in flight; further tokens are rejected without a review. */
const MAX_CONCURRENT_REVIEWS = 256;
/** Limits of the cache of reviews; the least recently used is dropped. */
const MAX_CACHED_TOKENS = 8192;
const MAX_CACHE_BYTES = 16 * 1024 * 1024;
/** Memory of a cache entry without its contents. */
const ENTRY_OVERHEAD_BYTES = 1024;
/** Characters of the webhook's reason that token reviews show. */
const MAX_REASON_LENGTH = 1024;
/** Minimum time between two calls of `onError`. */
const ERROR_INTERVAL_MS = 60_000;

/** Creates the authenticator with an empty cache. */
export function webhookTokenAuthenticator(options: WebhookTokensOptions): TokenAuthenticator {
  const { version, dialect, audiences: serverAudiences, cacheTtlMs, clock } = options;
  const outcomes = new ResponseCache<TokenOutcome>({
    clock,
    maxEntries: MAX_CACHED_TOKENS,
    maxBytes: MAX_CACHE_BYTES,
    maxConcurrent: MAX_CONCURRENT_REVIEWS,
  });
  const reportError = throttle(clock, ERROR_INTERVAL_MS, (error: Error) => options.onError('the token webhook failed', error));

  /** Sends a review. A failed one is not cached. */
  async function fetchOutcome(token: string, audiences: readonly string[]): Promise<CacheableResponse<TokenOutcome>> {
    const response = await options.send(tokenReviewBody(dialect, version, token, audiences));
    const review = response.type === 'failure' ? response.error : readTokenReview(response.bytes, version);
    if (review instanceof Error) {
      reportError(review);
      return { response: failedOutcome(review.message), ttlMs: 0, bytes: ENTRY_OVERHEAD_BYTES };
    }
    const outcome = outcomeOf(review, audiences, serverAudiences);
    const bytes = ENTRY_OVERHEAD_BYTES + (response.type === 'response' ? response.bytes.length : 0);
    return { response: outcome, ttlMs: outcome.type === 'failed' ? 0 : cacheTtlMs, bytes };
  }

  return {
    authenticate(token, audiences) {
      if (token.length > MAX_TOKEN_LENGTH) return failedOutcome('the token is too long');
      const cacheKey = tokenFingerprint(JSON.stringify([token, ...audiences]));
      return outcomes.getOrFetch(cacheKey, () => fetchOutcome(token, audiences)) ?? failedOutcome('too many tokens are being reviewed');
    },
  };
}

function outcomeOf(review: TokenReviewResult, audiences: readonly string[], serverAudiences: readonly string[]): TokenOutcome {
  if (review.type === 'unknown') return review.error === '' ? UNKNOWN_TOKEN : failedOutcome(review.error);
  return outcomeForAudiences(review.user, audiences, review.audiences.length === 0 ? serverAudiences : review.audiences);
}

const failedOutcome = (reason: string): TokenOutcome => ({ type: 'failed', reason: reason.slice(0, MAX_REASON_LENGTH) });
