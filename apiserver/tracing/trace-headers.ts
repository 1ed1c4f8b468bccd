/**
 * The `traceparent` and `tracestate` headers of W3C Trace Context: read from requests of clients, and written to requests
 * to other servers.
 */
import { ROOT_CONTEXT, trace, type Context, type Link, type Span, type TextMapGetter, type TextMapSetter } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { IncomingTrace } from './span';

const PROPAGATOR = new W3CTraceContextPropagator();
const GETTER: TextMapGetter<IncomingTrace> = { get: (incoming, name) => incoming.header(name), keys: () => PROPAGATOR.fields() };
const SETTER: TextMapSetter<Record<string, string>> = { set: (headers, name, value) => void (headers[name] = value) };

/** A link to the span of the client; none when the request has no valid trace headers. */
export function linksOf(incoming: IncomingTrace): Link[] {
  const context = trace.getSpanContext(PROPAGATOR.extract(ROOT_CONTEXT, incoming, GETTER));
  return context === undefined ? [] : [{ context }];
}

/** The headers that make `span` the parent of the spans of the called server. */
export function headersOf(span: Span): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  PROPAGATOR.inject(contextOf(span), headers, SETTER);
  return headers;
}

/** The context in which `span` is the parent of new spans. */
export const contextOf = (span: Span): Context => trace.setSpan(ROOT_CONTEXT, span);
