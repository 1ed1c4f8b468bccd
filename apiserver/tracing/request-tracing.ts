/**
 * Traces of requests, based on OpenTelemetry. The trace of a client is linked instead of used as parent, and does not
 * influence sampling, because any client may send trace headers. Work done for a request finds its span through async
 * context. Store calls and outgoing requests outside a request, or after its end, start a trace of their own. A span that
 * is not ended is not exported, so one that turns out to be superfluous is just dropped. Exporting is left to the span
 * processor.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { ROOT_CONTEXT, SpanKind, SpanStatusCode, type Span as OtelSpan, type Tracer } from '@opentelemetry/api';
import type { Clock } from '../../shared/runtime/clock';
import type { MaybePromise } from '../../shared/runtime/maybe-promise';
import { errorMessage } from '../../shared/runtime/error-message';
import type { IncomingTrace, OutgoingRequest, RequestTrace, TraceSpan, SpanAttributes, SpanCounts, Tracing } from './span';
import { contextOf, headersOf, linksOf } from './trace-headers';

/** The async context: the request and the current parent span. */
interface TraceScope {
  readonly request: TracedRequest;
  /** The parent of new spans. */
  span: OtelSpan;
  /** Called before a child or an event is added to `span`. */
  readonly onChild?: () => void;
}

/** A span, and the clock by which it was started. */
interface TimedSpan {
  readonly span: OtelSpan;
  readonly now: () => number;
}

const CLIENT_ERROR = 400;
const SERVER_ERROR = 500;

/** The spans of the requests of a server. */
export class RequestTracing implements Tracing {
  /** The scope of the work that is running, if it belongs to a request. */
  private readonly scopes = new AsyncLocalStorage<TraceScope>();

  constructor(
    /** Replaced when another configuration is applied. */
    public tracer: Tracer,
    readonly counts: SpanCounts,
    readonly clock: Clock,
  ) {}

  traceRequest(incoming: IncomingTrace, work: (trace: RequestTrace | undefined) => void): void {
    const startTime = this.clock.now();
    const span = this.tracer.startSpan(
      incoming.name,
      { kind: SpanKind.SERVER, root: true, links: linksOf(incoming), startTime },
      ROOT_CONTEXT,
    );
    const request = new TracedRequest(this, span, startTime - this.clock.monotonic());
    this.scopes.run(request.scope, () => work(request.isSampled ? request : undefined));
  }

  async traceOutgoing<T>(
    { method, attributes }: OutgoingRequest,
    send: (headers: Readonly<Record<string, string>>) => Promise<T>,
    statusOf: (response: T) => number | undefined,
  ): Promise<T> {
    const scope = this.currentScope();
    const name = `HTTP ${method}`;
    const spanAttributes = { 'http.method': method, ...attributes };
    const { span, now } =
      scope === undefined
        ? this.startRootSpan(name, spanAttributes, SpanKind.CLIENT)
        : this.startTimedChild(scope, name, spanAttributes, SpanKind.CLIENT);
    try {
      const response = await send(headersOf(span));
      const status = statusOf(response);
      if (status !== undefined) span.setAttribute('http.status_code', status);
      if (status === undefined || status >= CLIENT_ERROR) span.setStatus({ code: SpanStatusCode.ERROR });
      return response;
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end(now());
    }
  }

  /**
   * Runs `work` in a child span of the current request, or in a trace of its own outside requests. `span` is undefined
   * when the trace is not sampled.
   */
  runInChildSpan<T>(name: string, attributes: SpanAttributes, kind: SpanKind, work: (span: OtelSpan | undefined) => T): T {
    const scope = this.currentScope();
    if (scope === undefined) {
      const { span, now } = this.startRootSpan(name, attributes, kind);
      if (!span.isRecording()) return work(undefined);
      return endAfter(
        () => work(span),
        () => span.end(now()),
      );
    }
    if (!scope.request.isSampled) return work(undefined);
    return this.runInSpan(scope, this.startChildSpan(scope, name, attributes, kind), work);
  }

  /** Runs `work` in an existing span and ends the span with it. */
  runInSpan<T>({ request }: Pick<TraceScope, 'request'>, span: OtelSpan, work: (span: OtelSpan) => T): T {
    return endAfter(
      () => this.scopes.run({ request, span }, () => work(span)),
      () => span.end(request.now),
    );
  }

  /** Runs `work` with `scope` as the current one; the span of the scope is left open. */
  runInScope<T>(scope: TraceScope, work: () => T): T {
    return this.scopes.run(scope, work);
  }

  /** Starts a span below that of `scope`; the caller ends it. */
  startChildSpan(scope: TraceScope, name: string, attributes: SpanAttributes, kind = SpanKind.INTERNAL): OtelSpan {
    scope.onChild?.();
    return this.tracer.startSpan(name, { kind, attributes, startTime: scope.request.now }, contextOf(scope.span));
  }

  /** The scope of the running work; undefined outside requests, and for work that outlives its request. */
  currentScope(): TraceScope | undefined {
    const scope = this.scopes.getStore();
    return scope?.request.isFinished === false ? scope : undefined;
  }

  /** Starts a trace with a single span. */
  private startRootSpan(name: string, attributes: SpanAttributes, kind: SpanKind): TimedSpan {
    const startTime = this.clock.now();
    const offset = startTime - this.clock.monotonic();
    const span = this.tracer.startSpan(name, { kind, attributes, root: true, startTime }, ROOT_CONTEXT);
    return { span, now: () => offset + this.clock.monotonic() };
  }

  private startTimedChild(scope: TraceScope, name: string, attributes: SpanAttributes, kind: SpanKind): TimedSpan {
    return { span: this.startChildSpan(scope, name, attributes, kind), now: () => scope.request.now };
  }
}

/** The trace of one request. After `finish`, work of the request that still runs no longer adds to it. */
class TracedRequest implements RequestTrace {
  /** The parent of spans outside the handler: the request, then its opening filter. */
  readonly scope: TraceScope;
  /** Whether the spans are exported. */
  readonly isSampled: boolean;
  isFinished = false;
  /** The scope of the handler while it runs. */
  private handler: TraceScope | undefined;
  private responseSpan: OtelSpan | undefined;
  /** The event to add if the handler fails before its next event. */
  private failureEvent: { readonly name: string; readonly attributes: SpanAttributes } | undefined;

  constructor(
    private readonly tracing: RequestTracing,
    private readonly span: OtelSpan,
    /** Difference between wall-clock and monotonic time at the start. */
    private readonly offset: number,
  ) {
    this.scope = { request: this, span };
    this.isSampled = span.isRecording();
  }

  get id(): string {
    return this.span.spanContext().traceId;
  }

  /** Milliseconds since 1970, advanced by the monotonic clock. */
  get now(): number {
    return this.offset + this.tracing.clock.monotonic();
  }

  addEvent(name: string, attributes: SpanAttributes = {}): void {
    this.failureEvent = undefined;
    this.handler?.onChild?.();
    this.handler?.span.addEvent(name, attributes, this.now);
  }

  addAttempt(event: string, failure: string, attributes: SpanAttributes): void {
    this.addEvent(event);
    this.failureEvent = { name: failure, attributes };
  }

  runInChildSpan<T>(name: string, attributes: SpanAttributes, work: (span: TraceSpan) => T): T {
    const scope = this.tracing.currentScope() ?? this.handler ?? this.scope;
    const span = this.tracing.startChildSpan(scope, name, attributes);
    return this.tracing.runInSpan({ request: this }, span, () => work(new ChildSpan(this, span)));
  }

  runOpeningFilter<T>(name: string, work: () => MaybePromise<T>): MaybePromise<T> {
    const span = this.tracing.startChildSpan(this.scope, name, {});
    this.scope.span = span;
    return endAfter(work, () => span.end(this.now));
  }

  runFilter<T>(name: string, work: () => MaybePromise<T>): MaybePromise<T> {
    const span = this.tracing.startChildSpan(this.scope, name, {});
    const outcome = work();
    // The span of a synchronous filter is dropped.
    return outcome instanceof Promise
      ? endAfter(
          () => outcome,
          () => span.end(this.now),
        )
      : outcome;
  }

  async runHandler<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T> {
    const span = this.tracing.startChildSpan(this.scope, name, attributes);
    let hasContent = false;
    const scope = { request: this, span, onChild: () => void (hasContent = true) };
    this.handler = scope;
    try {
      return await this.tracing.runInScope(scope, work);
    } catch (error) {
      const { failureEvent } = this;
      if (failureEvent !== undefined) this.addEvent(failureEvent.name, { ...failureEvent.attributes, err: errorMessage(error) });
      throw error;
    } finally {
      this.handler = undefined;
      // The span of a handler without events or children is dropped.
      if (hasContent) span.end(this.now);
    }
  }

  startResponse(attributes: SpanAttributes): void {
    this.responseSpan ??= this.tracing.startChildSpan(this.scope, 'SerializeObject', attributes);
  }

  startWriting(size: number | undefined): void {
    this.responseSpan?.addEvent('About to start writing response', size === undefined ? {} : { size }, this.now);
  }

  finish(name: string, attributes: SpanAttributes, status: number, size: number): void {
    const { span, responseSpan, now } = this;
    responseSpan?.addEvent('Write call succeeded', { size }, now);
    responseSpan?.end(now);
    span.updateName(name);
    span.setAttributes(attributes);
    if (status >= SERVER_ERROR) span.setStatus({ code: SpanStatusCode.ERROR });
    this.isFinished = true;
    span.end(now);
  }
}

/** A child span as its caller sees it. */
class ChildSpan implements TraceSpan {
  constructor(
    private readonly request: TracedRequest,
    private readonly span: OtelSpan,
  ) {}

  addEvent(name: string, attributes: SpanAttributes = {}): void {
    this.span.addEvent(name, attributes, this.request.now);
  }

  runInChildSpan<T>(name: string, attributes: SpanAttributes, work: (span: TraceSpan) => T): T {
    return this.request.runInChildSpan(name, attributes, work);
  }
}

/** Calls `end` once when the work has ended, successfully or not. */
function endAfter<T>(work: () => T, end: () => void): T {
  let outcome: T;
  try {
    outcome = work();
  } catch (error) {
    end();
    throw error;
  }
  if (outcome instanceof Promise) outcome.then(end, end);
  else end();
  return outcome;
}
