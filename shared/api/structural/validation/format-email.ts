/**
 * The `email` format of upstream: an RFC 5322 address with or without a display name (Go's `mail.ParseAddress`),
 * without groups.
 */
import { isStrictAddress } from './format-address';

// The patterns below are sticky, and matched at a position by `matchEnd`. Their names are those of RFC 5322.
const ATOM_CHARACTERS = "A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\uffff-";
const DOT_ATOM = `[${ATOM_CHARACTERS}]+(?:\\.[${ATOM_CHARACTERS}]+)*`;
const QUOTED_STRING = '"(?:[ \\t!#-[\\]-~\\u0080-\\uffff]|\\\\[ \\t!-~\\u0080-\\uffff])*"';
const BLANKS = '[ \\t]*';
/** `user@example.com`, `"a b"@example.com` or `user@[192.0.2.1]`; the group is the content of the brackets. */
const ADDR_SPEC = new RegExp(`${BLANKS}(?:${DOT_ATOM}|${QUOTED_STRING})@${BLANKS}(?:${DOT_ATOM}|\\[([!-Z^-~]*)\\])`, 'y');
/** A word of a display name. Unlike in RFC 5322, it may contain dots. */
const WORD = new RegExp(`${BLANKS}(?:[.${ATOM_CHARACTERS}]+|${QUOTED_STRING})`, 'y');
const OPENING_BRACKET = new RegExp(`${BLANKS}<`, 'y');
/** An encoded word in a charset that upstream does not support: `=?koi8-r?q?x?=`. */
const FOREIGN_WORD = /^[ \t]*=\?(?!(?:utf-8|iso-8859-1|us-ascii)\?)[^?]*\?[qb]\?[^?]*\?=$/i;

/** Whether the text has the `email` format. */
export function isMailAddress(text: string): boolean {
  const end = endOfAddrSpec(text, 0);
  if (end !== undefined) return isBlank(text.slice(end));
  const open = matchEnd(OPENING_BRACKET, text, endOfPhrase(text));
  if (open === undefined) return false;
  const close = endOfAddrSpec(text, open);
  return close !== undefined && text[close] === '>' && isBlank(text.slice(close + 1));
}

/** The position after a match at `from`; `undefined` when the pattern does not match there. */
function matchEnd(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

/** The position after an address without a display name; `undefined` when there is none at `from`. */
function endOfAddrSpec(text: string, from: number): number | undefined {
  ADDR_SPEC.lastIndex = from;
  const match = ADDR_SPEC.exec(text);
  // An empty quoted local part is invalid. A dot directly after the match would belong to the domain, so the address is
  // invalid.
  if (match === null || match[0].trimStart().startsWith('""@') || text[ADDR_SPEC.lastIndex] === '.') return undefined;
  const literal = match[1];
  if (literal !== undefined && !isStrictAddress(literal)) return undefined;
  return ADDR_SPEC.lastIndex;
}

/**
 * The position after the display name: words, each with optional comments after it. The end of the text for an invalid
 * name, so that no address can follow it.
 */
function endOfPhrase(text: string): number {
  let position = 0;
  for (let next = matchEnd(WORD, text, position); next !== undefined; next = matchEnd(WORD, text, position)) {
    if (FOREIGN_WORD.test(text.slice(position, next))) return text.length;
    position = skipComments(text, next) ?? text.length;
  }
  return position;
}

/** Whether the text has nothing but blanks and comments. */
function isBlank(text: string): boolean {
  return skipComments(text, 0) === text.length;
}

/** The position after blanks and comments (`(text)`, which may be nested); `undefined` when a comment is not closed. */
function skipComments(text: string, from: number): number | undefined {
  let depth = 0;
  for (let position = from; ; position += 1) {
    const character = text[position];
    if (character === undefined) return depth === 0 ? position : undefined;
    if (depth > 0 && character === '\\') position += 1;
    else if (character === '(') depth += 1;
    else if (depth > 0) depth -= character === ')' ? 1 : 0;
    else if (character !== ' ' && character !== '\t') return position;
  }
}
