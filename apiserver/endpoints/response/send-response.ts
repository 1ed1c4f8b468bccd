/**
 * Sends responses: one object, a list as a stream in bounded memory, a Status, or text. Decides about indentation and
 * compression; encoding objects is left to the encoders.
 */
import { gzip } from 'node:zlib';
import { stringifyJson, type JsonObject } from '../../../shared/values/json';
import type { Status } from '../../../shared/api/errors/status';
import { JSON_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE, YAML_MEDIA_TYPE } from '../../../shared/names/dialect';
import { ItemYielder, yieldIfDue } from '../../../shared/scheduling/yielding';
import { encodeProtobuf, stringifyYaml } from '../../../shared/serialization';
import { entrySize } from '../../cache/store/slab-entry';
import type { ResponsePage } from '../../registry/verbs';
import type { Exchange } from '../request/exchange';
import { negotiateStatus, type Representation } from '../request/negotiation';
import { RESPONSE_WRITTEN, traceResponse } from '../request/request-tracing';
import { ByteSink, ChunkPool, createMemorySink } from '../representation/byte-sink';
import type { Entry } from '../../cache/cache';
import type { Encoder } from '../representation/encoder';
import { indentJson, withoutNewline } from '../representation/json-indenter';
import { STATUS_TYPE } from '../representation/protobuf-encoder';
import { statusJson } from '../representation/status-json';
import { acceptsGzip, GZIP, GZIP_FROM_BYTES } from './compression';
import { StreamOutput, type ResponseOptions } from './stream-output';

/** The media type of plain-text responses. */
export const TEXT_MEDIA_TYPE = 'text/plain; charset=utf-8';

/** How a list is sent. */
export interface ListResponseOptions extends ResponseOptions {
  /** Called before an entry is encoded; a promise is awaited, while a worker thread encodes the entry. */
  readonly prepareItem: (entry: Entry) => Promise<void> | undefined;
}

/** The values of `pretty` that Go parses as true. */
const TRUE_VALUES: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/**
 * Whether JSON is indented: when the media type or `pretty` requests it, or when neither is given and the client is
 * an interactive one.
 */
export function wantsPretty(exchange: Exchange, wanted: Representation | undefined): boolean {
  if (wanted?.pretty === true) return true;
  const requested = exchange.query.get('pretty');
  if (requested !== undefined && requested !== '') return TRUE_VALUES.has(requested);
  const agent = exchange.header('user-agent');
  return agent !== undefined && (agent.startsWith('curl') || agent.startsWith('Wget') || agent.startsWith('Mozilla/5.0'));
}

/** A response with one object. */
export interface ObjectResponse {
  readonly status: number;
  readonly contentType: string;
  /** The encoded object; JSON ends with a newline. */
  readonly body: Buffer;
}

/** Sends one object with a complete body. */
export function sendObject(exchange: Exchange, { status, contentType, body }: ObjectResponse, options: ResponseOptions): void {
  const text = contentType === JSON_MEDIA_TYPE && options.pretty ? indentJson(withoutNewline(body)) : body;
  if (!options.compress || text.length <= GZIP_FROM_BYTES || !acceptsGzip(exchange)) {
    exchange.send(status, { 'Content-Type': contentType }, text);
    return;
  }
  gzip(text, GZIP, (error, compressed) => {
    if (error === null)
      exchange.send(status, { 'Content-Type': contentType, 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' }, compressed);
    else exchange.abort();
  });
}

/** Sends a Status in a representation that the client accepts, otherwise as indented JSON. `code` is the status of HTTP. */
export function sendStatus(
  exchange: Exchange,
  status: Status & { readonly code?: number },
  code: number,
  extraHeaders: Readonly<Record<string, string>> = {},
): void {
  const headers: Record<string, string> = { ...extraHeaders };
  const retryAfter = status.details?.retryAfterSeconds;
  if (retryAfter !== undefined && retryAfter > 0) headers['Retry-After'] = String(retryAfter);
  const wanted = negotiateStatus(exchange.header('accept'));
  const json = statusJsonFor(exchange, status);
  // Upstream records no rejection when the client does not accept a plain Status.
  exchange.audit?.recordRejection(wanted !== undefined || status.status === 'Success' ? json : undefined);
  traceResponse(exchange, JSON_MEDIA_TYPE);
  const { contentType, body } = statusBody(exchange, json, wanted);
  exchange.send(code, { 'Content-Type': contentType, ...headers }, body);
}

/** The Status in the client's spelling of names. */
function statusJsonFor({ alias, dialect }: Exchange, status: Status): JsonObject {
  return statusJson(status, dialect, alias);
}

const NEWLINE = Buffer.from('\n');

function statusBody(
  exchange: Exchange,
  json: JsonObject,
  wanted: Representation | undefined,
): { readonly contentType: string; readonly body: Buffer } {
  switch (wanted?.media) {
    case 'yaml':
      return { contentType: YAML_MEDIA_TYPE, body: Buffer.from(stringifyYaml(json)) };
    case 'protobuf':
      return {
        contentType: PROTOBUF_MEDIA_TYPE[wanted.dialect ?? exchange.dialect],
        body: encodeProtobuf(STATUS_TYPE, json, 'v1', 'Status'),
      };
    case 'json':
    case undefined: {
      const text = Buffer.from(stringifyJson(json));
      const pretty = wanted === undefined || wantsPretty(exchange, wanted);
      return { contentType: JSON_MEDIA_TYPE, body: pretty ? indentJson(text) : Buffer.concat([text, NEWLINE]) };
    }
  }
}

/** Sends plain text, as upstream does outside the API. */
export function sendText(exchange: Exchange, code: number, text: string, headers: Record<string, string> = {}): void {
  exchange.send(code, { 'Content-Type': TEXT_MEDIA_TYPE, 'X-Content-Type-Options': 'nosniff', ...headers }, Buffer.from(text));
}

/** The chunks of all responses of this process. */
const pool = new ChunkPool();

/**
 * Sends a list as fast as the client reads it. Resolves when the last chunk has been written or the client has
 * disconnected.
 */
export async function sendList(exchange: Exchange, encoder: Encoder, page: ResponsePage, options: ListResponseOptions): Promise<void> {
  traceResponse(exchange, encoder.contentType);
  const { prepareItem } = options;
  const isComplete = await streamBody(exchange, encoder.contentType, options, (stream) =>
    writeItems(encoder, page, { exchange, stream, prepareItem }),
  );
  if (isComplete) exchange.trace?.addEvent(RESPONSE_WRITTEN);
}

/** Sends text of any length, generated as fast as the client reads it. */
export async function sendTextStream(exchange: Exchange, contentType: string, pieces: AsyncIterable<string>): Promise<void> {
  await streamBody(exchange, contentType, { compress: true, pretty: false }, async ({ sink, output }) => {
    for await (const piece of pieces) {
      sink.text(piece);
      if (sink.isFull) await sink.ready();
      await yieldIfDue(exchange);
      if (output.isDisconnected) return;
    }
  });
}

interface OpenStream {
  readonly sink: ByteSink;
  readonly output: StreamOutput;
}

/** Sends the body that `write` adds to a stream. Resolves with false when the client has disconnected before the end. */
async function streamBody(
  exchange: Exchange,
  contentType: string,
  options: ResponseOptions,
  write: (stream: OpenStream) => Promise<void>,
): Promise<boolean> {
  const output = new StreamOutput(exchange, contentType, options);
  const sink = new ByteSink(pool, output);
  try {
    await write({ sink, output });
  } catch (error) {
    sink.discard();
    throw error;
  }
  if (output.isDisconnected) {
    sink.discard();
    exchange.finish();
    return false;
  }
  exchange.progress.addSentBytes(sink.length);
  sink.end();
  await output.finished;
  return true;
}

/** Encodes a whole list as text, for the audit log. */
export function encodeListText(encoder: Encoder, page: ResponsePage): string {
  const { sink, finish } = createMemorySink(pool);
  const list = encoder.list(page);
  const entries = [...page.entries];
  if (list.measure !== undefined) entries.forEach(list.measure);
  list.start(sink);
  for (const entry of entries) list.item(sink, entry);
  list.end(sink);
  return finish().toString();
}

/**
 * Encodes all entries of a page, after a pass that measures them where the encoder needs their length in advance. Stops
 * early, without an error, when the client has disconnected.
 */
async function writeItems(encoder: Encoder, page: ResponsePage, pass: ItemPass): Promise<void> {
  const { sink } = pass.stream;
  const list = encoder.list(page);
  let { entries } = page;
  const { measure } = list;
  if (measure !== undefined) {
    const measured: Entry[] = [];
    entries = measured;
    const isMeasured = await forEachEntry(page.entries, pass, (entry) => {
      measure(entry);
      measured.push(entry);
    });
    if (!isMeasured) return;
  }
  list.start(sink);
  if (await forEachEntry(entries, pass, (entry) => list.item(sink, entry))) list.end(sink);
}

/** What every pass over the items of one response uses. */
interface ItemPass {
  readonly exchange: Exchange;
  readonly stream: OpenStream;
  readonly prepareItem: ListResponseOptions['prepareItem'];
}

/**
 * Visits entries, waiting for the client to read and yielding to other requests. Resolves with false when the client has
 * disconnected.
 */
async function forEachEntry(
  entries: Iterable<Entry>,
  { exchange, stream: { sink, output }, prepareItem }: ItemPass,
  visit: (entry: Entry) => void,
): Promise<boolean> {
  const yielder = new ItemYielder(exchange);
  for (const entry of entries) {
    const preparation = prepareItem(entry);
    if (preparation !== undefined) await preparation;
    visit(entry);
    const isFull = sink.isFull;
    if (isFull) await sink.ready();
    const pause = isFull ? yielder.yieldAfterLongItem() : yielder.yieldIfDue(entrySize(entry));
    if (pause !== undefined) await pause;
    if (output.isDisconnected) return false;
  }
  return true;
}
