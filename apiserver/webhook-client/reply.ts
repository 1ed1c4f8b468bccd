/** What came of asking a webhook, and what went wrong in upstream's words. Asks nobody. */
import { tryParseObject } from '../../shared/client/rest/json-body';
import { Moving, TooLate, type WebhookAnswer } from '../../shared/client/rest/webhook';
import { JSON_MEDIA_TYPE } from '../../shared/names/dialect';
import { connectionText } from '../../shared/runtime/connection-text';
import { stringAt } from '../../shared/values/json';

/** An answer, or what is told of it; `asked` = by whom it was to be given is known. */
export type Reply = { readonly bytes: Buffer } | { readonly fault: string; readonly asked: boolean };

/** Who was asked. */
export interface AskedPlace {
  /** As messages name it. */
  readonly url: string;
  readonly server: URL;
}

export function replyOf(answer: WebhookAnswer, place: AskedPlace): Reply {
  if (answer.type === 'fault') return { fault: faultText(answer, place), asked: true };
  if (answer.bytes.length > 0) return { bytes: answer.bytes };
  return { asked: true, fault: `0-length response with status code: 200 and content type: ${JSON_MEDIA_TYPE}` };
}

type Fault = Extract<WebhookAnswer, { type: 'fault' }>;

function faultText({ error, status, leads, bytes }: Fault, { url, server }: AskedPlace): string {
  if (status !== undefined && status < 400) return redirectText(status, leads === true);
  if (status !== undefined) return statusText(status, bytes);
  if (error instanceof Moving) return `Post "${error.path}": ${error.message}`;
  return `Post "${url}": ${error instanceof TooLate ? 'context deadline exceeded' : connectionText(error, server)}`;
}

const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'the server rejected our request for an unknown reason',
  401: 'the server has asked for the client to provide credentials',
  403: 'unknown',
  404: 'the server could not find the requested resource',
  429: 'the server has received too many requests and has asked us to try again later',
  503: 'the server is currently unable to handle the request',
};

const LONGEST_TEXT = 4_096;

const redirectText = (status: number, leads: boolean): string =>
  leads
    ? `the server answered with a redirect (${status}), which is not followed`
    : `the server responded with the status code ${status} but did not return more information`;

function statusText(status: number, bytes: Buffer | undefined): string {
  const told = toldBy(bytes);
  if (told !== undefined) return told.slice(0, LONGEST_TEXT);
  return BY_STATUS[status] ?? 'an error on the server ("unknown") has prevented the request from succeeding';
}

/** What a Status says. */
function toldBy(bytes: Buffer | undefined): string | undefined {
  const value = tryParseObject(bytes?.toString() ?? '');
  return value !== undefined && stringAt(value, 'kind') === 'Status' ? stringAt(value, 'message') : undefined;
}
