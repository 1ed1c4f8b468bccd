/**
 * How a client reads what a server sends: in JSON, or – where it asked for it and the kind has one – in the binary form. Which one a server chose, its
 * answer says. Knows nothing of requests.
 */
import { SERVED_KINDS } from '../../api/kinds';
import { groupInDialect, JSON_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE, type Dialect } from '../../names/dialect';
import { decodeProtobuf, decodeProtobufEvent, decodeProtobufList, ProtobufFault } from '../../serialization';
import { isObject, type JsonObject, type JsonValue } from '../../values/json';
import { MalformedAnswer } from './api-object';
import { linesOf, parseBody, tryParseObject } from './json-body';
import type { Resource } from './resource';

/** What is asked for of an object, a list, or of their metadata only. */
export interface AskedForm {
  readonly of: 'object' | 'list';
  readonly metadataOnly: boolean;
  /** The binary form, where there is one. */
  readonly protobuf: boolean;
}

const METADATA_TYPE = 'meta.v1.PartialObjectMetadata';
const STATUS_TYPE = 'meta.v1.Status';

/** The Accept header. Servers behind this API know upstream's names only, and some no lists of metadata: whole objects have theirs too. */
export function acceptOf(dialect: Dialect, { of, metadataOnly, protobuf }: AskedForm): string {
  const types = protobuf ? [PROTOBUF_MEDIA_TYPE[dialect], JSON_MEDIA_TYPE] : [JSON_MEDIA_TYPE];
  if (!metadataOnly) return types.join(', ');
  const as = of === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata';
  const parametersIn = (names: Dialect): string => `;as=${as};g=${groupInDialect(names, 'meta.platform.io')};v=v1`;
  const own = types.map((type) => type + parametersIn(dialect));
  const others = dialect === 'kubernetes' ? [] : [JSON_MEDIA_TYPE + parametersIn('kubernetes')];
  return [...own, ...others, JSON_MEDIA_TYPE].join(', ');
}

const isBinary = (contentType: string): boolean => Object.values(PROTOBUF_MEDIA_TYPE).some((type) => contentType.startsWith(type));

/** A list as in JSON. Throws {@link MalformedAnswer}. */
export function listIn(contentType: string, bytes: Buffer, resource: Resource): JsonValue {
  if (!isBinary(contentType)) return parseBody(bytes.toString('utf8'));
  return read(() => {
    const { metadata, items } = decodeProtobufList(typeOf(resource), bytes);
    return { metadata, items: [...items] };
  });
}

/** The object of a refusal; undefined when it is none. */
export function refusalIn(contentType: string, bytes: Buffer): JsonObject | undefined {
  if (!isBinary(contentType)) return tryParseObject(bytes.toString('utf8'));
  try {
    return decodeProtobuf(STATUS_TYPE, bytes).object;
  } catch (error) {
    if (error instanceof ProtobufFault) return undefined;
    throw error;
  }
}

/** An event of a watch as in JSON, with its length on the wire. */
export interface RawEvent {
  readonly event: JsonObject;
  readonly bytes: number;
}

/** Throws {@link MalformedAnswer} for what is no event, and for one longer than `limit`. */
export async function* eventsIn(
  contentType: string,
  body: AsyncIterable<Buffer>,
  limit: number,
  resource: Resource,
): AsyncGenerator<RawEvent> {
  if (!isBinary(contentType)) {
    for await (const line of linesOf(body, limit)) {
      const event = parseBody(line.toString('utf8'));
      if (!isObject(event)) throw new MalformedAnswer('a watch event is no object');
      yield { event, bytes: line.length };
    }
    return;
  }
  const type = typeOf(resource);
  for await (const frame of framesOf(body, limit)) yield { event: read(() => eventIn(frame, type)), bytes: frame.length };
}

function eventIn(frame: Buffer, type: string): JsonObject {
  const { type: event, object } = decodeProtobufEvent(frame);
  return { type: event, object: decodeProtobuf(event === 'ERROR' ? STATUS_TYPE : type, object).object };
}

function typeOf({ group, version, resource, metadataOnly }: Resource): string {
  if (metadataOnly === true) return METADATA_TYPE;
  const row = SERVED_KINDS.find((known) => known.group === group && known.version === version && known.resource === resource);
  if (row === undefined) throw new MalformedAnswer(`the server sent ${resource} in a form that they do not have`);
  return row.type;
}

function read<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw error instanceof ProtobufFault ? new MalformedAnswer(`the server's answer cannot be read: ${error.message}`) : error;
  }
}

const LENGTH_BYTES = 4;

/** Frames that begin with their length; an unended last one is dropped. */
async function* framesOf(body: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Buffer> {
  let waiting: Buffer[] = [];
  let length = 0;
  let wanted = LENGTH_BYTES;
  for await (const chunk of body) {
    waiting.push(chunk);
    length += chunk.length;
    if (length < wanted) continue;
    let rest = waiting.length === 1 ? chunk : Buffer.concat(waiting);
    for (wanted = needed(rest, limit); rest.length >= wanted; wanted = needed(rest, limit)) {
      yield rest.subarray(LENGTH_BYTES, wanted);
      rest = rest.subarray(wanted);
    }
    waiting = rest.length === 0 ? [] : [rest];
    length = rest.length;
  }
}

/** Bytes to the end of the frame that begins here, as far as is known. */
function needed(bytes: Buffer, limit: number): number {
  if (bytes.length < LENGTH_BYTES) return LENGTH_BYTES;
  const length = bytes.readUInt32BE();
  if (length > limit) throw new MalformedAnswer(`the server sent a frame longer than ${limit} bytes`);
  return LENGTH_BYTES + length;
}
