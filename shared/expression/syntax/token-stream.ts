/**
 * The token stream of the parser, with upstream's messages for unexpected tokens. One extraneous or missing token is
 * reported and corrected; any other error aborts parsing. The grammar is in parser.ts.
 */
import type { Token, TokenKind } from './lexer';
import { ParseAborted, type Issue } from './issues';

/** The tokens that an expression may start with, in the order of upstream's messages. */
export const EXPRESSION_START: readonly TokenKind[] = [
  '[',
  '{',
  '(',
  '.',
  '-',
  '!',
  'true',
  'false',
  'null',
  'NUM_FLOAT',
  'NUM_INT',
  'NUM_UINT',
  'STRING',
  'BYTES',
  'IDENTIFIER',
];
export const EXPRESSION_START_KINDS: ReadonlySet<TokenKind> = new Set(EXPRESSION_START);
const ORDER: readonly TokenKind[] = ['[', ']', '{', '}', '(', ')', '.', ',', '-', '!', '?', ':', 'true', 'false', 'null', 'NUM_FLOAT'];

export const RELATIONAL_OPERATORS: ReadonlySet<TokenKind> = new Set<TokenKind>(['==', '!=', '<', '<=', '>', '>=', 'in']);
export const ADDITIVE_OPERATORS: ReadonlySet<TokenKind> = new Set<TokenKind>(['+', '-']);
export const MULTIPLICATIVE_OPERATORS: ReadonlySet<TokenKind> = new Set<TokenKind>(['*', '/', '%']);
/** Tokens that may follow a closing bracket; before one of these a missing bracket is inserted. */
const AFTER_BRACKET: ReadonlySet<TokenKind> = new Set<TokenKind>([
  ...RELATIONAL_OPERATORS,
  ...ADDITIVE_OPERATORS,
  ...MULTIPLICATIVE_OPERATORS,
  ...(['&&', '||', '?', '.', '[', ')', ']', '}', ',', ':', '<EOF>'] as const),
]);

const displayKind = (kind: TokenKind): string => (/^(?:[A-Z_]+|<EOF>)$/.test(kind) ? kind : `'${kind}'`);

function displayKinds(kinds: readonly TokenKind[]): string {
  if (kinds.length === 1 && kinds[0] !== undefined) return displayKind(kinds[0]);
  const rank = (kind: TokenKind): number => (ORDER.includes(kind) ? ORDER.indexOf(kind) : ORDER.length + EXPRESSION_START.indexOf(kind));
  const sorted = [...kinds].sort((a, b) => rank(a) - rank(b));
  return `{${sorted.map(displayKind).join(', ')}}`;
}

const displayToken = (token: Token): string => `'${token.text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}'`;

const extraneousMessage = (token: Token, kinds: readonly TokenKind[]): string =>
  `extraneous input ${displayToken(token)} expecting ${displayKinds(kinds)}`;

/** The tokens of one expression, with the recovery from syntax errors as upstream's parser makes it. */
export class TokenStream {
  private position = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly issues: Issue[],
  ) {}

  /** Returns a token without consuming it; past the end, always `<EOF>`. */
  peek(ahead = 0): Token {
    const token = this.tokens[Math.min(this.position + ahead, this.tokens.length - 1)];
    if (token === undefined) throw new ParseAborted();
    return token;
  }

  /** Returns the next token and moves past it. */
  consume(): Token {
    const token = this.peek();
    this.position += 1;
    return token;
  }

  /** Moves past tokens. */
  skip(count: number): void {
    this.position += count;
  }

  /** Reports an error and continues. */
  report(at: number, message: string): void {
    this.issues.push({ at, message });
  }

  /** Reports a token that is none of the kinds, and ends the parsing. */
  mismatch(kinds: readonly TokenKind[], token = this.peek()): never {
    return this.abort(token, `mismatched input ${displayToken(token)} expecting ${displayKinds(kinds)}`);
  }

  /** No alternative of the grammar starts with the text `read` followed by this token. */
  noAlternative(read: string): never {
    const token = this.peek();
    return this.abort(token, `no viable alternative at input '${read}${token.kind === '<EOF>' ? '' : token.text}'`);
  }

  /** Reports an extraneous token before one of the kinds, and ends the parsing. */
  abortExtraneous(kinds: readonly TokenKind[]): never {
    return this.abort(this.peek(), extraneousMessage(this.peek(), kinds));
  }

  /** Reports and skips one extraneous token; aborts when the token after it does not fit either. */
  skipExtraneous(kinds: readonly TokenKind[]): void {
    const token = this.peek();
    if (token.kind === '<EOF>' || !kinds.includes(this.peek(1).kind)) this.mismatch(kinds);
    this.skipToken(kinds);
  }

  /**
   * Consumes the expected token. Skips one extraneous token before it; inserts it when it is missing and `canInsert` is
   * true, which is the default.
   */
  expect(kind: TokenKind, { canInsert }: { readonly canInsert: boolean } = { canInsert: true }): Token {
    const token = this.peek();
    if (token.kind === kind) return this.consume();
    if (this.peek(1).kind === kind) {
      this.skipToken([kind]);
      return this.consume();
    }
    if (!canInsert || !AFTER_BRACKET.has(token.kind)) this.mismatch([kind]);
    return this.reportMissing(kind);
  }

  /** Reports a missing token and returns the token at its position. */
  reportMissing(kind: TokenKind): Token {
    const token = this.peek();
    this.report(token.at, `Syntax error: missing ${displayKind(kind)} at ${displayToken(token)}`);
    return token;
  }

  private skipToken(kinds: readonly TokenKind[]): void {
    const token = this.consume();
    this.report(token.at, `Syntax error: ${extraneousMessage(token, kinds)}`);
  }

  private abort({ at }: Token, message: string): never {
    this.report(at, `Syntax error: ${message}`);
    throw new ParseAborted();
  }
}
