/**
 * Splits an expression into tokens in linear time. Invalid characters are reported with upstream's message and skipped.
 */
import type { Issue } from './issues';

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
const WORDS = ['in', 'true', 'false', 'null'] as const;

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

export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly at: number;
}

const WHITESPACE = /(?:[\t \r\n\f]|\/\/[^\n]*)+/y;
const NUMBER = /(\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?)|(0x[0-9a-fA-F]+|\d+)([uU]?)/y;
const IDENTIFIER = /[A-Za-z_][A-Za-z0-9_]*/y;
const STRING_PREFIX = /([bB]?)([rR]?)("""|'''|"|')/y;
const ESCAPE = /\\(?:[abfnrtv"'\\?`]|[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-3][0-7]{2})/y;

function matchAt(pattern: RegExp, source: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(source);
}

/** The end of a string literal with content that starts at `from`, or the position where it becomes invalid. */
function scanString(source: string, from: number, quote: string, raw: boolean): { readonly end: number } | { readonly error: number } {
  let at = from;
  while (at < source.length) {
    if (source.startsWith(quote, at)) return { end: at + quote.length };
    const character = source[at] ?? '';
    if (character === '\\' && !raw) {
      const escape = matchAt(ESCAPE, source, at);
      if (escape === null) return { error: endOfInvalidEscape(source, at) };
      at += escape[0].length;
    } else if (quote.length === 1 && (character === '\n' || character === '\r')) return { error: at };
    else at += 1;
  }
  return { error: source.length };
}

const ESCAPE_LENGTHS: Readonly<Record<string, number>> = { x: 2, X: 2, u: 4, U: 8 };

/** The first character that does not belong to the escape sequence. */
function endOfInvalidEscape(source: string, at: number): number {
  const kind = source[at + 1] ?? '';
  const length = ESCAPE_LENGTHS[kind];
  if (length === undefined) return /[0-3]/.test(kind) ? at + (/[0-7]/.test(source[at + 2] ?? '') ? 3 : 2) : at + 1;
  let digits = 0;
  while (digits < length && /[0-9a-fA-F]/.test(source[at + 2 + digits] ?? '')) digits += 1;
  return at + 2 + digits;
}

export function tokenize(source: string, issues: Issue[]): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const add = (kind: TokenKind, length: number): void => {
    tokens.push({ kind, text: source.slice(at, at + length), at });
    at += length;
  };
  /** Reports everything up to and including the character at `error`, and continues after it. */
  const reportError = (error: number): void => {
    const next = error + (String.fromCodePoint(source.codePointAt(error) ?? 0).length === 2 ? 2 : 1);
    issues.push({ at, message: `Syntax error: token recognition error at: '${source.slice(at, next)}'` });
    at = Math.min(next, source.length);
  };
  while (at < source.length) {
    const space = matchAt(WHITESPACE, source, at);
    if (space !== null) {
      at += space[0].length;
      continue;
    }
    const prefix = matchAt(STRING_PREFIX, source, at);
    if (prefix !== null) {
      const [opening, bytes = '', raw = '', quote = ''] = prefix;
      const scanned = scanString(source, at + opening.length, quote, raw !== '');
      if ('end' in scanned) add(bytes === '' ? 'STRING' : 'BYTES', scanned.end - at);
      else if (bytes + raw !== '') add('IDENTIFIER', bytes.length + raw.length);
      else if (quote.length === 3) add('STRING', 2);
      else reportError(scanned.error);
      continue;
    }
    const number = matchAt(NUMBER, source, at);
    if (number !== null) {
      add(number[1] !== undefined ? 'NUM_FLOAT' : number[3] === '' ? 'NUM_INT' : 'NUM_UINT', number[0].length);
      continue;
    }
    const word = matchAt(IDENTIFIER, source, at)?.[0];
    if (word !== undefined) {
      add(WORDS.find((known) => known === word) ?? 'IDENTIFIER', word.length);
      continue;
    }
    const punctuation = PUNCTUATION.find((known) => source.startsWith(known, at));
    if (punctuation !== undefined) add(punctuation, punctuation.length);
    else reportError(/[=&|]/.test(source[at] ?? '') ? at + 1 : at);
  }
  tokens.push({ kind: '<EOF>', text: '<EOF>', at: source.length });
  return tokens;
}
