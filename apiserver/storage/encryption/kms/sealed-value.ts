/**
 * What lies in the store for a value that is encrypted under a service's key: the value under a key of its own, and from what, encrypted by the
 * service, that key is made. The layout is upstream's. Encrypts nothing.
 */
import { withProtobufFaults, ProtobufFault, WIRE_TYPES, WireReader, WireWriter } from '../../../../shared/serialization/wire';
import { checkFullyQualifiedDomainName } from '../../../../shared/values/name-formats';
import { quote } from '../../../../shared/values/quote';
import { TransformFault } from '../ciphers';
import type { KmsSealed } from './service';

/** What was encrypted by the service: the key of one value itself, or a seed of which the keys of many are made. Older servers write the former. */
export type SourceType = 'key' | 'seed';
const SOURCE_TYPES: readonly SourceType[] = ['key', 'seed'];

export interface SealedValue {
  readonly data: Buffer;
  readonly source: KmsSealed;
  readonly sourceType: SourceType;
}

const FIELD = { data: 1, keyId: 2, source: 3, annotations: 4, sourceType: 5 } as const;
/** Of an entry of a map. */
const ENTRY = { key: 1, value: 2 } as const;

export function encodeSealedValue({ data, source, sourceType }: SealedValue): Buffer {
  const writer = new WireWriter();
  writer.field(FIELD.data, WIRE_TYPES.bytes).bytes(data);
  writer.field(FIELD.keyId, WIRE_TYPES.bytes).text(source.keyId);
  writer.field(FIELD.source, WIRE_TYPES.bytes).bytes(source.ciphertext);
  writeAnnotations(writer, FIELD.annotations, source.annotations);
  const type = SOURCE_TYPES.indexOf(sourceType);
  if (type > 0) writer.field(FIELD.sourceType, WIRE_TYPES.varint).integer(type);
  return writer.finish();
}

/** Throws {@link TransformFault} where it is none, or does not keep to the bounds. */
export function decodeSealedValue(bytes: Buffer): SealedValue {
  try {
    return checked(withProtobufFaults(() => read(bytes)));
  } catch (error) {
    if (error instanceof ProtobufFault) throw new TransformFault(error.message);
    throw error;
  }
}

interface Read {
  data: Buffer;
  keyId: string;
  ciphertext: Buffer;
  sourceType: number | bigint;
  readonly annotations: Map<string, Buffer>;
}

const NOTHING: Buffer = Buffer.alloc(0);

function read(bytes: Buffer): Read {
  const found: Read = { data: NOTHING, keyId: '', ciphertext: NOTHING, sourceType: 0, annotations: new Map() };
  const reader = new WireReader(bytes);
  while (reader.next()) {
    if (reader.field === FIELD.sourceType && reader.wire === WIRE_TYPES.varint) found.sourceType = reader.integer();
    else if (reader.wire !== WIRE_TYPES.bytes) reader.skipField();
    else if (reader.field === FIELD.data) found.data = reader.bytes();
    else if (reader.field === FIELD.keyId) found.keyId = reader.string();
    else if (reader.field === FIELD.source) found.ciphertext = reader.bytes();
    else if (reader.field === FIELD.annotations) readAnnotation(reader.message(), found.annotations);
    else reader.skipField();
  }
  return found;
}

function checked({ data, keyId, ciphertext, annotations, sourceType }: Read): SealedValue {
  const type = SOURCE_TYPES[Number(sourceType)];
  if (type === undefined) throw new TransformFault(`unknown encryptedDEKSourceType: ${sourceType}`);
  if (data.length === 0) throw new TransformFault('encrypted data is empty');
  const source = { ciphertext, keyId, annotations };
  checkSource(source);
  return { data, source, sourceType: type };
}

export function writeAnnotations(writer: WireWriter, field: number, annotations: ReadonlyMap<string, Buffer>): void {
  // In one order, so that the same source is the same bytes.
  for (const [key, value] of [...annotations].sort(([one], [other]) => (one < other ? -1 : 1))) {
    writer
      .field(field, WIRE_TYPES.bytes)
      .message(() => void writer.field(ENTRY.key, WIRE_TYPES.bytes).text(key).field(ENTRY.value, WIRE_TYPES.bytes).bytes(value));
  }
}

export function readAnnotation(reader: WireReader, into: Map<string, Buffer>): void {
  let key = '';
  let value = NOTHING;
  while (reader.next()) {
    if (reader.wire !== WIRE_TYPES.bytes) reader.skipField();
    else if (reader.field === ENTRY.key) key = reader.string();
    else if (reader.field === ENTRY.value) value = reader.bytes();
    else reader.skipField();
  }
  into.set(key, value);
}

const LONGEST_KEY_ID = 1024;
const LONGEST_SOURCE = 1024;
const MOST_ANNOTATIONS = 32 * 1024;

/** What is wrong with the name of a key, and the word for it in metrics; undefined = nothing. */
export function keyIdFault(keyId: string): { readonly text: string; readonly word: 'empty' | 'too_long' } | undefined {
  if (keyId === '') return { text: 'keyID is empty', word: 'empty' };
  const size = Buffer.byteLength(keyId);
  return size > LONGEST_KEY_ID
    ? { text: `keyID is ${size} bytes, which exceeds the max size of ${LONGEST_KEY_ID}`, word: 'too_long' }
    : undefined;
}

/** Throws {@link TransformFault} where a source is not what may be stored. */
export function checkSource({ ciphertext, keyId, annotations }: KmsSealed): void {
  const refuse = (what: string, text: string): never => {
    throw new TransformFault(`failed to validate ${what}: ${text}`);
  };
  const { length } = ciphertext;
  if (length === 0) refuse('encrypted DEK source', 'encrypted DEK source is empty');
  if (length > LONGEST_SOURCE)
    refuse('encrypted DEK source', `encrypted DEK source is ${length} bytes, which exceeds the max size of ${LONGEST_SOURCE}`);
  const wrong = keyIdFault(keyId);
  if (wrong !== undefined) refuse('key id', wrong.text);
  const faults = annotationFaults(annotations);
  const [only] = faults;
  if (only !== undefined) refuse('annotations', faults.length === 1 ? only : `[${faults.join(', ')}]`);
}

function annotationFaults(annotations: ReadonlyMap<string, Buffer>): readonly string[] {
  let size = 0;
  for (const [key, value] of annotations) size += Buffer.byteLength(key) + value.length;
  const names = size > MOST_ANNOTATIONS ? [] : [...annotations.keys()];
  const faults = names.flatMap((key) =>
    checkFullyQualifiedDomainName(key).map(({ part, message }) => `annotations: Invalid value: ${quote(part)}: ${message}`),
  );
  if (size > MOST_ANNOTATIONS) faults.push(`total size of annotations is ${size}, which exceeds the max size of ${MOST_ANNOTATIONS}`);
  return faults;
}
