/**
 * Splits an expression into tokens in linear time. Invalid characters are reported with upstream's message and skipped.
 * The values of literals are parsed in literals.ts.
 */
import type { Issue } from './issues';

/** Longer ones first, so that `<=` is not read as `<`. */
const PUNCTUATION = [
  '==',
  '!=',
  '<=',
  '>=',
  '&&',
  '||',
  '<',
  '>',
  '[',
  ']',
  '{',
  '}',
  '(',
  ')',
  '.',
  ',',
  '-',
  '!',
  '?',
  ':',
  '+',
  '*',
  '/',
  '%',
] as const;
/** Words that are not identifiers. */
const WORDS = ['in', 'true', 'false', 'null'] as const;

/** The kind of a token. The names are those of upstream's messages. */
export type TokenKind =
  | (typeof PUNCTUATION)[number]
  | (typeof WORDS)[number]
  | 'NUM_FLOAT'
  | 'NUM_INT'
  | 'NUM_UINT'
  | 'STRING'
  | 'BYTES'
  | 'IDENTIFIER'
  | '<EOF>';

/** A token of an expression. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  /** The offset of the first character, in UTF-16 units. */
  readonly at: number;
}

/** Blanks and comments. */
const WHITESPACE = /(?:[\t \r\n\f]|\/\/[^\n]*)+/y;
/** Group 1: a double (`1.5`, `1e3`, `.5`). Groups 2 and 3: an integer, and the suffix of an unsigned one (`12`, `0x1fu`). */
const NUMBER = /(\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)|(0x[0-9a-fA-F]+|\d+)([uU]?)/y;
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y;
/** Letters for bytes and for a raw literal, and the opening quotes: `b`, `r` and `"` of `br"\d"`. */
const STRING_PREFIX = /([bB]?)([rR]?)("""|'''|"|')/y;
const ESCAPE = /\\(?:[abfnrtv"'\\?`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})/y;

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

/** A string literal after its opening quotes. */
interface OpenString {
  /** The offset of the content. */
  readonly start: number;
  readonly quote: string;
  /** Whether a backslash is an ordinary character. */
  readonly isRaw: boolean;
}

/** The end of a string literal, or the position where it becomes invalid. */
function scanString(source: string, { start, quote, isRaw }: OpenString): { readonly end: number } | { readonly error: number } {
  let at = start;
  while (at < source.length) {
    if (source.startsWith(quote, at)) return { end: at + quote.length };
    const character = source[at] ?? '';
    if (character === '\\' && !isRaw) {
      const escape = matchAt(ESCAPE, source, at);
      if (escape === null) return { error: endOfInvalidEscape(source, at) };
      at += escape[0].length;
    } else if (quote.length === 1 && (character === '\n' || character === '\r')) return { error: at };
    else at += 1;
  }
  return { error: source.length };
}

/** The number of hexadecimal digits of an escape, by its letter. */
const ESCAPE_LENGTHS: Readonly<Record<string, number>> = { x: 2, X: 2, u: 4, U: 8 };

/** The position of the first character that cannot belong to the escape sequence at `at`. */
function endOfInvalidEscape(source: string, at: number): number {
  const kind = source[at + 1] ?? '';
  if (/[0-3]/.test(kind)) return at + (/[0-7]/.test(source[at + 2] ?? '') ? 3 : 2);
  const length = ESCAPE_LENGTHS[kind];
  if (length === undefined) return at + 1;
  let digits = 0;
  while (digits < length && /[0-9a-fA-F]/.test(source[at + 2 + digits] ?? '')) digits += 1;
  return at + 2 + digits;
}

/** The tokens of an expression, and `<EOF>` after them. Adds an issue for each invalid part of the text. */
export function tokenize(source: string, issues: Issue[]): Token[] {
  return new Lexer(source, issues).tokenize();
}

class Lexer {
  private readonly tokens: Token[] = [];
  private at = 0;

  constructor(
    private readonly source: string,
    private readonly issues: Issue[],
  ) {}

  tokenize(): Token[] {
    const { source } = this;
    while (this.at < source.length) {
      const space = matchAt(WHITESPACE, source, this.at);
      if (space !== null) this.at += space[0].length;
      else if (!this.addString() && !this.addNumber() && !this.addWord()) this.addPunctuation();
    }
    this.tokens.push({ kind: '<EOF>', text: '<EOF>', at: source.length });
    return this.tokens;
  }

  private add(kind: TokenKind, length: number): void {
    const { at } = this;
    this.tokens.push({ kind, text: this.source.slice(at, at + length), at });
    this.at += length;
  }

  /** Reports the text from here up to and including the character at `error`, and continues after it. */
  private reportError(error: number): void {
    const { at, source } = this;
    const errorCharacter = String.fromCodePoint(source.codePointAt(error) ?? 0);
    const next = error + errorCharacter.length;
    this.issues.push({ at, message: `Syntax error: token recognition error at: '${source.slice(at, next)}'` });
    this.at = Math.min(next, source.length);
  }

  // Each of the following methods returns whether a token of its kind starts here; if so, it has been consumed.

  private addString(): boolean {
    const prefix = matchAt(STRING_PREFIX, this.source, this.at);
    if (prefix === null) return false;
    const [opening, bytes = '', raw = '', quote = ''] = prefix;
    const scanned = scanString(this.source, { start: this.at + opening.length, quote, isRaw: raw !== '' });
    if ('end' in scanned) this.add(bytes === '' ? 'STRING' : 'BYTES', scanned.end - this.at);
    // Without its end, the longest token is read instead: the letters of the prefix, or the empty string `""` of `"""`.
    else if (bytes + raw !== '') this.add('IDENTIFIER', bytes.length + raw.length);
    else if (quote.length === 3) this.add('STRING', 2);
    else this.reportError(scanned.error);
    return true;
  }

  private addNumber(): boolean {
    const number = matchAt(NUMBER, this.source, this.at);
    if (number === null) return false;
    const [text, float, , unsignedSuffix] = number;
    if (float !== undefined) this.add('NUM_FLOAT', text.length);
    else this.add(unsignedSuffix === '' ? 'NUM_INT' : 'NUM_UINT', text.length);
    return true;
  }

  private addWord(): boolean {
    const word = matchAt(IDENTIFIER, this.source, this.at)?.[0];
    if (word === undefined) return false;
    this.add(WORDS.find((known) => known === word) ?? 'IDENTIFIER', word.length);
    return true;
  }

  /** Adds a punctuation token, or reports an error: no other token can start here. */
  private addPunctuation(): void {
    const { at, source } = this;
    const punctuation = PUNCTUATION.find((known) => source.startsWith(known, at));
    if (punctuation !== undefined) this.add(punctuation, punctuation.length);
    // A single `=`, `&` or `|` could begin an operator, so the error is at the character after it.
    else this.reportError(/[=&|]/.test(source[at] ?? '') ? at + 1 : at);
  }
}
