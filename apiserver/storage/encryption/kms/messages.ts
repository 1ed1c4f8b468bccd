/** The messages of upstream's public API `v2.KeyManagementService`: questions to bytes, bytes to answers. Field numbers are those of its definition. */
import { withProtobufFaults, ProtobufFault, WIRE_TYPES, WireReader, WireWriter } from '../../../../shared/serialization/wire';
import { readAnnotation, writeAnnotations } from './sealed-value';
import { KmsFault, type KmsSealed, type KmsStatus } from './service';

export const SERVICE = '/v2.KeyManagementService/';

const STATUS_ANSWER = { version: 1, healthz: 2, keyId: 3 } as const;
const ENCRYPT_CALL = { plaintext: 1, uid: 2 } as const;
const ENCRYPT_ANSWER = { ciphertext: 1, keyId: 2, annotations: 3 } as const;
const DECRYPT_CALL = { ciphertext: 1, uid: 2, keyId: 3, annotations: 4 } as const;
const DECRYPT_ANSWER = { plaintext: 1 } as const;

const NOTHING: Buffer = Buffer.alloc(0);

export const statusCall = (): Buffer => NOTHING;

export function encryptCall(plain: Buffer, uid: string): Buffer {
  const writer = new WireWriter();
  writer.field(ENCRYPT_CALL.plaintext, WIRE_TYPES.bytes).bytes(plain);
  writer.field(ENCRYPT_CALL.uid, WIRE_TYPES.bytes).text(uid);
  return writer.finish();
}

export function decryptCall({ ciphertext, keyId, annotations }: KmsSealed, uid: string): Buffer {
  const writer = new WireWriter();
  writer.field(DECRYPT_CALL.ciphertext, WIRE_TYPES.bytes).bytes(ciphertext);
  writer.field(DECRYPT_CALL.uid, WIRE_TYPES.bytes).text(uid);
  writer.field(DECRYPT_CALL.keyId, WIRE_TYPES.bytes).text(keyId);
  writeAnnotations(writer, DECRYPT_CALL.annotations, annotations);
  return writer.finish();
}

/** These throw {@link KmsFault} where the bytes are no such answer. */
export function statusAnswer(bytes: Buffer): KmsStatus {
  const answer = { version: '', healthz: '', keyId: '' };
  eachField(bytes, (reader) => {
    if (reader.field === STATUS_ANSWER.version) answer.version = reader.string();
    else if (reader.field === STATUS_ANSWER.healthz) answer.healthz = reader.string();
    else if (reader.field === STATUS_ANSWER.keyId) answer.keyId = reader.string();
    else reader.skipField();
  });
  return answer;
}

export function encryptAnswer(bytes: Buffer): KmsSealed {
  const answer = { ciphertext: NOTHING, keyId: '', annotations: new Map<string, Buffer>() };
  eachField(bytes, (reader) => {
    if (reader.field === ENCRYPT_ANSWER.ciphertext) answer.ciphertext = reader.bytes();
    else if (reader.field === ENCRYPT_ANSWER.keyId) answer.keyId = reader.string();
    else if (reader.field === ENCRYPT_ANSWER.annotations) readAnnotation(reader.message(), answer.annotations);
    else reader.skipField();
  });
  return answer;
}

export function decryptAnswer(bytes: Buffer): Buffer {
  let plaintext = NOTHING;
  eachField(bytes, (reader) => {
    if (reader.field === DECRYPT_ANSWER.plaintext) plaintext = reader.bytes();
    else reader.skipField();
  });
  return plaintext;
}

/** Calls `take` for each field of text, bytes or a message; it must read or skip it. */
function eachField(bytes: Buffer, take: (reader: WireReader) => void): void {
  try {
    withProtobufFaults(() => {
      const reader = new WireReader(bytes);
      while (reader.next()) {
        if (reader.wire === WIRE_TYPES.bytes) take(reader);
        else reader.skipField();
      }
    });
  } catch (error) {
    if (!(error instanceof ProtobufFault)) throw error;
    throw new KmsFault('Internal', 'grpc: failed to unmarshal the received message: proto: cannot parse invalid wire-format data');
  }
}
