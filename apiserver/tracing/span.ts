/**
 * The tracing interfaces that the other parts of the server use. Without tracing there is no span object, and nothing
 * is created.
 */
import type { MaybePromise } from '../../shared/runtime/maybe-promise';

/** By the name of the attribute, such as `http.url`. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A span of some work. */
export interface TraceSpan {
  addEvent(name: string, attributes?: SpanAttributes): void;
  /** Runs `work` in a child span. */
  runInChildSpan<T>(name: string, attributes: SpanAttributes, work: (span: TraceSpan) => T): T;
}

/** The trace of one request. Its events belong to the span of its handler; outside the handler they are ignored. */
export interface RequestTrace extends TraceSpan {
  /** Trace ID in hexadecimal. */
  readonly id: string;
  /** A filter that is the parent of everything after it, although its own span has ended by then. */
  runOpeningFilter<T>(name: string, work: () => MaybePromise<T>): MaybePromise<T>;
  /** A filter with a span only if it is asynchronous. */
  runFilter<T>(name: string, work: () => MaybePromise<T>): MaybePromise<T>;
  /** Runs the handler of the request. A handler without events or children has no span. */
  runHandler<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T>;
  /** Adds `event`; if the handler fails before the next event, also adds `failure` with the error. */
  addAttempt(event: string, failure: string, attributes: SpanAttributes): void;
  /** The response is being encoded. */
  startResponse(attributes: SpanAttributes): void;
  /** The response headers are sent; `size` is the size of the body in bytes, if known. */
  startWriting(size: number | undefined): void;
  /** The response has been sent or aborted. `name` is the final name of the span, `size` the bytes that were sent. */
  finish(name: string, attributes: SpanAttributes, status: number, size: number): void;
}

/** The trace headers of an incoming request. */
export interface IncomingTrace {
  /** The preliminary span name. */
  readonly name: string;
  header(name: string): string | undefined;
}

/** A request to another server. */
export interface OutgoingRequest {
  readonly method: string;
  readonly attributes: SpanAttributes;
}

/** Propagates the current trace to other servers. */
export interface OutgoingTracing {
  /**
   * `send` receives the trace headers; `statusOf` returns the status of the response, undefined when there was none.
   */
  traceOutgoing<T>(
    request: OutgoingRequest,
    send: (headers: Readonly<Record<string, string>>) => Promise<T>,
    statusOf: (response: T) => number | undefined,
  ): Promise<T>;
}

/** Tracing of a server. */
export interface Tracing extends OutgoingTracing {
  /** Runs `work` in the context of a new request trace; `trace` is undefined when it is not sampled. */
  traceRequest(incoming: IncomingTrace, work: (trace: RequestTrace | undefined) => void): void;
  readonly counts: SpanCounts;
}

/** Outcomes of spans since the start. */
export interface SpanCounts {
  readonly exported: number;
  /** The receiver did not accept them. */
  readonly failed: number;
  /** The queue was full, or the processor was shut down. */
  readonly dropped: number;
}
