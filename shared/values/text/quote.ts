/**
 * Quotes text as Go does (`%q`): in double quotes, with short escapes for common control characters, `\x1b` for other
 * ASCII control characters and `\u200b` for other characters that are not printable. Unlike JSON output of upstream it
 * does not escape `<`, `>` and `&`.
 */

export const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

/** Printable ASCII without quotes and backslashes: texts that need no escapes. */
const PLAIN = /^[ !#-[\]-~]*$/;
/** Quotes, backslashes, and characters that are not printable. */
const ESCAPE = /[\\"\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/** The text in double quotes, as `%q` prints it. */
export function quote(text: string): string {
  if (PLAIN.test(text)) return `"${text}"`;
  return `"${text.replace(ESCAPE, escapeCharacter)}"`;
}

function escapeCharacter(character: string): string {
  const short = SHORT_ESCAPES[character];
  if (short !== undefined) return short;
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return `\\x${code.toString(16).padStart(2, '0')}`;
  return code < 0x10000 ? `\\u${code.toString(16).padStart(4, '0')}` : `\\U${code.toString(16).padStart(8, '0')}`;
}
