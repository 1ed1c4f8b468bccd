/**
 * Parses DER, the encoding of certificates and keys, into tags and contents. Supports single-byte tags only. Error
 * messages are those of Go's encoding/asn1.
 */

/** The bytes are not valid DER. */
export class DerError extends Error {}

/** One value of DER, as views of the bytes. */
export interface DerValue {
  readonly tag: number;
  readonly content: Buffer;
  /** Including tag and length. */
  readonly whole: Buffer;
}

export const DER_TAGS = { bitString: 0x03, octetString: 0x04, objectIdentifier: 0x06, sequence: 0x30, set: 0x31 } as const;

/** Parses bytes that consist of exactly one value. Throws {@link DerError}. */
export function parseDer(bytes: Buffer): DerValue {
  if (bytes.length === 0) throw sequenceTruncated();
  const value = valueAt(bytes, 0);
  if (value.whole.length < bytes.length) throw new DerError('asn1: syntax error: trailing data');
  return value;
}

/** The values that the content of a value consists of. Throws {@link DerError}. */
export function parseDerChildren({ content }: DerValue): readonly DerValue[] {
  const values: DerValue[] = [];
  for (let start = 0; start < content.length; start += values.at(-1)?.whole.length ?? content.length) values.push(valueAt(content, start));
  return values;
}

/** As {@link parseDerChildren}, for a value that must have the given tag (a SEQUENCE or a SET). */
export function parseDerContainer(value: DerValue | undefined, tag: number): readonly DerValue[] {
  return parseDerChildren(requireDerTag(value, tag));
}

/** Returns the value. Throws {@link DerError} when it is missing or has another tag. */
export function requireDerTag(value: DerValue | undefined, tag: number): DerValue {
  if (value === undefined) throw sequenceTruncated();
  if (value.tag !== tag) throw new DerError("asn1: structure error: tags don't match");
  return value;
}

const LARGEST_ARC = 0x7fff_ffff;

/**
 * An OBJECT IDENTIFIER in dotted notation: `2.5.4.3`. Its numbers (arcs) are encoded in seven bits per byte; the first
 * two arcs, of which the first one is 0, 1 or 2, are encoded together as `40 * first + second`.
 */
export function parseObjectIdentifier(value: DerValue | undefined): string {
  const { content } = requireDerTag(value, DER_TAGS.objectIdentifier);
  const arcs: number[] = [];
  let arc = 0;
  let isArcIncomplete = true;
  for (const byte of content) {
    arc = arc * 128 + (byte & 0x7f);
    if (arc > LARGEST_ARC) throw new DerError('asn1: structure error: base 128 integer too large');
    isArcIncomplete = byte >= 0x80;
    if (isArcIncomplete) continue;
    arcs.push(arc);
    arc = 0;
  }
  const [first = 0, ...others] = arcs;
  if (isArcIncomplete) throw new DerError('asn1: syntax error: truncated base 128 integer');
  const root = Math.min(Math.floor(first / 40), 2);
  return [root, first - root * 40, ...others].join('.');
}

/** The lowest five bits of a tag byte when the tag number follows in further bytes. */
const LONG_TAG = 0x1f;
/** In the first byte of a length: the lowest seven bits are the number of further bytes, which have the length. */
const LONG_LENGTH = 0x80;

function valueAt(bytes: Buffer, start: number): DerValue {
  const tag = byteAt(bytes, start);
  const first = byteAt(bytes, start + 1);
  if ((tag & LONG_TAG) === LONG_TAG) throw new DerError('asn1: structure error: invalid tag number');
  let length = first;
  let begin = start + 2;
  if (first === LONG_LENGTH) throw new DerError('asn1: syntax error: indefinite length found (not DER)');
  if (first > LONG_LENGTH) {
    const count = first - LONG_LENGTH;
    if (count > 4) throw new DerError('asn1: structure error: length too large');
    length = 0;
    for (let index = 0; index < count; index++) length = length * 256 + byteAt(bytes, begin + index);
    if (byteAt(bytes, begin) === 0) throw new DerError('asn1: structure error: superfluous leading zeros in length');
    if (length < LONG_LENGTH) throw new DerError('asn1: structure error: non-minimal length');
    begin += count;
  }
  const end = begin + length;
  if (end > bytes.length) throw truncated();
  return { tag, content: bytes.subarray(begin, end), whole: bytes.subarray(start, end) };
}

const sequenceTruncated = (): DerError => new DerError('asn1: syntax error: sequence truncated');
const truncated = (): DerError => new DerError('asn1: syntax error: data truncated');

function byteAt(bytes: Buffer, index: number): number {
  const byte = bytes[index];
  if (byte === undefined) throw truncated();
  return byte;
}
