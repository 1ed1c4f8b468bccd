/**
 * The traces of requests, kept with OpenTelemetry. A client's trace is no parent of ours but linked to, and does not decide what is kept: anybody may send its headers.
 * Whatever is done on behalf of a request finds its span by itself, across waits; what is asked of the store or of others for no request, or after its end, begins a
 * trace of its own. Never sends anything: that is the exporter's.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Context,
  type Link,
  type Span as KeptSpan,
  type TextMapGetter,
  type TextMapSetter,
  type Tracer,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { Clock } from '../../shared/runtime/clock';
import type { MaybePromise } from '../../shared/runtime/maybe-promise';
import { errorMessage } from '../../shared/runtime/error-message';
import type { AskedTrace, OutgoingRequest, RequestTrace, TraceSpan, SpanAttributes, SpanCounts, Tracing } from './span';

/** Where in a trace something is done. */
interface Place {
  readonly request: TracedRequest;
  /** What it is a part of. */
  span: KeptSpan;
  /** Told before `span` is given a part. */
  readonly keep?: () => void;
}

/** A span, and the time by the clock that it was begun by. */
interface Timed {
  readonly span: KeptSpan;
  readonly now: () => number;
}

const PROPAGATOR = new W3CTraceContextPropagator();
const FAILED_FROM = 400;
const FAULTY_FROM = 500;

export class RequestTracing implements Tracing {
  private readonly places = new AsyncLocalStorage<Place>();

  constructor(
    public tracer: Tracer,
    readonly counts: SpanCounts,
    readonly clock: Clock,
  ) {}

  begin(asked: AskedTrace, work: (trace: RequestTrace | undefined) => void): void {
    const startTime = this.clock.now();
    const span = this.tracer.startSpan(asked.name, { kind: SpanKind.SERVER, root: true, links: linksOf(asked), startTime }, ROOT_CONTEXT);
    const request = new TracedRequest(this, span, startTime - this.clock.monotonic());
    this.places.run(request.place, () => work(request.isKept ? request : undefined));
  }

  async asked<T>(
    { method, attributes }: OutgoingRequest,
    send: (headers: Readonly<Record<string, string>>) => Promise<T>,
    statusOf: (answer: T) => number | undefined,
  ): Promise<T> {
    const place = this.here();
    const [name, shown] = [`HTTP ${method}`, { 'http.method': method, ...attributes }];
    const { span, now } = place === undefined ? this.alone(name, shown, SpanKind.CLIENT) : this.below(place, name, shown, SpanKind.CLIENT);
    try {
      const answer = await send(headersOf(span));
      const status = statusOf(answer);
      if (status !== undefined) span.setAttribute('http.status_code', status);
      if (status === undefined || status >= FAILED_FROM) span.setStatus({ code: SpanStatusCode.ERROR });
      return answer;
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR });
      throw error;
    } finally {
      span.end(now());
    }
  }

  /** Does `work` as a part of what is being done for a request, or, where that is nothing, by itself; where it is not kept, it is just done. */
  part<T>(name: string, attributes: SpanAttributes, kind: SpanKind, work: (part: KeptSpan | undefined) => T): T {
    const place = this.here();
    if (place === undefined) {
      const { span, now } = this.alone(name, attributes, kind);
      if (!span.isRecording()) return work(undefined);
      return ending(
        () => work(span),
        () => span.end(now()),
      );
    }
    if (!place.request.isKept) return work(undefined);
    return this.within(place, this.partOf(place, name, attributes, kind), work);
  }

  /** Does `work` in a span that is there; it ends with it. */
  within<T>({ request }: Pick<Place, 'request'>, span: KeptSpan, work: (part: KeptSpan) => T): T {
    return ending(
      () => this.places.run({ request, span }, () => work(span)),
      () => span.end(request.now),
    );
  }

  /** Does `work` there. */
  at<T>(place: Place, work: () => T): T {
    return this.places.run(place, work);
  }

  partOf(place: Place, name: string, attributes: SpanAttributes, kind = SpanKind.INTERNAL): KeptSpan {
    place.keep?.();
    return this.tracer.startSpan(name, { kind, attributes, startTime: place.request.now }, below(place.span));
  }

  /** A trace of one span. */
  private alone(name: string, attributes: SpanAttributes, kind: SpanKind): Timed {
    const startTime = this.clock.now();
    const offset = startTime - this.clock.monotonic();
    const span = this.tracer.startSpan(name, { kind, attributes, root: true, startTime }, ROOT_CONTEXT);
    return { span, now: () => offset + this.clock.monotonic() };
  }

  private below(place: Place, name: string, attributes: SpanAttributes, kind: SpanKind): Timed {
    return { span: this.partOf(place, name, attributes, kind), now: () => place.request.now };
  }

  /** What outlives its request belongs to its trace no more. */
  here(): Place | undefined {
    const place = this.places.getStore();
    return place?.request.isOver === false ? place : undefined;
  }
}

class TracedRequest implements RequestTrace {
  readonly place: Place;
  /** Whether its spans are sent. */
  readonly isKept: boolean;
  isOver = false;
  private handler: Place | undefined;
  private answer: KeptSpan | undefined;
  private pending: { readonly name: string; readonly attributes: SpanAttributes } | undefined;

  constructor(
    private readonly tracing: RequestTracing,
    private readonly span: KeptSpan,
    /** From the clock that only goes on to that on the wall. */
    private readonly offset: number,
  ) {
    this.place = { request: this, span };
    this.isKept = span.isRecording();
  }

  get id(): string {
    return this.span.spanContext().traceId;
  }

  /** In ms since 1970, by the clock that only goes on. */
  get now(): number {
    return this.offset + this.tracing.clock.monotonic();
  }

  event(name: string, attributes: SpanAttributes = {}): void {
    this.pending = undefined;
    this.handler?.keep?.();
    this.handler?.span.addEvent(name, attributes, this.now);
  }

  attempt(event: string, failure: string, attributes: SpanAttributes): void {
    this.event(event);
    this.pending = { name: failure, attributes };
  }

  part<T>(name: string, attributes: SpanAttributes, work: (part: TraceSpan) => T): T {
    const place = this.tracing.here() ?? this.handler ?? this.place;
    const span = this.tracing.partOf(place, name, attributes);
    return this.tracing.within({ request: this }, span, () => work(new Part(this, span)));
  }

  opened<T>(name: string, work: () => MaybePromise<T>): MaybePromise<T> {
    const span = this.tracing.partOf(this.place, name, {});
    this.place.span = span;
    return ending(work, () => span.end(this.now));
  }

  waited<T>(name: string, work: () => MaybePromise<T>): MaybePromise<T> {
    const span = this.tracing.partOf(this.place, name, {});
    const outcome = work();
    return outcome instanceof Promise
      ? ending(
          () => outcome,
          () => span.end(this.now),
        )
      : outcome;
  }

  async handled<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T> {
    const span = this.tracing.partOf(this.place, name, attributes);
    let isWorth = false;
    const place = { request: this, span, keep: () => void (isWorth = true) };
    this.handler = place;
    try {
      return await this.tracing.at(place, work);
    } catch (error) {
      const { pending } = this;
      if (pending !== undefined) {
        const err = errorMessage(error);
        this.event(pending.name, { ...pending.attributes, err });
      }
      throw error;
    } finally {
      this.handler = undefined;
      if (isWorth) span.end(this.now);
    }
  }

  answering(attributes: SpanAttributes): void {
    this.answer ??= this.tracing.partOf(this.place, 'SerializeObject', attributes);
  }

  writing(size: number | undefined): void {
    this.answer?.addEvent('About to start writing response', size === undefined ? {} : { size }, this.now);
  }

  finished(name: string, attributes: SpanAttributes, status: number, size: number): void {
    const { span, answer } = this;
    const at = this.now;
    answer?.addEvent('Write call succeeded', { size }, at);
    answer?.end(at);
    span.updateName(name);
    span.setAttributes(attributes);
    if (status >= FAULTY_FROM) span.setStatus({ code: SpanStatusCode.ERROR });
    this.isOver = true;
    span.end(at);
  }
}

/** A part that is given to who does it. */
class Part implements TraceSpan {
  constructor(
    private readonly request: TracedRequest,
    private readonly span: KeptSpan,
  ) {}

  event(name: string, attributes: SpanAttributes = {}): void {
    this.span.addEvent(name, attributes, this.request.now);
  }

  part<T>(name: string, attributes: SpanAttributes, work: (part: TraceSpan) => T): T {
    return this.request.part(name, attributes, work);
  }
}

/** `end` runs once, when the work is over, however it ended. */
function ending<T>(work: () => T, end: () => void): T {
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

const below = (span: KeptSpan): Context => trace.setSpan(ROOT_CONTEXT, span);

const GETTER: TextMapGetter<AskedTrace> = { get: (asked, name) => asked.header(name), keys: () => PROPAGATOR.fields() };
const SETTER: TextMapSetter<Record<string, string>> = { set: (headers, name, value) => void (headers[name] = value) };

function linksOf(asked: AskedTrace): Link[] {
  const context = trace.getSpanContext(PROPAGATOR.extract(ROOT_CONTEXT, asked, GETTER));
  return context === undefined ? [] : [{ context }];
}

function headersOf(span: KeptSpan): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  PROPAGATOR.inject(below(span), headers, SETTER);
  return headers;
}
