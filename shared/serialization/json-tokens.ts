/** The tokens of a valid JSON text, one after the other and without a pattern: a text of megabytes is one search for its closing quote. Judges nothing. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** What kind of character each code is; every other one is part of a number or a word. */
const BLANK = 1;
const PUNCTUATION = 2;
const CHARACTER_CLASSES = new Uint8Array(128);
for (const blank of ' \t\n\r') CHARACTER_CLASSES[blank.charCodeAt(0)] = BLANK;
for (const mark of '{}[],:') CHARACTER_CLASSES[mark.charCodeAt(0)] = PUNCTUATION;

export class JsonTokens {
  private at = 0;

  constructor(private readonly text: string) {}

  /** The next token as it is spelled, '' at the end. */
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

export const isJsonWhitespace = (code: number): boolean => CHARACTER_CLASSES[code] === BLANK;

const isDelimiter = (code: number): boolean => isJsonWhitespace(code) || CHARACTER_CLASSES[code] === PUNCTUATION;

/** The index of the closing quote of the text that opens at `start`. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

const parse: (text: string) => unknown = JSON.parse;

/** What a token that begins with a quote says. */
export function decodeStringToken(token: string): string {
  if (token.charCodeAt(0) === QUOTE && !token.includes('\\')) return token.slice(1, -1);
  const read = parse(token);
  return typeof read === 'string' ? read : '';
}

/** How much deeper each character leads. */
const NESTING = new Int8Array(128);
for (const opens of '{[') NESTING[opens.charCodeAt(0)] = 1;
for (const closes of '}]') NESTING[closes.charCodeAt(0)] = -1;

/** Behind the value that begins at `start`; the end of the text where it does not end. Brackets are counted, and not compared with each other. */
export function endOfValue(text: string, start: number): number {
  const first = text.charCodeAt(start);
  if (first === QUOTE) return Math.min(endOfString(text, start) + 1, text.length);
  if (NESTING[first] === 1) return endOfContainer(text, start + 1);
  let at = start;
  while (at < text.length && !isDelimiter(text.charCodeAt(at))) at += 1;
  return at;
}

/** Behind the object or list within which `start` lies, between two of its tokens. */
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
