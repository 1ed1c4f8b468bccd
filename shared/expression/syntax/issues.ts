/** Errors in the text of an expression, printed as upstream prints them. */

/** An error in the text of an expression. */
export interface Issue {
  /** Offset in the text in UTF-16 units; -1 when the error concerns the whole text. */
  readonly at: number;
  readonly message: string;
}

/** Thrown to end parsing, after the issue has been reported. */
export class ParseAborted extends Error {}

/** Prefix of the parser's messages. */
const SYNTAX_ERROR_PREFIX = 'Syntax error: ';
/** Maximum number of issues in a text, as upstream's. */
const MAX_ISSUES = 100;
/** No further issues are added to a text of this length in UTF-16 units, because each repeats a line of the expression. */
const MAX_TEXT_LENGTH = 64 * 1024;

/**
 * The issues as one text, sorted by position. Each has its line and column, the line and a marker below it:
 *
 *     ERROR: <input>:1:3: undeclared reference to 'b' (in container '')
 *      | a+b
 *      | ..^
 */
export function printIssues(source: string, issues: readonly Issue[]): string {
  const sorted = issues.map((issue, order) => ({ issue, order })).sort((a, b) => a.issue.at - b.issue.at || a.order - b.order);
  let text = '';
  for (const { issue } of sorted.slice(0, MAX_ISSUES)) {
    if (text.length > MAX_TEXT_LENGTH) break;
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
  // A wide character has a wide dot or marker below it.
  const dots = leading.map((character) => (character < '\u0080' ? '.' : '．')).join('');
  const marked = [...line][leading.length] ?? '';
  return `ERROR: <input>:${position}: ${message}\n | ${line.replaceAll('\t', ' ')}\n | ${dots}${marked < '\u0080' ? '^' : '＾'}`;
}
