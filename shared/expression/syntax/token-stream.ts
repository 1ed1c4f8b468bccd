/**
 * The tokens of an expression as its parser takes them, one after the other, and upstream's texts for what stands there instead of what is expected. One
 * token too many or too few is noted and made up for; anything else stops the parse. Knows no more of the grammar than what may begin and follow.
 */
import type { Token, TokenKind } from './lexer';
import { SyntaxStop, type Issue } from './issues';

/** What an expression may begin with, in the order in which upstream lists it. */
export const START: readonly TokenKind[] = [
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
export const STARTS: ReadonlySet<TokenKind> = new Set(START);
const ORDER: readonly TokenKind[] = ['[', ']', '{', '}', '(', ')', '.', ',', '-', '!', '?', ':', 'true', 'false', 'null', 'NUM_FLOAT'];

export const RELATIONS: ReadonlySet<TokenKind> = new Set<TokenKind>(['==', '!=', '<', '<=', '>', '>=', 'in']);
export const SUMS: ReadonlySet<TokenKind> = new Set<TokenKind>(['+', '-']);
export const PRODUCTS: ReadonlySet<TokenKind> = new Set<TokenKind>(['*', '/', '%']);
/** What may stand behind a closed bracket, so that a missing one is taken as forgotten. */
const BEHIND_BRACKET: ReadonlySet<TokenKind> = new Set<TokenKind>([
  ...RELATIONS,
  ...SUMS,
  ...PRODUCTS,
  ...(['&&', '||', '?', '.', '[', ')', ']', '}', ',', ':', '<EOF>'] as const),
]);

const spelled = (kind: TokenKind): string => (/^(?:[A-Z_]+|<EOF>)$/.test(kind) ? kind : `'${kind}'`);

function expected(kinds: readonly TokenKind[]): string {
  if (kinds.length === 1 && kinds[0] !== undefined) return spelled(kinds[0]);
  const rank = (kind: TokenKind): number => (ORDER.includes(kind) ? ORDER.indexOf(kind) : ORDER.length + START.indexOf(kind));
  const sorted = [...kinds].sort((a, b) => rank(a) - rank(b));
  return `{${sorted.map(spelled).join(', ')}}`;
}

const shown = (token: Token): string => `'${token.text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}'`;

const extraneous = (token: Token, kinds: readonly TokenKind[]): string => `extraneous input ${shown(token)} expecting ${expected(kinds)}`;

export class TokenStream {
  private position = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly issues: Issue[],
  ) {}

  /** It is left where it is. Behind the last token there is no end of `<EOF>`. */
  next(ahead = 0): Token {
    const token = this.tokens[Math.min(this.position + ahead, this.tokens.length - 1)];
    if (token === undefined) throw new SyntaxStop();
    return token;
  }

  take(): Token {
    const token = this.next();
    this.position += 1;
    return token;
  }

  skip(count: number): void {
    this.position += count;
  }

  /** The parse goes on. */
  note(at: number, message: string): void {
    this.issues.push({ at, message });
  }

  mismatch(kinds: readonly TokenKind[], token = this.next()): never {
    return this.stop(token, `mismatched input ${shown(token)} expecting ${expected(kinds)}`);
  }

  /** Nothing begins with what has been `read` and goes on like this. */
  noAlternative(read: string): never {
    const token = this.next();
    return this.stop(token, `no viable alternative at input '${read}${token.kind === '<EOF>' ? '' : token.text}'`);
  }

  stopExtraneous(kinds: readonly TokenKind[]): never {
    return this.stop(this.next(), extraneous(this.next(), kinds));
  }

  /** One token too many is noted and left out; anything else ends the parse. */
  skipExtraneous(kinds: readonly TokenKind[]): void {
    const token = this.next();
    if (token.kind === '<EOF>' || !kinds.includes(this.next(1).kind)) this.mismatch(kinds);
    this.leaveOut(kinds);
  }

  /** Takes what has to follow; behind one token too many, or, if it may be inserted, made up for where it was forgotten. */
  close(kind: TokenKind, insert = true): Token {
    const token = this.next();
    if (token.kind === kind) return this.take();
    if (this.next(1).kind === kind) {
      this.leaveOut([kind]);
      return this.take();
    }
    if (!insert || !BEHIND_BRACKET.has(token.kind)) this.mismatch([kind]);
    return this.missing(kind);
  }

  /** The token in whose place one was forgotten. */
  missing(kind: TokenKind): Token {
    const token = this.next();
    this.note(token.at, `Syntax error: missing ${spelled(kind)} at ${shown(token)}`);
    return token;
  }

  private leaveOut(kinds: readonly TokenKind[]): void {
    const token = this.take();
    this.note(token.at, `Syntax error: ${extraneous(token, kinds)}`);
  }

  private stop({ at }: Token, message: string): never {
    this.note(at, `Syntax error: ${message}`);
    throw new SyntaxStop();
  }
}
