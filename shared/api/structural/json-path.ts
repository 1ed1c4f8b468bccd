/**
 * JSON paths as the columns of tables use them, in upstream's dialect and with its odd corners: members (`.a.b`, dots escaped, `['a']`), indexes, slices
 * and unions of lists (`[0]`, `[-1]`, `[0:2]`, `[0,2]`), everything (`[*]`, `.*`), filters (`[?(@.type=="Ready")]`) and everything below (`..name`). Read
 * once, evaluated within a budget of work, because unions and filters walk the same part again and again.
 */
import { appendAll } from '../../values/append';
import { isObject, own, sortedKeys, type JsonValue } from '../../values/json';

/** All values at the path, in order; undefined = the path does not fit the value, or there is no budget left to find out. */
export type JsonPath = (value: JsonValue, budget: PathBudget) => readonly JsonValue[] | undefined;

/** What the paths of one object may take together. */
export class PathBudget {
  /** Values that may still be looked at. */
  private left = 50_000;

  /** Throws when nothing is left. */
  spend(values: number): void {
    this.left -= values;
    if (this.left < 0) throw new Exhausted();
  }
}

/** Undefined for a text that is no such path. */
export function readJsonPath(text: string): JsonPath | undefined {
  let nodes: PathNodes;
  try {
    nodes = parse(text);
  } catch (error) {
    if (error instanceof Misread) return undefined;
    throw error;
  }
  return (value, budget) => {
    try {
      return walk(nodes, [value], budget);
    } catch (error) {
      if (error instanceof Misfit || error instanceof Exhausted) return undefined;
      throw error;
    }
  };
}

/** A longer path is not followed. */
const MOST_NODES = 100;

type PathNodes = readonly PathNode[];

type PathNode =
  | { readonly kind: 'field'; readonly name: string }
  | {
      readonly kind: 'slice';
      readonly from: number | undefined;
      readonly to: number | undefined;
      readonly step: number | undefined;
      readonly single: boolean;
    }
  | { readonly kind: 'wildcard' }
  | { readonly kind: 'recursive' }
  | { readonly kind: 'union'; readonly paths: readonly PathNodes[] }
  | { readonly kind: 'filter'; readonly left: PathNodes; readonly operator: string; readonly right: PathNodes }
  | { readonly kind: 'literal'; readonly value: JsonValue }
  | { readonly kind: 'unknown' };

/** Not to be read as a path. */
class Misread extends Error {}

/** The path does not fit the object. */
class Misfit extends Error {}

/** No part of a path can set it aside. */
class Exhausted extends Error {}

/** What stands between braces in upstream's templates; only the first pair of braces counts. */
function parse(text: string): PathNodes {
  return new PathReader(text).path();
}

const IDENTIFIER_START = /[\p{L}\p{Nd}_]/u;

/** Reads one path, up to the closing brace that is not there. */
class PathReader {
  private readonly characters: readonly string[];
  private at = 0;
  private readonly nodes: PathNode[] = [];

  constructor(text: string) {
    this.characters = [...text, '}'];
  }

  path(): PathNodes {
    while (!this.step()) if (this.nodes.length > MOST_NODES) throw new Misread();
    return this.nodes;
  }

  private peek(offset = 0): string {
    return this.characters[this.at + offset] ?? '';
  }

  private starts(prefix: string): boolean {
    return [...prefix].every((character, index) => this.peek(index) === character);
  }

  /** True at the end. */
  private step(): boolean {
    const next = this.peek();
    if (next === '}') return true;
    if (this.starts('[?(')) this.filter();
    else if (this.starts('..')) this.recursive();
    else if (next === '' || next === '\n' || next === '\r') throw new Misread();
    else if (next === ' ' || next === '@' || next === '$') this.at += 1;
    else if (next === '[') this.brackets();
    else if (next === '"' || next === "'") this.quoted(next);
    else if (next === '.') this.field(1);
    else if (next === '+' || next === '-' || /\p{Nd}/u.test(next)) this.number();
    else if (IDENTIFIER_START.test(next)) this.identifier();
    else throw new Misread();
    return false;
  }

  /** Up to what ends a name; a backslash takes the character after it along. */
  private name(): string {
    let name = '';
    while (!isTerminator(this.peek())) {
      if (this.peek() === '\\') {
        name += this.peek();
        this.at += 1;
        if (this.peek() === '') break;
      }
      name += this.peek();
      this.at += 1;
    }
    return name;
  }

  private field(skip: number): void {
    this.at += skip;
    const name = this.name();
    this.nodes.push(name === '*' ? { kind: 'wildcard' } : { kind: 'field', name: name.replaceAll('\\', '') });
  }

  private recursive(): void {
    if (this.nodes.at(-1)?.kind === 'recursive') throw new Misread();
    this.at += 2;
    this.nodes.push({ kind: 'recursive' });
    if (IDENTIFIER_START.test(this.peek())) this.field(0);
  }

  private number(): void {
    let text = this.peek();
    this.at += 1;
    while (/[\p{Nd}.]/u.test(this.peek())) {
      text += this.peek();
      this.at += 1;
    }
    const value = Number(text);
    if (text === '+' || text === '-' || Number.isNaN(value)) throw new Misread();
    this.nodes.push({ kind: 'literal', value });
  }

  private identifier(): void {
    let text = '';
    while (!isTerminator(this.peek())) {
      text += this.peek();
      this.at += 1;
    }
    this.nodes.push(text === 'true' || text === 'false' ? { kind: 'literal', value: text === 'true' } : { kind: 'unknown' });
  }

  private quoted(quote: string): void {
    let text = '';
    for (this.at += 1; this.peek() !== quote; this.at += 1) {
      if (this.peek() === '' || this.peek() === '\n') throw new Misread();
      if (this.peek() === '\\' && this.peek(1) !== '') this.at += 1;
      text += this.peek();
    }
    this.at += 1;
    this.nodes.push({ kind: 'literal', value: text });
  }

  private brackets(): void {
    let text = '';
    for (this.at += 1; this.peek() !== ']'; this.at += 1) {
      if (this.peek() === '' || this.peek() === '\n') throw new Misread();
      text += this.peek();
    }
    this.at += 1;
    appendAll(this.nodes, bracketNodes(text));
  }

  private filter(): void {
    let text = '';
    let quote = '';
    let closed = false;
    for (this.at += 3; ; this.at += 1) {
      const next = this.peek();
      if (next === '' || next === '\n') throw new Misread();
      if (next === '"' || next === "'") {
        if (quote === '') quote = next;
        else if (next === quote && this.peek(-1) !== '\\') closed = true;
      } else if (next === ')' && (quote === '') === !closed) break;
      text += next;
    }
    if (this.peek(1) !== ']') throw new Misread();
    this.at += 2;
    const [, left = '', marks = ''] = /^([^!<>=]+)([!<>=]+)/.exec(text) ?? [];
    // Something has to stand on the right: where nothing else does, it is the last of the marks.
    const operator = text.slice(left.length, Math.min(left.length + marks.length, text.length - 1));
    this.nodes.push(
      operator === '' || left === ''
        ? { kind: 'filter', left: parse(text), operator: 'exists', right: [] }
        : { kind: 'filter', left: parse(left), operator, right: parse(text.slice(left.length + operator.length)) },
    );
  }
}

function isTerminator(character: string): boolean {
  return character === '' || ' \t\r\n.,[]$@{}'.includes(character);
}

/** What stands between brackets: an index, a slice, a name in quotes, several of these. */
function bracketNodes(text: string): readonly PathNode[] {
  const parts = text.split(',');
  if (parts.length > 1) return [{ kind: 'union', paths: parts.map((part) => parse(`[${part.trim()}]`)) }];
  const [, name] = /^'([^']*)'$/.exec(text) ?? [];
  if (name !== undefined) return parse(`.${name}`);
  const [, from, to, step] = /^(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?$/.exec(text === '*' ? ':' : text) ?? [];
  if (from === undefined) throw new Misread();
  const bound = (part: string | undefined): number | undefined =>
    part === undefined || part === '' || part === '-' ? undefined : Number(part);
  return [{ kind: 'slice', from: bound(from), to: bound(to?.slice(1)), step: bound(step?.slice(1)), single: to === undefined }];
}

function walk(path: PathNodes, values: readonly JsonValue[], budget: PathBudget): readonly JsonValue[] {
  let found = values;
  for (const node of path) {
    budget.spend(1 + found.length);
    found = evaluate(node, found, budget);
  }
  return found;
}

function evaluate(node: PathNode, values: readonly JsonValue[], budget: PathBudget): readonly JsonValue[] {
  switch (node.kind) {
    case 'field':
      return values.flatMap((value) => (isObject(value) ? wrapped(own(value, node.name)) : []));
    case 'slice':
      return slices(node, values, budget);
    case 'wildcard':
      return wildcard(values, budget);
    case 'recursive':
      return descend(values, budget);
    case 'union':
      return node.paths.flatMap((path) => walk(path, values, budget));
    case 'filter':
      return values.flatMap((value) => filtered(node, value, budget));
    case 'literal':
      return values.map(() => node.value);
    case 'unknown':
      throw new Misfit();
  }
}

const wrapped = (value: JsonValue | undefined): readonly JsonValue[] => (value === undefined ? [] : [value]);

function children(value: JsonValue): readonly JsonValue[] {
  if (Array.isArray(value)) return value;
  return isObject(value) ? sortedKeys(value).map((name) => value[name] ?? null) : [];
}

function wildcard(values: readonly JsonValue[], budget: PathBudget): readonly JsonValue[] {
  const found: JsonValue[] = [];
  for (const value of values) {
    const below = children(value);
    budget.spend(below.length);
    appendAll(found, below);
  }
  return found;
}

/** Everything that has something in it, from the top down. */
function descend(values: readonly JsonValue[], budget: PathBudget): readonly JsonValue[] {
  const found: JsonValue[] = [];
  const waiting = [...values].reverse();
  for (let value = waiting.pop(); value !== undefined; value = waiting.pop()) {
    const below = children(value);
    if (below.length === 0) continue;
    budget.spend(below.length);
    found.push(value);
    for (let i = below.length - 1; i >= 0; i -= 1) waiting.push(below[i] ?? null);
  }
  return found;
}

function slices(node: Extract<PathNode, { kind: 'slice' }>, values: readonly JsonValue[], budget: PathBudget): readonly JsonValue[] {
  const found: JsonValue[] = [];
  for (const value of values) {
    if (value === null) continue;
    if (!Array.isArray(value)) throw new Misfit();
    const { length } = value;
    let from = node.from ?? 0;
    if (from < 0) from += length;
    let to = node.single ? (node.from ?? 0) + 1 : (node.to ?? length);
    if (to < 0 || (to === 0 && node.single)) to += length;
    if (from === to) return found;
    if (from < 0 || from >= length || to < 0 || to > length || from > to) throw new Misfit();
    const step = node.step ?? 1;
    if (step <= 0) throw new Misfit();
    budget.spend(to - from);
    for (let i = from; i < to; i += step) found.push(value[i] ?? null);
  }
  return found;
}

function filtered(
  { left, operator, right }: Extract<PathNode, { kind: 'filter' }>,
  value: JsonValue,
  budget: PathBudget,
): readonly JsonValue[] {
  if (!Array.isArray(value)) throw new Misfit();
  budget.spend(value.length);
  return value.filter((item) => {
    if (operator === 'exists') return evaluateFrom(left, item, budget).length > 0;
    const [a, ...moreLeft] = walk(left, [item], budget);
    if (a === undefined) return false;
    const [b, ...moreRight] = walk(right, [item], budget);
    if (moreLeft.length > 0 || moreRight.length > 0) throw new Misfit();
    return b !== undefined && compare(a, operator, b);
  });
}

/** A misfit counts as nothing found. */
function evaluateFrom(path: PathNodes, item: JsonValue, budget: PathBudget): readonly JsonValue[] {
  try {
    return walk(path, [item], budget);
  } catch (error) {
    if (error instanceof Misfit) return [];
    throw error;
  }
}

/** Values of different kinds cannot be compared, nor can an integer with a fraction. */
function compare(a: JsonValue, operator: string, b: JsonValue): boolean {
  const kind = kindOf(a);
  if (kind !== kindOf(b) || a === null || b === null || typeof a === 'object' || typeof b === 'object') throw new Misfit();
  const same = a === b || (kind === 'integer' && BigInt(a) === BigInt(b));
  if (operator === '==') return same;
  if (operator === '!=') return !same;
  if (kind === 'boolean') throw new Misfit();
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
      throw new Misfit();
  }
}

function kindOf(value: JsonValue): string {
  if (typeof value === 'bigint') return 'integer';
  return typeof value === 'number' && Number.isSafeInteger(value) ? 'integer' : typeof value;
}
