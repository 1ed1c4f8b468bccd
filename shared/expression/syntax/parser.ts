/**
 * Parses an expression into its tree: recursive descent over the published grammar, with upstream's texts for what is wrong. It stops at the first fault
 * from which no single token could save it; upstream goes on and may list more. Depth and length are bounded.
 */
import {
  CONDITIONAL,
  INDEX,
  NEGATE,
  NOT,
  OPERATORS,
  OPTIONAL_INDEX,
  OPTIONAL_SELECT,
  type MapEntry,
  type Expr,
  type StructField,
} from './ast';
import { tokenize, type Token, type TokenKind } from './lexer';
import { readBytes, readDouble, readInt, readString, readUint } from './literals';
import { expandMacro } from './macros';
import { SyntaxStop, type Issue } from './issues';
import { PRODUCTS, RELATIONS, START, STARTS, SUMS, TokenStream } from './token-stream';
import type { Value } from '../values/value';

const MAX_DEPTH = 250;
const MAX_LENGTH = 100_000;

/** Words that are kept for the languages around; they cannot be names of variables. */
const RESERVED: ReadonlySet<string> = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(' '),
);

class Parser {
  private depth = 0;

  constructor(
    private readonly tokens: TokenStream,
    private readonly issues: Issue[],
  ) {}

  parse(): Expr {
    const expr = this.expression();
    if (this.tokens.next().kind !== '<EOF>') this.tokens.close('<EOF>', false);
    return expr;
  }

  private nested<T>(parse: () => T): T {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) {
      this.tokens.note(-1, `expression recursion limit exceeded: ${MAX_DEPTH}`);
      throw new SyntaxStop();
    }
    const result = parse();
    this.depth -= 1;
    return result;
  }

  private expression(also: readonly TokenKind[] = []): Expr {
    return this.nested(() => {
      this.expectStart(also);
      const condition = this.or();
      if (this.tokens.next().kind !== '?') return condition;
      const { at } = this.tokens.take();
      this.expectStart();
      const yes = this.or();
      this.tokens.close(':', false);
      const no = this.expression();
      return { kind: 'call', at, name: CONDITIONAL, target: undefined, args: [condition, yes, no] };
    });
  }

  private expectStart(also: readonly TokenKind[] = []): void {
    if (!STARTS.has(this.tokens.next().kind)) this.tokens.skipExtraneous([...START, ...also]);
  }

  private logical(operator: '&&' | '||', operand: () => Expr): Expr {
    const terms = [operand()];
    const places: number[] = [];
    while (this.tokens.next().kind === operator) {
      places.push(this.tokens.take().at);
      this.expectStart();
      terms.push(operand());
    }
    return balance(OPERATORS[operator], terms, places, 0, places.length - 1);
  }

  private or(): Expr {
    return this.logical('||', () =>
      this.logical('&&', () => this.binary(RELATIONS, () => this.binary(SUMS, () => this.binary(PRODUCTS, () => this.unary())))),
    );
  }

  private binary(operators: ReadonlySet<TokenKind>, operand: () => Expr): Expr {
    let left = operand();
    let levels = 0;
    while (operators.has(this.tokens.next().kind)) {
      const { kind, at } = this.tokens.take();
      this.expectStart();
      const right = operand();
      const name = isOperator(kind) ? OPERATORS[kind] : kind;
      left = { kind: 'call', at, name, target: undefined, args: [left, right] };
      levels += 1;
      this.bound(levels);
    }
    return left;
  }

  /** Chains grow the tree to the left without nesting the parser. */
  private bound(levels: number): void {
    if (this.depth + levels <= MAX_DEPTH) return;
    this.tokens.note(-1, 'max recursion depth exceeded');
    throw new SyntaxStop();
  }

  private unary(): Expr {
    const { kind, at } = this.tokens.next();
    if (kind === '!') return this.negated('!', NOT, at);
    if (kind === '-' && !this.isNumber(1)) return this.negated('-', NEGATE, at);
    return this.member();
  }

  private isNumber(ahead: number): boolean {
    const { kind } = this.tokens.next(ahead);
    return kind === 'NUM_INT' || kind === 'NUM_FLOAT';
  }

  /** An even number of signs says nothing. */
  private negated(sign: '!' | '-', name: string, at: number): Expr {
    let count = 0;
    while (this.tokens.next().kind === sign && !(sign === '-' && this.isNumber(1))) {
      this.tokens.take();
      count += 1;
    }
    if (sign === '-' && this.tokens.next().kind === '-') return this.signed(count, at, name);
    const follows = this.tokens.next();
    if (!STARTS.has(follows.kind) || follows.kind === '-' || follows.kind === '!') {
      if (sign === '-') this.tokens.noAlternative('-');
      if (follows.kind === '<EOF>') this.tokens.stopExtraneous(START);
      if (follows.kind !== '-') this.tokens.skipExtraneous(START);
    }
    return this.signed(count, at, name);
  }

  private signed(count: number, at: number, name: string): Expr {
    const operand = this.member();
    return count % 2 === 0 ? operand : { kind: 'call', at, name, target: undefined, args: [operand] };
  }

  private member(): Expr {
    let expr = this.primary();
    let levels = 0;
    for (;;) {
      const { kind, at } = this.tokens.next();
      if (kind === '.') expr = this.selection(expr);
      else if (kind === '[') {
        this.tokens.take();
        const optional = this.takeOptional();
        const index = optional ? this.expression() : this.expression(['?']);
        this.tokens.close(']');
        expr = { kind: 'call', at, name: optional ? OPTIONAL_INDEX : INDEX, target: undefined, args: [expr, index] };
      } else return expr;
      levels += 1;
      this.bound(levels);
    }
  }

  private takeOptional(): boolean {
    if (this.tokens.next().kind !== '?') return false;
    this.tokens.take();
    return true;
  }

  private selection(operand: Expr): Expr {
    const dot = this.tokens.take();
    const optional = this.takeOptional();
    const name = this.tokens.next();
    if (name.kind !== 'IDENTIFIER') this.tokens.noAlternative(optional ? '.?' : '.');
    this.tokens.take();
    if (optional) {
      const field: Expr = { kind: 'literal', at: name.at, value: name.text };
      return { kind: 'call', at: dot.at, name: OPTIONAL_SELECT, target: undefined, args: [operand, field] };
    }
    const open = this.tokens.next();
    if (open.kind !== '(') return { kind: 'select', at: dot.at, operand, field: name.text, testOnly: false };
    this.tokens.take();
    return expandMacro({ kind: 'call', at: open.at, name: name.text, target: operand, args: this.argumentList() }, this.issues);
  }

  private argumentList(): Expr[] {
    const args: Expr[] = [];
    if (this.tokens.next().kind !== ')') {
      args.push(this.expression([')']));
      while (this.tokens.next().kind === ',') {
        this.tokens.take();
        args.push(this.expression());
      }
    }
    this.tokens.close(')');
    return args;
  }

  private primary(): Expr {
    const token = this.tokens.next();
    switch (token.kind) {
      case '(': {
        this.tokens.take();
        const inner = this.expression();
        this.tokens.close(')');
        return inner;
      }
      case '[':
        return this.list();
      case '{':
        return this.map();
      case '.':
      case 'IDENTIFIER':
        return this.name();
      default:
        return this.literal();
    }
  }

  private name(): Expr {
    const dotted = this.tokens.next().kind === '.';
    const start = this.tokens.next();
    if (dotted) this.tokens.take();
    const token = this.tokens.next();
    if (token.kind !== 'IDENTIFIER') return this.tokens.noAlternative('.');
    const struct = this.structName();
    if (struct !== undefined) return this.struct(dotted ? `.${struct}` : struct);
    this.tokens.take();
    if (RESERVED.has(token.text)) this.tokens.note(token.at, `reserved identifier: ${token.text}`);
    const name = dotted ? `.${token.text}` : token.text;
    const open = this.tokens.next();
    if (open.kind !== '(') return { kind: 'ident', at: dotted ? start.at + 1 : token.at, name };
    this.tokens.take();
    return expandMacro({ kind: 'call', at: open.at, name, target: undefined, args: this.argumentList() }, this.issues);
  }

  /** `a.b.C` where a `{` follows. */
  private structName(): string | undefined {
    let ahead = 1;
    let name = this.tokens.next().text;
    while (this.tokens.next(ahead).kind === '.' && this.tokens.next(ahead + 1).kind === 'IDENTIFIER') {
      name += `.${this.tokens.next(ahead + 1).text}`;
      ahead += 2;
    }
    if (this.tokens.next(ahead).kind !== '{') return undefined;
    this.tokens.skip(ahead);
    return name;
  }

  private struct(name: string): Expr {
    const { at } = this.tokens.take();
    const fields = this.entries((): StructField => {
      const optional = this.takeOptional();
      const token = this.tokens.next();
      if (token.kind !== 'IDENTIFIER') this.tokens.mismatch(['}', ',', '?', 'IDENTIFIER']);
      this.tokens.take();
      const colon = this.colon();
      return { at: colon.at, name: token.text, optional, value: this.expression() };
    });
    return { kind: 'struct', at, name, fields };
  }

  /** Between a field and its value; it may have been forgotten. */
  private colon(): Token {
    const token = this.tokens.next();
    return STARTS.has(token.kind) && this.tokens.next(1).kind !== ':' ? this.tokens.missing(':') : this.tokens.close(':', false);
  }

  private map(): Expr {
    const { at } = this.tokens.take();
    const entries = this.entries((): MapEntry => {
      const optional = this.takeOptional();
      const key = this.expression(['}', ',', '?']);
      const colon = this.tokens.close(':', false);
      return { at: colon.at, key, optional, value: this.expression() };
    });
    return { kind: 'map', at, entries };
  }

  private list(): Expr {
    const { at } = this.tokens.take();
    const items: Expr[] = [];
    const optional = new Set<number>();
    this.elements(']', () => {
      if (this.takeOptional()) optional.add(items.length);
      items.push(this.expression([']', ',', '?']));
    });
    return { kind: 'list', at, items, optional };
  }

  private entries<T>(entry: () => T): T[] {
    const entries: T[] = [];
    this.elements('}', () => entries.push(entry()));
    return entries;
  }

  /** Elements between commas up to `end`; one comma too many at the end is fine. */
  private elements(end: ']' | '}', element: () => void): void {
    if (this.tokens.next().kind === ',') {
      this.tokens.take();
      this.tokens.close(end);
      return;
    }
    while (this.tokens.next().kind !== end) {
      element();
      if (this.tokens.next().kind !== ',' && this.tokens.next().kind !== end) this.tokens.skipExtraneous([end, ',']);
      if (this.tokens.next().kind !== ',') break;
      this.tokens.take();
    }
    this.tokens.close(end);
  }

  private literal(): Expr {
    const minus = this.tokens.next().kind === '-' ? this.tokens.take() : undefined;
    const token = this.tokens.take();
    const at = (minus ?? token).at;
    const sign = minus === undefined ? '' : '-';
    const given = (value: Value | undefined, what: string): Expr => {
      if (value === undefined) this.tokens.note(at, what);
      return { kind: 'literal', at, value: value ?? false };
    };
    switch (token.kind) {
      case 'NUM_INT':
        return given(readInt(sign + token.text), 'invalid int literal');
      case 'NUM_UINT':
        return given(readUint(token.text), 'invalid uint literal');
      case 'NUM_FLOAT':
        return given(readDouble(sign + token.text), 'invalid double literal');
      case 'STRING':
        return given(readString(token.text), 'unable to unescape string');
      case 'BYTES':
        return given(readBytes(token.text), 'unable to unescape string');
      case 'true':
      case 'false':
        return { kind: 'literal', at, value: token.kind === 'true' };
      case 'null':
        return { kind: 'literal', at, value: null };
      default:
        return this.tokens.mismatch(START, token);
    }
  }
}

function isOperator(kind: TokenKind): kind is keyof typeof OPERATORS & TokenKind {
  return Object.hasOwn(OPERATORS, kind);
}

/** Long chains of `&&` and `||` become flat trees. */
function balance(name: string, terms: readonly Expr[], places: readonly number[], low: number, high: number): Expr {
  const [first] = terms;
  if (first === undefined) throw new SyntaxStop();
  if (low > high) return terms[low] ?? first;
  const middle = Math.floor((low + high + 1) / 2);
  const left = middle === low ? (terms[low] ?? first) : balance(name, terms, places, low, middle - 1);
  const right = middle === high ? (terms[high + 1] ?? first) : balance(name, terms, places, middle + 1, high);
  return { kind: 'call', at: places[middle] ?? 0, name, target: undefined, args: [left, right] };
}

export type ParsedExpression = { readonly expr: Expr } | { readonly issues: readonly Issue[] };

export function parse(source: string): ParsedExpression {
  const issues: Issue[] = [];
  if (source.length > MAX_LENGTH && [...source].length > MAX_LENGTH) {
    return { issues: [{ at: -1, message: `expression code point size exceeds limit: size: ${[...source].length}, limit ${MAX_LENGTH}` }] };
  }
  try {
    const expr = new Parser(new TokenStream(tokenize(source, issues), issues), issues).parse();
    return issues.length === 0 ? { expr } : { issues };
  } catch (error) {
    if (error instanceof SyntaxStop) return { issues };
    throw error;
  }
}
