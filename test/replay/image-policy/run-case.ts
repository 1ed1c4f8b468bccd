/**
 * Runs recorded cases of the ImagePolicyWebhook plug-in against a server: sends each request and returns its response
 * and the reviews that the webhook received.
 */
import { randomUUID } from 'node:crypto';
import { systemClock } from '../../../shared/runtime/clock';
import { GENERATED_NAME_PATTERN } from '../normalize/volatile-patterns';
import type { Body } from '../json-response';
import { isCaseRequest, sendRequest, type AuditedTarget, type CaseRequest } from '../requests/request-target';
import { anything, body, listOf, number, shape, text, boolean, type Checked } from '../shape';
import type { ImageServer } from './server';

export const isImagePolicyHead = shape({
  format: text,
  serverFlags: listOf(text),
  /** Whether pods are admitted when the webhook fails. */
  defaultAllow: boolean,
  /** Sent before the cases; not recorded. */
  before: listOf(isCaseRequest),
});

const isRecordedResponse = shape(
  {
    status: number,
    /** The annotations of admission in the request's audit event. */
    annotations: body,
    /** What the webhook received: the authorization header and the review. */
    asked: listOf(anything),
  },
  // Of a rejection.
  { message: anything, reason: anything },
);
type ImageCaseResponse = Checked<typeof isRecordedResponse>;

/**
 * The names of images select the webhook's response (server.ts). Cases depend on those before them, because the plug-in
 * caches responses.
 */
export const isImageCase = shape({ title: text, request: isCaseRequest }, { answer: isRecordedResponse });
export type ImageCase = Checked<typeof isImageCase>;

/** Time after which the server's cache has the service account of the pods. */
const CACHE_UPDATE_MS = 300;

/** Sends the requests in order, and returns the cases with the responses. The server uses `images` as its webhook. */
export async function runImageCases(
  target: AuditedTarget,
  images: ImageServer,
  { before }: Checked<typeof isImagePolicyHead>,
  cases: readonly ImageCase[],
): Promise<readonly ImageCase[]> {
  for (const request of before) await sendRequest(target, request);
  await systemClock.sleep(CACHE_UPDATE_MS);
  const recordedCases: ImageCase[] = [];
  for (const { title, request } of cases) recordedCases.push({ title, request, answer: await sendCase(target, images, request) });
  return recordedCases;
}

/** Sends the request of a case and returns the response, without what differs from run to run. */
async function sendCase(target: AuditedTarget, images: ImageServer, request: CaseRequest): Promise<ImageCaseResponse> {
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
