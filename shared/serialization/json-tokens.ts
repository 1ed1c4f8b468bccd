/** The tokens of a valid JSON text, one after the other and without a pattern: a text of megabytes is one search for its closing quote. Judges nothing. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const BLANKS = ' \t\n\r';
const MARKS = '{}[],:';

export class JsonTokens {
  private at = 0;

  constructor(private readonly text: string) {}

  /** The next token as it is spelled, '' at the end. */
  next(): string {
    const { text } = this;
    while (BLANKS.includes(text.charAt(this.at)) && this.at < text.length) this.at += 1;
    const start = this.at;
    const first = text.charAt(start);
    if (first === '') return '';
    if (MARKS.includes(first)) {
      this.at += 1;
      return first;
    }
    if (first === '"') this.at = endOfText(text, start) + 1;
    else while (this.at < text.length && !isBetween(text.charAt(this.at))) this.at += 1;
    return text.slice(start, this.at);
  }
}

const isBetween = (character: string): boolean => BLANKS.includes(character) || MARKS.includes(character);

/** The index of the closing quote of the text that opens at `start`. */
export function endOfText(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return text.length;
}

const parse: (text: string) => unknown = JSON.parse;

/** What a token that begins with a quote says. */
export function readText(token: string): string {
  if (token.charCodeAt(0) === QUOTE && !token.includes('\\')) return token.slice(1, -1);
  const read = parse(token);
  return typeof read === 'string' ? read : '';
}
