/**
 * Formats YAML in the style of upstream's responses:
 *
 * - Collections are in block style, with list items at the indentation of their key and keys in natural order.
 * - A string is plain where a parser reads it as a string, and quoted otherwise.
 * - A string of several lines is a literal block scalar, unless it has characters or blanks that need escapes.
 */
import { isObject, stringifyJsonNumber, type JsonObject, type JsonValue } from '../../values/json';
import { resolvePlain } from './yaml-scalar';
import { ParseError } from '../json/parse-error';

/** Formats a value as one document, which ends with a line break. */
export function stringifyYaml(value: JsonValue): string {
  if (isObject(value) && Object.keys(value).length > 0) return writeMapping(value, '');
  if (Array.isArray(value) && value.length > 0) return writeSequence(value, '');
  return `${writeScalar(value, '', 0)}\n`;
}

function writeMapping(object: JsonObject, indent: string): string {
  let text = '';
  for (const key of Object.keys(object).sort(compareNaturally)) {
    const head = `${indent}${writeKey(key)}:`;
    text += head + writeMember(object[key] ?? null, indent, head.length + 1);
  }
  return text;
}

function writeMember(value: JsonValue, indent: string, column: number): string {
  if (Array.isArray(value) && value.length > 0) return `\n${writeSequence(value, indent)}`;
  if (isObject(value) && Object.keys(value).length > 0) return `\n${writeMapping(value, `${indent}  `)}`;
  return ` ${writeScalar(value, `${indent}  `, column)}\n`;
}

function writeSequence(items: readonly JsonValue[], indent: string): string {
  const inner = `${indent}  `;
  let text = '';
  for (const item of items) {
    // The first line of a nested collection is on the line of the dash.
    if (isObject(item) && Object.keys(item).length > 0) text += `${indent}- ${writeMapping(item, inner).slice(inner.length)}`;
    else if (Array.isArray(item) && item.length > 0) text += `${indent}- ${writeSequence(item, inner).slice(inner.length)}`;
    else text += `${indent}- ${writeScalar(item, inner, inner.length)}\n`;
  }
  return text;
}

/** In place of the start column of keys: a column that never exceeds {@link WIDTH}, because keys are not folded. */
const NEVER_FOLDED = -Infinity;

function writeKey(key: string): string {
  // Plain, `<<` would be a merge key.
  if (key.includes('\n') || key === '<<') return quoteDouble(key);
  return writeText(key, '', NEVER_FOLDED);
}

/** Formats a scalar or an empty collection. `column` is its start column, for the folding of long lines. */
function writeScalar(value: JsonValue, indent: string, column: number): string {
  switch (typeof value) {
    case 'string':
      return writeText(value, indent, column);
    case 'number':
    case 'bigint':
      return stringifyJsonNumber(value);
    case 'boolean':
      return String(value);
    default:
      break;
  }
  if (value === null) return 'null';
  return Array.isArray(value) ? '[]' : '{}';
}

/**
 * Characters that upstream's encoder writes as escapes: all but the listed ranges, which leave out control characters (the tab
 * too), surrogates, the byte order mark and code points beyond U+FFFF; and the separators of lines and paragraphs.
 */
const SPECIAL = /[^\n\x20-\x7e\u00a0-\ud7ff\ue000-\ufefe\uff00-\ufffd]|\u2028|\u2029/u;
/** A text that YAML 1.1 reads as a time: `2024-05-01`, `2024-5-1 10:20:30.5 +2`. */
const TIMESTAMP = /^\d{4}-\d\d?-\d\d?(?:(?:[Tt]|[ \t]+)\d\d?:\d\d?:\d\d?(?:\.\d*)?(?:[ \t]*(?:Z|[-+]\d\d?(?::\d\d)?))?)?$/;
/** A text that YAML 1.1 reads as a number to base 60: `190:20:30`. */
const SEXAGESIMAL = /^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$/;

/** `indent` is that of further lines, `column` the start column of the text. */
function writeText(text: string, indent: string, column: number): string {
  if (text === '') return '""';
  const hasLines = text.includes('\n');
  // A literal block has no escapes, and blanks at the end of its lines would not be visible.
  const hasBlanksAtLineEnd = hasLines && / (?:\n|$)/.test(text);
  if (SPECIAL.test(text) || hasBlanksAtLineEnd) return foldLine(quoteDouble(text), { indent, column, style: 'double-quoted' });
  if (hasLines) return formatLiteralBlock(text, indent);
  // Numbers and times are short, so they need no folding.
  if (wouldReadAsOtherType(text)) return quoteDouble(text);
  return foldLine(isPlain(text) ? text : quoteSingle(text), { indent, column, style: 'other' });
}

/** Column after which long scalars are folded, as upstream's encoder does. */
const WIDTH = 80;

interface FoldOptions {
  /** Of the continuation lines. */
  readonly indent: string;
  /** The start column of the text. */
  readonly column: number;
  /** A double-quoted text can be broken before several spaces too: `\` keeps the rest of them. */
  readonly style: 'double-quoted' | 'other';
}

/**
 * Replaces spaces beyond the width by line breaks, which a parser reads as spaces. Before a further space, a double-quoted
 * text continues with `\`, because a parser skips the blanks at the beginning of a line.
 */
function foldLine(text: string, { indent, column: startColumn, style }: FoldOptions): string {
  if (startColumn + text.length <= WIDTH || !text.includes(' ')) return text;
  let folded = '';
  let column = startColumn;
  for (let i = 0; i < text.length; i += 1) {
    if (column > WIDTH && canBreakAt(text, i, style)) {
      folded += `\n${indent}${style === 'double-quoted' && text.charAt(i + 1) === ' ' ? '\\' : ''}`;
      column = indent.length;
    } else {
      folded += text.charAt(i);
      column += 1;
    }
  }
  return folded;
}

/** Whether a line break can replace the character: a space, not beside the quotation marks, and outside of quotes a single one. */
function canBreakAt(text: string, index: number, style: FoldOptions['style']): boolean {
  if (text.charAt(index) !== ' ' || index < 2 || index > text.length - 3) return false;
  return style === 'double-quoted' || (text.charAt(index - 1) !== ' ' && text.charAt(index + 1) !== ' ');
}

/** Whether a parser of YAML 1.1 would read the plain text as a number, boolean, null or time. */
function wouldReadAsOtherType(text: string): boolean {
  if (TIMESTAMP.test(text) || SEXAGESIMAL.test(text)) return true;
  try {
    return typeof resolvePlain(text) !== 'string';
  } catch (error) {
    if (error instanceof ParseError) return true;
    throw error;
  }
}

/** Whether the text needs no quotes as a key or value in block style. */
function isPlain(text: string): boolean {
  if (text.startsWith(' ') || text.endsWith(' ')) return false;
  // The marks that begin and end a document.
  if (text.startsWith('---') || text.startsWith('...')) return false;
  // Indicators that begin another kind of node.
  if (/^[#,[\]{}&*!|>'"%@`]/.test(text) || /^[-?:](?: |$)/.test(text)) return false;
  // `: ` would end a key, ` #` begin a comment.
  return !/:(?: |$)| #/.test(text);
}

/**
 * `|` with the chomping indicator and, for a text that begins with a space or a line break, the number of columns by which
 * the block is indented. `indent` is that of its lines: two columns more than its key, or its item's dash.
 */
function formatLiteralBlock(text: string, indent: string): string {
  const indentationIndicator = /^[ \n]/.test(text) ? '2' : '';
  const body = text.endsWith('\n') ? text.slice(0, -1) : text;
  const lines = body.split('\n').map((line) => (line === '' ? '' : `${indent}${line}`));
  return `|${indentationIndicator}${chompingIndicator(text)}\n${lines.join('\n')}`;
}

/** `-` for a text without a line break at its end, `+` for one with several, `''` for one with a single one. */
function chompingIndicator(text: string): '-' | '+' | '' {
  if (!text.endsWith('\n')) return '-';
  return /\n\n$|^\n$/.test(text) ? '+' : '';
}

const NAMED_ESCAPES: Record<string, string> = {
  '\0': '\\0',
  '\x07': '\\a',
  '\b': '\\b',
  '\t': '\\t',
  '\n': '\\n',
  '\v': '\\v',
  '\f': '\\f',
  '\r': '\\r',
  '\x1b': '\\e',
  '"': '\\"',
  '\\': '\\\\',
  '\u0085': '\\N',
  '\u2028': '\\L',
  '\u2029': '\\P',
};

const quoteSingle = (text: string): string => `'${text.replaceAll("'", "''")}'`;

function quoteDouble(text: string): string {
  let quoted = '';
  for (const character of text) {
    const named = NAMED_ESCAPES[character];
    if (named !== undefined) quoted += named;
    else if (!SPECIAL.test(character)) quoted += character;
    else quoted += escapeCode(character.codePointAt(0) ?? 0);
  }
  return `"${quoted}"`;
}

function escapeCode(code: number): string {
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/**
 * The order in which upstream writes keys, decided by the first characters that differ: digits by the numbers that they are
 * part of (`a2` before `a10`), other characters before letters (`a-` before `aa`), otherwise by code.
 */
function compareNaturally(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  let i = 0;
  while (i < length && a.charCodeAt(i) === b.charCodeAt(i)) i += 1;
  if (i === length) return a.length - b.length;
  const characterOfA = a.charAt(i);
  const characterOfB = b.charAt(i);
  const byCode = characterOfA < characterOfB ? -1 : 1;
  if (isLetter(characterOfA) && isLetter(characterOfB)) return byCode;
  if (isLetter(characterOfB)) return -1;
  if (isLetter(characterOfA)) return 1;
  const byNumber = compareNumbersAt(a, b, i);
  return byNumber === 0 ? byCode : byNumber;
}

/**
 * Compares the numbers that contain the character at `index`, the first in which the texts differ; digits before it belong
 * to both numbers. A text without one counts as 0. Of two equal numbers the one with fewer leading zeros comes first. 0 when
 * neither text has a number there.
 */
function compareNumbersAt(a: string, b: string, index: number): number {
  let start = index;
  while (start > 0 && isDigit(a.charAt(start - 1))) start -= 1;
  const digitsOfA = digitsAt(a, start);
  const digitsOfB = digitsAt(b, start);
  const significantA = withoutLeadingZeros(digitsOfA);
  const significantB = withoutLeadingZeros(digitsOfB);
  if (significantA.length !== significantB.length) return significantA.length - significantB.length;
  if (significantA !== significantB) return significantA < significantB ? -1 : 1;
  return digitsOfA.length - digitsOfB.length;
}

const withoutLeadingZeros = (digits: string): string => digits.replace(/^0+/, '');

function digitsAt(text: string, start: number): string {
  let end = start;
  while (end < text.length && isDigit(text.charAt(end))) end += 1;
  return text.slice(start, end);
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9';
}

function isLetter(character: string): boolean {
  return /\p{L}/u.test(character);
}
