/** Errors of an expression with their positions, formatted as upstream formats them. */

/** An error at an offset (in UTF-16 units) of the text; the offset is -1 when it concerns the whole text. */
export interface Issue {
  readonly at: number;
  readonly message: string;
}

/** Aborts parsing; the issue has been reported. */
export class ParseAborted extends Error {}

/** Prefix of the parser's messages. */
const SYNTAX_ERROR_PREFIX = 'Syntax error: ';
/** Errors that a message lists, as upstream's. */
const MAX_ISSUES = 100;
/** Limit in characters, because each issue repeats its line. */
const MAX_TEXT = 64 * 1024;

/** All issues as one text, sorted by position: each with its position, the line and a marker below it. */
export function printIssues(source: string, issues: readonly Issue[]): string {
  const sorted = issues.map((issue, order) => ({ issue, order })).sort((a, b) => a.issue.at - b.issue.at || a.order - b.order);
  let text = '';
  for (const { issue } of sorted.slice(0, MAX_ISSUES)) {
    if (text.length > MAX_TEXT) break;
    text += `${text === '' ? '' : '\n'}${printIssue(source, issue)}`;
  }
  return text;
}

function printIssue(source: string, { at, message }: Issue): string {
  if (at < 0) return `ERROR: <input>:-1:0: ${message}`;
  // Upstream reports a type error at the first character of a line as being after the line break of the previous line.
  const isAfterLineBreak = at > 0 && source[at - 1] === '\n' && !message.startsWith(SYNTAX_ERROR_PREFIX);
  const before = source.slice(0, isAfterLineBreak ? at - 1 : at).split('\n');
  const line = source.split('\n')[before.length - 1] ?? '';
  const leading = [...(before[before.length - 1] ?? '')];
  const position = `${before.length}:${leading.length + (isAfterLineBreak ? 2 : 1)}`;
  const dots = leading.map((character) => (character < '\u0080' ? '.' : '．')).join('');
  const marked = [...line][leading.length] ?? '';
  return `ERROR: <input>:${position}: ${message}\n | ${line.replaceAll('\t', ' ')}\n | ${dots}${marked < '\u0080' ? '^' : '＾'}`;
}
