/**
 * The messages of upstream's `v2.KeyManagementService`: encodes requests and decodes responses. Field numbers are those
 * of its definition.
 */
import { withProtobufErrors, ProtobufError, WIRE_TYPES, WireReader, WireWriter } from '../../../../shared/serialization/protobuf/wire';
import { readAnnotation, writeAnnotations } from './encrypted-object';
import { KmsError, type EncryptedDekSource, type KmsStatus } from './kms-service';

/** The gRPC path of a method is this and the method's name. */
export const SERVICE_PATH = '/v2.KeyManagementService/';

const STATUS_RESPONSE = { version: 1, healthz: 2, keyId: 3 } as const;
const ENCRYPT_REQUEST = { plaintext: 1, uid: 2 } as const;
const ENCRYPT_RESPONSE = { ciphertext: 1, keyId: 2, annotations: 3 } as const;
const DECRYPT_REQUEST = { ciphertext: 1, uid: 2, keyId: 3, annotations: 4 } as const;
const DECRYPT_RESPONSE = { plaintext: 1 } as const;

const EMPTY: Buffer = Buffer.alloc(0);

/** `StatusRequest`, which has no fields. */
export const encodeStatusRequest = (): Buffer => EMPTY;

/** `EncryptRequest`; `uid` identifies the call in the plug-in's log. */
export function encodeEncryptRequest(plaintext: Buffer, uid: string): Buffer {
  const writer = new WireWriter();
  writer.field(ENCRYPT_REQUEST.plaintext, WIRE_TYPES.bytes).bytes(plaintext);
  writer.field(ENCRYPT_REQUEST.uid, WIRE_TYPES.bytes).text(uid);
  return writer.finish();
}

/** `DecryptRequest`; `uid` identifies the call in the plug-in's log. */
export function encodeDecryptRequest({ ciphertext, keyId, annotations }: EncryptedDekSource, uid: string): Buffer {
  const writer = new WireWriter();
  writer.field(DECRYPT_REQUEST.ciphertext, WIRE_TYPES.bytes).bytes(ciphertext);
  writer.field(DECRYPT_REQUEST.uid, WIRE_TYPES.bytes).text(uid);
  writer.field(DECRYPT_REQUEST.keyId, WIRE_TYPES.bytes).text(keyId);
  writeAnnotations(writer, DECRYPT_REQUEST.annotations, annotations);
  return writer.finish();
}

/** `StatusResponse`; absent members are ''. This and the other decoders throw {@link KmsError} for a malformed message. */
export function decodeStatusResponse(bytes: Buffer): KmsStatus {
  const response = { version: '', healthz: '', keyId: '' };
  eachField(bytes, (reader) => {
    if (reader.field === STATUS_RESPONSE.version) response.version = reader.string();
    else if (reader.field === STATUS_RESPONSE.healthz) response.healthz = reader.string();
    else if (reader.field === STATUS_RESPONSE.keyId) response.keyId = reader.string();
    else reader.skipField();
  });
  return response;
}

/** `EncryptResponse`; absent members are empty. */
export function decodeEncryptResponse(bytes: Buffer): EncryptedDekSource {
  const response = { ciphertext: EMPTY, keyId: '', annotations: new Map<string, Buffer>() };
  eachField(bytes, (reader) => {
    if (reader.field === ENCRYPT_RESPONSE.ciphertext) response.ciphertext = reader.bytes();
    else if (reader.field === ENCRYPT_RESPONSE.keyId) response.keyId = reader.string();
    else if (reader.field === ENCRYPT_RESPONSE.annotations) readAnnotation(reader.message(), response.annotations);
    else reader.skipField();
  });
  return response;
}

/** The plaintext of a `DecryptResponse`; empty when absent. */
export function decodeDecryptResponse(bytes: Buffer): Buffer {
  let plaintext = EMPTY;
  eachField(bytes, (reader) => {
    if (reader.field === DECRYPT_RESPONSE.plaintext) plaintext = reader.bytes();
    else reader.skipField();
  });
  return plaintext;
}

/** Calls `readField` for each length-delimited field; it must read or skip the field. */
function eachField(bytes: Buffer, readField: (reader: WireReader) => void): void {
  try {
    withProtobufErrors(() => {
      const reader = new WireReader(bytes);
      while (reader.next()) {
        if (reader.wire === WIRE_TYPES.bytes) readField(reader);
        else reader.skipField();
      }
    });
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw new KmsError('Internal', 'grpc: failed to unmarshal the received message: proto: cannot parse invalid wire-format data');
  }
}
