/** A receiver of traces for tests and recorders: the one call of OTLP over gRPC, in plain text on loopback. It keeps what it is sent, and can be told to be silent. */
import { createServer, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { WireReader } from '../../shared/serialization/wire';

export type AttributeValue = string | boolean | number | readonly AttributeValue[];
export type SpanAttributes = Readonly<Record<string, AttributeValue>>;

export interface ReceivedEvent {
  readonly name: string;
  readonly attributes: SpanAttributes;
}

/** Another span that it has to do with. */
export interface ReceivedLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: SpanAttributes;
}

export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** '' = the first of its trace. */
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
  /** 0 unset, 1 good, 2 an error. */
  readonly status: { readonly code: number; readonly message: string };
  /** Name and version of what made it. */
  readonly scope: string;
  /** Of the process. */
  readonly resource: SpanAttributes;
}

export interface TraceReceiver {
  readonly port: number;
  /** In the order of their ends. */
  readonly spans: ReceivedSpan[];
  /** Calls so far. */
  calls(): number;
  /** While silent, calls are taken and never answered. */
  silence(silent: boolean): void;
  close(): Promise<void>;
}

const EXPORT = '/opentelemetry.proto.collector.trace.v1.TraceService/Export';
const FRAME_HEAD = 5;
/** A message of no fields. */
const DONE = Buffer.alloc(FRAME_HEAD);

export async function startTraceReceiver(port = 0): Promise<TraceReceiver> {
  const spans: ReceivedSpan[] = [];
  const sessions = new Set<ServerHttp2Session>();
  let calls = 0;
  let silent = false;
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
      if (silent) return;
      const isKnown = headers[':path'] === EXPORT;
      if (isKnown) spans.push(...spansOf(Buffer.concat(chunks).subarray(FRAME_HEAD)));
      answer(stream, isKnown ? '0' : '12');
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the receiver has no port');
  return {
    port: address.port,
    spans,
    calls: () => calls,
    silence: (value) => void (silent = value),
    close: async () => {
      for (const session of sessions) session.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function answer(stream: ServerHttp2Stream, status: string): void {
  if (stream.destroyed) return;
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': status }));
  stream.end(DONE);
}

/** What reads a field of a message; fields without one are skipped. */
type Fields = Readonly<Record<number, (reader: WireReader) => void>>;

function walk(reader: WireReader, fields: Fields): void {
  while (reader.next()) {
    const read = fields[reader.field];
    if (read === undefined) reader.skipField();
    else read(reader);
  }
}

function spansOf(request: Buffer): readonly ReceivedSpan[] {
  const spans: ReceivedSpan[] = [];
  walk(new WireReader(request), { 1: (reader) => spans.push(...ofResource(reader.message())) });
  return spans;
}

function ofResource(reader: WireReader): readonly ReceivedSpan[] {
  const resource: Record<string, AttributeValue> = {};
  const spans: ReceivedSpan[] = [];
  walk(reader, {
    1: (inner) => walk(inner.message(), { 1: (pair) => readAttribute(pair.message(), resource) }),
    2: (inner) => spans.push(...ofScope(inner.message(), resource)),
  });
  return spans;
}

function ofScope(reader: WireReader, resource: SpanAttributes): readonly ReceivedSpan[] {
  const scope = ['', ''];
  const spans: ReceivedSpan[] = [];
  walk(reader, {
    1: (inner) => walk(inner.message(), { 1: (text) => (scope[0] = text.string()), 2: (text) => (scope[1] = text.string()) }),
    2: (inner) => spans.push(spanOf(inner.message(), scope.filter((part) => part !== '').join('@'), resource)),
  });
  return spans;
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

function spanOf(reader: WireReader, scope: string, resource: SpanAttributes): ReceivedSpan {
  const attributes: Record<string, AttributeValue> = {};
  const events: ReceivedEvent[] = [];
  const links: ReceivedLink[] = [];
  const status = { code: 0, message: '' };
  const span: Mutable<ReceivedSpan> = {
    traceId: '',
    spanId: '',
    parentSpanId: '',
    traceState: '',
    name: '',
    kind: 0,
    startedAt: 0n,
    endedAt: 0n,
    attributes,
    events,
    links,
    status,
    scope,
    resource,
  };
  walk(reader, {
    1: (inner) => (span.traceId = inner.bytes().toString('hex')),
    2: (inner) => (span.spanId = inner.bytes().toString('hex')),
    3: (inner) => (span.traceState = inner.string()),
    4: (inner) => (span.parentSpanId = inner.bytes().toString('hex')),
    5: (inner) => (span.name = inner.string()),
    6: (inner) => (span.kind = inner.uint32()),
    7: (inner) => (span.startedAt = timeOf(inner)),
    8: (inner) => (span.endedAt = timeOf(inner)),
    9: (inner) => readAttribute(inner.message(), attributes),
    11: (inner) => events.push(eventOf(inner.message())),
    13: (inner) => links.push(linkOf(inner.message())),
    15: (inner) => walk(inner.message(), { 2: (text) => (status.message = text.string()), 3: (code) => (status.code = code.uint32()) }),
  });
  return span;
}

const timeOf = (reader: WireReader): bigint => {
  const low = BigInt(reader.fixed32());
  return (BigInt(reader.fixed32()) << 32n) | low;
};

function eventOf(reader: WireReader): ReceivedEvent {
  const attributes: Record<string, AttributeValue> = {};
  let name = '';
  walk(reader, { 2: (inner) => (name = inner.string()), 3: (inner) => readAttribute(inner.message(), attributes) });
  return { name, attributes };
}

function linkOf(reader: WireReader): ReceivedLink {
  const attributes: Record<string, AttributeValue> = {};
  const link: Mutable<ReceivedLink> = { traceId: '', spanId: '', attributes };
  walk(reader, {
    1: (inner) => (link.traceId = inner.bytes().toString('hex')),
    2: (inner) => (link.spanId = inner.bytes().toString('hex')),
    4: (inner) => readAttribute(inner.message(), attributes),
  });
  return link;
}

function readAttribute(reader: WireReader, into: Record<string, AttributeValue>): void {
  let key = '';
  walk(reader, { 1: (inner) => (key = inner.string()), 2: (inner) => (into[key] = valueOf(inner.message())) });
}

function valueOf(reader: WireReader): AttributeValue {
  let value: AttributeValue = '';
  const list: AttributeValue[] = [];
  walk(reader, {
    1: (inner) => (value = inner.string()),
    2: (inner) => (value = inner.bool()),
    3: (inner) => (value = Number(inner.integer())),
    4: (inner) => (value = inner.double()),
    5: (inner) => {
      value = list;
      walk(inner.message(), { 1: (item) => list.push(valueOf(item.message())) });
    },
  });
  return value;
}
