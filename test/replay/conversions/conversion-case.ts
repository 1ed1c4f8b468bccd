/** The lines of recordings of conversion webhooks (format `conversion-webhooks`). Names are those of Kubernetes. */
import type { Body, Json } from '../json-response';
import { isRecordedRequest, type RecordedRequest } from '../requests/request-target';
import { anything, body, listOf, number, oneOf, shape, text, type Check } from '../shape';

export const NAMESPACE = 'converted';
export const GROUP = 'conversions.example.com';

export interface ConversionHead {
  readonly format: string;
  /** The definition of each case. `<port>` and `<ca>` are filled in with those of the webhook server. */
  readonly definition: Body;
}

export interface ConversionStepResponse {
  readonly status: number;
  /** The events of a watch as a list. */
  readonly body: Json;
  readonly warnings?: readonly string[];
  /** The first review that the conversion webhook received. */
  readonly call?: Body;
  /** The reviews that admission webhooks received. */
  readonly asked?: readonly Body[];
}

export interface ConversionStep {
  /** The behaviour of the conversion webhook from now on (behaviours.ts); `good` at the beginning. */
  readonly behaviour?: string;
  /** `<rv>` in the body stands for the resource version in the last response. */
  readonly request: RecordedRequest;
  /** Repeats the request until this member of the response has this value. */
  readonly until?: { readonly path: string; readonly value: Json };
  readonly recordsCall?: true;
  /** The request must succeed, and its response is not recorded. */
  readonly isSetup?: true;
  readonly answer?: ConversionStepResponse;
  /** Sent when the response to the request begins. */
  readonly during?: readonly ConversionStep[];
}

/** An admission webhook and the versions that its rule names. */
export interface AdmissionReviewer {
  readonly type: 'mutating' | 'validating';
  readonly does: string;
  readonly versions: readonly string[];
  readonly resources?: readonly string[];
  readonly more?: Body;
}

/** An admission policy and members of the spec of its binding. */
export interface BoundPolicy {
  readonly spec: Body;
  readonly binding?: Body;
}

export interface ConversionCase {
  readonly title: string;
  /** Members of the definition's spec that replace those of the head. */
  readonly spec?: Body;
  /** Members of `spec.conversion.webhook` that replace those of the head. */
  readonly webhook?: Body;
  /** Sent before the admission webhooks and policies are created; not recorded. */
  readonly before?: readonly ConversionStep[];
  readonly reviews?: readonly AdmissionReviewer[];
  readonly policies?: readonly BoundPolicy[];
  readonly steps: readonly ConversionStep[];
}

export const isConversionHead: Check<ConversionHead> = shape({ format: text, definition: body });

const isRecordedResponse: Check<ConversionStepResponse> = shape(
  { status: number, body: anything },
  { warnings: listOf(text), call: body, asked: listOf(body) },
);
const isUntil = shape({ path: text, value: anything });

const isStep: Check<ConversionStep> = (value): value is ConversionStep =>
  shape(
    { request: isRecordedRequest },
    {
      behaviour: text,
      until: isUntil,
      recordsCall: oneOf(true),
      isSetup: oneOf(true),
      answer: isRecordedResponse,
      during: listOf(isStep),
    },
  )(value);

const isReview: Check<AdmissionReviewer> = shape(
  { type: oneOf('mutating', 'validating'), does: text, versions: listOf(text) },
  { resources: listOf(text), more: body },
);

export const isConversionCase: Check<ConversionCase> = shape(
  { title: text, steps: listOf(isStep) },
  {
    spec: body,
    webhook: body,
    before: listOf(isStep),
    reviews: listOf(isReview),
    policies: listOf(shape({ spec: body }, { binding: body })),
  },
);
