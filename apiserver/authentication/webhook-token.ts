/**
 * Tokens that a remote server knows. What it says of one counts for a while, whether it knows the token or not; what goes wrong is forgotten at once. Tokens that
 * come while it is asked about as many as may wait are refused.
 */
import { LRUCache } from 'lru-cache';
import type { WebhookAnswer } from '../../shared/client/webhook';
import type { Dialect } from '../../shared/names/dialect';
import type { Clock } from '../../shared/runtime/clock';
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

interface Known {
  readonly outcome: TokenOutcome;
  /** Clock.monotonic. */
  readonly until: number;
  /** Bytes. */
  readonly size: number;
}

export function webhookTokens(options: WebhookTokensOptions): TokenAuthenticator {
  const { version, dialect, audiences: own, keptMs, clock } = options;
  const known = new LRUCache<string, Known>({ max: KEPT, maxSize: KEPT_BYTES, sizeCalculation: ({ size }) => size });
  const asked = new Map<string, Promise<TokenOutcome>>();
  const tell = nowAndThen(options);

  async function ask(name: string, token: string, audiences: readonly string[]): Promise<TokenOutcome> {
    const answer = await options.ask(reviewRequest(dialect, version, token, audiences));
    const review = answer.type === 'fault' ? answer.error : readReview(answer.bytes, version);
    if (review instanceof Error) {
      tell(review);
      return refused(review.message);
    }
    const outcome = outcomeOf(review, audiences, own);
    const size = BASE_BYTES + (answer.type === 'answer' ? answer.bytes.length : 0);
    if (outcome.type !== 'failed') known.set(name, { outcome, until: clock.monotonic() + keptMs, size });
    return outcome;
  }

  return {
    authenticate(token, audiences) {
      if (token.length > LONGEST_TOKEN) return refused('the token is too long');
      const name = fingerprint(JSON.stringify([token, ...audiences]));
      const found = known.get(name);
      if (found !== undefined && clock.monotonic() < found.until) return found.outcome;
      const running = asked.get(name);
      if (running !== undefined) return running;
      if (asked.size >= AT_ONCE) return refused('too many tokens are being reviewed');
      const asking = ask(name, token, audiences).finally(() => asked.delete(name));
      asked.set(name, asking);
      return asking;
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

/** Whoever presents tokens could fill the log otherwise. */
function nowAndThen({ clock, failed }: WebhookTokensOptions): (error: unknown) => void {
  let toldAt = Number.NEGATIVE_INFINITY;
  return (error) => {
    if (clock.monotonic() - toldAt < TOLD_EVERY_MS) return;
    toldAt = clock.monotonic();
    failed('the webhook that reviews tokens does not answer as it should', error);
  };
}
