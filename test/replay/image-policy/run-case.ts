/**
 * Runs recorded cases of the ImagePolicyWebhook plug-in against a server: sends each request and returns its response
 * and the reviews that the webhook received.
 */
import { randomUUID } from 'node:crypto';
import { systemClock } from '../../../shared/runtime/clock';
import { GENERATED_NAME_PATTERN } from '../normalize/volatile-patterns';
import type { Body, Json } from '../json-response';
import { isRecordedRequest, sendRequest, type AuditedTarget, type RecordedRequest } from '../requests/request-target';
import { anything, body, listOf, number, shape, text, boolean, type Check } from '../shape';
import type { ImageServer } from './server';

export interface ImagePolicyHead {
  readonly format: string;
  readonly serverFlags: readonly string[];
  /** Whether pods are admitted when the webhook fails. */
  readonly defaultAllow: boolean;
  /** Sent before the cases; not recorded. */
  readonly before: readonly RecordedRequest[];
}

interface ImageCaseResponse {
  readonly status: number;
  /** The message and reason of a rejection. */
  readonly message?: Json;
  readonly reason?: Json;
  /** The annotations of admission in the request's audit event. */
  readonly annotations: Body;
  /** What the webhook received: the authorization header and the review. */
  readonly asked: readonly Json[];
}

/**
 * The names of images select the webhook's response (server.ts). Cases depend on those before them, because the plug-in
 * caches responses.
 */
export interface ImageCase {
  readonly title: string;
  readonly request: RecordedRequest;
  readonly answer?: ImageCaseResponse;
}

export const isImagePolicyHead: Check<ImagePolicyHead> = shape({
  format: text,
  serverFlags: listOf(text),
  defaultAllow: boolean,
  before: listOf(isRecordedRequest),
});

const isRecordedResponse: Check<ImageCaseResponse> = shape(
  { status: number, annotations: body, asked: listOf(anything) },
  { message: anything, reason: anything },
);

export const isImageCase: Check<ImageCase> = shape({ title: text, request: isRecordedRequest }, { answer: isRecordedResponse });

/** Time after which the server has seen the service account of the pods. */
const SEEN_MS = 300;

/** Sends the requests in order, and returns the cases with the responses. The server uses `images` as its webhook. */
export async function runImageCases(
  target: AuditedTarget,
  images: ImageServer,
  { before }: ImagePolicyHead,
  cases: readonly ImageCase[],
): Promise<readonly ImageCase[]> {
  for (const request of before) await sendRequest(target, request);
  await systemClock.sleep(SEEN_MS);
  const recordedCases: ImageCase[] = [];
  for (const { title, request } of cases) recordedCases.push({ title, request, answer: await sendCase(target, images, request) });
  return recordedCases;
}

async function sendCase(target: AuditedTarget, images: ImageServer, request: RecordedRequest): Promise<ImageCaseResponse> {
  const auditId = randomUUID();
  images.receivedReviews.splice(0);
  const { code, text: sent } = await sendRequest(target, request, { 'audit-id': auditId });
  const { message = null, reason = null }: Body = JSON.parse(sent);
  const annotations = await target.annotations(auditId);
  const response: ImageCaseResponse = {
    status: code,
    ...(code < 400 ? {} : { message, reason }),
    annotations,
    asked: images.receivedReviews.splice(0),
  };
  const masked: unknown = JSON.parse(
    JSON.stringify(response).replaceAll(`:${images.port}`, ':<port>').replaceAll(GENERATED_NAME_PATTERN, 'g-<name>'),
  );
  if (!isRecordedResponse(masked)) throw new Error(`not a recordable response: ${sent}`);
  return masked;
}
