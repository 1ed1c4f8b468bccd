/**
 * An OTLP trace receiver for tests and recorders: the gRPC call in plain text on loopback. It keeps the spans, and can
 * be silenced. Its messages are declared again in trace-export.proto, so that tests do not rely on the server's own wire format.
 */
import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { parse } from 'protobufjs';
import { readRepositoryFile } from '../repository';
import { listen } from './listen';

export type AttributeValue = string | boolean | number | readonly AttributeValue[];
export type SpanAttributes = Readonly<Record<string, AttributeValue>>;

export interface ReceivedEvent {
  readonly name: string;
  readonly attributes: SpanAttributes;
}

/** A link to another span. */
export interface ReceivedLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: SpanAttributes;
}

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** '' for the root of a trace. */
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number;
  /** Nanoseconds since 1970. */
  readonly startedAt: bigint;
  readonly endedAt: bigint;
  readonly attributes: SpanAttributes;
  readonly events: readonly ReceivedEvent[];
  readonly links: readonly ReceivedLink[];
  /** 0 unset, 1 ok, 2 error. */
  readonly status: { readonly code: number; readonly message: string };
  /** Name and version of the instrumentation scope. */
  readonly scope: string;
  /** Attributes of the process. */
  readonly resource: SpanAttributes;
}

export interface TraceReceiver {
  readonly port: number;
  /** The spans that arrived so far, in order. */
  readonly spans: ReceivedSpan[];
  /** The number of calls so far, with those that had no response. */
  calls(): number;
  /** A silent receiver accepts calls and does not respond. */
  setSilent(isSilent: boolean): void;
  close(): Promise<void>;
}

const EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
/** A gRPC message follows a flag of one byte and its length in four. */
const FRAME_HEAD_BYTES = 5;
/** Values of `grpc-status`. */
const GRPC_OK = '0';
const GRPC_UNIMPLEMENTED = '12';
/** An empty gRPC message. */
const EMPTY = Buffer.alloc(FRAME_HEAD_BYTES);

const { root } = parse(readRepositoryFile('test/support/servers/trace-export.proto'));
const EXPORT_REQUEST = root.lookupType('ExportRequest');

/** Resolves when the receiver listens; `port` 0 is any free port. */
export async function startTraceReceiver(port = 0): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = [];
  const sessions = new Set<ServerHttp2Session>();
  let calls = 0;
  let isSilent = false;
  const server = createServer();
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  server.on('stream', (stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on('error', () => undefined);
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => {
      calls += 1;
      if (isSilent) return;
      const isKnown = headers[':path'] === EXPORT;
      if (isKnown) spans.push(...spansOf(Buffer.concat(chunks).subarray(FRAME_HEAD_BYTES)));
      respond(stream, isKnown ? GRPC_OK : GRPC_UNIMPLEMENTED);
    });
  });
  return {
    port: await listen(server, port),
    spans,
    calls: () => calls,
    setSilent: (value) => void (isSilent = value),
    close: async () => {
      for (const session of sessions) session.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function respond(stream: ServerHttp2Stream, status: string): void {
  if (stream.destroyed) return;
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': status }));
  stream.end(EMPTY);
}

/** A decoded message with all of its fields. */
type Message = Readonly<Record<string, unknown>>;

/** The spans of an ExportTraceServiceRequest. */
function spansOf(request: Buffer): readonly ReceivedSpan[] {
  const decoded: Message = EXPORT_REQUEST.toObject(EXPORT_REQUEST.decode(request), { defaults: true, oneofs: true, longs: String });
  return messages(decoded['resources']).flatMap(({ resource, scopes }) =>
    messages(scopes).flatMap(({ scope, spans }) => {
      const { name, version } = message(scope);
      const scopeName = [name, version].filter((part) => part !== undefined && part !== '').join('@');
      return messages(spans).map((span) => spanOf(span, scopeName, attributesOf(message(resource)['attributes'])));
    }),
  );
}

const spanOf = (span: Message, scope: string, resource: SpanAttributes): ReceivedSpan => ({
  traceId: hexOf(span['traceId']),
  spanId: hexOf(span['spanId']),
  parentSpanId: hexOf(span['parentSpanId']),
  traceState: textOf(span['traceState']),
  name: textOf(span['name']),
  kind: Number(span['kind']),
  startedAt: BigInt(String(span['startedAt'])),
  endedAt: BigInt(String(span['endedAt'])),
  attributes: attributesOf(span['attributes']),
  events: messages(span['events']).map(({ name, attributes: given }) => ({ name: textOf(name), attributes: attributesOf(given) })),
  links: messages(span['links']).map(({ traceId, spanId, attributes: given }) => ({
    traceId: hexOf(traceId),
    spanId: hexOf(spanId),
    attributes: attributesOf(given),
  })),
  status: { code: Number(message(span['status'])['code'] ?? 0), message: textOf(message(span['status'])['message']) },
  scope,
  resource,
});

function attributesOf(given: unknown): SpanAttributes {
  return Object.fromEntries(messages(given).map(({ key, value }) => [textOf(key), valueOf(message(value))]));
}

/** The member of an `AnyValue` that is set; `value` names it. */
function valueOf(anyValue: Message): AttributeValue {
  const value = anyValue[String(anyValue['value'])];
  switch (anyValue['value']) {
    case 'list':
      return messages(message(value)['values']).map(valueOf);
    case 'integer':
    case 'decimal':
      return Number(value);
    case 'truth':
      return value === true;
    default:
      return textOf(value);
  }
}

/** The message in a field; an empty one when the field is not set. */
const message = (value: unknown): Message => Object(value ?? {});
/** The messages in a repeated field. */
const messages = (value: unknown): readonly Message[] => (Array.isArray(value) ? value : []);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const hexOf = (value: unknown): string => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : '');
