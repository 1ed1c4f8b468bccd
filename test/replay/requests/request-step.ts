/**
 * Requests that are recorded for more than their responses: audit events, metrics, traces. A recording `AREA/requests`
 * holds them, and the recordings beside it hold the outcomes.
 */
import { readRecording } from '../recording';
import { anything, body, listOf, mapOf, oneOf, shape, text, type Checked } from '../shape';
import { PATCH_MEDIA } from '../normalize/spelling';

export interface RequestStep {
  readonly name: string;
  /** `bad` has an unknown token, `nobody` has none. */
  readonly as: 'admin' | 'alice' | 'bad' | 'nobody';
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  /** Media type of the body; JSON when absent. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * A text body is sent unchanged, another body as JSON; `type` is `json`, `merge`, `strategic` or `apply` for a patch.
 */
const isLine = shape(
  { title: text, method: text, path: text },
  { as: oneOf('admin', 'alice', 'bad', 'nobody'), type: text, headers: mapOf(text), body: anything },
);

/** `policy` is the audit policy of the server; `setup` are requests that are sent first. */
const isHead = shape({ format: text, about: text }, { policy: body, setup: listOf(isLine) });

export interface RequestSteps {
  readonly head: { readonly policy?: object; readonly setup?: readonly RequestStep[] };
  readonly steps: readonly RequestStep[];
  /** The lines of the recording. */
  readonly lines: readonly unknown[];
}

/** Throws for a line of another shape. */
export function requestSteps(recording: string): RequestSteps {
  const { head, cases } = readRecording(recording, isHead, isLine);
  const { policy, setup } = head;
  return {
    head: { ...(policy === undefined ? {} : { policy }), ...(setup === undefined ? {} : { setup: setup.map(stepOf) }) },
    steps: cases.map(stepOf),
    lines: [head, ...cases],
  };
}

const stepOf = ({ title, as = 'admin', method, path, type, headers, body: sent }: Checked<typeof isLine>): RequestStep => ({
  as,
  ...(type === undefined ? {} : { type: PATCH_MEDIA[type] ?? type }),
  ...(headers === undefined ? {} : { headers }),
  ...(sent === undefined ? {} : { body: typeof sent === 'string' ? sent : JSON.stringify(sent) }),
  name: title,
  method,
  path,
});
