/**
 * Label selectors: `a=b,c in (x,y),!d,e>5` → requirements → a matcher. Refusals carry upstream's words. Length and number of
 * requirements are bounded. Never knows which object is being matched.
 */
import { otherQualifiedName } from '../../names/dialect';
import { spellingsOfLabelValue } from '../../names/spellings';
import { compareBytes } from '../../values/json';
import { checkLabelValue, checkQualifiedName } from '../../values/name-formats';
import { quote } from '../../values/quote';
import { SelectorError } from './selector-error';

export type LabelOperator = '=' | '!=' | 'in' | 'notin' | 'exists' | 'absent' | '>' | '<';

export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Distinct, ordered by their bytes: one for `=`, `!=`, `>` and `<`, any number for `in` and `notin`, none otherwise. */
  readonly values: readonly string[];
}

export type LabelMatcher = (labels: Readonly<Record<string, string>>) => boolean;

const MAX_BYTES = 65_536;
const MAX_REQUIREMENTS = 512;

const PUNCTUATION = new Set(['=', '!', '(', ')', ',', '>', '<']);
/** Two-character operators; every other pair of punctuation is two tokens. */
const DOUBLE = new Set(['==', '!=']);
const BLANK = new Set([' ', '\t', '\r', '\n']);
/** Ends the token right before it; anywhere else it ends the selector. */
const NUL = '\0';

type Token =
  | { readonly type: 'word'; readonly text: string }
  | { readonly type: 'punctuation'; readonly text: string }
  | { readonly type: 'end'; readonly text: '' };

const END: Token = { type: 'end', text: '' };

/** Reads a selector; blank text has no requirements. Throws {@link SelectorError}. */
export function parseLabelSelector(text: string): readonly LabelRequirement[] {
  if (Buffer.byteLength(text) > MAX_BYTES) throw new SelectorError(`the label selector is longer than ${MAX_BYTES} bytes`);
  return new LabelSelectorParser(tokens(text)).parse();
}

/** The text that parses to these requirements. */
export function formatLabelSelector(requirements: readonly LabelRequirement[]): string {
  return requirements.map(formatRequirement).join(',');
}

/**
 * Compiles all requirements into one predicate. A key that bears the product's name matches either spelling, and so do the values of such a key: the labels that the
 * server sets follow `--naming`, while clients use the spelling that they were built with.
 */
export function compileLabelSelector(requirements: readonly LabelRequirement[]): LabelMatcher {
  const matchers = requirements.map(compileRequirement);
  const [first, second] = matchers;
  if (first === undefined) return () => true;
  if (second === undefined) return first;
  return (labels) => {
    for (const matches of matchers) if (!matches(labels)) return false;
    return true;
  };
}

function tokens(text: string): Token[] {
  const found: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const character = text.charAt(at);
    if (BLANK.has(character)) {
      at += 1;
    } else if (character === NUL) {
      break;
    } else if (PUNCTUATION.has(character)) {
      const pair = text.slice(at, at + 2);
      const symbol = DOUBLE.has(pair) ? pair : character;
      found.push({ type: 'punctuation', text: symbol });
      at = afterToken(text, at + symbol.length);
    } else {
      const start = at;
      while (at < text.length && !endsWord(text.charAt(at))) at += 1;
      found.push({ type: 'word', text: text.slice(start, at) });
      at = afterToken(text, at);
    }
  }
  return found;
}

function afterToken(text: string, at: number): number {
  return text.charAt(at) === NUL ? at + 1 : at;
}

function endsWord(character: string): boolean {
  return BLANK.has(character) || PUNCTUATION.has(character) || character === NUL;
}

class LabelSelectorParser {
  private position = 0;

  constructor(private readonly all: readonly Token[]) {}

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    if (this.peek().type === 'end') return requirements;
    const first = this.peek();
    if (first.type !== 'word' && first.text !== '!')
      throw new SelectorError(`found '${first.text}', expected: !, identifier, or 'end of string'`);
    for (;;) {
      if (requirements.length === MAX_REQUIREMENTS)
        throw new SelectorError(`the label selector has more than ${MAX_REQUIREMENTS} requirements`);
      requirements.push(this.requirement());
      const separator = this.next();
      if (separator.type === 'end') return requirements;
      if (separator.text !== ',' || separator.type === 'word')
        throw new SelectorError(`found '${separator.text}', expected: ',' or 'end of string'`);
      const following = this.peek();
      if (following.type !== 'word' && following.text !== '!')
        throw new SelectorError(`found '${following.text}', expected: identifier after ','`);
    }
  }

  private requirement(): LabelRequirement {
    const negated = this.take('!');
    const key = this.next();
    if (key.type !== 'word') throw unparsable(`found '${key.text}', expected: identifier`);
    checkKey(key.text);
    if (negated) return { key: key.text, operator: 'absent', values: [] };
    const following = this.peek();
    if (following.type === 'end' || isSymbol(following, ',')) return { key: key.text, operator: 'exists', values: [] };
    const operator = operatorOf(this.next());
    return checked({ key: key.text, operator, values: operator === 'in' || operator === 'notin' ? this.valueList() : [this.value()] });
  }

  /** What follows a comparison: nothing at all counts as the empty value. */
  private value(): string {
    const token = this.peek();
    if (token.type === 'end' || isSymbol(token, ',')) return '';
    if (token.type !== 'word') throw unparsable(`found '${token.text}', expected: identifier`);
    return this.next().text;
  }

  private valueList(): string[] {
    const opening = this.next();
    if (!isSymbol(opening, '(')) throw unparsable(`found '${opening.text}' expected: '('`);
    if (this.take(')')) return [];
    const first = this.peek();
    if (first.type !== 'word' && !isSymbol(first, ',')) throw unparsable(`found '${first.text}', expected: ',', ')' or identifier`);
    const values = new Set<string>();
    for (;;) {
      const token = this.next();
      if (token.type === 'word') {
        values.add(token.text);
        if (this.take(')')) break;
        if (!isSymbol(this.peek(), ',')) throw unparsable(`found '${this.peek().text}', expected: ',' or ')'`);
      } else if (isSymbol(token, ',')) {
        // A comma with nothing before it, and a second comma or the end of the list right after one, stand for the empty value.
        if (values.size === 0) values.add('');
        if (this.take(')')) {
          values.add('');
          break;
        }
        if (this.take(',')) values.add('');
      } else {
        throw unparsable(`found '${token.text}', expected: ',', or identifier`);
      }
    }
    return [...values].sort(compareBytes);
  }

  private peek(): Token {
    return this.all[this.position] ?? END;
  }

  private next(): Token {
    const token = this.peek();
    this.position += 1;
    return token;
  }

  private take(symbol: string): boolean {
    if (!isSymbol(this.peek(), symbol)) return false;
    this.position += 1;
    return true;
  }
}

function isSymbol(token: Token, symbol: string): boolean {
  return token.type === 'punctuation' && token.text === symbol;
}

function operatorOf(token: Token): Exclude<LabelOperator, 'exists' | 'absent'> {
  switch (token.text) {
    case '=':
    case '==':
      return '=';
    case '!=':
    case '>':
    case '<':
    case 'in':
    case 'notin':
      return token.text;
    default:
      throw unparsable(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
  }
}

function unparsable(text: string): SelectorError {
  return new SelectorError(`unable to parse requirement: ${text}`);
}

function checkKey(key: string): void {
  const faults = checkQualifiedName(key);
  if (faults.length > 0) throw unparsable(`<nil>: Invalid value: ${quote(key)}: ${faults.join('; ')}`);
}

function checked(requirement: LabelRequirement): LabelRequirement {
  const { key, operator, values } = requirement;
  const errors: string[] = [];
  values.forEach((value, index) => {
    if ((operator === '>' || operator === '<') && integer(value) === undefined) {
      errors.push(`values[${index}]: Invalid value: ${quote(value)}: for 'Gt', 'Lt' operators, the value must be an integer`);
    }
    const faults = checkLabelValue(value);
    if (faults.length > 0) errors.push(`values[${index}][${key}]: Invalid value: ${quote(value)}: ${faults.join('; ')}`);
  });
  if (errors.length > 0) throw unparsable(errors.length === 1 ? errors.join('') : `[${errors.join(', ')}]`);
  return requirement;
}

const LARGEST = 2n ** 63n - 1n;
const SMALLEST = -(2n ** 63n);

/** A 64-bit decimal integer, or undefined. */
function integer(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return value <= LARGEST && value >= SMALLEST ? value : undefined;
}

function formatRequirement({ key, operator, values }: LabelRequirement): string {
  switch (operator) {
    case 'exists':
      return key;
    case 'absent':
      return `!${key}`;
    case 'in':
    case 'notin':
      return `${key} ${operator} (${values.join(',')})`;
    case '=':
    case '!=':
    case '>':
    case '<':
      return `${key}${operator}${values.join('')}`;
  }
}

function compileRequirement({ key, operator, values }: LabelRequirement): LabelMatcher {
  const find = finder(key);
  const [only = ''] = values;
  const named: ReadonlySet<string | undefined> = new Set(values.flatMap((value) => spellingsOfLabelValue(key, value)));
  switch (operator) {
    case 'exists':
      return (labels) => find(labels) !== undefined;
    case 'absent':
      return (labels) => find(labels) === undefined;
    case '=':
    case 'in':
      return named.size === 1 ? (labels) => find(labels) === only : (labels) => named.has(find(labels));
    case '!=':
    case 'notin':
      return named.size === 1 ? (labels) => find(labels) !== only : (labels) => !named.has(find(labels));
    case '>':
    case '<': {
      const bound = integer(only) ?? 0n;
      return (labels) => {
        const value = integer(find(labels) ?? '');
        return value !== undefined && (operator === '>' ? value > bound : value < bound);
      };
    }
  }
}

function finder(key: string): (labels: Readonly<Record<string, string>>) => string | undefined {
  const other = otherQualifiedName(key);
  const own = (labels: Readonly<Record<string, string>>, name: string): string | undefined => {
    const value = labels[name];
    // Inherited members (`constructor`) are no strings.
    return typeof value === 'string' ? value : undefined;
  };
  if (other === undefined) return (labels) => own(labels, key);
  return (labels) => own(labels, key) ?? own(labels, other);
}
