/**
 * Regular expressions that clients write: RE2 syntax, as upstream's, and time in proportion to the text whatever the expression. JavaScript's own
 * are for expressions that we write ourselves.
 */
import { RE2JS, RE2JSException } from 're2js';

/** `fault` is upstream's text: ``error parsing regexp: missing closing ]: `[` ``. */
export type Pattern =
  | { readonly type: 'good'; /** Anywhere in the text. */ readonly matches: (text: string) => boolean }
  | { readonly type: 'bad'; readonly fault: string };

export function compilePattern(expression: string): Pattern {
  try {
    const compiled = RE2JS.compile(expression);
    return { type: 'good', matches: (text) => compiled.matcher(text).find() };
  } catch (error) {
    if (error instanceof RE2JSException) return { type: 'bad', fault: error.message };
    throw error;
  }
}
