/**
 * The format `kind-cases`: writes of one kind, valid and invalid, each with the response of the reference server. A
 * line holds one object and the responses to the requests that were sent with it; the head holds what all lines share.
 * Names are in canonical spelling.
 */
import { body, either, listOf, nullValue, number, oneOf, shape, text, boolean, type Check, type Checked } from '../shape';

/** The response to one write. */
export const isRecordedResponse = shape(
  { code: number },
  {
    /** The message of a rejection without causes. */
    message: text,
    /** Field, reason and message of each cause; explanations of patterns are shortened to `(…)`. */
    causes: listOf(listOf(text)),
    warnings: listOf(text),
    /** The accepted object without volatile fields and without the members `asSent`. Absent when it is too long. */
    object: body,
    /** Members of the accepted object that equal those of the request. */
    asSent: listOf(text),
  },
);
export type RecordedResponse = Checked<typeof isRecordedResponse>;

/** The requests of a case and the members that hold the responses: POST, PUT, and PUT of the subresources. */
export const REQUESTS = ['create', 'update', 'status', 'scale', 'ephemeral'] as const;
export type KindRequest = (typeof REQUESTS)[number];

export const isKindHead = shape(
  {
    format: oneOf('kind-cases'),
    resource: text,
    kind: text,
    apiVersion: text,
    namespaced: boolean,
    /** What a new case without `old` is recorded for. `update` is left out for objects with a name of their own. */
    defaultRequests: listOf(oneOf('create', 'update')),
    /** A valid object. */
    base: body,
  },
  {
    /** Flags of the API server without which it responds differently. */
    serverFlags: listOf(text),
    /** Accepted objects are not recorded. */
    omitsObjects: oneOf(true),
    /** Members of `spec` that are not recorded, because they are long or differ in each run. */
    omittedSpecFields: listOf(text),
    /**
     * The API server modifies stored objects on its own: an update needs the newest resource version, and its status is
     * not recorded.
     */
    isModifiedByServer: oneOf(true),
  },
);
export type KindHead = Checked<typeof isKindHead>;

/**
 * `body` may contain the abbreviations of `expandBody`. `old` is the object that is stored before an update; the base of
 * the head when absent. The other members hold the response to each request; `same` equals that of `create`.
 */
const hasKindCaseShape = shape(
  { title: text, body },
  {
    old: body,
    create: isRecordedResponse,
    update: either(oneOf('same'), isRecordedResponse),
    status: isRecordedResponse,
    scale: isRecordedResponse,
    ephemeral: isRecordedResponse,
  },
);
export type KindCase = Checked<typeof hasKindCaseShape>;

/** Rejects a case without a response, which would assert nothing. */
export const isKindCase: Check<KindCase> = (value): value is KindCase =>
  hasKindCaseShape(value) && REQUESTS.some((request) => value[request] !== undefined);

const isRecordedOrMissing = either(nullValue, either(oneOf('same'), isRecordedResponse));

/** A case as the recorder reads it. A null, like a missing response, is recorded by the next run. */
export const isUnrecordedKindCase = shape(
  { title: text, body },
  {
    old: body,
    create: isRecordedOrMissing,
    update: isRecordedOrMissing,
    status: isRecordedOrMissing,
    scale: isRecordedOrMissing,
    ephemeral: isRecordedOrMissing,
  },
);
export type UnrecordedKindCase = Checked<typeof isUnrecordedKindCase>;
