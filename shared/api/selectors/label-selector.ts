/**
 * Parses, formats and compiles label selectors: `a=b,c in (x,y),!d,e>5` → requirements → a matcher. Errors have
 * upstream's messages. The length and the number of requirements are limited.
 */
import { otherQualifiedName } from '../../names/dialect';
import { spellingsOfLabelValue } from '../../names/spellings';
import { compareBytes } from '../../values/json';
import { checkLabelValue, checkQualifiedName } from '../../values/name-formats';
import { quote } from '../../values/text/quote';
import { SelectorError } from './selector-error';

export type LabelOperator = '=' | '!=' | 'in' | 'notin' | 'exists' | 'absent' | '>' | '<';

/** One term of a label selector; all must hold. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: LabelOperator;
  /** Sorted by bytes: one for `=`, `!=`, `>` and `<`, any number for `in` and `notin`, none otherwise. */
  readonly values: readonly string[];
}

/** A compiled selector: whether an object with these labels matches. */
export type LabelMatcher = (labels: Readonly<Record<string, string>>) => boolean;

/** Limits of a selector, because it is matched with every object of a list and with every event of a watch. */
const MAX_BYTES = 65_536;
const MAX_REQUIREMENTS = 512;

const PUNCTUATION = new Set(['=', '!', '(', ')', ',', '>', '<']);
/** Two-character operators; any other pair of punctuation is two tokens. */
const TWO_CHARACTER_OPERATORS = new Set(['==', '!=']);
const BLANK = new Set([' ', '\t', '\r', '\n']);
/** Directly after a token it ends only that token; anywhere else it ends the selector (a quirk of upstream's lexer). */
const NUL = '\0';

type Token =
  | { readonly type: 'word'; readonly text: string }
  | { readonly type: 'punctuation'; readonly text: string }
  | { readonly type: 'end'; readonly text: '' };

const END: Token = { type: 'end', text: '' };

/** Parses a selector; a blank text has no requirements. Throws {@link SelectorError}. */
export function parseLabelSelector(text: string): readonly LabelRequirement[] {
  if (Buffer.byteLength(text) > MAX_BYTES) throw new SelectorError(`the label selector is longer than ${MAX_BYTES} bytes`);
  return new LabelSelectorParser(tokenize(text)).parse();
}

/** The text that {@link parseLabelSelector} parses to these requirements. */
export function formatLabelSelector(requirements: readonly LabelRequirement[]): string {
  return requirements.map(formatRequirement).join(',');
}

/**
 * Compiles all requirements into one predicate. A key that bears the product's name matches either spelling, and so do
 * the values of such a key: the labels that the server sets follow `--naming`, while clients use the spelling that they
 * were built with.
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

function tokenize(text: string): Token[] {
  const tokens: Token[] = [];
  let position = 0;
  while (position < text.length) {
    const character = text.charAt(position);
    if (BLANK.has(character)) {
      position += 1;
    } else if (character === NUL) {
      break;
    } else if (PUNCTUATION.has(character)) {
      const pair = text.slice(position, position + 2);
      const symbol = TWO_CHARACTER_OPERATORS.has(pair) ? pair : character;
      tokens.push({ type: 'punctuation', text: symbol });
      position = skipNul(text, position + symbol.length);
    } else {
      const start = position;
      while (position < text.length && !endsWord(text.charAt(position))) position += 1;
      tokens.push({ type: 'word', text: text.slice(start, position) });
      position = skipNul(text, position);
    }
  }
  return tokens;
}

function skipNul(text: string, position: number): number {
  return text.charAt(position) === NUL ? position + 1 : position;
}

function endsWord(character: string): boolean {
  return BLANK.has(character) || PUNCTUATION.has(character) || character === NUL;
}

/** A recursive-descent parser with one token of lookahead; its methods are in the order of the grammar. */
class LabelSelectorParser {
  private position = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  parse(): LabelRequirement[] {
    const requirements: LabelRequirement[] = [];
    if (this.peek().type === 'end') return requirements;
    const first = this.peek();
    if (first.type !== 'word' && first.text !== '!')
      throw new SelectorError(`found '${first.text}', expected: !, identifier, or 'end of string'`);
    for (;;) {
      if (requirements.length === MAX_REQUIREMENTS)
        throw new SelectorError(`the label selector has more than ${MAX_REQUIREMENTS} requirements`);
      requirements.push(this.parseRequirement());
      const separator = this.next();
      if (separator.type === 'end') return requirements;
      if (!isSymbol(separator, ',')) throw new SelectorError(`found '${separator.text}', expected: ',' or 'end of string'`);
      const following = this.peek();
      if (following.type !== 'word' && following.text !== '!')
        throw new SelectorError(`found '${following.text}', expected: identifier after ','`);
    }
  }

  private parseRequirement(): LabelRequirement {
    const isNegated = this.accept('!');
    const key = this.next();
    if (key.type !== 'word') throw requirementError(`found '${key.text}', expected: identifier`);
    checkKey(key.text);
    if (isNegated) return { key: key.text, operator: 'absent', values: [] };
    const following = this.peek();
    if (following.type === 'end' || isSymbol(following, ',')) return { key: key.text, operator: 'exists', values: [] };
    const operator = operatorOf(this.next());
    return checkedRequirement({
      key: key.text,
      operator,
      values: operator === 'in' || operator === 'notin' ? this.parseValueList() : [this.parseValue()],
    });
  }

  /** The value after an operator; a missing value is the empty string. */
  private parseValue(): string {
    const token = this.peek();
    if (token.type === 'end' || isSymbol(token, ',')) return '';
    if (token.type !== 'word') throw requirementError(`found '${token.text}', expected: identifier`);
    return this.next().text;
  }

  private parseValueList(): string[] {
    const opening = this.next();
    if (!isSymbol(opening, '(')) throw requirementError(`found '${opening.text}' expected: '('`);
    if (this.accept(')')) return [];
    const first = this.peek();
    if (first.type !== 'word' && !isSymbol(first, ',')) throw requirementError(`found '${first.text}', expected: ',', ')' or identifier`);
    const values = new Set<string>();
    for (;;) {
      const token = this.next();
      if (token.type === 'word') {
        values.add(token.text);
        if (this.accept(')')) break;
        if (!isSymbol(this.peek(), ',')) throw requirementError(`found '${this.peek().text}', expected: ',' or ')'`);
      } else if (isSymbol(token, ',')) {
        // A leading comma, two adjacent commas and a trailing comma each add the empty value.
        if (values.size === 0) values.add('');
        if (this.accept(')')) {
          values.add('');
          break;
        }
        if (this.accept(',')) values.add('');
      } else {
        throw requirementError(`found '${token.text}', expected: ',', or identifier`);
      }
    }
    return [...values].sort(compareBytes);
  }

  private peek(): Token {
    return this.tokens[this.position] ?? END;
  }

  private next(): Token {
    const token = this.peek();
    this.position += 1;
    return token;
  }

  private accept(symbol: string): boolean {
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
      throw requirementError(`found '${token.text}', expected: in, notin, =, ==, !=, gt, lt`);
  }
}

function requirementError(text: string): SelectorError {
  return new SelectorError(`unable to parse requirement: ${text}`);
}

function checkKey(key: string): void {
  const errors = checkQualifiedName(key);
  if (errors.length > 0) throw requirementError(`<nil>: Invalid value: ${quote(key)}: ${errors.join('; ')}`);
}

/** Returns the requirement when its values are valid. */
function checkedRequirement(requirement: LabelRequirement): LabelRequirement {
  const { key, operator, values } = requirement;
  const errors: string[] = [];
  values.forEach((value, index) => {
    if ((operator === '>' || operator === '<') && parseInt64(value) === undefined) {
      errors.push(`values[${index}]: Invalid value: ${quote(value)}: for 'Gt', 'Lt' operators, the value must be an integer`);
    }
    const reasons = checkLabelValue(value);
    if (reasons.length > 0) errors.push(`values[${index}][${key}]: Invalid value: ${quote(value)}: ${reasons.join('; ')}`);
  });
  if (errors.length > 0) throw requirementError(errors.length === 1 ? errors.join('') : `[${errors.join(', ')}]`);
  return requirement;
}

const MAX_INT64 = 2n ** 63n - 1n;
const MIN_INT64 = -(2n ** 63n);

/** A 64-bit decimal integer; `undefined` for any other text. */
function parseInt64(text: string): bigint | undefined {
  if (!/^[+-]?[0-9]+$/.test(text)) return undefined;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return value <= MAX_INT64 && value >= MIN_INT64 ? value : undefined;
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
  const getLabel = labelGetter(key);
  const [firstValue = ''] = values;
  const acceptedValues: ReadonlySet<string | undefined> = new Set(values.flatMap((value) => spellingsOfLabelValue(key, value)));
  switch (operator) {
    case 'exists':
      return (labels) => getLabel(labels) !== undefined;
    case 'absent':
      return (labels) => getLabel(labels) === undefined;
    case '=':
    case 'in':
      return acceptedValues.size === 1 ? (labels) => getLabel(labels) === firstValue : (labels) => acceptedValues.has(getLabel(labels));
    case '!=':
    case 'notin':
      return acceptedValues.size === 1 ? (labels) => getLabel(labels) !== firstValue : (labels) => !acceptedValues.has(getLabel(labels));
    case '>':
    case '<': {
      const bound = parseInt64(firstValue) ?? 0n;
      return (labels) => {
        const value = parseInt64(getLabel(labels) ?? '');
        return value !== undefined && (operator === '>' ? value > bound : value < bound);
      };
    }
  }
}

/** Returns a function that reads the label under either spelling of its key. */
function labelGetter(key: string): (labels: Readonly<Record<string, string>>) => string | undefined {
  const other = otherQualifiedName(key);
  const labelValue = (labels: Readonly<Record<string, string>>, name: string): string | undefined => {
    const value = labels[name];
    // Inherited properties (`constructor`) are not strings.
    return typeof value === 'string' ? value : undefined;
  };
  if (other === undefined) return (labels) => labelValue(labels, key);
  return (labels) => labelValue(labels, key) ?? labelValue(labels, other);
}
