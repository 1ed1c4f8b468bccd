/**
 * Answers: one object, a list as a stream in bounded memory, a Status, a text.
 * Never decides what to answer.
 */
import { gzip } from 'node:zlib';
import { stringifyJson, type JsonObject } from '../../../shared/values/json';
import type { Status } from '../../../shared/api/errors/status';
import { JSON_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE, YAML_MEDIA_TYPE } from '../../../shared/names/dialect';
import { ItemYielder, yieldIfDue } from '../../../shared/scheduling/yielding';
import { encodeProtobuf, stringifyYaml } from '../../../shared/serialization';
import { sizeOf } from '../../cache/store/held-entry';
import type { ShownPage } from '../../registry/verbs';
import type { Exchange } from '../request/exchange';
import { negotiateStatus, type Representation } from '../request/negotiation';
import { ANSWERED, answering } from '../request/request-tracing';
import { ByteSink, ChunkPool } from '../representation/byte-sink';
import type { Entry } from '../../cache/cache';
import type { Encoder } from '../representation/encoder';
import { indentJson, withoutNewline } from '../representation/json-indenter';
import { STATUS_TYPE } from '../representation/protobuf-encoder';
import { statusJson } from '../representation/status-json';
import { acceptsGzip, GZIP, GZIP_FROM_BYTES } from './compression';
import { StreamOutput, type AnswerOptions } from './stream-output';

export const TEXT = 'text/plain; charset=utf-8';

export interface ListAnswerOptions extends AnswerOptions {
  /** To be waited for before an entry is written, where it is not undefined. */
  readonly prepared: (entry: Entry) => Promise<void> | undefined;
}

/** Whether JSON is to be indented: the media type or `pretty` says so, or the absence of both and a client that a person sits at. */
export function wantsPretty(exchange: Exchange, wanted: Representation | undefined): boolean {
  if (wanted?.pretty === true) return true;
  const asked = exchange.query.get('pretty');
  if (asked !== undefined && asked !== '') return TRUE_WORDS.has(asked);
  const agent = exchange.header('user-agent');
  return agent !== undefined && (agent.startsWith('curl') || agent.startsWith('Wget') || agent.startsWith('Mozilla/5.0'));
}

const TRUE_WORDS: ReadonlySet<string> = new Set(['1', 't', 'T', 'true', 'TRUE', 'True']);

/** A whole body of one object. */
export function sendObject(exchange: Exchange, status: number, contentType: string, body: Buffer, options: AnswerOptions): void {
  const shown = contentType === JSON_MEDIA_TYPE && options.pretty ? indentJson(withoutNewline(body)) : body;
  if (!options.compress || shown.length <= GZIP_FROM_BYTES || !acceptsGzip(exchange)) {
    exchange.send(status, { 'Content-Type': contentType }, shown);
    return;
  }
  gzip(shown, GZIP, (error, packed) => {
    if (error === null) exchange.send(status, { 'Content-Type': contentType, 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' }, packed);
    else exchange.abort();
  });
}

/** A Status, in a representation that the client accepts, else as indented JSON. */
export function sendStatus(
  exchange: Exchange,
  status: Status & { readonly code?: number },
  code: number,
  more: Readonly<Record<string, string>> = {},
): void {
  const headers: Record<string, string> = { ...more };
  const retryAfter = status.details?.retryAfterSeconds;
  if (retryAfter !== undefined && retryAfter > 0) headers['Retry-After'] = String(retryAfter);
  const wanted = negotiateStatus(exchange.header('accept'));
  const json = statusJsonFor(exchange, status);
  // Upstream records no refusal whose client takes no plain Status.
  exchange.audit?.refused(wanted !== undefined || status.status === 'Success' ? json : undefined);
  answering(exchange, JSON_MEDIA_TYPE);
  const { contentType, body } = statusBody(exchange, json, wanted);
  exchange.send(code, { 'Content-Type': contentType, ...headers }, body);
}

/** As the client spells names. */
function statusJsonFor({ alias, dialect }: Exchange, status: Status): JsonObject {
  return statusJson(status, dialect, alias);
}

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

const NEWLINE = Buffer.from('\n');

/** A plain text, as upstream answers outside the API. */
export function sendText(exchange: Exchange, code: number, text: string, headers: Record<string, string> = {}): void {
  exchange.send(code, { 'Content-Type': TEXT, 'X-Content-Type-Options': 'nosniff', ...headers }, Buffer.from(text));
}

const pool = new ChunkPool();

/** A list, written piece by piece as the client takes it. Resolves when the last piece has been handed over or the client is gone. */
export async function sendList(exchange: Exchange, encoder: Encoder, page: ShownPage, options: ListAnswerOptions): Promise<void> {
  answering(exchange, encoder.contentType);
  const isWhole = await streamed(exchange, encoder.contentType, options, (stream) => writeItems(exchange, encoder, page, stream, options));
  if (isWhole) exchange.trace?.event(ANSWERED);
}

/** A text of any length, whose pieces are made as the client takes them. */
export async function sendPieces(exchange: Exchange, contentType: string, pieces: AsyncIterable<string>): Promise<void> {
  await streamed(exchange, contentType, { compress: true, pretty: false }, async ({ sink, output }) => {
    for await (const piece of pieces) {
      sink.text(piece);
      if (sink.full) await sink.ready();
      await yieldIfDue(exchange);
      if (output.gone) return;
    }
  });
}

interface Stream {
  readonly sink: ByteSink;
  readonly output: StreamOutput;
}

/** False when the client has gone before the end. */
async function streamed(
  exchange: Exchange,
  contentType: string,
  options: AnswerOptions,
  write: (stream: Stream) => Promise<void>,
): Promise<boolean> {
  const output = new StreamOutput(exchange, contentType, options);
  const sink = new ByteSink(pool, (bytes, last, done) => output.write(bytes, last, done));
  try {
    await write({ sink, output });
  } catch (error) {
    sink.discard();
    throw error;
  }
  if (output.gone) {
    sink.discard();
    exchange.finish();
    return false;
  }
  exchange.progress.addSentBytes(sink.length);
  sink.end();
  await output.finished;
  return true;
}

/** A short list as a text. */
export function listText(encoder: Encoder, page: ShownPage): string {
  const chunks: Buffer[] = [];
  const sink = new ByteSink(pool, (bytes, _last, done) => {
    chunks.push(Buffer.from(bytes));
    done(true);
  });
  const list = encoder.list(page);
  const entries = [...page.entries];
  if (list.measure !== undefined) entries.forEach(list.measure);
  list.start(sink);
  for (const entry of entries) list.item(sink, entry);
  list.end(sink);
  sink.end();
  return Buffer.concat(chunks).toString();
}

/** Stops early when the client is gone. */
async function writeItems(
  exchange: Exchange,
  encoder: Encoder,
  page: ShownPage,
  { sink, output }: Stream,
  { prepared }: ListAnswerOptions,
): Promise<void> {
  const list = encoder.list(page);
  /** False when the client is gone. */
  const forEach = async (entries: Iterable<Entry>, each: (entry: Entry) => void): Promise<boolean> => {
    const yielder = new ItemYielder(exchange);
    for (const entry of entries) {
      const preparing = prepared(entry);
      if (preparing !== undefined) await preparing;
      each(entry);
      const isFull = sink.full;
      if (isFull) await sink.ready();
      const pause = yielder.yieldIfDue(sizeOf(entry), isFull);
      if (pause !== undefined) await pause;
      if (output.gone) return false;
    }
    return true;
  };
  let { entries } = page;
  const { measure } = list;
  if (measure !== undefined) {
    const measured: Entry[] = [];
    entries = measured;
    const isMeasured = await forEach(page.entries, (entry) => {
      measure(entry);
      measured.push(entry);
    });
    if (!isMeasured) return;
  }
  list.start(sink);
  if (await forEach(entries, (entry) => list.item(sink, entry))) list.end(sink);
}
