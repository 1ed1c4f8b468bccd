/**
 * Translates errors of the YAML parser (js-yaml) to the messages and line numbers of upstream's parser. Only messages
 * change: which texts are accepted is left to js-yaml.
 */
import type { YAMLException } from 'js-yaml';

interface MessageRow {
  /** Matches the reason of js-yaml. */
  readonly reason: RegExp;
  readonly message: string;
  /** The part of upstream's parser that reports the error: the parts count lines differently. */
  readonly source: 'scanner' | 'parser';
}

/** Upstream's messages for common errors; others keep the message of js-yaml. */
const MESSAGES: readonly MessageRow[] = [
  {
    reason: /^unexpected end of the stream within a (?:double|single) quoted scalar/,
    message: 'found unexpected end of stream',
    source: 'scanner',
  },
  { reason: /^unknown escape sequence/, message: 'found unknown escape character', source: 'scanner' },
  { reason: /^expected hexadecimal character/, message: 'did not find expected hexdecimal number', source: 'scanner' },
  { reason: /^bad explicit indentation width/, message: 'found an indentation indicator equal to 0', source: 'scanner' },
  { reason: /^tab characters must not be used in indentation/, message: 'found character that cannot start any token', source: 'scanner' },
  {
    reason: /^(?:bad indentation|end of the stream or a document separator is expected)/,
    message: 'did not find expected key',
    source: 'parser',
  },
  { reason: /^expected ':' after a mapping key/, message: "could not find expected ':'", source: 'scanner' },
];

/**
 * Upstream's message for an error. Its scanner counts lines from 1, its parser from 0; neither mentions the first line.
 */
export function explainYaml(text: string, error: YAMLException): string {
  const { reason } = error;
  const position = error.mark?.position ?? 0;
  const line = error.mark?.line ?? 0;
  const scannerError = (message: string): string => (line > 0 ? `line ${line + 1}: ${message}` : message);
  const parserError = (message: string): string => (line > 0 ? `line ${line}: ${message}` : message);
  const rest = text.slice(position).trimStart();
  const isTabbed = /^ *\t/.test(text.slice(text.lastIndexOf('\n', position - 1) + 1));
  if (reason.includes('unacceptable YAML version')) return 'found incompatible YAML document';
  if (['non-printable', 'valid JSON character', 'null byte'].some((words) => reason.includes(words)))
    return 'control characters are not allowed';
  if (/^[@`%]/.test(rest) || isTabbed) return scannerError('found character that cannot start any token');
  if (/^-(?:\s|$)/.test(rest) && reason.startsWith('bad indentation'))
    return scannerError('block sequence entries are not allowed in this context');
  if (/^[\]},]/.test(rest)) return parserError('did not find expected node content');
  if (/^:(?:\s|$)/.test(rest)) return scannerError('mapping values are not allowed in this context');
  if (reason.startsWith('unexpected end of the stream within a flow collection')) return explainUnfinishedFlow(text);
  const row = MESSAGES.find((candidate) => candidate.reason.test(reason));
  if (row === undefined) return parserError(reason);
  return row.source === 'scanner' ? scannerError(row.message) : parserError(row.message);
}

/**
 * The message for a flow collection that is not closed at the end of the text: after a value a separator or the closing
 * bracket is missing, otherwise a value.
 */
function explainUnfinishedFlow(text: string): string {
  const end = text.trimEnd();
  const needsValue = /[[{,:]$/.test(end);
  const message = needsValue ? 'did not find expected node content' : `did not find expected ',' or '${missingBracket(end)}'`;
  return `line ${countLines(text)}: ${message}`;
}

/** The closing bracket of the innermost open flow collection. Brackets in quoted scalars do not count. */
function missingBracket(text: string): string {
  const open: string[] = [];
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (quote !== '') {
      if (character === '\\' && quote === '"') at += 1;
      else if (character === quote) quote = '';
    } else if (character === '"' || character === "'") quote = character;
    else if (character === '[' || character === '{') open.push(character === '[' ? ']' : '}');
    else if (character === open.at(-1)) open.pop();
  }
  return open.at(-1) ?? ']';
}

/** The number of lines. A last line of blanks only does not count. */
function countLines(text: string): number {
  let lines = text.slice(text.lastIndexOf('\n') + 1).trim() === '' ? 0 : 1;
  for (const character of text) if (character === '\n') lines += 1;
  return lines;
}
