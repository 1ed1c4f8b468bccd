/**
 * The protobuf form of objects: four magic bytes, then a message that names the kind and wraps the object's own message,
 * which has neither kind nor apiVersion. Both media types carry the same bytes.
 */
import type { JsonObject } from '../values/json';
import { DecodeError, decodeObject } from '../api/types';
import { messageReader } from './protobuf-read';
import { messageWriter } from './protobuf-write';
import { guarded, ProtobufFault, WIRE, WireReader, WireWriter } from './wire';

export { ProtobufFault } from './wire';

const MAGIC = Buffer.from('k8s\0', 'latin1');

interface Envelope {
  apiVersion: string;
  kind: string;
  /** The object's message. */
  message: WireReader;
}

/** A canonical object (as decodeObject makes it) of the type, with what the envelope says. Throws ProtobufFault. */
export function decodeProtobuf(type: string, bytes: Buffer): { object: JsonObject; apiVersion: string; kind: string } {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new ProtobufFault('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  }
  return guarded(() => {
    // The envelope's faults come first.
    const { message, ...head } = readEnvelope(new WireReader(bytes, MAGIC.length));
    return { object: readObject(type, message), ...head };
  });
}

function readObject(type: string, message: WireReader): JsonObject {
  const object: JsonObject = {};
  messageReader(type)(message, object);
  try {
    return decodeObject(type, object).object;
  } catch (error) {
    throw error instanceof DecodeError ? new ProtobufFault(error.message) : error;
  }
}

function readEnvelope(input: WireReader): Envelope {
  const envelope: Envelope = { apiVersion: '', kind: '', message: new WireReader(Buffer.alloc(0)) };
  while (input.next()) {
    if (input.field === 1 && input.wire === WIRE.bytes) readTypeMeta(input.message(), envelope);
    else if (input.field === 2 && input.wire === WIRE.bytes) envelope.message = input.message();
    else input.skipField();
  }
  return envelope;
}

function readTypeMeta(input: WireReader, envelope: Envelope): void {
  while (input.next()) {
    if (input.field === 1 && input.wire === WIRE.bytes) envelope.apiVersion = input.string();
    else if (input.field === 2 && input.wire === WIRE.bytes) envelope.kind = input.string();
    else input.skipField();
  }
}

/** The message in its envelope. `object` is canonical: decoded, or parsed from its own encoding. */
export function encodeProtobuf(type: string, object: JsonObject, apiVersion: string, kind: string): Buffer {
  const out = new WireWriter();
  out.raw(MAGIC);
  out.field(1, WIRE.bytes).message(() => {
    out.field(1, WIRE.bytes).text(apiVersion);
    out.field(2, WIRE.bytes).text(kind);
  });
  out.field(2, WIRE.bytes).message(() => messageWriter(type)(object, out));
  for (const unset of [3, 4]) out.field(unset, WIRE.bytes).text('');
  return out.finish();
}

/** The bare message, for list items and watch frames. */
export function encodeProtobufMessage(type: string, object: JsonObject): Buffer {
  const out = new WireWriter();
  messageWriter(type)(object, out);
  return out.finish();
}
