/** Mail addresses as upstream takes them in custom resources: RFC 5322, with or without a name before them (Go's `mail.ParseAddress`), but no groups. */
import { isStrictAddress } from './format-address';

const ATOM = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~\\u0080-\\uffff-]";
const DOT_ATOM = `${ATOM}+(?:\\.${ATOM}+)*`;
const QUOTED = '"(?:[ \\t!#-[\\]-~\\u0080-\\uffff]|\\\\[ \\t!-~\\u0080-\\uffff])*"';
const BLANK = '[ \\t]*';
const SPEC = new RegExp(`${BLANK}(?:${DOT_ATOM}|${QUOTED})@${BLANK}(?:${DOT_ATOM}|\\[([!-Z^-~]*)\\])`, 'y');
const WORD = new RegExp(`${BLANK}(?:[.${ATOM.slice(1)}+|${QUOTED})`, 'y');
const OPEN = new RegExp(`${BLANK}<`, 'y');
/** An encoded word in characters that upstream does not know. */
const FOREIGN_WORD = /^[ \t]*=\?(?!(?:utf-8|iso-8859-1|us-ascii)\?)[^?]*\?[qb]\?[^?]*\?=$/i;

export function isMailAddress(text: string): boolean {
  const end = endOfSpec(text, 0);
  if (end !== undefined) return isNothing(text.slice(end));
  const open = endOf(OPEN, text, endOfPhrase(text));
  if (open === undefined) return false;
  const close = endOfSpec(text, open);
  return close !== undefined && text[close] === '>' && isNothing(text.slice(close + 1));
}

/** Where what matches there ends. */
function endOf(pattern: RegExp, text: string, from: number): number | undefined {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : undefined;
}

function endOfSpec(text: string, from: number): number | undefined {
  SPEC.lastIndex = from;
  const match = SPEC.exec(text);
  // Texts between empty quotes are no names, and what follows a dot belongs to the domain.
  if (match === null || match[0].trimStart().startsWith('""@') || text[SPEC.lastIndex] === '.') return undefined;
  const literal = match[1];
  if (literal !== undefined && !isStrictAddress(literal)) return undefined;
  return SPEC.lastIndex;
}

/** Words, with comments behind them. */
function endOfPhrase(text: string): number {
  let at = 0;
  for (let next = endOf(WORD, text, at); next !== undefined; next = endOf(WORD, text, at)) {
    if (FOREIGN_WORD.test(text.slice(at, next))) return text.length;
    at = skipComments(text, next) ?? text.length;
  }
  return at;
}

function isNothing(text: string): boolean {
  return skipComments(text, 0) === text.length;
}

/** Where blanks and comments end that begin there; undefined when a comment does not. */
function skipComments(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; ; at += 1) {
    const character = text[at];
    if (character === undefined) return depth === 0 ? at : undefined;
    if (depth > 0 && character === '\\') at += 1;
    else if (character === '(') depth += 1;
    else if (depth > 0) depth -= character === ')' ? 1 : 0;
    else if (character !== ' ' && character !== '\t') return at;
  }
}
