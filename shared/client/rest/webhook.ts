/**
 * Calls webhooks with a JSON POST, once or with retries, with limits for time and response size. Redirects on the same
 * server are followed. The caller provides address and credentials and interprets the response.
 */
import { JSON_MEDIA_TYPE } from '../../names/dialect';
import type { Clock } from '../../runtime/clock';
import type { MaybePromise } from '../../runtime/maybe-promise';
import { BackOff } from '../back-off';
import { collectBody } from './json-body';
import type { Random } from '../../runtime/random';
import type { Transport, TransportRequest, TransportResponse } from '../transport/transport';

/** Where a webhook is called, and with which credentials. */
export interface WebhookAddress {
  readonly transport: Transport;
  /** Path and query of the webhook's URL. */
  readonly path: string;
  /** The Authorization header; `undefined` for none. */
  authorization(): MaybePromise<string | undefined>;
}

/** A webhook, and the limits of an attempt to call it. */
export interface WebhookOptions {
  /** The current address; it may change between attempts. */
  readonly address: () => WebhookAddress;
  readonly clock: Clock;
  /** Time limit of one attempt, redirects included. Milliseconds. */
  readonly timeoutMs: number;
  /** Additional headers. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Maximum size of a response; 1 MiB by default. */
  readonly maxBytes?: number;
}

/** The result of an attempt: the body of a successful response, or why there is none. */
export type WebhookResult =
  | { readonly type: 'response'; readonly bytes: Buffer }
  | {
      readonly type: 'failure';
      readonly error: Error;
      /**
       * HTTP status. `undefined` when there is no usable response: it is incomplete, longer than `maxBytes`, or one
       * redirect too many.
       */
      readonly status: number | undefined;
      /** Whether a later attempt may succeed: the status is 429 or 5xx, or `undefined`. */
      readonly isRetryable: boolean;
      /** Whether the response has a Location header. Absent without a status. */
      readonly hasLocation?: boolean;
      /** Body of the error response. Absent without a status. */
      readonly bytes?: Buffer;
    };

/** The webhook did not respond in time. Its `name` is part of logged messages. */
export class WebhookTimeout extends Error {
  override readonly name = 'WebhookTimeout';
}

/** Requests of one attempt, redirects included, as Go's HTTP client limits them. */
const MAX_REQUESTS = 10;

/** The webhook redirected too often. */
export class TooManyRedirects extends Error {
  override readonly name = 'TooManyRedirects';

  constructor(readonly path: string) {
    super(`stopped after ${MAX_REQUESTS} redirects`);
  }
}

/** Limit of a redirect's body, and default of {@link WebhookOptions.maxBytes}: far more than a review has. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

/** Makes one attempt. A status below 300 is a success. Does not reject: every error is a `failure`. */
export async function callWebhook(options: WebhookOptions, body: Buffer): Promise<WebhookResult> {
  const { clock, timeoutMs, headers: extraHeaders = {}, maxBytes = MAX_RESPONSE_BYTES } = options;
  const control = new AbortController();
  const timer = clock.after(timeoutMs, () => control.abort(new WebhookTimeout(`no response within ${Math.ceil(timeoutMs / 1000)} s`)));
  try {
    const address = options.address();
    const authorization = await address.authorization();
    const headers = {
      'content-type': JSON_MEDIA_TYPE,
      ...extraHeaders,
      ...(authorization === undefined ? {} : { authorization }),
    };
    const request: TransportRequest = { method: 'POST', path: address.path, headers, body, signal: control.signal };
    const response = await postFollowingRedirects(address.transport, request);
    const bytes = await collectBody(response.body, maxBytes);
    if (response.status < 300) return { type: 'response', bytes };
    const { status } = response;
    const isRetryable = status >= 500 || status === 429;
    const hasLocation = response.header('location') !== undefined;
    return { type: 'failure', error: new Error(`the webhook responded with ${status}`), status, isRetryable, hasLocation, bytes };
  } catch (error) {
    return { type: 'failure', error: error instanceof Error ? error : new Error(String(error)), status: undefined, isRetryable: true };
  } finally {
    timer.cancel();
  }
}

/**
 * Follows redirects on the same server (servers in Go redirect `//path` to `/path`). A redirect to another server or
 * to another method is returned as the response: a webhook must not forward the object and the credentials elsewhere.
 */
async function postFollowingRedirects(transport: Transport, request: TransportRequest): Promise<TransportResponse> {
  let { path } = request;
  for (let requests = 0; ; requests += 1) {
    const response = await transport.send({ ...request, path });
    const redirect = redirectPath(response);
    if (redirect === undefined) return response;
    await collectBody(response.body, MAX_RESPONSE_BYTES);
    if (requests === MAX_REQUESTS - 1) throw new TooManyRedirects(redirect);
    path = redirect;
  }
}

/** Matches `/path`, but neither `//host` nor `/\host`, which name another server. */
const SAME_SERVER_PATH = /^\/(?![/\\])/;
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([307, 308]);

/** The target of a redirect that keeps the method and the server; `undefined` for any other response. */
function redirectPath(response: TransportResponse): string | undefined {
  const location = response.header('location');
  return REDIRECT_STATUSES.has(response.status) && location !== undefined && SAME_SERVER_PATH.test(location) ? location : undefined;
}

/** Attempts of a call with retries, as many as upstream makes. */
const MAX_ATTEMPTS = 5;
/** Default of {@link RetryOptions.firstPauseMs}, as upstream's. */
const FIRST_PAUSE_MS = 500;
/** The pauses grow up to this, unless the first pause is longer. */
const MAX_PAUSE_MS = 10_000;

/** The limits of a call with retries, and an observer of its attempts. */
interface RetryOptions {
  /** Time limit of all attempts together. Milliseconds. */
  readonly totalTimeoutMs: number;
  /** Delay before the second attempt; 500 ms by default. */
  readonly firstPauseMs?: number;
  /** For the jitter of the pauses. */
  readonly random: Random;
  readonly onAttempt?: AttemptListener | undefined;
}

/** Called after every attempt, with its duration. */
export type AttemptListener = (result: WebhookResult, ms: number) => void;

/**
 * Makes up to {@link MAX_ATTEMPTS} attempts, with pauses that grow, within `totalTimeoutMs`, because a request waits for
 * the result. Only an attempt that failed with a retryable status is repeated; a failure without a status is returned.
 * Does not reject.
 */
export async function callWebhookWithRetries(
  options: WebhookOptions,
  body: Buffer,
  { random, totalTimeoutMs, firstPauseMs = FIRST_PAUSE_MS, onAttempt }: RetryOptions,
): Promise<WebhookResult> {
  const { clock } = options;
  const deadline = clock.monotonic() + totalTimeoutMs;
  const backOff = new BackOff(random, { initialMs: firstPauseMs, maxMs: Math.max(MAX_PAUSE_MS, firstPauseMs), factor: 1.5, jitter: 0.2 });
  for (let attempt = 1; ; attempt += 1) {
    const startedAt = clock.monotonic();
    const remainingMs = deadline - startedAt;
    const result = await callWebhook({ ...options, timeoutMs: Math.min(options.timeoutMs, remainingMs) }, body);
    onAttempt?.(result, clock.monotonic() - startedAt);
    const isFinal = result.type === 'response' || result.status === undefined || !result.isRetryable;
    if (isFinal || attempt === MAX_ATTEMPTS) return result;
    const pauseMs = backOff.next();
    if (clock.monotonic() + pauseMs >= deadline) return result;
    await clock.sleep(pauseMs);
  }
}
