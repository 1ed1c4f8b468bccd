/** Tokens that another server knows (TokenReview). What it has said is kept for a while, and equal questions wait for one answer. */
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../shared/runtime/clock';
import { apiVersionIn, type Dialect } from '../../shared/names/dialect';
import type { WebhookAnswer } from '../../shared/client/webhook';
import { isObject, objectAt, own, stringAt, stringsAt, type JsonObject, type JsonValue } from '../../shared/values/json';
import type { UserInfo } from '../../shared/api/identity/user';
import { NOT_MINE, type TokenAuthenticator, type TokenOutcome } from './authenticator';
import { fingerprint } from './fingerprint';

export interface WebhookTokensOptions {
  /** Never rejects. */
  readonly ask: (body: Buffer) => Promise<WebhookAnswer>;
  readonly version: 'v1' | 'v1beta1';
  readonly dialect: Dialect;
  readonly keptMs: number;
  /** What this server answers to. */
  readonly audiences: readonly string[];
  readonly clock: Clock;
}

const KEPT = 4_096;
/** Questions under way. */
const MOST_ASKED = 1_000;
/** What a request's head can hold. */
const MAX_TOKEN_LENGTH = 16 * 1024;

export function webhookTokens(options: WebhookTokensOptions): TokenAuthenticator {
  const { clock, version, dialect } = options;
  const known = new LRUCache<string, { readonly outcome: TokenOutcome; readonly until: number }>({ max: KEPT });
  const asking = new Map<string, Promise<TokenOutcome>>();

  async function ask(key: string, token: string, audiences: readonly string[]): Promise<TokenOutcome> {
    const apiVersion = apiVersionIn(dialect, `authentication.platform.io/${version}`);
    const spec = { token, ...(audiences.length === 0 ? {} : { audiences: [...audiences] }) };
    const answer = await options.ask(
      Buffer.from(JSON.stringify({ kind: 'TokenReview', apiVersion, metadata: { creationTimestamp: null }, spec })),
    );
    const outcome = answer.type === 'answer' ? read(answer.bytes, audiences, options.audiences) : failed(answer.error.message);
    // Who was refused may be known a moment later, so only users are kept.
    if (outcome.type === 'user' && options.keptMs > 0) known.set(key, { outcome, until: clock.monotonic() + options.keptMs });
    return outcome;
  }

  return {
    authenticate(token, audiences) {
      if (token.length > MAX_TOKEN_LENGTH) return NOT_MINE;
      const key = `${fingerprint(token)} ${audiences.join(' ')}`;
      const found = known.get(key);
      if (found !== undefined && clock.monotonic() < found.until) return found.outcome;
      const underWay = asking.get(key);
      if (underWay !== undefined) return underWay;
      if (asking.size >= MOST_ASKED) return failed('too many questions are under way');
      const asked = ask(key, token, audiences).finally(() => asking.delete(key));
      asking.set(key, asked);
      return asked;
    },
  };
}

const failed = (reason: string): TokenOutcome => ({ type: 'failed', reason });

function read(bytes: Buffer, audiences: readonly string[], ownAudiences: readonly string[]): TokenOutcome {
  const status = statusOf(bytes);
  if (status === undefined) return failed('the webhook sent no verdict');
  if (own(status, 'authenticated') !== true)
    return stringAt(status, 'error') === undefined ? NOT_MINE : failed(stringAt(status, 'error') ?? '');
  const user = userOf(objectAt(status, 'user') ?? {});
  if (user === undefined) return failed('the webhook named no user');
  const answered = stringsAt(status, 'audiences');
  // One that says nothing of audiences knows tokens of this server only.
  const good = answered.length === 0 ? ownAudiences : answered;
  const common = audiences.filter((audience) => good.includes(audience));
  if (audiences.length > 0 && common.length === 0)
    return failed(`token audiences ${JSON.stringify(good)} is invalid for the target audiences`);
  return { type: 'user', user, audiences: common };
}

function statusOf(bytes: Buffer): JsonObject | undefined {
  try {
    const value = JSON.parse(bytes.toString()) as JsonValue;
    return isObject(value) ? objectAt(value, 'status') : undefined;
  } catch {
    return undefined;
  }
}

function userOf(user: JsonObject): UserInfo | undefined {
  const [name, uid] = [stringAt(user, 'username') ?? '', stringAt(user, 'uid') ?? ''];
  if (name === '') return undefined;
  const given = objectAt(user, 'extra') ?? {};
  const extra = Object.fromEntries(Object.keys(given).map((key) => [key, stringsAt(given, key)]));
  return {
    name,
    groups: stringsAt(user, 'groups'),
    ...(uid === '' ? {} : { uid }),
    ...(Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
