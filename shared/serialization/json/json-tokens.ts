/**
 * Splits a valid JSON text into tokens. Uses no regular expressions: a string of megabytes takes one search for its
 * closing quote. Does not validate.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Classes of characters; all others are part of a number or literal. */
const BLANK = 1;
const PUNCTUATION = 2;
const CHARACTER_CLASSES = new Uint8Array(128);
for (const blank of ' \t\n\r') CHARACTER_CLASSES[blank.charCodeAt(0)] = BLANK;
for (const mark of '{}[],:') CHARACTER_CLASSES[mark.charCodeAt(0)] = PUNCTUATION;

/** Punctuation marks, strings with their quotes, numbers and literals, in order; blanks are skipped. */
export class JsonTokens {
  private at = 0;

  constructor(private readonly text: string) {}

  /** The next token verbatim; `''` at the end. */
  next(): string {
    const { text } = this;
    let start = this.at;
    while (isJsonWhitespace(text.charCodeAt(start))) start += 1;
    this.at = start + 1;
    const first = text.charCodeAt(start);
    if (CHARACTER_CLASSES[first] === PUNCTUATION) return text.charAt(start);
    if (first === QUOTE) this.at = endOfString(text, start) + 1;
    else while (this.at < text.length && !isDelimiter(text.charCodeAt(this.at))) this.at += 1;
    return text.slice(start, this.at);
  }
}

/** `code`: a UTF-16 code; NaN, beyond the end of a text, is no whitespace. */
export const isJsonWhitespace = (code: number): boolean => CHARACTER_CLASSES[code] === BLANK;

const isDelimiter = (code: number): boolean => isJsonWhitespace(code) || CHARACTER_CLASSES[code] === PUNCTUATION;

/** The index of the closing quote of the string that begins at `start`; the length of the text when there is none. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

const parse: (text: string) => unknown = JSON.parse;

/** The value of a string token. */
export function decodeStringToken(token: string): string {
  if (token.charCodeAt(0) === QUOTE && !token.includes('\\')) return token.slice(1, -1);
  const read = parse(token);
  return typeof read === 'string' ? read : '';
}

/** The change of the nesting depth at each character. */
const NESTING = new Int8Array(128);
for (const opens of '{[') NESTING[opens.charCodeAt(0)] = 1;
for (const closes of '}]') NESTING[closes.charCodeAt(0)] = -1;

/**
 * The index after the value that begins at `start`, or the length of the text when the value does not end. Opening and
 * closing brackets are counted, not matched.
 */
export function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return Math.min(endOfString(text, start) + 1, text.length);
  if (NESTING[first] === 1) return endOfContainer(text, start + 1);
  let at = start;
  while (at < text.length && !isDelimiter(text.charCodeAt(at))) at += 1;
  return at;
}

/** The index after the object or list that contains `start`, which must be between two tokens. */
export function endOfContainer(text: string, start: number): number {
  let depth = 1;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else depth += NESTING[code] ?? 0;
    if (depth === 0) return at + 1;
  }
  return text.length;
}
