/**
 * Parses an expression by recursive descent over the published CEL grammar, with upstream's error messages. An error
 * that adding or skipping one token corrects is reported, and parsing continues; any other error ends it. Upstream
 * continues in more cases, so it may report more errors. Depth and length are limited.
 */
import type { MapEntry, Expr, StructField } from './ast';
import { balanceOperators, CONDITIONAL, INDEX, isOperator, NEGATE, NOT, OPERATORS, OPTIONAL_INDEX, OPTIONAL_SELECT } from './operators';
import { tokenize, type Token, type TokenKind } from './lexer';
import { parseBytesLiteral, parseDoubleLiteral, parseIntLiteral, parseStringLiteral, parseUintLiteral } from './literals';
import { expandMacro } from './macros';
import { ParseAborted, type Issue } from './issues';
import {
  MULTIPLICATIVE_OPERATORS,
  RELATIONAL_OPERATORS,
  EXPRESSION_START,
  EXPRESSION_START_KINDS,
  ADDITIVE_OPERATORS,
  TokenStream,
} from './token-stream';
import type { Value } from '../values/value';

/** Limit of the depth of the syntax tree, as cel-go's. */
const MAX_DEPTH = 250;
/** Limit of the length of an expression in code points, as cel-go's. */
const MAX_LENGTH = 100_000;

/** Reserved words, which cannot be identifiers. */
const RESERVED: ReadonlySet<string> = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(' '),
);

/** An expression, or at least one issue. */
export type ParsedExpression = { readonly expr: Expr } | { readonly issues: readonly Issue[] };

/** The expression, or the errors of the text in no particular order ({@link printIssues} sorts them). */
export function parseExpression(source: string): ParsedExpression {
  const issues: Issue[] = [];
  // Counting code points is needed only for a text of more UTF-16 units.
  if (source.length > MAX_LENGTH && [...source].length > MAX_LENGTH) {
    return { issues: [{ at: -1, message: `expression code point size exceeds limit: size: ${[...source].length}, limit ${MAX_LENGTH}` }] };
  }
  try {
    const expr = new Parser(new TokenStream(tokenize(source, issues), issues), issues).parse();
    return issues.length === 0 ? { expr } : { issues };
  } catch (error) {
    if (error instanceof ParseAborted) return { issues };
    throw error;
  }
}

class Parser {
  /** The nesting of {@link parseExpression} at the current token. */
  private depth = 0;

  constructor(
    private readonly tokens: TokenStream,
    private readonly issues: Issue[],
  ) {}

  parse(): Expr {
    const expr = this.parseExpression();
    if (this.tokens.peek().kind !== '<EOF>') this.tokens.expect('<EOF>', { canInsert: false });
    return expr;
  }

  /** Parses a part of the expression one level deeper. */
  private parseNested<T>(parse: () => T): T {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) {
      this.tokens.report(-1, `expression recursion limit exceeded: ${MAX_DEPTH}`);
      throw new ParseAborted();
    }
    const result = parse();
    this.depth -= 1;
    return result;
  }

  /** `alsoExpected`: tokens that may stand here instead of an expression, for the message about another token. */
  private parseExpression(alsoExpected: readonly TokenKind[] = []): Expr {
    return this.parseNested(() => {
      this.expectStart(alsoExpected);
      const condition = this.parseOr();
      if (this.tokens.peek().kind !== '?') return condition;
      const { at } = this.tokens.consume();
      this.expectStart();
      const whenTrue = this.parseOr();
      this.tokens.expect(':', { canInsert: false });
      const whenFalse = this.parseExpression();
      return { kind: 'call', at, name: CONDITIONAL, target: undefined, args: [condition, whenTrue, whenFalse] };
    });
  }

  /** Skips and reports one token that cannot start an expression. */
  private expectStart(alsoExpected: readonly TokenKind[] = []): void {
    if (!EXPRESSION_START_KINDS.has(this.tokens.peek().kind)) this.tokens.skipExtraneous([...EXPRESSION_START, ...alsoExpected]);
  }

  /** Parses `a && b && c` or `a || b || c`, in which `operand` parses each term. */
  private parseLogical(operator: '&&' | '||', operand: () => Expr): Expr {
    const terms = [operand()];
    const offsets: number[] = [];
    while (this.tokens.peek().kind === operator) {
      offsets.push(this.tokens.consume().at);
      this.expectStart();
      terms.push(operand());
    }
    return balanceOperators(OPERATORS[operator], terms, offsets);
  }

  /** Parses the operators from the weakest, `||`, to the strongest. */
  private parseOr(): Expr {
    return this.parseLogical('||', () =>
      this.parseLogical('&&', () =>
        this.parseBinary(RELATIONAL_OPERATORS, () =>
          this.parseBinary(ADDITIVE_OPERATORS, () => this.parseBinary(MULTIPLICATIVE_OPERATORS, () => this.parseUnary())),
        ),
      ),
    );
  }

  /** Parses a left-associative chain such as `a + b - c`. */
  private parseBinary(operators: ReadonlySet<TokenKind>, operand: () => Expr): Expr {
    let left = operand();
    let levels = 0;
    while (operators.has(this.tokens.peek().kind)) {
      const { kind, at } = this.tokens.consume();
      this.expectStart();
      const right = operand();
      const name = isOperator(kind) ? OPERATORS[kind] : kind;
      left = { kind: 'call', at, name, target: undefined, args: [left, right] };
      levels += 1;
      this.checkDepth(levels);
    }
    return left;
  }

  /** Checks the depth of a chain of `levels` operators, which makes the tree deeper without nesting the parser. */
  private checkDepth(levels: number): void {
    if (this.depth + levels <= MAX_DEPTH) return;
    this.tokens.report(-1, 'max recursion depth exceeded');
    throw new ParseAborted();
  }

  private parseUnary(): Expr {
    const { kind, at } = this.tokens.peek();
    if (kind === '!') return this.parseNegation('!', NOT, at);
    // The sign of a number is part of its literal.
    if (kind === '-' && !this.isNumber(1)) return this.parseNegation('-', NEGATE, at);
    return this.parseMember();
  }

  /** Whether the token after `ahead` others is a number. */
  private isNumber(ahead: number): boolean {
    const { kind } = this.tokens.peek(ahead);
    return kind === 'NUM_INT' || kind === 'NUM_FLOAT';
  }

  /** Parses `!!a` or `--a`. Upstream does not permit both signs in one sequence, except `-` before a number. */
  private parseNegation(sign: '!' | '-', name: string, at: number): Expr {
    let count = 0;
    while (this.tokens.peek().kind === sign && !(sign === '-' && this.isNumber(1))) {
      this.tokens.consume();
      count += 1;
    }
    // In `--1` the last sign belongs to the number.
    if (sign === '-' && this.tokens.peek().kind === '-') return this.parseSigned(count, at, name);
    const next = this.tokens.peek();
    if (!EXPRESSION_START_KINDS.has(next.kind) || next.kind === '-' || next.kind === '!') {
      if (sign === '-') this.tokens.noAlternative('-');
      if (next.kind === '<EOF>') this.tokens.abortExtraneous(EXPRESSION_START);
      if (next.kind !== '-') this.tokens.skipExtraneous(EXPRESSION_START);
    }
    return this.parseSigned(count, at, name);
  }

  /** Parses the operand of `count` signs; an even number of them cancels out. */
  private parseSigned(count: number, at: number, name: string): Expr {
    const operand = this.parseMember();
    return count % 2 === 0 ? operand : { kind: 'call', at, name, target: undefined, args: [operand] };
  }

  /** Parses a primary expression with the selections, calls and indexes after it: `a.b(c)[d]`. */
  private parseMember(): Expr {
    let expr = this.parsePrimary();
    let levels = 0;
    for (;;) {
      const { kind, at } = this.tokens.peek();
      if (kind === '.') expr = this.parseSelection(expr);
      else if (kind === '[') {
        this.tokens.consume();
        const isOptional = this.consumeOptionalMark();
        const index = isOptional ? this.parseExpression() : this.parseExpression(['?']);
        this.tokens.expect(']');
        expr = { kind: 'call', at, name: isOptional ? OPTIONAL_INDEX : INDEX, target: undefined, args: [expr, index] };
      } else return expr;
      levels += 1;
      this.checkDepth(levels);
    }
  }

  private consumeOptionalMark(): boolean {
    if (this.tokens.peek().kind !== '?') return false;
    this.tokens.consume();
    return true;
  }

  /** Parses `.field`, `.?field` or `.method(…)`. */
  private parseSelection(operand: Expr): Expr {
    const dot = this.tokens.consume();
    const isOptional = this.consumeOptionalMark();
    const name = this.tokens.peek();
    if (name.kind !== 'IDENTIFIER') this.tokens.noAlternative(isOptional ? '.?' : '.');
    this.tokens.consume();
    if (isOptional) {
      const field: Expr = { kind: 'literal', at: name.at, value: name.text };
      return { kind: 'call', at: dot.at, name: OPTIONAL_SELECT, target: undefined, args: [operand, field] };
    }
    const open = this.tokens.peek();
    if (open.kind !== '(') return { kind: 'select', at: dot.at, operand, field: name.text, testOnly: false };
    this.tokens.consume();
    return expandMacro({ kind: 'call', at: open.at, name: name.text, target: operand, args: this.parseArguments() }, this.issues);
  }

  /** Parses the arguments of a call after its opening parenthesis. */
  private parseArguments(): Expr[] {
    const args: Expr[] = [];
    if (this.tokens.peek().kind !== ')') {
      args.push(this.parseExpression([')']));
      while (this.tokens.peek().kind === ',') {
        this.tokens.consume();
        args.push(this.parseExpression());
      }
    }
    this.tokens.expect(')');
    return args;
  }

  private parsePrimary(): Expr {
    const token = this.tokens.peek();
    switch (token.kind) {
      case '(': {
        this.tokens.consume();
        const inner = this.parseExpression();
        this.tokens.expect(')');
        return inner;
      }
      case '[':
        return this.parseList();
      case '{':
        return this.parseMap();
      case '.':
      case 'IDENTIFIER':
        return this.parseName();
      default:
        return this.parseLiteral();
    }
  }

  /** Parses a name, a call of a function, or a message, each possibly with a leading dot. */
  private parseName(): Expr {
    const start = this.tokens.peek();
    const hasLeadingDot = start.kind === '.';
    if (hasLeadingDot) this.tokens.consume();
    const token = this.tokens.peek();
    if (token.kind !== 'IDENTIFIER') return this.tokens.noAlternative('.');
    const struct = this.parseStructName();
    if (struct !== undefined) return this.parseStruct(hasLeadingDot ? `.${struct}` : struct);
    this.tokens.consume();
    if (RESERVED.has(token.text)) this.tokens.report(token.at, `reserved identifier: ${token.text}`);
    const name = hasLeadingDot ? `.${token.text}` : token.text;
    const open = this.tokens.peek();
    if (open.kind !== '(') return { kind: 'ident', at: hasLeadingDot ? start.at + 1 : token.at, name };
    this.tokens.consume();
    return expandMacro({ kind: 'call', at: open.at, name, target: undefined, args: this.parseArguments() }, this.issues);
  }

  /** Consumes the qualified name of a message, `a.b.C`, if `{` follows it; otherwise returns `undefined`. */
  private parseStructName(): string | undefined {
    let ahead = 1;
    let name = this.tokens.peek().text;
    while (this.tokens.peek(ahead).kind === '.' && this.tokens.peek(ahead + 1).kind === 'IDENTIFIER') {
      name += `.${this.tokens.peek(ahead + 1).text}`;
      ahead += 2;
    }
    if (this.tokens.peek(ahead).kind !== '{') return undefined;
    this.tokens.skip(ahead);
    return name;
  }

  /** Parses `{field: value}` after the name of a message. */
  private parseStruct(name: string): Expr {
    const { at } = this.tokens.consume();
    const fields = this.parseEntries((): StructField => {
      const isOptional = this.consumeOptionalMark();
      const token = this.tokens.peek();
      if (token.kind !== 'IDENTIFIER') this.tokens.mismatch(['}', ',', '?', 'IDENTIFIER']);
      this.tokens.consume();
      const colon = this.parseColon();
      return { at: colon.at, name: token.text, isOptional, value: this.parseExpression() };
    });
    return { kind: 'struct', at, name, fields };
  }

  /** Parses the colon between a field and its value; a missing one is reported and inserted. */
  private parseColon(): Token {
    const token = this.tokens.peek();
    return EXPRESSION_START_KINDS.has(token.kind) && this.tokens.peek(1).kind !== ':'
      ? this.tokens.reportMissing(':')
      : this.tokens.expect(':', { canInsert: false });
  }

  private parseMap(): Expr {
    const { at } = this.tokens.consume();
    const entries = this.parseEntries((): MapEntry => {
      const isOptional = this.consumeOptionalMark();
      const key = this.parseExpression(['}', ',', '?']);
      const colon = this.tokens.expect(':', { canInsert: false });
      return { at: colon.at, key, isOptional, value: this.parseExpression() };
    });
    return { kind: 'map', at, entries };
  }

  private parseList(): Expr {
    const { at } = this.tokens.consume();
    const items: Expr[] = [];
    const optionalIndexes = new Set<number>();
    this.parseElements(']', () => {
      if (this.consumeOptionalMark()) optionalIndexes.add(items.length);
      items.push(this.parseExpression([']', ',', '?']));
    });
    return { kind: 'list', at, items, optionalIndexes };
  }

  private parseEntries<T>(entry: () => T): T[] {
    const entries: T[] = [];
    this.parseElements('}', () => entries.push(entry()));
    return entries;
  }

  /** Parses elements separated by commas up to `end`; a trailing comma is permitted. */
  private parseElements(end: ']' | '}', element: () => void): void {
    if (this.tokens.peek().kind === ',') {
      this.tokens.consume();
      this.tokens.expect(end);
      return;
    }
    while (this.tokens.peek().kind !== end) {
      element();
      if (this.tokens.peek().kind !== ',' && this.tokens.peek().kind !== end) this.tokens.skipExtraneous([end, ',']);
      if (this.tokens.peek().kind !== ',') break;
      this.tokens.consume();
    }
    this.tokens.expect(end);
  }

  /** Parses a literal, with its sign. A number out of range is reported, and `false` stands for it. */
  private parseLiteral(): Expr {
    const minus = this.tokens.peek().kind === '-' ? this.tokens.consume() : undefined;
    const token = this.tokens.consume();
    const at = (minus ?? token).at;
    const sign = minus === undefined ? '' : '-';
    const toLiteral = (value: Value | undefined, message: string): Expr => {
      if (value === undefined) this.tokens.report(at, message);
      return { kind: 'literal', at, value: value ?? false };
    };
    switch (token.kind) {
      case 'NUM_INT':
        return toLiteral(parseIntLiteral(sign + token.text), 'invalid int literal');
      case 'NUM_UINT':
        return toLiteral(parseUintLiteral(token.text), 'invalid uint literal');
      case 'NUM_FLOAT':
        return toLiteral(parseDoubleLiteral(sign + token.text), 'invalid double literal');
      case 'STRING':
        return toLiteral(parseStringLiteral(token.text), 'unable to unescape string');
      case 'BYTES':
        return toLiteral(parseBytesLiteral(token.text), 'unable to unescape string');
      case 'true':
      case 'false':
        return { kind: 'literal', at, value: token.kind === 'true' };
      case 'null':
        return { kind: 'literal', at, value: null };
      default:
        return this.tokens.mismatch(EXPRESSION_START, token);
    }
  }
}
