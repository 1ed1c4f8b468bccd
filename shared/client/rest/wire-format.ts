/**
 * Encodes Accept headers, and decodes responses in JSON or protobuf to their JSON form. The Content-Type of the response
 * decides between the two, because servers may respond in JSON although protobuf was requested. Parsing the JSON form
 * into objects is left to parse-list.ts and watch-event.ts.
 */
import { SERVED_KINDS } from '../../api/kinds';
import { groupInDialect, JSON_MEDIA_TYPE, PROTOBUF_MEDIA_TYPE, type Dialect } from '../../names/dialect';
import { decodeProtobuf, decodeProtobufEvent, decodeProtobufList, ProtobufError } from '../../serialization';
import { isObject, type JsonObject, type JsonValue } from '../../values/json';
import { MalformedResponse } from './api-object';
import { readLines, parseBody, tryParseObject } from './json-body';
import type { Resource } from './resource';

/** What a request accepts: an object or a list, whole or as PartialObjectMetadata. */
export interface AcceptOptions {
  readonly target: 'object' | 'list';
  /** Whether PartialObjectMetadata is preferred to whole objects. */
  readonly metadataOnly: boolean;
  /** Whether protobuf is preferred to JSON. */
  readonly protobuf: boolean;
}

const METADATA_TYPE = 'meta.v1.PartialObjectMetadata';
const STATUS_TYPE = 'meta.v1.Status';

/**
 * The Accept header, with the preferred media types first. For metadata it has two alternatives for aggregated API
 * servers: the group name in upstream's spelling, the only one that they know, and whole objects, which contain the
 * metadata, because some serve no PartialObjectMetadataList. For the metadata of an object in JSON:
 *   application/json;as=PartialObjectMetadata;g=meta.platform.io;v=v1,
 *   application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json
 */
export function acceptHeader(dialect: Dialect, { target, metadataOnly, protobuf }: AcceptOptions): string {
  const types = protobuf ? [PROTOBUF_MEDIA_TYPE[dialect], JSON_MEDIA_TYPE] : [JSON_MEDIA_TYPE];
  if (!metadataOnly) return types.join(', ');
  const kind = target === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata';
  const parametersIn = (names: Dialect): string => `;as=${kind};g=${groupInDialect(names, 'meta.platform.io')};v=v1`;
  const ownTypes = types.map((type) => type + parametersIn(dialect));
  const upstreamTypes = dialect === 'kubernetes' ? [] : [JSON_MEDIA_TYPE + parametersIn('kubernetes')];
  return [...ownTypes, ...upstreamTypes, JSON_MEDIA_TYPE].join(', ');
}

const isProtobuf = (contentType: string): boolean => Object.values(PROTOBUF_MEDIA_TYPE).some((type) => contentType.startsWith(type));

/** Decodes a list to its JSON form. Throws {@link MalformedResponse}. */
export function decodeList(contentType: string, bytes: Buffer, resource: Resource): JsonValue {
  if (!isProtobuf(contentType)) return parseBody(bytes.toString('utf8'));
  return decodeOrThrow(() => {
    const { metadata, items } = decodeProtobufList(typeNameOf(resource), bytes);
    return { metadata, items: [...items] };
  });
}

/** Decodes the Status of an error response, or any other JSON object; `undefined` when the body is neither. */
export function decodeStatus(contentType: string, bytes: Buffer): JsonObject | undefined {
  if (!isProtobuf(contentType)) return tryParseObject(bytes.toString('utf8'));
  try {
    return decodeProtobuf(STATUS_TYPE, bytes).object;
  } catch (error) {
    if (error instanceof ProtobufError) return undefined;
    throw error;
  }
}

/** A watch event in JSON form. */
export interface RawEvent {
  readonly event: JsonObject;
  /** The length of the event on the wire. */
  readonly bytes: number;
}

/**
 * Yields the events of a watch as they arrive. Throws {@link MalformedResponse} for an invalid event and for one longer
 * than `maxEventBytes`.
 */
export async function* decodeWatchEvents(
  contentType: string,
  body: AsyncIterable<Buffer>,
  maxEventBytes: number,
  resource: Resource,
): AsyncGenerator<RawEvent> {
  if (!isProtobuf(contentType)) {
    for await (const line of readLines(body, maxEventBytes)) {
      const event = parseBody(line.toString('utf8'));
      if (!isObject(event)) throw new MalformedResponse('a watch event is not an object');
      yield { event, bytes: line.length };
    }
    return;
  }
  const type = typeNameOf(resource);
  for await (const frame of framesOf(body, maxEventBytes))
    yield { event: decodeOrThrow(() => decodeWatchEvent(frame, type)), bytes: frame.length };
}

function decodeWatchEvent(frame: Buffer, type: string): JsonObject {
  const { type: event, object } = decodeProtobufEvent(frame);
  return { type: event, object: decodeProtobuf(event === 'ERROR' ? STATUS_TYPE : type, object).object };
}

/** The name of the type that decodes the objects of a resource: `core.v1.Pod`. */
function typeNameOf({ group, version, resource, metadataOnly }: Resource): string {
  if (metadataOnly === true) return METADATA_TYPE;
  const row = SERVED_KINDS.find((known) => known.group === group && known.version === version && known.resource === resource);
  if (row === undefined) throw new MalformedResponse(`the server sent ${resource} in an encoding that they do not have`);
  return row.type;
}

function decodeOrThrow<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw error instanceof ProtobufError ? new MalformedResponse(`the response of the server cannot be decoded: ${error.message}`) : error;
  }
}

/** Every frame begins with its length as a big-endian 32-bit integer. */
const LENGTH_BYTES = 4;

/**
 * Splits a stream into its frames and removes their prefixes. An incomplete last frame is dropped. Chunks of a long frame
 * are collected and joined once, because joining them at each chunk would take quadratic time.
 */
async function* framesOf(body: AsyncIterable<Buffer>, maxFrameBytes: number): AsyncGenerator<Buffer> {
  // The chunks of the incomplete frame, their length, and the length that is needed: of the prefix, then of the frame.
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let frameEnd = LENGTH_BYTES;
  for await (const chunk of body) {
    pending.push(chunk);
    pendingBytes += chunk.length;
    if (pendingBytes < frameEnd) continue;
    let rest = pending.length === 1 ? chunk : Buffer.concat(pending);
    frameEnd = frameEndOf(rest, maxFrameBytes);
    while (rest.length >= frameEnd) {
      yield rest.subarray(LENGTH_BYTES, frameEnd);
      rest = rest.subarray(frameEnd);
      frameEnd = frameEndOf(rest, maxFrameBytes);
    }
    pending = rest.length === 0 ? [] : [rest];
    pendingBytes = rest.length;
  }
}

/** The offset of the end of the frame at the start of `bytes`, or of the end of its prefix when that is incomplete. */
function frameEndOf(bytes: Buffer, maxFrameBytes: number): number {
  if (bytes.length < LENGTH_BYTES) return LENGTH_BYTES;
  const length = bytes.readUInt32BE();
  if (length > maxFrameBytes) throw new MalformedResponse(`the server sent a frame longer than ${maxFrameBytes} bytes`);
  return LENGTH_BYTES + length;
}
