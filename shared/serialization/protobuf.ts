/**
 * The protobuf form of objects (specification §2.7): four magic bytes, then a message that names the kind and wraps the object's own message,
 * which has neither kind nor apiVersion. Both media types carry the same bytes.
 */
import type { JsonObject } from '../api/json';
import { decodeObject } from '../api/schema/decode';
import { messageReader } from './protobuf-read';
import { messageWriter } from './protobuf-write';
import { ProtobufFault, WIRE, WireReader, WireWriter } from './wire';

export { ProtobufFault } from './wire';

const MAGIC = Buffer.from('k8s\0', 'latin1');

export interface Envelope {
  apiVersion: string;
  kind: string;
  /** The object's message. */
  raw: Buffer;
}

/** Opens the envelope. Throws ProtobufFault. */
export function readEnvelope(bytes: Buffer): Envelope {
  if (!bytes.subarray(0, MAGIC.length).equals(MAGIC)) {
    throw new ProtobufFault('provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]');
  }
  const input = new WireReader(bytes.subarray(MAGIC.length));
  const envelope: Envelope = { apiVersion: '', kind: '', raw: Buffer.alloc(0) };
  while (!input.isDone) {
    const { number, wire } = input.tag();
    if (wire !== WIRE.bytes) input.skip(wire);
    else if (number === 1) readTypeMeta(input.message(), envelope);
    else if (number === 2) envelope.raw = input.bytes();
    else input.bytes();
  }
  return envelope;
}

function readTypeMeta(input: WireReader, envelope: Envelope): void {
  while (!input.isDone) {
    const { number, wire } = input.tag();
    if (wire !== WIRE.bytes) input.skip(wire);
    else if (number === 1) envelope.apiVersion = input.bytes().toString('utf8');
    else if (number === 2) envelope.kind = input.bytes().toString('utf8');
    else input.bytes();
  }
}

/** A canonical object (as decodeObject makes it) of the type, with what the envelope says. Throws ProtobufFault. */
export function decodeProtobuf(type: string, bytes: Buffer): { object: JsonObject; apiVersion: string; kind: string } {
  const { apiVersion, kind, raw } = readEnvelope(bytes);
  return { object: decodeProtobufMessage(type, raw), apiVersion, kind };
}

/** The same from the bare message. */
export function decodeProtobufMessage(type: string, message: Buffer): JsonObject {
  const object: JsonObject = {};
  messageReader(type)(new WireReader(message), object);
  return decodeObject(type, object).object;
}

export function encodeProtobuf(type: string, object: JsonObject, apiVersion: string, kind: string): Buffer {
  return wrapProtobuf(encodeProtobufMessage(type, object), apiVersion, kind);
}

/** The envelope around a message. */
export function wrapProtobuf(message: Uint8Array, apiVersion: string, kind: string): Buffer {
  const out = new WireWriter();
  out.raw(MAGIC);
  out.tag(1, WIRE.bytes);
  out.message(() => {
    out.tag(1, WIRE.bytes);
    out.text(apiVersion);
    out.tag(2, WIRE.bytes);
    out.text(kind);
  });
  out.tag(2, WIRE.bytes);
  out.bytes(message);
  for (const unset of [3, 4]) {
    out.tag(unset, WIRE.bytes);
    out.text('');
  }
  return out.finish();
}

/** The bare message, for list items and watch frames. `object` is canonical: decoded, or parsed from its own encoding. */
export function encodeProtobufMessage(type: string, object: JsonObject): Buffer {
  const out = new WireWriter();
  messageWriter(type)(object, out);
  return out.finish();
}
