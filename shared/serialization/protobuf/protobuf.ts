/**
 * The protobuf form of objects: four magic bytes, then an envelope (`runtime.Unknown`) with the kind, the apiVersion
 * and the message of the object. The media types of both spellings (shared/names/dialect.ts) have the same bytes. The
 * fields of the messages around an object are read and written here by their numbers:
 *
 *     Unknown       1 typeMeta (a TypeMeta), 2 raw (the object), 3 contentEncoding, 4 contentType
 *     TypeMeta      1 apiVersion, 2 kind
 *     a list        1 metadata, 2 items (repeated)
 *     WatchEvent    1 type, 2 object (a RawExtension)
 *     RawExtension  1 raw (the object with its envelope)
 */
import type { JsonObject } from '../../values/json';
import { DecodeError, decodeObject } from '../../api/types';
import { messageReader } from './protobuf-read';
import { messageWriter } from './protobuf-write';
import { withProtobufErrors, ProtobufError, WIRE_TYPES, WireReader, WireWriter } from './wire';

export { ProtobufError } from './wire';

const MAGIC = Buffer.from('k8s\0', 'latin1');
const LIST_META_TYPE = 'meta.v1.ListMeta';

interface Envelope {
  apiVersion: string;
  kind: string;
  /** The message of the object. */
  message: WireReader;
}

/**
 * Returns a canonical object of the type (as from decodeObject), and the kind and apiVersion of the envelope. Throws
 * ProtobufError.
 */
export function decodeProtobuf(type: string, bytes: Buffer): { object: JsonObject; apiVersion: string; kind: string } {
  const start = envelopeStart(bytes);
  return withProtobufErrors(() => {
    // Read first, so that errors of the envelope are reported before those of the object.
    const { message, ...head } = readEnvelope(new WireReader(bytes, start));
    return { object: readObject(type, message), ...head };
  });
}

/** The offset of the envelope. */
function envelopeStart(bytes: Buffer): number {
  if (bytes.subarray(0, MAGIC.length).equals(MAGIC)) return MAGIC.length;
  throw new ProtobufError('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
}

/**
 * Returns a list with canonical objects. Throws ProtobufError.
 *
 * @param type of the items
 */
export function decodeProtobufList(type: string, bytes: Buffer): { readonly metadata: JsonObject; readonly items: readonly JsonObject[] } {
  return withProtobufErrors(() => {
    const { message } = readEnvelope(new WireReader(bytes, envelopeStart(bytes)));
    const list: { metadata: JsonObject; items: JsonObject[] } = { metadata: {}, items: [] };
    while (message.next()) {
      if (message.field === 1 && message.wire === WIRE_TYPES.bytes) list.metadata = readObject(LIST_META_TYPE, message.message());
      else if (message.field === 2 && message.wire === WIRE_TYPES.bytes) list.items.push(readObject(type, message.message()));
      else message.skipField();
    }
    return list;
  });
}

/**
 * Decodes a watch event, without the length prefix of its frame. The object stays encoded, in its envelope. Throws
 * ProtobufError.
 */
export function decodeProtobufEvent(frame: Buffer): { readonly type: string; readonly object: Buffer } {
  return withProtobufErrors(() => {
    const event: { type: string; object: Buffer } = { type: '', object: Buffer.alloc(0) };
    const input = new WireReader(frame);
    while (input.next()) {
      if (input.field === 1 && input.wire === WIRE_TYPES.bytes) event.type = input.string();
      else if (input.field === 2 && input.wire === WIRE_TYPES.bytes) event.object = readRawExtension(input.message());
      else input.skipField();
    }
    return event;
  });
}

function readRawExtension(input: WireReader): Buffer {
  let raw: Buffer = Buffer.alloc(0);
  while (input.next()) {
    if (input.field === 1 && input.wire === WIRE_TYPES.bytes) raw = input.bytes();
    else input.skipField();
  }
  return raw;
}

function readObject(type: string, message: WireReader): JsonObject {
  const object: JsonObject = {};
  messageReader(type)(message, object);
  try {
    return decodeObject(type, object).object;
  } catch (error) {
    throw error instanceof DecodeError ? new ProtobufError(error.message) : error;
  }
}

function readEnvelope(input: WireReader): Envelope {
  const envelope: Envelope = { apiVersion: '', kind: '', message: new WireReader(Buffer.alloc(0)) };
  while (input.next()) {
    if (input.field === 1 && input.wire === WIRE_TYPES.bytes) readTypeMeta(input.message(), envelope);
    else if (input.field === 2 && input.wire === WIRE_TYPES.bytes) envelope.message = input.message();
    else input.skipField();
  }
  return envelope;
}

function readTypeMeta(input: WireReader, envelope: Envelope): void {
  while (input.next()) {
    if (input.field === 1 && input.wire === WIRE_TYPES.bytes) envelope.apiVersion = input.string();
    else if (input.field === 2 && input.wire === WIRE_TYPES.bytes) envelope.kind = input.string();
    else input.skipField();
  }
}

/** Encodes an object with its envelope. `object` must be canonical: decoded, or parsed from its stored form. */
export function encodeProtobuf(type: string, object: JsonObject, apiVersion: string, kind: string): Buffer {
  const out = new WireWriter();
  out.copy(MAGIC, 0, MAGIC.length);
  out.field(1, WIRE_TYPES.bytes).message(() => {
    out.field(1, WIRE_TYPES.bytes).text(apiVersion);
    out.field(2, WIRE_TYPES.bytes).text(kind);
  });
  out.field(2, WIRE_TYPES.bytes).message(() => messageWriter(type)(object, out));
  // Upstream writes contentEncoding and contentType although they are unset.
  for (const unset of [3, 4]) out.field(unset, WIRE_TYPES.bytes).text('');
  return out.finish();
}

/** Used by {@link encodeProtobufMessage} only, which does not call itself. */
const messageBuffer = new WireWriter();

/** Encodes an object without envelope, for list items and watch frames. */
export function encodeProtobufMessage(type: string, object: JsonObject): Buffer {
  messageWriter(type)(object, messageBuffer.reset());
  return Buffer.from(messageBuffer.finish());
}
