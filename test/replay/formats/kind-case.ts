/**
 * The format `kind-cases`: writes of one kind, valid and invalid, each with the response of the reference server. A
 * line holds one object and the responses to the requests that were sent with it; the head holds what all lines share.
 * Names are in canonical spelling.
 */
import type { Body } from '../json-response';
import { body, either, listOf, nullValue, number, oneOf, shape, text, boolean, type Check } from '../shape';

/** The response to one write. */
export interface RecordedResponse {
  readonly code: number;
  /** The message of a rejection without causes. */
  readonly message?: string;
  /** Field, reason and message of each cause; explanations of patterns are shortened to `(…)`. */
  readonly causes?: readonly (readonly string[])[];
  readonly warnings?: readonly string[];
  /**
   * The accepted object without volatile fields and without the members of {@link asSent}. Absent when it is too long.
   */
  readonly object?: Body;
  /** Members of the accepted object that equal those of the request. */
  readonly asSent?: readonly string[];
}

/** The requests of a case and the members that hold the responses: POST, PUT, and PUT of the subresources. */
export const REQUESTS = ['create', 'update', 'status', 'scale', 'ephemeral'] as const;
export type KindRequest = (typeof REQUESTS)[number];

interface KindCaseInput {
  readonly title: string;
  /** The object that is stored before an update; the base of the head when absent. */
  readonly old?: Body;
  /** May contain the abbreviations of `expandBody`. */
  readonly body: Body;
}

export interface KindCase extends KindCaseInput {
  readonly create?: RecordedResponse;
  /** `same` when the response equals that of `create`. */
  readonly update?: RecordedResponse | 'same';
  readonly status?: RecordedResponse;
  readonly scale?: RecordedResponse;
  readonly ephemeral?: RecordedResponse;
}

/** A case as the recorder reads it. A null, like a missing response, is recorded by the next run. */
export interface UnrecordedKindCase extends KindCaseInput, Readonly<Partial<Record<KindRequest, RecordedResponse | 'same' | null>>> {}

export interface KindHead {
  readonly format: 'kind-cases';
  readonly resource: string;
  readonly kind: string;
  readonly apiVersion: string;
  readonly namespaced: boolean;
  /** Flags of the API server without which it responds differently. */
  readonly serverFlags?: readonly string[];
  /** What a new case without `old` is recorded for. `update` is left out for objects with a name of their own. */
  readonly defaultRequests: readonly ('create' | 'update')[];
  /** Accepted objects are not recorded. */
  readonly omitsObjects?: true;
  /** Members of `spec` that are not recorded, because they are long or differ in each run. */
  readonly omittedSpecFields?: readonly string[];
  /**
   * The API server modifies stored objects on its own: an update needs the newest resource version, and its status is
   * not recorded.
   */
  readonly isModifiedByServer?: true;
  /** A valid object. */
  readonly base: Body;
}

export const isKindHead: Check<KindHead> = shape(
  {
    format: oneOf('kind-cases'),
    resource: text,
    kind: text,
    apiVersion: text,
    namespaced: boolean,
    defaultRequests: listOf(oneOf('create', 'update')),
    base: body,
  },
  { serverFlags: listOf(text), omitsObjects: oneOf(true), omittedSpecFields: listOf(text), isModifiedByServer: oneOf(true) },
);

export const isRecordedResponse: Check<RecordedResponse> = shape(
  { code: number },
  { message: text, causes: listOf(listOf(text)), warnings: listOf(text), object: body, asSent: listOf(text) },
);

const hasKindCaseShape: Check<KindCase> = shape(
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

/** Rejects a case without a response, which would assert nothing. */
export const isKindCase: Check<KindCase> = (value): value is KindCase =>
  hasKindCaseShape(value) && REQUESTS.some((request) => value[request] !== undefined);

const isRecordedOrMissing = either(nullValue, either(oneOf('same'), isRecordedResponse));

export const isUnrecordedKindCase: Check<UnrecordedKindCase> = shape(
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
