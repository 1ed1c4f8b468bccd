/**
 * Exchanges one ConversionReview with a webhook: encodes the objects into the request, and creates a result from each
 * object of the response. It yields to the event loop between objects. Batching, caching and limits of concurrent calls are
 * left to converter.ts; accept-object.ts decides which parts of an object are accepted.
 */
import { apiVersionInDialect, type Dialect } from '../../shared/names/dialect';
import type { Random } from '../../shared/runtime/random';
import type { TimeSlice } from '../../shared/scheduling/yielding';
import type { JsonObject } from '../../shared/values/json';
import type { WebhookClient } from '../webhook-client/client';
import type { WebhookTarget } from '../webhook-client/webhook-target';
import { acceptObject, type NewMetadata } from './accept-object';
import { callFailure, ConversionFailure, countFailure } from './conversion-failure';
import type { OriginalObject } from './original-object';
import { ReviewRequestBody, type ReviewRequest } from './review-request';
import { parseReviewResponse, readReviewResponse, type ConvertedObjects } from './review-response';
import type { WebhookConversion } from './webhook-conversion';

/** Time limit of one call. */
export const CALL_TIMEOUT_MS = 30_000;
/** A response may always have this size, and more in proportion to its request. */
const MIN_RESPONSE_BYTES = 4 * 1024 * 1024;
/** Maximum size of a response in proportion to the request. */
const MAX_GROWTH = 4;

/** The webhook, and how it is called. */
export interface ReviewExchangeDependencies {
  readonly client: Pick<WebhookClient, 'call'>;
  readonly target: WebhookTarget;
  /** The spelling that is sent. */
  readonly dialect: Dialect;
  readonly random: Random;
}

/** One call of a webhook. */
export interface ReviewCall<T> {
  readonly conversion: WebhookConversion;
  readonly originals: readonly OriginalObject[];
  /** Yields to the event loop between objects. */
  readonly slice: TimeSlice;
  readonly createResult: CreateResult<T>;
}

/** Creates the result from the converted object at an index of the call. `metadata`: see {@link NewMetadata}. */
export type CreateResult<T> = (object: JsonObject, index: number, metadata: NewMetadata) => T;

/**
 * Calls the webhook once. Resolves with one result for each object, in their order, or with the failure of the call. Never
 * rejects because of the webhook.
 */
export async function exchangeReview<T>(
  { client, target, dialect, random }: ReviewExchangeDependencies,
  call: ReviewCall<T>,
): Promise<readonly T[] | ConversionFailure> {
  const { conversion } = call;
  const { reviewVersion } = conversion.webhook;
  if (reviewVersion === undefined) return callFailure('no supported conversion review versions');
  const uid = random.uuid();
  const desired = apiVersionInDialect(dialect, conversion.to.apiVersion);
  const body = await encodeReview({ version: reviewVersion, uid, desired, dialect }, call);
  const maxBytes = Math.max(MIN_RESPONSE_BYTES, body.length * MAX_GROWTH);
  const reply = await client.call(target, body, {
    query: `?timeout=${CALL_TIMEOUT_MS / 1000}s`,
    timeoutMs: CALL_TIMEOUT_MS,
    maxBytes,
  });
  if ('error' in reply) return callFailure(reply.error);
  const response = readReviewResponse(reviewVersion, uid, reply.bytes, dialect);
  if (response instanceof ConversionFailure) return response;
  const converted = await acceptObjects(call, response);
  if (!(converted instanceof ConversionFailure)) return converted;
  // Upstream parses the whole response first. Here its objects are parsed one by one, so an invalid object may have been
  // found before invalid JSON further on, which has to be reported instead.
  const wholeResponse = parseReviewResponse(reviewVersion, uid, reply.bytes, dialect);
  return wholeResponse instanceof ConversionFailure ? wholeResponse : converted;
}

/** The body of the request. */
async function encodeReview<T>(request: ReviewRequest, { originals, slice }: ReviewCall<T>): Promise<Buffer> {
  const review = new ReviewRequestBody(
    request,
    originals.reduce((total, original) => total + original.size, 0),
  );
  for (const original of originals) {
    review.startObject();
    original.writeTo(review);
    const pause = slice.yieldIfDue();
    if (pause !== undefined) await pause;
  }
  return review.finish();
}

/** Checks the objects of the response, and creates their results. */
async function acceptObjects<T>(
  { conversion, originals, slice, createResult }: ReviewCall<T>,
  response: ConvertedObjects,
): Promise<readonly T[] | ConversionFailure> {
  if (response.count !== originals.length) return countFailure(response.count, originals.length);
  const results: T[] = [];
  const pruneUnknownFields = conversion.to.codec.createPruner();
  for (const [index, original] of originals.entries()) {
    const accepted = acceptObject(conversion, original, response, index);
    if (accepted instanceof ConversionFailure) return accepted;
    const { object, metadata } = accepted;
    pruneUnknownFields(object);
    results.push(createResult(object, index, metadata));
    const pause = slice.yieldIfDue();
    if (pause !== undefined) await pause;
  }
  return results;
}
