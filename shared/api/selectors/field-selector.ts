/**
 * Parses and formats field selectors: `spec.nodeName=n1,status.phase!=Running` → terms. Errors have upstream's
 * messages. Which fields a kind supports is checked elsewhere.
 */
import { compareBytes } from '../../values/json';
import { SelectorError } from './selector-error';

/** One term of a field selector; all must hold. */
export interface FieldTerm {
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** Limits of a selector, because it is matched with every object of a list and with every event of a watch. */
const MAX_BYTES = 65_536;
const MAX_TERMS = 512;

/**
 * Parses a selector. Returns its terms sorted by their text, which is the order in which upstream evaluates them and
 * reports their errors. Throws {@link SelectorError}.
 */
export function parseFieldSelector(text: string): readonly FieldTerm[] {
  if (Buffer.byteLength(text) > MAX_BYTES) throw new SelectorError(`the field selector is longer than ${MAX_BYTES} bytes`);
  const parts = splitTerms(text)
    .filter((part) => part !== '')
    .sort(compareBytes);
  if (parts.length > MAX_TERMS) throw new SelectorError(`the field selector has more than ${MAX_TERMS} terms`);
  return parts.map((part) => parseTerm(part, text)).filter((term) => term.field !== '' || term.value !== '');
}

/** The text that {@link parseFieldSelector} parses to these terms. A backslash precedes commas, equals signs and backslashes. */
export function formatFieldSelector(terms: readonly FieldTerm[]): string {
  return terms.map(({ field, operator, value }) => field + operator + value.replace(/[\\,=]/g, '\\$&')).join(',');
}

/** Splits at commas that no backslash escapes. */
function splitTerms(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  for (let position = 0; position < text.length; position += 1) {
    const character = text.charAt(position);
    if (character === '\\') {
      position += 1;
    } else if (character === ',') {
      parts.push(text.slice(start, position));
      start = position + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

/** A backslash does not escape an operator: the first operator in the term splits it. */
const OPERATOR = /!=|==|=/;

function parseTerm(part: string, selector: string): FieldTerm {
  const match = OPERATOR.exec(part);
  if (match === null) throw new SelectorError(`invalid selector: '${selector}'; can't understand '${part}'`);
  const field = part.slice(0, match.index);
  const value = unescapeValue(part.slice(match.index + match[0].length));
  return { field, operator: match[0] === '!=' ? '!=' : '=', value };
}

function unescapeValue(text: string): string {
  let value = '';
  for (let position = 0; position < text.length; position += 1) {
    const character = text.charAt(position);
    if (character === '\\') {
      position += 1;
      const escaped = text.charAt(position);
      if (escaped !== '\\' && escaped !== ',' && escaped !== '=')
        throw new SelectorError(`invalid field selector: invalid escape sequence: \\${escaped}`);
      value += escaped;
    } else if (character === '=') {
      throw new SelectorError(`invalid field selector: unescaped character in value: ${character.charCodeAt(0)}`);
    } else {
      value += character;
    }
  }
  return value;
}
