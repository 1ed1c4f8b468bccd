/**
 * Tokens that a remote server knows. What it says of one counts for a while, whether it knows the token or not; what goes wrong is forgotten at once. Tokens that
 * come while it is asked about as many as may wait are refused.
 */
import type { WebhookAnswer } from '../../shared/client/rest/webhook';
import type { Dialect } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
import { ResponseCache, type CacheableResponse } from '../../shared/runtime/response-cache';
import { throttle } from '../../shared/runtime/throttle';
import { NOT_MINE, type TokenAuthenticator, type TokenOutcome } from './authenticator';
import { fingerprint } from './fingerprint';
import { readReview, reviewRequest, type Review, type TokenReviewVersion } from './token-review';

export interface WebhookTokensOptions {
  /** Never rejects. */
  readonly ask: (body: Buffer) => Promise<WebhookAnswer>;
  readonly version: TokenReviewVersion;
  /** Of what is sent; either is understood in answers. */
  readonly dialect: Dialect;
  /** What this server answers to: tokens of which the remote server names no audience are good for them. */
  readonly audiences: readonly string[];
  /** How long an answer counts. */
  readonly keptMs: number;
  readonly clock: Clock;
  /** Hears of failures, now and then. */
  readonly failed: (message: string, error: unknown) => void;
}

/** What a request's head can hold of a token that is worth asking about. */
const LONGEST_TOKEN = 16 * 1024;
/** Tokens that are asked about at the same time. */
const AT_ONCE = 256;
const KEPT = 8192;
const KEPT_BYTES = 16 * 1024 * 1024;
/** What an answer of no length costs in memory. */
const BASE_BYTES = 1024;
const LONGEST_REASON = 1024;
const TOLD_EVERY_MS = 60_000;

export function webhookTokens(options: WebhookTokensOptions): TokenAuthenticator {
  const { version, dialect, audiences: own, keptMs, clock } = options;
  const answers = new ResponseCache<TokenOutcome>({ clock, maxEntries: KEPT, maxBytes: KEPT_BYTES, maxConcurrent: AT_ONCE });
  const tell = throttle(clock, TOLD_EVERY_MS, (error: Error) =>
    options.failed('the webhook that reviews tokens does not answer as it should', error),
  );

  async function ask(token: string, audiences: readonly string[]): Promise<CacheableResponse<TokenOutcome>> {
    const answer = await options.ask(reviewRequest(dialect, version, token, audiences));
    const review = answer.type === 'fault' ? answer.error : readReview(answer.bytes, version);
    if (review instanceof Error) {
      tell(review);
      return { response: refused(review.message), ttlMs: 0, bytes: BASE_BYTES };
    }
    const outcome = outcomeOf(review, audiences, own);
    const bytes = BASE_BYTES + (answer.type === 'answer' ? answer.bytes.length : 0);
    return { response: outcome, ttlMs: outcome.type === 'failed' ? 0 : keptMs, bytes };
  }

  return {
    authenticate(token, audiences) {
      if (token.length > LONGEST_TOKEN) return refused('the token is too long');
      const name = fingerprint(JSON.stringify([token, ...audiences]));
      return answers.getOrFetch(name, () => ask(token, audiences)) ?? refused('too many tokens are being reviewed');
    },
  };
}

function outcomeOf(review: Review, audiences: readonly string[], own: readonly string[]): TokenOutcome {
  if (review.type === 'unknown') return review.error === '' ? NOT_MINE : refused(review.error);
  const good = review.audiences.length === 0 ? own : review.audiences;
  const common = audiences.filter((audience) => good.includes(audience));
  return common.length === 0 && audiences.length > 0 ? NOT_MINE : { type: 'user', user: review.user, audiences: common };
}

const refused = (reason: string): TokenOutcome => ({ type: 'failed', reason: reason.slice(0, LONGEST_REASON) });
