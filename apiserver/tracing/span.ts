/**
 * What the parts of a server say of their work to whoever keeps its traces: what has begun, what has happened, what others are asked. Where nobody keeps any, there is
 * no span to say it to, and nothing is made for it. Holds no behaviour.
 */
import type { MaybePromise } from '../../shared/runtime/maybe-promise';

export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** Some work, as long as it lasts. */
export interface TraceSpan {
  event(name: string, attributes?: SpanAttributes): void;
  /** Does `work` as a part of what is being done; the part ends with it. */
  part<T>(name: string, attributes: SpanAttributes, work: (part: TraceSpan) => T): T;
}

/** The work on one request. Its events are those of what its handler does. */
export interface RequestTrace extends TraceSpan {
  /** Of the trace, in hexadecimal. */
  readonly id: string;
  /** All that comes after this filter is a part of it, although it is over then. */
  opened<T>(name: string, work: () => MaybePromise<T>): MaybePromise<T>;
  /** A filter that has to be waited for is a part; one that decides at once is not worth one. */
  waited<T>(name: string, work: () => MaybePromise<T>): MaybePromise<T>;
  /** Does what was asked for. What ends before anything has happened in it is not told. */
  handled<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T>;
  /** `event` has happened; should the handler fail before the next one, `failure` has happened too, with the reason. */
  attempt(event: string, failure: string, attributes: SpanAttributes): void;
  /** The answer is being put together. */
  answering(attributes: SpanAttributes): void;
  /** The head of the answer is sent; `size` = bytes of its body, where they are known. */
  writing(size: number | undefined): void;
  /** The answer has been handed over, or given up. */
  finished(name: string, attributes: SpanAttributes, status: number, size: number): void;
}

/** What a request says of the trace that it belongs to. */
export interface AskedTrace {
  /** Its name as long as nobody knows a better one. */
  readonly name: string;
  header(name: string): string | undefined;
}

/** A request to somebody else. */
export interface OutgoingRequest {
  readonly method: string;
  readonly attributes: SpanAttributes;
}

/** Tells others of the trace on whose behalf they are asked. */
export interface OutgoingTraces {
  /** `send` is given the headers; `statusOf` = the status of what came back, undefined = nothing did. */
  asked<T>(
    request: OutgoingRequest,
    send: (headers: Readonly<Record<string, string>>) => Promise<T>,
    statusOf: (answer: T) => number | undefined,
  ): Promise<T>;
}

/** Keeps the traces of a server. */
export interface Tracing extends OutgoingTraces {
  /** Does what belongs to one request. It is given no trace where this one is not kept. */
  begin(asked: AskedTrace, work: (trace: RequestTrace | undefined) => void): void;
  readonly counts: SpanCounts;
}

/** What has become of spans since the start. */
export interface SpanCounts {
  readonly exported: number;
  /** The receiver did not take them. */
  readonly failed: number;
  /** There were too many. */
  readonly dropped: number;
}
