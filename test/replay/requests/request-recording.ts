/**
 * The format of recordings of request sequences (`"format": "requests"`): a head, then one line for each request with
 * the response of the reference server. The requests of a file are sent in their order, each after the response to the
 * previous one.
 */
import { readRecording } from '../recording';
import type { Json } from '../json-response';
import { anything, either, listOf, mapOf, number, oneOf, shape, text, boolean, type Check } from '../shape';

const isMethod = oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE');

export interface RecordedRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /**
   * In paths, header values and bodies, `$NS` is the namespace of the recording, `$RV` and `$UID` are the resource
   * version and the uid of the last object that was returned, and `$UID(name)` is the uid of the last object returned
   * with that name.
   */
  readonly path: string;
  /**
   * Text is sent unchanged. `{ "$answer": 2 }` is the body of the response before the last one. In other values the
   * abbreviations of `expandBody` are expanded.
   */
  readonly body?: Json;
  /** Content-Type; `json`, `merge`, `strategic` and `apply` are patches. JSON when absent. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /**
   * The user: `alice` has a token and no permissions, `anonymous` has no credentials, any other user is impersonated by
   * the administrator; a user `system:node:…` is in the group `system:nodes`. The administrator when absent.
   */
  readonly as?: string;
}

export interface RecordedResponse {
  readonly status: number;
  readonly warnings?: readonly string[];
  readonly body: Json;
}

export interface RequestCase {
  readonly title?: string;
  readonly request: RecordedRequest;
  readonly answer: RecordedResponse;
}

export interface RequestHead {
  readonly format: 'requests';
  readonly about: string;
  /** How API groups and qualified names are spelled in the file. */
  readonly dialect: 'platform' | 'kubernetes';
  /** Flags of the reference server; paths of files are relative to the repository. */
  readonly serverFlags?: readonly string[];
  /** A namespace is created before the first request. */
  readonly namespace?: boolean;
  /** Requests that create what the others need; their responses are not recorded. */
  readonly setup?: readonly RecordedRequest[];
  /**
   * Paths of the members that are recorded of successful responses; of a rejection they are `message` and `reason`. The
   * whole body when absent.
   */
  readonly keeps?: readonly string[];
  /** Only the order of members is recorded: the body is the names that `memberNames` returns. */
  readonly order?: boolean;
  /** How long the reference server needs after a write until its caches have the object. */
  readonly pauseMs?: number;
}

export interface RequestRecording {
  readonly head: RequestHead;
  readonly cases: readonly RequestCase[];
}

const isRequest: Check<RecordedRequest> = shape(
  { method: isMethod, path: text },
  { body: anything, type: text, headers: mapOf(either(text, listOf(text))), as: text },
);

export const isRequestHead: Check<RequestHead> = shape(
  { format: oneOf('requests'), about: text, dialect: oneOf('platform', 'kubernetes') },
  { serverFlags: listOf(text), namespace: boolean, setup: listOf(isRequest), keeps: listOf(text), order: boolean, pauseMs: number },
);

const isRecordedResponse: Check<RecordedResponse> = shape({ status: number, body: anything }, { warnings: listOf(text) });

/** `answer` is missing from a case that is not recorded yet. */
export const isNewCase: Check<Omit<RequestCase, 'answer'>> = shape({ request: isRequest }, { title: text, answer: isRecordedResponse });

const isRequestCase: Check<RequestCase> = shape({ request: isRequest, answer: isRecordedResponse }, { title: text });

export const requestRecording = (recording: string): RequestRecording => readRecording(recording, isRequestHead, isRequestCase);
