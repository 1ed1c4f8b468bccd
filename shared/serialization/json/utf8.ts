/** Decodes UTF-8 as Go does: each byte that does not begin a valid sequence becomes one U+FFFD. */
import { isUtf8 } from 'node:buffer';

export function decodeUtf8(bytes: Uint8Array): string {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return (isUtf8(buffer) ? buffer : replaceInvalid(buffer)).toString('utf8');
}

/** U+FFFD in UTF-8. */
const REPLACEMENT = [0xef, 0xbf, 0xbd] as const;

function replaceInvalid(bytes: Buffer): Buffer {
  const out = Buffer.allocUnsafe(bytes.length * REPLACEMENT.length);
  let end = 0;
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    if (length === 0) {
      for (const byte of REPLACEMENT) out[end++] = byte;
      at += 1;
    } else for (const next = at + length; at < next; at += 1) out[end++] = bytes[at] ?? 0;
  }
  return out.subarray(0, end);
}

/** The length of the sequence at an offset; 0 when it is invalid. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  // Rejects overlong forms, surrogates and code points beyond U+10FFFF.
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (length === 0 || !isWithin(bytes[at + 1], least, most)) return 0;
  for (let next = 2; next < length; next += 1) if (!isWithin(bytes[at + next], 0x80, 0xbf)) return 0;
  return length;
}

const isWithin = (byte: number | undefined, least: number, most: number): boolean => byte !== undefined && byte >= least && byte <= most;
