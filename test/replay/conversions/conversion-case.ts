/** The lines of recordings of conversion webhooks (format `conversion-webhooks`). Names are those of Kubernetes. */
import { isCaseRequest } from '../requests/request-target';
import { anything, body, listOf, number, oneOf, shape, text, type Check, type Checked } from '../shape';

export const NAMESPACE = 'converted';
export const GROUP = 'conversions.example.com';

/** The definition of each case. `<port>` and `<ca>` are filled in with those of the webhook server. */
export const isConversionHead = shape({ format: text, definition: body });
export type ConversionHead = Checked<typeof isConversionHead>;

const isRecordedResponse = shape(
  {
    status: number,
    /** The events of a watch as a list. */
    body: anything,
  },
  {
    warnings: listOf(text),
    /** The first review that the conversion webhook received. */
    call: body,
    /** The reviews that admission webhooks received. */
    asked: listOf(body),
  },
);
export type ConversionStepResponse = Checked<typeof isRecordedResponse>;

const stepMembers = {
  /** The behaviour of the conversion webhook from now on (behaviours.yaml, behaviours.ts); `good` at the beginning. */
  behaviour: text,
  /** Repeats the request until this member of the response has this value. */
  until: shape({ path: text, value: anything }),
  /** Whether the response has `call`. */
  recordsCall: oneOf(true),
  /** The request must succeed, and its response is not recorded. */
  isSetup: oneOf(true),
  answer: isRecordedResponse,
};
/** `<rv>` in the body of the request stands for the resource version in the last response. */
const isSimpleStep = shape({ request: isCaseRequest }, stepMembers);

export type ConversionStep = Checked<typeof isSimpleStep> & {
  /** Sent when the response to the request begins. */
  readonly during?: readonly ConversionStep[];
};

const isStep: Check<ConversionStep> = (value): value is ConversionStep =>
  shape({ request: isCaseRequest }, { ...stepMembers, during: listOf(isStep) })(value);

/** An admission webhook, the behaviour that it has, and the versions that its rule names. */
const isReviewer = shape(
  { type: oneOf('mutating', 'validating'), does: text, versions: listOf(text) },
  { resources: listOf(text), more: body },
);
export type AdmissionReviewer = Checked<typeof isReviewer>;

/** An admission policy and members of the spec of its binding. */
const isBoundPolicy = shape({ spec: body }, { binding: body });
export type BoundPolicy = Checked<typeof isBoundPolicy>;

export const isConversionCase = shape(
  { title: text, steps: listOf(isStep) },
  {
    /** Members of the definition's spec that replace those of the head. */
    spec: body,
    /** Members of `spec.conversion.webhook` that replace those of the head. */
    webhook: body,
    /** Sent before the admission webhooks and policies are created; not recorded. */
    before: listOf(isStep),
    reviews: listOf(isReviewer),
    policies: listOf(isBoundPolicy),
  },
);
export type ConversionCase = Checked<typeof isConversionCase>;
