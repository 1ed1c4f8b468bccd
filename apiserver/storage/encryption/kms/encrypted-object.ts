/**
 * The stored form of a value with KMS v2 envelope encryption (upstream's `EncryptedObject`): the ciphertext and the DEK
 * source, encrypted by the plug-in, from which the DEK is obtained. Encodes, decodes and validates it; encrypts
 * nothing.
 */
import { withProtobufErrors, ProtobufError, WIRE_TYPES, WireReader, WireWriter } from '../../../../shared/serialization/protobuf/wire';
import { checkFullyQualifiedDomainName } from '../../../../shared/values/name-formats';
import { quote } from '../../../../shared/values/text/quote';
import { TransformError } from '../ciphers';
import type { EncryptedDekSource } from './kms-service';

/**
 * The DEK source: the DEK of this value itself, or a seed from which the DEKs of many values are derived. Older servers
 * write the former.
 */
export type DekSourceType = 'key' | 'seed';
/** Indexed by the number in the message. */
const SOURCE_TYPES: readonly DekSourceType[] = ['key', 'seed'];

/** A stored value, without the provider's prefix. */
export interface EncryptedObject {
  /** The value, encrypted with the DEK. */
  readonly data: Buffer;
  readonly source: EncryptedDekSource;
  readonly sourceType: DekSourceType;
}

const FIELD = { data: 1, keyId: 2, source: 3, annotations: 4, sourceType: 5 } as const;
/** Fields of a map entry. */
const ENTRY = { key: 1, value: 2 } as const;

/** The protobuf message, which the provider's prefix precedes in the store. */
export function encodeEncryptedObject({ data, source, sourceType }: EncryptedObject): Buffer {
  const writer = new WireWriter();
  writer.field(FIELD.data, WIRE_TYPES.bytes).bytes(data);
  writer.field(FIELD.keyId, WIRE_TYPES.bytes).text(source.keyId);
  writer.field(FIELD.source, WIRE_TYPES.bytes).bytes(source.ciphertext);
  writeAnnotations(writer, FIELD.annotations, source.annotations);
  const type = SOURCE_TYPES.indexOf(sourceType);
  // Proto3 leaves out a number that is 0.
  if (type > 0) writer.field(FIELD.sourceType, WIRE_TYPES.varint).integer(type);
  return writer.finish();
}

/** Throws {@link TransformError} when the bytes are malformed or exceed upstream's limits. */
export function decodeEncryptedObject(bytes: Buffer): EncryptedObject {
  try {
    return validate(withProtobufErrors(() => readFields(bytes)));
  } catch (error) {
    if (error instanceof ProtobufError) throw new TransformError(error.message);
    throw error;
  }
}

interface RawFields {
  data: Buffer;
  keyId: string;
  ciphertext: Buffer;
  sourceType: number | bigint;
  readonly annotations: Map<string, Buffer>;
}

const EMPTY: Buffer = Buffer.alloc(0);

function readFields(bytes: Buffer): RawFields {
  const fields: RawFields = { data: EMPTY, keyId: '', ciphertext: EMPTY, sourceType: 0, annotations: new Map() };
  const reader = new WireReader(bytes);
  while (reader.next()) {
    if (reader.field === FIELD.sourceType && reader.wire === WIRE_TYPES.varint) fields.sourceType = reader.integer();
    else if (reader.wire !== WIRE_TYPES.bytes) reader.skipField();
    else if (reader.field === FIELD.data) fields.data = reader.bytes();
    else if (reader.field === FIELD.keyId) fields.keyId = reader.string();
    else if (reader.field === FIELD.source) fields.ciphertext = reader.bytes();
    else if (reader.field === FIELD.annotations) readAnnotation(reader.message(), fields.annotations);
    else reader.skipField();
  }
  return fields;
}

function validate({ data, keyId, ciphertext, annotations, sourceType }: RawFields): EncryptedObject {
  const type = SOURCE_TYPES[Number(sourceType)];
  if (type === undefined) throw new TransformError(`unknown encryptedDEKSourceType: ${sourceType}`);
  if (data.length === 0) throw new TransformError('encrypted data is empty');
  const source = { ciphertext, keyId, annotations };
  checkDekSource(source);
  return { data, source, sourceType: type };
}

/** Writes a map as upstream's `map<string, bytes>`. */
export function writeAnnotations(writer: WireWriter, field: number, annotations: ReadonlyMap<string, Buffer>): void {
  // Sorted, so that equal sources have equal bytes.
  for (const [key, value] of [...annotations].sort(([a], [b]) => (a < b ? -1 : 1))) {
    writer.field(field, WIRE_TYPES.bytes).message(() => {
      writer.field(ENTRY.key, WIRE_TYPES.bytes).text(key);
      writer.field(ENTRY.value, WIRE_TYPES.bytes).bytes(value);
    });
  }
}

/** Reads one entry of such a map and adds it to `annotations`. */
export function readAnnotation(reader: WireReader, annotations: Map<string, Buffer>): void {
  let key = '';
  let value = EMPTY;
  while (reader.next()) {
    if (reader.wire !== WIRE_TYPES.bytes) reader.skipField();
    else if (reader.field === ENTRY.key) key = reader.string();
    else if (reader.field === ENTRY.value) value = reader.bytes();
    else reader.skipField();
  }
  annotations.set(key, value);
}

/** Limits of what a plug-in returns, as upstream's. */
const MAX_KEY_ID_BYTES = 1024;
const MAX_SOURCE_BYTES = 1024;
const MAX_ANNOTATION_BYTES = 32 * 1024;

/** The error of an invalid key ID, with its label in metrics; undefined when the key ID is valid. */
export function keyIdError(keyId: string): { readonly text: string; readonly reason: 'empty' | 'too_long' } | undefined {
  if (keyId === '') return { text: 'keyID is empty', reason: 'empty' };
  const size = Buffer.byteLength(keyId);
  return size > MAX_KEY_ID_BYTES
    ? { text: `keyID is ${size} bytes, which exceeds the max size of ${MAX_KEY_ID_BYTES}`, reason: 'too_long' }
    : undefined;
}

/** Throws {@link TransformError} when a source exceeds upstream's limits. */
export function checkDekSource({ ciphertext, keyId, annotations }: EncryptedDekSource): void {
  const refuse = (field: string, text: string): never => {
    throw new TransformError(`failed to validate ${field}: ${text}`);
  };
  const { length } = ciphertext;
  if (length === 0) refuse('encrypted DEK source', 'encrypted DEK source is empty');
  if (length > MAX_SOURCE_BYTES)
    refuse('encrypted DEK source', `encrypted DEK source is ${length} bytes, which exceeds the max size of ${MAX_SOURCE_BYTES}`);
  const invalid = keyIdError(keyId);
  if (invalid !== undefined) refuse('key id', invalid.text);
  const errors = annotationErrors(annotations);
  const [only] = errors;
  if (only !== undefined) refuse('annotations', errors.length === 1 ? only : `[${errors.join(', ')}]`);
}

function annotationErrors(annotations: ReadonlyMap<string, Buffer>): readonly string[] {
  let size = 0;
  for (const [key, value] of annotations) size += Buffer.byteLength(key) + value.length;
  const names = size > MAX_ANNOTATION_BYTES ? [] : [...annotations.keys()];
  const errors = names.flatMap((key) =>
    checkFullyQualifiedDomainName(key).map(({ part, message }) => `annotations: Invalid value: ${quote(part)}: ${message}`),
  );
  if (size > MAX_ANNOTATION_BYTES)
    errors.push(`total size of annotations is ${size}, which exceeds the max size of ${MAX_ANNOTATION_BYTES}`);
  return errors;
}
