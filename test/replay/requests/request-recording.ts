/**
 * The format of recordings of request sequences (`"format": "requests"`): a head, then one line for each request with
 * the response of the reference server. The requests of a file are sent in their order, each after the response to the
 * previous one.
 */
import { readRecording } from '../recording';
import { anything, either, listOf, mapOf, number, oneOf, shape, text, boolean, type Checked } from '../shape';

/**
 * In paths, header values and bodies, `$NS` is the namespace of the recording, `$RV` and `$UID` are the resource version
 * and the uid of the last object that was returned, and `$UID(name)` is the uid of the last object returned with that
 * name.
 */
const isRequest = shape(
  { method: oneOf('GET', 'POST', 'PUT', 'PATCH', 'DELETE'), path: text },
  {
    /**
     * Text is sent unchanged. `{ "$answer": 2 }` is the body of the response before the last one. In other values the
     * abbreviations of `expandBody` are expanded.
     */
    body: anything,
    /** Content-Type; `json`, `merge`, `strategic` and `apply` are patches. JSON when absent. */
    type: text,
    headers: mapOf(either(text, listOf(text))),
    /**
     * The user: `alice` has a token and no permissions, `anonymous` has no credentials, any other user is impersonated
     * by the administrator; a user `system:node:…` is in the group `system:nodes`. The administrator when absent.
     */
    as: text,
  },
);
export type RecordedRequest = Checked<typeof isRequest>;

export const isRequestHead = shape(
  {
    format: oneOf('requests'),
    about: text,
    /** How API groups and qualified names are spelled in the file. */
    dialect: oneOf('platform', 'kubernetes'),
  },
  {
    /** Flags of the reference server; paths of files are relative to the repository. */
    serverFlags: listOf(text),
    /** A namespace is created before the first request. */
    namespace: boolean,
    /** Requests that create what the others need; their responses are not recorded. */
    setup: listOf(isRequest),
    /**
     * Paths of the members that are recorded of successful responses; of a rejection they are `message` and `reason`.
     * The whole body when absent.
     */
    keeps: listOf(text),
    /** Only the order of members is recorded: the body is the names that `memberNames` returns. */
    order: boolean,
    /** How long the reference server needs after a write until its caches have the object. */
    pauseMs: number,
  },
);
export type RequestHead = Checked<typeof isRequestHead>;

const isRecordedResponse = shape({ status: number, body: anything }, { warnings: listOf(text) });
export type RecordedResponse = Checked<typeof isRecordedResponse>;

/** `answer` is missing from a case that is not recorded yet. */
export const isNewCase = shape({ request: isRequest }, { title: text, answer: isRecordedResponse });

const isRequestCase = shape({ request: isRequest, answer: isRecordedResponse }, { title: text });
export type RequestCase = Checked<typeof isRequestCase>;

/** Throws when a case is not recorded. */
export const requestRecording = (recording: string) => readRecording(recording, isRequestHead, isRequestCase);
