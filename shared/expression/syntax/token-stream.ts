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
/** {@link EXPRESSION_START} for lookups. */
export const EXPRESSION_START_KINDS: ReadonlySet<TokenKind> = new Set(EXPRESSION_START);
/** The order in which messages list tokens; the remaining ones follow in that of {@link EXPRESSION_START}. */
const MESSAGE_ORDER: readonly TokenKind[] = [
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
  'true',
  'false',
  'null',
  'NUM_FLOAT',
];

export const RELATIONAL_OPERATORS: ReadonlySet<TokenKind> = new Set<TokenKind>(['==', '!=', '<', '<=', '>', '>=', 'in']);
export const ADDITIVE_OPERATORS: ReadonlySet<TokenKind> = new Set<TokenKind>(['+', '-']);
export const MULTIPLICATIVE_OPERATORS: ReadonlySet<TokenKind> = new Set<TokenKind>(['*', '/', '%']);
/** Tokens that may follow a closing bracket. Before one of these, a bracket that is missing is inserted. */
const AFTER_BRACKET: ReadonlySet<TokenKind> = new Set<TokenKind>([
  ...RELATIONAL_OPERATORS,
  ...ADDITIVE_OPERATORS,
  ...MULTIPLICATIVE_OPERATORS,
  ...(['&&', '||', '?', '.', '[', ')', ']', '}', ',', ':', '<EOF>'] as const),
]);

/** `'['`, but `IDENTIFIER` without quotes. */
const displayKind = (kind: TokenKind): string => (/^(?:[A-Z_]+|<EOF>)$/.test(kind) ? kind : `'${kind}'`);

/** `']'`, or `{']', ','}` for several kinds. */
function displayKinds(kinds: readonly TokenKind[]): string {
  if (kinds.length === 1 && kinds[0] !== undefined) return displayKind(kinds[0]);
  const rank = (kind: TokenKind): number =>
    MESSAGE_ORDER.includes(kind) ? MESSAGE_ORDER.indexOf(kind) : MESSAGE_ORDER.length + EXPRESSION_START.indexOf(kind);
  const sorted = [...kinds].sort((a, b) => rank(a) - rank(b));
  return `{${sorted.map(displayKind).join(', ')}}`;
}

const displayToken = (token: Token): string => `'${token.text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}'`;

const extraneousMessage = (token: Token, kinds: readonly TokenKind[]): string =>
  `extraneous input ${displayToken(token)} expecting ${displayKinds(kinds)}`;

/** The tokens of one expression. Recovers from syntax errors as upstream's parser does. */
export class TokenStream {
  private position = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly issues: Issue[],
  ) {}

  /** Returns the token after `ahead` others without consuming it; `<EOF>` past the end. */
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

  /** Moves past `count` tokens. */
  skip(count: number): void {
    this.position += count;
  }

  /** Reports an error at an offset of the text (-1: the whole text). Parsing continues. */
  report(at: number, message: string): void {
    this.issues.push({ at, message });
  }

  /** Reports a token that is none of the expected kinds, and ends the parsing. */
  mismatch(kinds: readonly TokenKind[], token = this.peek()): never {
    return this.abort(token, `mismatched input ${displayToken(token)} expecting ${displayKinds(kinds)}`);
  }

  /** Reports that nothing in the grammar begins with the text `read` and the next token, and ends the parsing. */
  noAlternative(read: string): never {
    const token = this.peek();
    return this.abort(token, `no viable alternative at input '${read}${token.kind === '<EOF>' ? '' : token.text}'`);
  }

  /** Reports the next token as extraneous before one of the expected kinds, and ends the parsing. */
  abortExtraneous(kinds: readonly TokenKind[]): never {
    return this.abort(this.peek(), extraneousMessage(this.peek(), kinds));
  }

  /** Reports and skips one extraneous token; ends the parsing when the token after it is not of an expected kind either. */
  skipExtraneous(kinds: readonly TokenKind[]): void {
    const token = this.peek();
    if (token.kind === '<EOF>' || !kinds.includes(this.peek(1).kind)) this.mismatch(kinds);
    this.skipToken(kinds);
  }

  /**
   * Consumes the expected token. Skips one extraneous token before it. When the token is missing, inserts it if
   * `canInsert` is true (the default) and the next token may follow a closing bracket; otherwise ends the parsing.
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

  /** Reports a missing token. Returns the token at its position, which is not consumed. */
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
