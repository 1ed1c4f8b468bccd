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
import { SyntaxStop, type Issue } from './source';
import type { Value } from '../values/value';

const MAX_DEPTH = 250;
const MAX_LENGTH = 100_000;

const START: readonly TokenKind[] = [
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
const ORDER: readonly TokenKind[] = ['[', ']', '{', '}', '(', ')', '.', ',', '-', '!', '?', ':', 'true', 'false', 'null', 'NUM_FLOAT'];
const STARTS: ReadonlySet<TokenKind> = new Set(START);
const RELATIONS: ReadonlySet<TokenKind> = new Set<TokenKind>(['==', '!=', '<', '<=', '>', '>=', 'in']);
const SUMS: ReadonlySet<TokenKind> = new Set<TokenKind>(['+', '-']);
const PRODUCTS: ReadonlySet<TokenKind> = new Set<TokenKind>(['*', '/', '%']);
/** What may stand behind a closed bracket, so that a missing one is taken as forgotten. */
const BEHIND_BRACKET: ReadonlySet<TokenKind> = new Set<TokenKind>([
  ...RELATIONS,
  ...SUMS,
  ...PRODUCTS,
  ...(['&&', '||', '?', '.', '[', ')', ']', '}', ',', ':', '<EOF>'] as const),
]);
/** Words that are kept for the languages around; they cannot be names of variables. */
const RESERVED: ReadonlySet<string> = new Set(
  'as break const continue else false for function if import in let loop package namespace null return true var void while'.split(' '),
);

const spelled = (kind: TokenKind): string => (/^(?:[A-Z_]+|<EOF>)$/.test(kind) ? kind : `'${kind}'`);

function expected(kinds: readonly TokenKind[]): string {
  if (kinds.length === 1 && kinds[0] !== undefined) return spelled(kinds[0]);
  const rank = (kind: TokenKind): number => (ORDER.includes(kind) ? ORDER.indexOf(kind) : ORDER.length + START.indexOf(kind));
  const sorted = [...kinds].sort((a, b) => rank(a) - rank(b));
  return `{${sorted.map(spelled).join(', ')}}`;
}

const shown = (token: Token): string => `'${token.text.replaceAll('\n', '\\n').replaceAll('\r', '\\r').replaceAll('\t', '\\t')}'`;

class Parser {
  private position = 0;
  private depth = 0;

  constructor(
    private readonly tokens: readonly Token[],
    private readonly issues: Issue[],
  ) {}

  parse(): Expr {
    const expr = this.expression();
    if (this.next().kind !== '<EOF>') this.close('<EOF>', false);
    return expr;
  }

  private next(ahead = 0): Token {
    const token = this.tokens[Math.min(this.position + ahead, this.tokens.length - 1)];
    if (token === undefined) throw new SyntaxStop();
    return token;
  }

  private take(): Token {
    const token = this.next();
    this.position += 1;
    return token;
  }

  private note(at: number, message: string): void {
    this.issues.push({ at, message });
  }

  private stop(at: number, message: string): never {
    this.note(at, `Syntax error: ${message}`);
    throw new SyntaxStop();
  }

  private mismatch(kinds: readonly TokenKind[]): never {
    const token = this.next();
    return this.stop(token.at, `mismatched input ${shown(token)} expecting ${expected(kinds)}`);
  }

  /** One token too many is noted and left out; anything else ends the parse. */
  private skipExtraneous(kinds: readonly TokenKind[]): void {
    const token = this.next();
    if (token.kind === '<EOF>' || !kinds.includes(this.next(1).kind)) this.mismatch(kinds);
    this.note(token.at, `Syntax error: extraneous input ${shown(token)} expecting ${expected(kinds)}`);
    this.position += 1;
  }

  private close(kind: TokenKind, insert = true): Token {
    const token = this.next();
    if (token.kind === kind) return this.take();
    if (this.next(1).kind === kind) {
      this.note(token.at, `Syntax error: extraneous input ${shown(token)} expecting ${expected([kind])}`);
      this.position += 1;
      return this.take();
    }
    if (!insert || !BEHIND_BRACKET.has(token.kind)) this.mismatch([kind]);
    this.note(token.at, `Syntax error: missing ${spelled(kind)} at ${shown(token)}`);
    return token;
  }

  private nested<T>(parse: () => T): T {
    this.depth += 1;
    if (this.depth > MAX_DEPTH) {
      this.note(-1, `expression recursion limit exceeded: ${MAX_DEPTH}`);
      throw new SyntaxStop();
    }
    const result = parse();
    this.depth -= 1;
    return result;
  }

  private expression(also: readonly TokenKind[] = []): Expr {
    return this.nested(() => {
      if (!STARTS.has(this.next().kind)) this.skipExtraneous([...START, ...also]);
      const condition = this.or();
      if (this.next().kind !== '?') return condition;
      const { at } = this.take();
      this.expectStart();
      const yes = this.or();
      this.close(':', false);
      const no = this.expression();
      return { kind: 'call', at, name: CONDITIONAL, target: undefined, args: [condition, yes, no] };
    });
  }

  private expectStart(): void {
    if (!STARTS.has(this.next().kind)) this.skipExtraneous(START);
  }

  private logical(operator: '&&' | '||', operand: () => Expr): Expr {
    const terms = [operand()];
    const places: number[] = [];
    while (this.next().kind === operator) {
      places.push(this.take().at);
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
    while (operators.has(this.next().kind)) {
      const { kind, at } = this.take();
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
    this.note(-1, 'max recursion depth exceeded');
    throw new SyntaxStop();
  }

  private unary(): Expr {
    const { kind, at } = this.next();
    if (kind === '!') return this.negated('!', NOT, at);
    if (kind === '-' && !this.isNumber(1)) return this.negated('-', NEGATE, at);
    return this.member();
  }

  private isNumber(ahead: number): boolean {
    const { kind } = this.next(ahead);
    return kind === 'NUM_INT' || kind === 'NUM_FLOAT';
  }

  /** An even number of signs says nothing. */
  private negated(sign: '!' | '-', name: string, at: number): Expr {
    let count = 0;
    while (this.next().kind === sign && !(sign === '-' && this.isNumber(1))) {
      this.take();
      count += 1;
    }
    if (sign === '-' && this.next().kind === '-') return this.signed(count, at, name);
    const follows = this.next();
    if (!STARTS.has(follows.kind) || follows.kind === '-' || follows.kind === '!') {
      if (sign === '-') this.stop(follows.at, `no viable alternative at input '-${follows.kind === '<EOF>' ? '' : follows.text}'`);
      if (follows.kind === '<EOF>') this.stop(follows.at, `extraneous input '<EOF>' expecting ${expected(START)}`);
      if (follows.kind !== '-') this.skipExtraneous(START);
    }
    const operand = this.member();
    return count % 2 === 0 ? operand : { kind: 'call', at, name, target: undefined, args: [operand] };
  }

  private signed(count: number, at: number, name: string): Expr {
    const operand = this.member();
    return count % 2 === 0 ? operand : { kind: 'call', at, name, target: undefined, args: [operand] };
  }

  private member(): Expr {
    let expr = this.primary();
    let levels = 0;
    for (;;) {
      const { kind, at } = this.next();
      if (kind === '.') expr = this.selection(expr);
      else if (kind === '[') {
        this.take();
        const optional = this.takeOptional();
        const index = optional ? this.expression() : this.expression(['?']);
        this.close(']');
        expr = { kind: 'call', at, name: optional ? OPTIONAL_INDEX : INDEX, target: undefined, args: [expr, index] };
      } else return expr;
      levels += 1;
      this.bound(levels);
    }
  }

  private takeOptional(): boolean {
    if (this.next().kind !== '?') return false;
    this.take();
    return true;
  }

  private selection(operand: Expr): Expr {
    const dot = this.take();
    const optional = this.takeOptional();
    const name = this.next();
    if (name.kind !== 'IDENTIFIER') {
      this.stop(name.at, `no viable alternative at input '.${optional ? '?' : ''}${name.kind === '<EOF>' ? '' : name.text}'`);
    }
    this.take();
    if (optional) {
      const field: Expr = { kind: 'literal', at: name.at, value: name.text };
      return { kind: 'call', at: dot.at, name: OPTIONAL_SELECT, target: undefined, args: [operand, field] };
    }
    const open = this.next();
    if (open.kind !== '(') return { kind: 'select', at: dot.at, operand, field: name.text, testOnly: false };
    this.take();
    return expandMacro({ kind: 'call', at: open.at, name: name.text, target: operand, args: this.argumentList() }, this.issues);
  }

  private argumentList(): Expr[] {
    const args: Expr[] = [];
    if (this.next().kind !== ')') {
      args.push(this.expression([')']));
      while (this.next().kind === ',') {
        this.take();
        args.push(this.expression());
      }
    }
    this.close(')');
    return args;
  }

  private primary(): Expr {
    const token = this.next();
    switch (token.kind) {
      case '(': {
        this.take();
        const inner = this.expression();
        this.close(')');
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
    const dotted = this.next().kind === '.';
    const start = this.next();
    if (dotted) this.take();
    const token = this.next();
    if (token.kind !== 'IDENTIFIER')
      return this.stop(token.at, `no viable alternative at input '.${token.kind === '<EOF>' ? '' : token.text}'`);
    const struct = this.structName();
    if (struct !== undefined) return this.struct(dotted ? `.${struct}` : struct);
    this.take();
    if (RESERVED.has(token.text)) this.note(token.at, `reserved identifier: ${token.text}`);
    const name = dotted ? `.${token.text}` : token.text;
    const open = this.next();
    if (open.kind !== '(') return { kind: 'ident', at: dotted ? start.at + 1 : token.at, name };
    this.take();
    return expandMacro({ kind: 'call', at: open.at, name, target: undefined, args: this.argumentList() }, this.issues);
  }

  /** `a.b.C` where a `{` follows. */
  private structName(): string | undefined {
    let ahead = 1;
    let name = this.next().text;
    while (this.next(ahead).kind === '.' && this.next(ahead + 1).kind === 'IDENTIFIER') {
      name += `.${this.next(ahead + 1).text}`;
      ahead += 2;
    }
    if (this.next(ahead).kind !== '{') return undefined;
    this.position += ahead;
    return name;
  }

  private struct(name: string): Expr {
    const { at } = this.take();
    const fields = this.entries((): StructField => {
      const optional = this.takeOptional();
      const token = this.next();
      if (token.kind !== 'IDENTIFIER') this.mismatch(['}', ',', '?', 'IDENTIFIER']);
      this.take();
      const colon = this.colon();
      return { at: colon.at, name: token.text, optional, value: this.expression() };
    });
    return { kind: 'struct', at, name, fields };
  }

  /** Between a field and its value; it may have been forgotten. */
  private colon(): Token {
    const token = this.next();
    if (!STARTS.has(token.kind) || this.next(1).kind === ':') return this.close(':', false);
    this.note(token.at, `Syntax error: missing ':' at ${shown(token)}`);
    return token;
  }

  private map(): Expr {
    const { at } = this.take();
    const entries = this.entries((): MapEntry => {
      const optional = this.takeOptional();
      const key = this.expression(['}', ',', '?']);
      const colon = this.close(':', false);
      return { at: colon.at, key, optional, value: this.expression() };
    });
    return { kind: 'map', at, entries };
  }

  private list(): Expr {
    const { at } = this.take();
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
    if (this.next().kind === ',') {
      this.take();
      this.close(end);
      return;
    }
    while (this.next().kind !== end) {
      element();
      if (this.next().kind !== ',' && this.next().kind !== end) this.skipExtraneous([end, ',']);
      if (this.next().kind !== ',') break;
      this.take();
    }
    this.close(end);
  }

  private literal(): Expr {
    const minus = this.next().kind === '-' ? this.take() : undefined;
    const token = this.take();
    const at = (minus ?? token).at;
    const sign = minus === undefined ? '' : '-';
    const given = (value: Value | undefined, what: string): Expr => {
      if (value === undefined) this.note(at, what);
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
        this.position -= 1;
        return this.mismatch(START);
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
    const expr = new Parser(tokenize(source, issues), issues).parse();
    return issues.length === 0 ? { expr } : { issues };
  } catch (error) {
    if (error instanceof SyntaxStop) return { issues };
    throw error;
  }
}
