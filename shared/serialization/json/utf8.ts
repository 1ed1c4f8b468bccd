/** Decodes UTF-8 as Go does: each byte that does not begin a valid sequence becomes one U+FFFD. */
import { isUtf8 } from 'node:buffer';

/** The text of the bytes; never throws. */
export function decodeUtf8(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (isUtf8(buffer) ? buffer : replaceInvalid(buffer)).toString('utf8');
}

/** U+FFFD in UTF-8. */
const REPLACEMENT = [0xef, 0xbf, 0xbd] as const;

/** A copy with the replacement in place of each invalid byte, so at most three times as long. */
function replaceInvalid(bytes: Buffer): Buffer {
  const out = Buffer.allocUnsafe(bytes.length * REPLACEMENT.length);
  let end = 0;
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    if (length === 0) {
      for (const byte of REPLACEMENT) out[end++] = byte;
      at += 1;
      continue;
    }
    // For at most four bytes a loop is faster than `copy`.
    for (let index = 0; index < length; index += 1) out[end + index] = bytes[at + index] ?? 0;
    end += length;
    at += length;
  }
  return out.subarray(0, end);
}

interface SequenceForm {
  /** The first bytes of sequences of this form, inclusive. */
  readonly firstBytes: ByteRange;
  readonly length: number;
  /** Narrower than {@link CONTINUATION} to exclude overlong forms, surrogates and code points beyond U+10FFFF. */
  readonly secondByte: ByteRange;
}

interface ByteRange {
  readonly min: number;
  readonly max: number;
}

const CONTINUATION: ByteRange = { min: 0x80, max: 0xbf };

/** The well-formed sequences of several bytes (table 3-7 of the Unicode standard). */
const SEQUENCE_FORMS: readonly SequenceForm[] = [
  { firstBytes: { min: 0xc2, max: 0xdf }, length: 2, secondByte: CONTINUATION },
  { firstBytes: { min: 0xe0, max: 0xe0 }, length: 3, secondByte: { min: 0xa0, max: 0xbf } },
  { firstBytes: { min: 0xe1, max: 0xec }, length: 3, secondByte: CONTINUATION },
  { firstBytes: { min: 0xed, max: 0xed }, length: 3, secondByte: { min: 0x80, max: 0x9f } },
  { firstBytes: { min: 0xee, max: 0xef }, length: 3, secondByte: CONTINUATION },
  { firstBytes: { min: 0xf0, max: 0xf0 }, length: 4, secondByte: { min: 0x90, max: 0xbf } },
  { firstBytes: { min: 0xf1, max: 0xf3 }, length: 4, secondByte: CONTINUATION },
  { firstBytes: { min: 0xf4, max: 0xf4 }, length: 4, secondByte: { min: 0x80, max: 0x8f } },
];

/** The length of the sequence at an offset; 0 when it is invalid. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const form = SEQUENCE_FORMS.find(({ firstBytes }) => isWithin(first, firstBytes));
  if (form === undefined || !isWithin(bytes[at + 1], form.secondByte)) return 0;
  for (let next = 2; next < form.length; next += 1) if (!isWithin(bytes[at + next], CONTINUATION)) return 0;
  return form.length;
}

const isWithin = (byte: number | undefined, { min, max }: ByteRange): boolean => byte !== undefined && byte >= min && byte <= max;
