/**
 * Parses number, string and bytes literals after the lexer has checked their syntax. The result is `undefined` for a number
 * out of range, and for an escape that is no Unicode code point. Also has the ranges of numbers and timestamps.
 */
import { Uint } from '../values/value';

export const INT_MIN = -(1n << 63n);
export const INT_MAX = (1n << 63n) - 1n;
export const UINT_MAX = (1n << 64n) - 1n;
/** `0001-01-01T00:00:00Z` in nanoseconds since 1970. */
export const MIN_TIMESTAMP = -62135596800n * 1_000_000_000n;
/** `9999-12-31T23:59:59.999999999Z` in nanoseconds since 1970. */
export const MAX_TIMESTAMP = 253402300799n * 1_000_000_000n + 999_999_999n;

/** Parses decimal or hexadecimal digits (`0x1f`), with an optional minus sign. */
export function parseIntLiteral(text: string): bigint | undefined {
  const value = text.startsWith('-') ? -BigInt(text.slice(1)) : BigInt(text);
  return value < INT_MIN || value > INT_MAX ? undefined : value;
}

/** Parses decimal or hexadecimal digits with the suffix `u`. */
export function parseUintLiteral(text: string): Uint | undefined {
  const value = BigInt(text.slice(0, -1));
  return value > UINT_MAX ? undefined : new Uint(value);
}

/** Parses a double. JavaScript reads these literals as Go does. */
export function parseDoubleLiteral(text: string): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** Escapes of one letter; any other character stands for itself. */
const SIMPLE_ESCAPES: Readonly<Record<string, string>> = { a: '\u0007', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };
/** An escape: `\x41`, `\u0041`, `\U00000041`, `\101`, or a backslash with any other character; a group for each. */
const ESCAPE = /\\(?:[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|([^]))/gu;

/** The text between the quotes. In a raw literal, backslashes are ordinary characters. */
function contentOf(text: string): { readonly isRaw: boolean; readonly content: string } {
  const prefix = /^[bBrR]*/.exec(text)?.[0] ?? '';
  const body = text.slice(prefix.length);
  const width = body.length >= 6 && /^(?:"""|''')/.test(body) ? 3 : 1;
  return { isRaw: /r/i.test(prefix), content: body.slice(width, -width) };
}

/** `undefined` when an escape is not a Unicode code point. The escape of a surrogate is the replacement character. */
export function parseStringLiteral(text: string): string | undefined {
  const { isRaw, content } = contentOf(text);
  if (isRaw) return content;
  let isInvalid = false;
  const value = content.replace(ESCAPE, (_all, x?: string, u?: string, long?: string, octal?: string, simple?: string) => {
    if (simple !== undefined) return SIMPLE_ESCAPES[simple] ?? simple;
    const code = octal === undefined ? parseInt(x ?? u ?? long ?? '', 16) : parseInt(octal, 8);
    if (code > 0x10ffff) {
      isInvalid = true;
      return '';
    }
    return code >= 0xd800 && code <= 0xdfff ? '\ufffd' : String.fromCodePoint(code);
  });
  return isInvalid ? undefined : value;
}

/** Like {@link parseStringLiteral}, but `\x`, `\X` and octal escapes are single bytes. */
export function parseBytesLiteral(text: string): Uint8Array | undefined {
  const { isRaw, content } = contentOf(text);
  if (isRaw) return Buffer.from(content, 'utf8');
  const parts: Uint8Array[] = [];
  let last = 0;
  for (const match of content.matchAll(ESCAPE)) {
    parts.push(Buffer.from(content.slice(last, match.index), 'utf8'));
    last = match.index + match[0].length;
    const [, x, u, long, octal, simple] = match;
    if (simple !== undefined) parts.push(Buffer.from(SIMPLE_ESCAPES[simple] ?? simple, 'utf8'));
    else if (x !== undefined) parts.push(Uint8Array.of(parseInt(x, 16)));
    else if (octal !== undefined) parts.push(Uint8Array.of(parseInt(octal, 8)));
    else {
      const code = parseInt(u ?? long ?? '', 16);
      if (code > 0x10ffff) return undefined;
      parts.push(Buffer.from(String.fromCodePoint(code), 'utf8'));
    }
  }
  parts.push(Buffer.from(content.slice(last), 'utf8'));
  return new Uint8Array(Buffer.concat(parts));
}
