/** Sends the requests of recorded cases to a server: the reference server or the one under test. Masks nothing. */
import type { Method } from '../../../shared/client/transport/transport';
import type { Body, Headers } from '../json-response';
import { anything, oneOf, shape, text, type Checked } from '../shape';

/** A request of a case. */
export const isCaseRequest = shape(
  {
    method: oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'),
    /** Path and query. */
    path: text,
  },
  {
    /** A text is sent unchanged, anything else as JSON. */
    body: anything,
    /** The media type of the body; JSON by default. */
    type: text,
    accept: text,
    /** Their values are not checked. */
    headers: (value): value is Headers => typeof value === 'object',
  },
);
export type CaseRequest = Checked<typeof isCaseRequest>;

export interface TargetResponse {
  readonly code: number;
  readonly text: string;
  /** Texts of the Warning headers. */
  readonly warnings: readonly string[];
}

export interface RequestTarget {
  /** `onResponse` is called when the header of the response arrives. */
  send(method: Method, path: string, headers: Headers, body: string, onResponse?: () => void): Promise<TargetResponse>;
}

export interface AuditedTarget extends RequestTarget {
  /** The annotations in the audit event of the request that had this `Audit-ID`. */
  annotations(auditId: string): Promise<Body>;
}

/** Sends a request; a rejection is a response like any other. Headers of the request take precedence over `headers`. */
export function sendRequest(
  target: RequestTarget,
  { method, path, body, type = 'application/json', accept, headers: ownHeaders = {} }: CaseRequest,
  headers: Headers = {},
  onResponse?: () => void,
): Promise<TargetResponse> {
  const json = body === undefined ? '' : JSON.stringify(body);
  const sent = typeof body === 'string' ? body : json;
  const media = { ...(sent === '' ? {} : { 'content-type': type }), ...(accept === undefined ? {} : { accept }) };
  return target.send(method, path, { ...headers, ...media, ...ownHeaders }, sent, onResponse);
}

/** Sends a request on which later ones depend. Throws when it is rejected. */
export async function sendExpectingSuccess(target: RequestTarget, request: CaseRequest, headers: Headers = {}): Promise<TargetResponse> {
  const reply = await sendRequest(target, request, headers);
  if (reply.code === 0 || reply.code >= 300) throw new Error(`${request.method} ${request.path}: ${reply.text.slice(0, 2000)}`);
  return reply;
}
