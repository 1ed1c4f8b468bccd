/**
 * Another server decides. What it has said is kept for a while, equal questions wait for one answer, and only so many are asked at a time; what happens
 * where it does not answer is configured.
 */
import type { Clock } from '../../../shared/runtime/clock';
import type { MaybePromise } from '../../../shared/runtime/maybe-promise';
import { ResponseCache, type CacheableResponse } from '../../../shared/runtime/response-cache';
import { throttle } from '../../../shared/runtime/throttle';
import type { Dialect } from '../../../shared/names/dialect';
import { TooLate, type Attempted, type WebhookAnswer } from '../../../shared/client/rest/webhook';
import type { JsonObject } from '../../../shared/values/json';
import { NO_OPINION, NO_RULES, type Attributes, type Authorizer, type Decision } from '../authorizer';
import type { UserInfo } from '../../../shared/api/identity/user';
import type { Match, MatchConditions } from './conditions';
import { readVerdict, reviewBody, reviewSpec, type ReviewVersion } from './review';

/** Hears what asking costs. */
export interface AuthorizerCosts {
  /** One POST; `ms` without the pause before the next. */
  asked(result: AskResult, ms: number): void;
  /** It could not be asked, and others decide. */
  failedOpen(result: Exclude<AskResult, 'success'>): void;
  conditions(answer: Match, ms: number): void;
}

type AskResult = 'success' | 'error' | 'timeout';

export interface WebhookAuthorizerOptions {
  /** Never rejects. */
  readonly ask: (body: Buffer, attempted: Attempted) => Promise<WebhookAnswer>;
  readonly version: ReviewVersion;
  readonly dialect: Dialect;
  readonly allowedMs: number;
  readonly notAllowedMs: number;
  readonly onFailure: 'NoOpinion' | 'Deny';
  /** Undefined = it is always asked. */
  readonly conditions: MatchConditions | undefined;
  readonly clock: Clock;
  /** Absent = nobody counts. */
  readonly costs?: AuthorizerCosts;
  /** Told, now and then, of a webhook that does not answer as it should. */
  readonly failed: (message: string, error: unknown) => void;
}

const KEPT = 8_192;
/** A question that its asker made so long is not kept. */
const MOST_KEPT_BYTES = 10_000;
/** Questions under way; who comes then is treated as if there were no answer. */
const MOST_ASKED = 1_000;
const TOLD_EVERY_MS = 60_000;

export function webhookAuthorizer(options: WebhookAuthorizerOptions): Authorizer {
  const { clock, conditions, costs, dialect } = options;
  const answers = new ResponseCache<Decision>({ clock, maxEntries: KEPT, maxBytes: KEPT * MOST_KEPT_BYTES, maxConcurrent: MOST_ASKED });

  const tell = throttle(clock, TOLD_EVERY_MS, (error: Error) => options.failed('an authorization webhook could not be asked', error));

  async function ask(bytes: number, body: Buffer): Promise<CacheableResponse<Decision>> {
    const answer = await options.ask(body, (attempt, ms) => costs?.asked(resultOf(attempt), ms));
    const verdict = answer.type === 'answer' ? readVerdict(answer.bytes) : undefined;
    if (verdict === undefined) {
      const error = answer.type === 'fault' ? answer.error : new Error('the webhook sent no verdict');
      tell(error);
      const result = resultOf(answer);
      if (options.onFailure === 'NoOpinion' && result !== 'success') costs?.failedOpen(result);
      return { response: failure(options, error.message), ttlMs: 0, bytes };
    }
    const keptMs = verdict.type === 'allow' ? options.allowedMs : options.notAllowedMs;
    return { response: verdict, ttlMs: bytes <= MOST_KEPT_BYTES ? keptMs : 0, bytes };
  }

  function matched(all: MatchConditions, spec: JsonObject): Match {
    const startedAt = clock.monotonic();
    const match = all(spec);
    costs?.conditions(match, clock.monotonic() - startedAt);
    return match;
  }

  function authorize(user: UserInfo, attributes: Attributes): MaybePromise<Decision> {
    const spec = reviewSpec(user, attributes, dialect);
    const match = conditions === undefined ? 'yes' : matched(conditions, spec);
    if (match === 'no') return NO_OPINION;
    if (match === 'error') return failure(options, 'a match condition could not be evaluated');
    const key = JSON.stringify(spec);
    const found = answers.getOrFetch(key, () => ask(key.length, reviewBody(spec, options.version, dialect)));
    return found ?? failure(options, 'too many questions are under way');
  }

  return {
    authorize,
    rules: () => ({ ...NO_RULES, incomplete: true, errors: ['webhook authorizer does not support user rule resolution'] }),
  };
}

function resultOf(answer: WebhookAnswer): AskResult {
  if (answer.type === 'answer') return readVerdict(answer.bytes) === undefined ? 'error' : 'success';
  return answer.error instanceof TooLate ? 'timeout' : 'error';
}

const failure = ({ onFailure }: WebhookAuthorizerOptions, reason: string): Decision => ({
  type: onFailure === 'Deny' ? 'deny' : 'no-opinion',
  reason,
});
