/**
 * JSON paths of printer columns, with the syntax and the quirks of client-go's `jsonpath` (recorded in
 * test/replay/answers/custom/paths.jsonl):
 * - members: `.a.b`, `.a\.b` for a name with a dot, `['a']`;
 * - indexes, slices and unions of lists: `[0]`, `[-1]`, `[0:2]`, `[0,2]`;
 * - wildcards: `[*]`, `.*`;
 * - filters: `[?(@.type=="Ready")]`;
 * - recursive descent: `..name`.
 *
 * A path is parsed once and evaluated within a budget, because unions and filters visit the same values repeatedly.
 */
import { appendAll } from '../../values/append';
import { isObject, ownMember, sortedKeys, type JsonValue } from '../../values/json';

/**
 * A parsed path. Returns all values at the path, in order. Returns `undefined` when the budget is exhausted, or when the
 * path does not apply to the value; an example is an index beyond the end of a list.
 */
export type JsonPath = (value: JsonValue, budget: PathBudget) => readonly JsonValue[] | undefined;

/** The evaluation budget that the paths of one object share. */
export class PathBudget {
  /** The number of values that may still be visited. */
  private remaining = 50_000;

  /** Throws when the budget is exhausted. */
  spend(values: number): void {
    this.remaining -= values;
    if (this.remaining < 0) throw new BudgetExhausted();
  }
}

/** `undefined` when the text is not a supported path. */
export function readJsonPath(text: string): JsonPath | undefined {
  let nodes: PathNodes;
  try {
    nodes = parse(text);
  } catch (error) {
    if (error instanceof PathSyntaxError) return undefined;
    throw error;
  }
  return (value, budget) => {
    try {
      return evaluatePath(nodes, [value], budget);
    } catch (error) {
      if (error instanceof PathMismatch || error instanceof BudgetExhausted) return undefined;
      throw error;
    }
  };
}

/** A path with more nodes is rejected. Paths inside of brackets and filters have a limit of their own. */
const MAX_NODES = 100;

type PathNodes = readonly PathNode[];

type PathNode =
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
  | { readonly kind: 'union'; readonly paths: readonly PathNodes[] }
  /** `operator` is `exists`, without a right operand, or a text of the characters `!<>=`. */
  | { readonly kind: 'filter'; readonly left: PathNodes; readonly operator: string; readonly right: PathNodes }
  /** A number, a boolean or a quoted text. */
  | { readonly kind: 'literal'; readonly value: JsonValue }
  /** A word that is not a boolean: valid syntax, but an error when it is evaluated. */
  | { readonly kind: 'unknown' };

/** The text is not a valid path. */
class PathSyntaxError extends Error {}

/** The path does not apply to the object. */
class PathMismatch extends Error {}

/** The budget is exhausted. Unlike {@link PathMismatch}, no part of a path may catch it. */
class BudgetExhausted extends Error {}

/** Parses a path as upstream parses it between the braces of a template: a closing brace in the text ends it. */
function parse(text: string): PathNodes {
  return new PathReader(text).readPath();
}

/** A letter, a digit or `_`. */
const IDENTIFIER_START = /[\p{L}\p{Nd}_]/u;

/** Parses one path up to a closing brace, which the constructor appends. */
class PathReader {
  private readonly characters: readonly string[];
  private position = 0;
  private readonly nodes: PathNode[] = [];

  constructor(text: string) {
    this.characters = [...text, '}'];
  }

  readPath(): PathNodes {
    while (!this.readNode()) if (this.nodes.length > MAX_NODES) throw new PathSyntaxError();
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
    else if (next === '' || next === '\n' || next === '\r') throw new PathSyntaxError();
    else if (next === ' ' || next === '@' || next === '$') this.position += 1;
    else if (next === '[') this.readBrackets();
    else if (next === '"' || next === "'") this.readQuoted(next);
    else if (next === '.') {
      this.position += 1;
      this.readField();
    } else if (next === '+' || next === '-' || /\p{Nd}/u.test(next)) this.readNumber();
    else if (IDENTIFIER_START.test(next)) this.readIdentifier();
    else throw new PathSyntaxError();
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
    if (this.nodes.at(-1)?.kind === 'recursive') throw new PathSyntaxError();
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
    if (text === '+' || text === '-' || Number.isNaN(value)) throw new PathSyntaxError();
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
      if (this.peek() === '' || this.peek() === '\n') throw new PathSyntaxError();
      if (this.peek() === '\\' && this.peek(1) !== '') this.position += 1;
      text += this.peek();
    }
    this.position += 1;
    this.nodes.push({ kind: 'literal', value: text });
  }

  private readBrackets(): void {
    let text = '';
    for (this.position += 1; this.peek() !== ']'; this.position += 1) {
      if (this.peek() === '' || this.peek() === '\n') throw new PathSyntaxError();
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
        ? { kind: 'filter', left: parse(text), operator: 'exists', right: [] }
        : { kind: 'filter', left: parse(left), operator, right: parse(text.slice(left.length + operator.length)) },
    );
  }

  /** Reads `[?(…)]` and returns what is between the parentheses. The first quoted text may contain a parenthesis. */
  private readFilterText(): string {
    let text = '';
    let openingQuote = '';
    let isQuoteClosed = false;
    for (this.position += '[?('.length; ; this.position += 1) {
      const next = this.peek();
      if (next === '' || next === '\n') throw new PathSyntaxError();
      const isInQuotedText = openingQuote !== '' && !isQuoteClosed;
      if (next === '"' || next === "'") {
        if (openingQuote === '') openingQuote = next;
        else if (next === openingQuote && this.peek(-1) !== '\\') isQuoteClosed = true;
      } else if (next === ')' && !isInQuotedText) break;
      text += next;
    }
    if (this.peek(1) !== ']') throw new PathSyntaxError();
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
function bracketNodes(text: string): readonly PathNode[] {
  const parts = text.split(',');
  if (parts.length > 1) return [{ kind: 'union', paths: parts.map((part) => parse(`[${part.trim()}]`)) }];
  const [, name] = QUOTED_NAME.exec(text) ?? [];
  if (name !== undefined) return parse(`.${name}`);
  const [, from, colonAndTo, colonAndStep] = INDEX_OR_SLICE.exec(text === '*' ? ':' : text) ?? [];
  if (from === undefined) throw new PathSyntaxError();
  const isIndex = colonAndTo === undefined;
  return [
    { kind: 'slice', from: parseBound(from), to: parseBound(colonAndTo?.slice(1)), step: parseBound(colonAndStep?.slice(1)), isIndex },
  ];
}

function parseBound(text: string | undefined): number | undefined {
  return text === undefined || text === '' || text === '-' ? undefined : Number(text);
}

function evaluatePath(path: PathNodes, values: readonly JsonValue[], budget: PathBudget): readonly JsonValue[] {
  let matches = values;
  for (const node of path) {
    budget.spend(1 + matches.length);
    matches = evaluateNode(node, matches, budget);
  }
  return matches;
}

function evaluateNode(node: PathNode, values: readonly JsonValue[], budget: PathBudget): readonly JsonValue[] {
  switch (node.kind) {
    case 'field':
      return values.flatMap((value) => (isObject(value) ? asList(ownMember(value, node.name)) : []));
    case 'slice':
      return evaluateSlice(node, values, budget);
    case 'wildcard':
      return evaluateWildcard(values, budget);
    case 'recursive':
      return evaluateRecursive(values, budget);
    case 'union':
      return node.paths.flatMap((path) => evaluatePath(path, values, budget));
    case 'filter':
      return values.flatMap((value) => evaluateFilter(node, value, budget));
    case 'literal':
      return values.map(() => node.value);
    case 'unknown':
      throw new PathMismatch();
  }
}

const asList = (value: JsonValue | undefined): readonly JsonValue[] => (value === undefined ? [] : [value]);

function childrenOf(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? sortedKeys(value).map((name) => value[name] ?? null) : [];
}

function evaluateWildcard(values: readonly JsonValue[], budget: PathBudget): readonly JsonValue[] {
  const matches: JsonValue[] = [];
  for (const value of values) {
    const childValues = childrenOf(value);
    budget.spend(childValues.length);
    appendAll(matches, childValues);
  }
  return matches;
}

/** The values themselves and all values below them that are non-empty objects or lists, parents first. */
function evaluateRecursive(values: readonly JsonValue[], budget: PathBudget): readonly JsonValue[] {
  const matches: JsonValue[] = [];
  const stack = [...values].reverse();
  for (let value = stack.pop(); value !== undefined; value = stack.pop()) {
    const childValues = childrenOf(value);
    if (childValues.length === 0) continue;
    budget.spend(childValues.length);
    matches.push(value);
    for (let i = childValues.length - 1; i >= 0; i -= 1) stack.push(childValues[i] ?? null);
  }
  return matches;
}

/** As upstream, an index that is out of range is an error, and an empty slice ends the result: later lists are skipped. */
function evaluateSlice(node: Extract<PathNode, { kind: 'slice' }>, values: readonly JsonValue[], budget: PathBudget): readonly JsonValue[] {
  const matches: JsonValue[] = [];
  for (const value of values) {
    if (value === null) continue;
    if (!Array.isArray(value)) throw new PathMismatch();
    const { length } = value;
    let from = node.from ?? 0;
    if (from < 0) from += length;
    let to = node.isIndex ? (node.from ?? 0) + 1 : (node.to ?? length);
    if (to < 0 || (to === 0 && node.isIndex)) to += length;
    if (from === to) return matches;
    const isInList = from >= 0 && from < length && from <= to && to <= length;
    if (!isInList) throw new PathMismatch();
    const step = node.step ?? 1;
    if (step <= 0) throw new PathMismatch();
    budget.spend(to - from);
    for (let i = from; i < to; i += step) matches.push(value[i] ?? null);
  }
  return matches;
}

function evaluateFilter(
  { left, operator, right }: Extract<PathNode, { kind: 'filter' }>,
  value: JsonValue,
  budget: PathBudget,
): readonly JsonValue[] {
  if (!Array.isArray(value)) throw new PathMismatch();
  budget.spend(value.length);
  return value.filter((item) => {
    if (operator === 'exists') return evaluateOrEmpty(left, item, budget).length > 0;
    const [leftValue, ...moreLeft] = evaluatePath(left, [item], budget);
    if (leftValue === undefined) return false;
    const [rightValue, ...moreRight] = evaluatePath(right, [item], budget);
    // Only single values can be compared.
    if (moreLeft.length > 0 || moreRight.length > 0) throw new PathMismatch();
    return rightValue !== undefined && compare(leftValue, operator, rightValue);
  });
}

/** {@link evaluatePath}; no values when the path does not apply. */
function evaluateOrEmpty(path: PathNodes, item: JsonValue, budget: PathBudget): readonly JsonValue[] {
  try {
    return evaluatePath(path, [item], budget);
  } catch (error) {
    if (error instanceof PathMismatch) return [];
    throw error;
  }
}

/**
 * Throws {@link PathMismatch} for values that cannot be compared: values of different types (an integer and a number
 * with a fraction are different types), nulls, objects and lists, and booleans by their order.
 */
function compare(a: JsonValue, operator: string, b: JsonValue): boolean {
  const kind = comparisonKind(a);
  const areScalars = a !== null && b !== null && typeof a !== 'object' && typeof b !== 'object';
  if (kind !== comparisonKind(b) || !areScalars) throw new PathMismatch();
  const isEqual = a === b || (kind === 'integer' && BigInt(a) === BigInt(b));
  if (operator === '==') return isEqual;
  if (operator === '!=') return !isEqual;
  if (kind === 'boolean') throw new PathMismatch();
  switch (operator) {
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    default:
      throw new PathMismatch();
  }
}

function comparisonKind(value: JsonValue): string {
  if (typeof value === 'bigint') return 'integer';
  return typeof value === 'number' && Number.isSafeInteger(value) ? 'integer' : typeof value;
}
