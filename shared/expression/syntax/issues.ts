/**
 * The text of an expression and what went wrong at which place of it, printed as upstream prints it. Never decides what is wrong.
 */

/** One thing wrong, at an offset (in UTF-16 units) of the text; -1 = with the whole. */
export interface Issue {
  readonly at: number;
  readonly message: string;
}

/** Ends parsing where nothing sensible can follow; the issue itself has been noted. */
export class SyntaxStop extends Error {}

/** With this the parser's own messages begin. */
const SYNTAX = 'Syntax error: ';
const MOST_ISSUES = 100;
/** Each issue repeats its line. */
const MOST_TEXT = 64 * 1024;

/** All issues as one text: the place, the line and a mark below it for each, in the order of the places. */
export function printIssues(source: string, issues: readonly Issue[]): string {
  const sorted = issues.map((issue, order) => ({ issue, order })).sort((a, b) => a.issue.at - b.issue.at || a.order - b.order);
  let text = '';
  for (const { issue } of sorted.slice(0, MOST_ISSUES)) {
    if (text.length > MOST_TEXT) break;
    text += `${text === '' ? '' : '\n'}${printIssue(source, issue)}`;
  }
  return text;
}

function printIssue(source: string, { at, message }: Issue): string {
  if (at < 0) return `ERROR: <input>:-1:0: ${message}`;
  // What is found wrong after the parser, at the first character of a line, upstream tells at the end of the line before, behind its break.
  const isBehind = at > 0 && source[at - 1] === '\n' && !message.startsWith(SYNTAX);
  const before = source.slice(0, isBehind ? at - 1 : at).split('\n');
  const line = source.split('\n')[before.length - 1] ?? '';
  const leading = [...(before[before.length - 1] ?? '')];
  const place = `${before.length}:${leading.length + (isBehind ? 2 : 1)}`;
  const dots = leading.map((character) => (character < '\u0080' ? '.' : '．')).join('');
  const marked = [...line][leading.length] ?? '';
  return `ERROR: <input>:${place}: ${message}\n | ${line.replaceAll('\t', ' ')}\n | ${dots}${marked < '\u0080' ? '^' : '＾'}`;
}
