/** The recorded form of received spans: a tree for each request, without what is new in every run. */
import type { ReceivedSpan, SpanAttributes } from '../../support/servers/trace-receiver';
import { anything, listOf, mapOf, number, shape, text, tupleOf } from '../shape';
import { UID_PATTERN } from '../normalize/volatile-patterns';
import type { Json } from '../json-response';

export interface SpanTree {
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  readonly scope: string;
  readonly attributes: Readonly<Record<string, Json>>;
  readonly events: readonly (readonly [name: string, attributes: Json])[];
  /** The traces of linked spans: `given` is the trace of the client, `another` any other. */
  readonly links?: readonly string[];
  /** Of a root with a parent outside the tree: `given` when it is in the trace of the client, else `another`. */
  readonly parent?: string;
  readonly traceState?: string;
  readonly status?: Json;
  readonly children: readonly SpanTree[];
}

export function isSpanTree(value: unknown): value is SpanTree {
  return shape(
    {
      name: text,
      kind: number,
      scope: text,
      attributes: mapOf(anything),
      events: listOf(tupleOf(text, anything)),
      children: listOf(isSpanTree),
    },
    { links: listOf(text), parent: text, traceState: text, status: anything },
  )(value);
}

/** Attributes that differ from run to run. */
const VOLATILE_ATTRIBUTES: ReadonlySet<string> = new Set(['net.sock.peer.port', 'net.host.port', 'net.peer.port', 'http.wrote_bytes']);

function maskedAttributes(attributes: SpanAttributes): Record<string, Json> {
  const masked: Record<string, Json> = {};
  for (const name of Object.keys(attributes).sort()) {
    const value = attributes[name];
    masked[name] = VOLATILE_ATTRIBUTES.has(name) ? '*' : maskedValue(value);
  }
  return masked;
}

function maskedValue(value: SpanAttributes[string] | undefined): Json {
  if (typeof value === 'object') return value.map(maskedValue);
  if (typeof value !== 'string') return value ?? '';
  return value
    .replace(UID_PATTERN, '<uid>')
    .replace(/^recorder-\d+/, 'recorder')
    .replace(/(localhost|127\.0\.0\.1):\d+/g, '$1:*');
}

/** The number of this kind in OpenTelemetry. */
export const SPAN_KIND_CLIENT = 3;

/** Whether the span is a call of the server itself, to its store or to another server, outside of any request. */
export const isBackgroundCall = ({ parentSpanId, kind }: ReceivedSpan): boolean => parentSpanId === '' && kind === SPAN_KIND_CLIENT;

/**
 * The trees of these spans in the order of their start. Links and parents are `given` when they belong to the client's
 * trace.
 */
export function spanTrees(spans: readonly ReceivedSpan[], clientTraceId: string): readonly SpanTree[] {
  const spanIds = new Set(spans.map(({ spanId }) => spanId));
  const roots = spans.filter(({ parentSpanId }) => !spanIds.has(parentSpanId));
  return byStart(roots).map((root) => treeOf(root, spans, clientTraceId));
}

function treeOf(span: ReceivedSpan, spans: readonly ReceivedSpan[], clientTraceId: string): SpanTree {
  const { name, kind, scope, attributes, events, links, status, spanId, parentSpanId, traceState, traceId } = span;
  const hasOuterParent = parentSpanId !== '' && spans.every((other) => other.spanId !== parentSpanId);
  const traceName = (id: string): string => (id === clientTraceId ? 'given' : 'another');
  return {
    name,
    kind,
    scope,
    attributes: maskedAttributes(attributes),
    events: events.map((event) => [event.name, maskedAttributes(event.attributes)] as const),
    ...(links.length === 0 ? {} : { links: links.map((link) => traceName(link.traceId)) }),
    ...(hasOuterParent ? { parent: traceName(traceId) } : {}),
    ...(traceState === '' ? {} : { traceState }),
    ...(status.code === 0 && status.message === '' ? {} : { status }),
    children: byStart(spans.filter((other) => other.parentSpanId === spanId)).map((child) => treeOf(child, spans, clientTraceId)),
  };
}

const byStart = (spans: readonly ReceivedSpan[]): readonly ReceivedSpan[] => spans.toSorted((a, b) => Number(a.startedAt - b.startedAt));
