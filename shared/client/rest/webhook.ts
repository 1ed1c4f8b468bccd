/**
 * A server that is asked to judge something, or told of it: one POST of JSON to one address, bounded in time and in what is read of the answer. How to
 * reach it and how to sign in stands in a kubeconfig.
 */
import { JSON_MEDIA_TYPE } from '../../names/dialect';
import type { Clock } from '../../runtime/clock';
import type { MaybePromise } from '../../runtime/maybe-promise';
import { BackOff } from '../back-off';
import { collectBody } from './json-body';
import type { Random } from '../../runtime/random';
import type { Transport, TransportRequest, TransportResponse } from '../transport/transport';

export interface WebhookAddress {
  readonly transport: Transport;
  /** Path and query of the server's address. */
  readonly path: string;
  /** The Authorization header. */
  authorization(): MaybePromise<string | undefined>;
}

export interface WebhookOptions {
  /** As it is now. */
  readonly address: () => WebhookAddress;
  readonly clock: Clock;
  /** For one POST. */
  readonly timeoutMs: number;
  /** Besides those that every POST has. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Of an answer; 1 MiB when nothing is said. */
  readonly maxBytes?: number;
}

export type WebhookResult =
  | { readonly type: 'answer'; readonly bytes: Buffer }
  /** `status`: what the server answered, if it did. `mayPass`: the same may be taken later. */
  | {
      readonly type: 'fault';
      readonly error: Error;
      readonly status: number | undefined;
      readonly isRetryable: boolean;
      /** Whether it names another place to ask. */
      readonly isRedirect?: boolean;
      /** What came with the status. */
      readonly bytes?: Buffer;
    };

/** It has not answered in time. */
export class WebhookTimeout extends Error {
  override readonly name = 'WebhookTimeout';
}

/** It leads from place to place. */
export class TooManyRedirects extends Error {
  override readonly name = 'TooManyRedirects';

  constructor(readonly path: string) {
    super(`stopped after ${MAX_REQUESTS} redirects`);
  }
}

const MAX_ANSWER_BYTES = 1024 * 1024;

/** Never rejects. */
export async function callWebhook(options: WebhookOptions, body: Buffer): Promise<WebhookResult> {
  const { clock, timeoutMs, headers: extraHeaders = {}, maxBytes = MAX_ANSWER_BYTES } = options;
  const control = new AbortController();
  const timer = clock.after(timeoutMs, () => control.abort(new WebhookTimeout(`no answer in ${Math.ceil(timeoutMs / 1000)} s`)));
  try {
    const { transport, path, ...auth } = options.address();
    const credential = await auth.authorization();
    const headers = {
      'content-type': JSON_MEDIA_TYPE,
      ...extraHeaders,
      ...(credential === undefined ? {} : { authorization: credential }),
    };
    const answer = await postFollowingRedirects(transport, { method: 'POST', path, headers, body, signal: control.signal });
    const bytes = await collectBody(answer.body, maxBytes);
    if (answer.status < 300) return { type: 'answer', bytes };
    const { status } = answer;
    const isRetryable = status >= 500 || status === 429;
    const isRedirect = answer.header('location') !== undefined;
    return { type: 'fault', error: new Error(`the webhook answered ${status}`), status, isRetryable, isRedirect, bytes };
  } catch (error) {
    return { type: 'fault', error: error instanceof Error ? error : new Error(String(error)), status: undefined, isRetryable: true };
  } finally {
    timer.cancel();
  }
}

const MAX_REQUESTS = 10;

/**
 * The answer, wherever on the same server it is given: one in Go leads from `//path` to `/path`. Where it leads to another server, or asks for a request of another
 * method, the answer is what leads there: a webhook may not send the object, and who asks, anywhere.
 */
async function postFollowingRedirects(transport: Transport, request: TransportRequest): Promise<TransportResponse> {
  let { path } = request;
  for (let requests = 0; ; requests += 1) {
    const answer = await transport.send({ ...request, path });
    const redirect = redirectPath(answer);
    if (redirect === undefined) return answer;
    await collectBody(answer.body, MAX_ANSWER_BYTES);
    if (requests === MAX_REQUESTS - 1) throw new TooManyRedirects(redirect);
    path = redirect;
  }
}

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([307, 308]);

/** A path; undefined = it has not moved, or not on its server. */
function redirectPath(answer: TransportResponse): string | undefined {
  const location = answer.header('location');
  return REDIRECT_STATUSES.has(answer.status) && location !== undefined && /^\/(?![/\\])/.test(location) ? location : undefined;
}

const MAX_ATTEMPTS = 5;
const FIRST_PAUSE_MS = 500;

export interface RetryLimits {
  /** For all attempts together. */
  readonly totalTimeoutMs: number;
  /** Before the second attempt; half a second when nothing is said. */
  readonly firstPauseMs?: number;
}

/** Hears of every attempt, and how long it took. */
export type AttemptListener = (answer: WebhookResult, ms: number) => void;

/**
 * Asks a server again that answers, where that may help, but not when `withinMs` are over: somebody is waiting. One that is not there is not waited for.
 * Never rejects.
 */
export async function callWebhookWithRetries(
  options: WebhookOptions,
  random: Random,
  { totalTimeoutMs, firstPauseMs = FIRST_PAUSE_MS }: RetryLimits,
  body: Buffer,
  onAttempt?: AttemptListener,
): Promise<WebhookResult> {
  const { clock } = options;
  const deadline = clock.monotonic() + totalTimeoutMs;
  const backOff = new BackOff(random, { initialMs: firstPauseMs, maxMs: Math.max(10_000, firstPauseMs), factor: 1.5, jitter: 0.2 });
  for (let attempt = 1; ; attempt += 1) {
    const startedAt = clock.monotonic();
    const remainingMs = deadline - startedAt;
    const answer = await callWebhook({ ...options, timeoutMs: Math.min(options.timeoutMs, remainingMs) }, body);
    onAttempt?.(answer, clock.monotonic() - startedAt);
    if (answer.type === 'answer' || answer.status === undefined || !answer.isRetryable || attempt === MAX_ATTEMPTS) return answer;
    const pause = backOff.next();
    if (clock.monotonic() + pause >= deadline) return answer;
    await clock.sleep(pause);
  }
}
