/**
 * Turns the HTTP outcome of a webhook call into a reply, with error messages in the wording of upstream, except for
 * redirects. Parsing the review in the body is left to the callers.
 */
import { tryParseObject } from '../../shared/client/rest/json-body';
import { TooManyRedirects, WebhookTimeout, type WebhookResult } from '../../shared/client/rest/webhook';
import { JSON_MEDIA_TYPE } from '../../shared/names/dialect';
import { connectionErrorText } from '../../shared/runtime/connection-error';
import { stringAt } from '../../shared/values/json';

/**
 * The response body, or an error. `isCallFailure` is true when the error is reported as a failed call, and false when it
 * is reported as an invalid configuration.
 */
export type Reply = { readonly bytes: Buffer } | { readonly error: string; readonly isCallFailure: boolean };

/** Where a call went, for its error messages. */
export interface CalledServer {
  /** The URL in messages: for a Service with its name, not with the address of an endpoint. */
  readonly url: string;
  /** The address to which the connection was made. */
  readonly server: URL;
}

/** The reply of a call with this outcome. An empty body is an error, because it cannot be a review. */
export function replyOf(response: WebhookResult, called: CalledServer): Reply {
  if (response.type === 'failure') return { error: errorText(response, called), isCallFailure: true };
  if (response.bytes.length > 0) return { bytes: response.bytes };
  return { isCallFailure: true, error: `0-length response with status code: 200 and content type: ${JSON_MEDIA_TYPE}` };
}

type WebhookFailure = Extract<WebhookResult, { type: 'failure' }>;

function errorText({ error, status, hasLocation, bytes }: WebhookFailure, { url, server }: CalledServer): string {
  if (status !== undefined && status < 400) {
    if (hasLocation === true) return `the server responded with a redirect (${status}), which is not followed`;
    return `the server responded with the status code ${status} but did not return more information`;
  }
  if (status !== undefined) return statusText(status, bytes);
  if (error instanceof TooManyRedirects) return `Post "${error.path}": ${error.message}`;
  return `Post "${url}": ${error instanceof WebhookTimeout ? 'context deadline exceeded' : connectionErrorText(error, server)}`;
}

/** Upstream's messages for responses without a Status in the body. */
const MESSAGE_BY_STATUS: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  403: 'unknown',
  404: 'the server could not find the requested resource',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
};

/** Characters of the webhook's message that an error shows. */
const MAX_MESSAGE_LENGTH = 4_096;

function statusText(status: number, bytes: Buffer | undefined): string {
  const message = statusMessage(bytes);
  if (message !== undefined) return message.slice(0, MAX_MESSAGE_LENGTH);
  return MESSAGE_BY_STATUS[status] ?? 'an error on the server ("unknown") has prevented the request from succeeding';
}

/** The message of a Status in the body. */
function statusMessage(bytes: Buffer | undefined): string | undefined {
  const value = tryParseObject(bytes?.toString() ?? '');
  return value !== undefined && stringAt(value, 'kind') === 'Status' ? stringAt(value, 'message') : undefined;
}
