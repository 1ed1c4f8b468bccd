/**
 * Parses the JSON paths of printer columns into nodes, with the syntax and the quirks of client-go's `jsonpath`, recorded
 * in test/replay/answers/custom/paths.jsonl:
 * - members: `.a.b`, `.a\.b` for a name with a dot, `['a']`;
 * - indexes, slices and unions of lists: `[0]`, `[-1]`, `[0:2]`, `[0,2]`;
 * - wildcards: `[*]`, `.*`;
 * - filters: `[?(@.type=="Ready")]`;
 * - recursive descent: `..name`.
 *
 * json-path.ts evaluates the nodes.
 */
import { appendAll } from '../../values/append';
import type { JsonValue } from '../../values/json';

/** A path with more nodes is rejected. Paths inside of brackets and filters have a limit of their own. */
const MAX_NODES = 100;

/** A parsed path: each node is applied to the values that the nodes before it have selected. */
export type JsonPathNodes = readonly JsonPathNode[];

/** A step of a path. */
export type JsonPathNode =
  | { readonly kind: 'field'; readonly name: string }
  | {
      readonly kind: 'slice';
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly step: number | undefined;
      /** Whether it was written as an index, without a colon. */
      readonly isIndex: boolean;
    }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'recursive' }
  | { readonly kind: 'union'; readonly paths: readonly JsonPathNodes[] }
  /** `operator` is `exists`, without a right operand, or a text of the characters `!<>=`. */
  | { readonly kind: 'filter'; readonly left: JsonPathNodes; readonly operator: string; readonly right: JsonPathNodes }
  /** A number, a boolean or a quoted text. */
  | { readonly kind: 'literal'; readonly value: JsonValue }
  /** A word that is not a boolean: valid syntax, but an error when it is evaluated. */
  | { readonly kind: 'unknown' };

/** The text is not a valid path. */
export class JsonPathSyntaxError extends Error {}

/**
 * Parses a path as upstream parses it between the braces of a template: a closing brace in the text ends it. Throws
 * {@link JsonPathSyntaxError}.
 */
export function parseJsonPath(text: string): JsonPathNodes {
  return new PathReader(text).readPath();
}

/** A letter, a digit or `_`. */
const IDENTIFIER_START = /[\p{L}\p{Nd}_]/u;

/** Parses one path up to a closing brace, which the constructor appends. */
class PathReader {
  private readonly characters: readonly string[];
  private position = 0;
  private readonly nodes: JsonPathNode[] = [];

  constructor(text: string) {
    this.characters = [...text, '}'];
  }

  readPath(): JsonPathNodes {
    while (!this.readNode()) if (this.nodes.length > MAX_NODES) throw new JsonPathSyntaxError();
    return this.nodes;
  }

  private peek(offset = 0): string {
    return this.characters[this.position + offset] ?? '';
  }

  private startsWith(prefix: string): boolean {
    return [...prefix].every((character, index) => this.peek(index) === character);
  }

  /** Reads one node. Returns true at the end of the path. Blanks, `@` and `$` have no meaning. */
  private readNode(): boolean {
    const next = this.peek();
    if (next === '}') return true;
    if (this.startsWith('[?(')) this.readFilter();
    else if (this.startsWith('..')) this.readRecursive();
    else if (next === '' || next === '\n' || next === '\r') throw new JsonPathSyntaxError();
    else if (next === ' ' || next === '@' || next === '$') this.position += 1;
    else if (next === '[') this.readBrackets();
    else if (next === '"' || next === "'") this.readQuoted(next);
    else if (next === '.') {
      this.position += 1;
      this.readField();
    } else if (next === '+' || next === '-' || /\p{Nd}/u.test(next)) this.readNumber();
    else if (IDENTIFIER_START.test(next)) this.readIdentifier();
    else throw new JsonPathSyntaxError();
    return false;
  }

  /** Reads a name, with its backslashes. A character after a backslash belongs to the name, also one that ends names. */
  private readName(): string {
    let name = '';
    while (!isTerminator(this.peek())) {
      if (this.peek() === '\\') {
        name += this.peek();
        this.position += 1;
        if (this.peek() === '') break;
      }
      name += this.peek();
      this.position += 1;
    }
    return name;
  }

  private readField(): void {
    const name = this.readName();
    this.nodes.push(name === '*' ? { kind: 'wildcard' } : { kind: 'field', name: name.replaceAll('\\', '') });
  }

  private readRecursive(): void {
    if (this.nodes.at(-1)?.kind === 'recursive') throw new JsonPathSyntaxError();
    this.position += 2;
    this.nodes.push({ kind: 'recursive' });
    if (IDENTIFIER_START.test(this.peek())) this.readField();
  }

  private readNumber(): void {
    let text = this.peek();
    this.position += 1;
    while (/[\p{Nd}.]/u.test(this.peek())) {
      text += this.peek();
      this.position += 1;
    }
    const value = Number(text);
    if (text === '+' || text === '-' || Number.isNaN(value)) throw new JsonPathSyntaxError();
    this.nodes.push({ kind: 'literal', value });
  }

  private readIdentifier(): void {
    let text = '';
    while (!isTerminator(this.peek())) {
      text += this.peek();
      this.position += 1;
    }
    this.nodes.push(text === 'true' || text === 'false' ? { kind: 'literal', value: text === 'true' } : { kind: 'unknown' });
  }

  private readQuoted(quote: string): void {
    let text = '';
    for (this.position += 1; this.peek() !== quote; this.position += 1) {
      if (this.peek() === '' || this.peek() === '\n') throw new JsonPathSyntaxError();
      if (this.peek() === '\\' && this.peek(1) !== '') this.position += 1;
      text += this.peek();
    }
    this.position += 1;
    this.nodes.push({ kind: 'literal', value: text });
  }

  private readBrackets(): void {
    let text = '';
    for (this.position += 1; this.peek() !== ']'; this.position += 1) {
      if (this.peek() === '' || this.peek() === '\n') throw new JsonPathSyntaxError();
      text += this.peek();
    }
    this.position += 1;
    appendAll(this.nodes, bracketNodes(text));
  }

  private readFilter(): void {
    const text = this.readFilterText();
    const [, left = '', operatorText = ''] = LEFT_AND_OPERATOR.exec(text) ?? [];
    // The right operand is not empty: when nothing else follows, it is the last character of the operator text.
    const operator = text.slice(left.length, Math.min(left.length + operatorText.length, text.length - 1));
    this.nodes.push(
      operator === '' || left === ''
        ? { kind: 'filter', left: parseJsonPath(text), operator: 'exists', right: [] }
        : { kind: 'filter', left: parseJsonPath(left), operator, right: parseJsonPath(text.slice(left.length + operator.length)) },
    );
  }

  /** Reads `[?(…)]` and returns what is between the parentheses. The first quoted text may contain a parenthesis. */
  private readFilterText(): string {
    let text = '';
    let openingQuote = '';
    let isQuoteClosed = false;
    for (this.position += '[?('.length; ; this.position += 1) {
      const next = this.peek();
      if (next === '' || next === '\n') throw new JsonPathSyntaxError();
      const isInQuotedText = openingQuote !== '' && !isQuoteClosed;
      if (next === '"' || next === "'") {
        if (openingQuote === '') openingQuote = next;
        else if (next === openingQuote && this.peek(-1) !== '\\') isQuoteClosed = true;
      } else if (next === ')' && !isInQuotedText) break;
      text += next;
    }
    if (this.peek(1) !== ']') throw new JsonPathSyntaxError();
    this.position += ')]'.length;
    return text;
  }
}

/** The left operand of a filter and its operator: `@.type==` of `@.type=='Ready'`. */
const LEFT_AND_OPERATOR = /^([^!<>=]+)([!<>=]+)/;

function isTerminator(character: string): boolean {
  return character === '' || ' \t\r\n.,[]$@{}'.includes(character);
}

/** For example `'app'`. */
const QUOTED_NAME = /^'([^']*)'$/;
/** For example `2`, `-1`, `1:3` or `0:10:2`. */
const INDEX_OR_SLICE = /^(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?$/;

/** Parses the content of brackets: an index, a slice, `*`, a quoted name, or a union of these. */
function bracketNodes(text: string): readonly JsonPathNode[] {
  const parts = text.split(',');
  if (parts.length > 1) return [{ kind: 'union', paths: parts.map((part) => parseJsonPath(`[${part.trim()}]`)) }];
  const [, name] = QUOTED_NAME.exec(text) ?? [];
  if (name !== undefined) return parseJsonPath(`.${name}`);
  const [, from, colonAndTo, colonAndStep] = INDEX_OR_SLICE.exec(text === '*' ? ':' : text) ?? [];
  if (from === undefined) throw new JsonPathSyntaxError();
  const isIndex = colonAndTo === undefined;
  return [
    { kind: 'slice', from: parseBound(from), to: parseBound(colonAndTo?.slice(1)), step: parseBound(colonAndStep?.slice(1)), isIndex },
  ];
}

function parseBound(text: string | undefined): number | undefined {
  return text === undefined || text === '' || text === '-' ? undefined : Number(text);
}
