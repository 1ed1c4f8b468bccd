/**
 * Regular expressions that clients write: RE2 syntax, as upstream's, and time in proportion to the text whatever the expression. JavaScript's own
 * are for expressions that we write ourselves.
 */
import { LRUCache } from 'lru-cache';
import { RE2JS, RE2JSException } from 're2js';

/** `fault` is upstream's text: ``error parsing regexp: missing closing ]: `[` ``. */
export type Pattern =
  | {
      readonly type: 'good';
      /** Anywhere in the text. */
      readonly matches: (text: string) => boolean;
      /** Steps that a character takes at worst, of some 20 ns each. */
      readonly stepsPerCharacter: number;
    }
  | { readonly type: 'bad'; readonly fault: string };

/** Few are written again and again: schemas copy one another's. */
const known = new LRUCache<string, Pattern>({ max: 256 });
const LONGEST_KNOWN = 1000;

export function compilePattern(expression: string): Pattern {
  const before = known.get(expression);
  if (before !== undefined) return before;
  const pattern = compile(expression);
  if (expression.length <= LONGEST_KNOWN) known.set(expression, pattern);
  return pattern;
}

function compile(expression: string): Pattern {
  try {
    const compiled = RE2JS.compile(expression);
    return { type: 'good', matches: (text) => compiled.matcher(text).find(), stepsPerCharacter: 1 + compiled.programSize() / 4 };
  } catch (error) {
    if (error instanceof RE2JSException) return { type: 'bad', fault: error.message };
    throw error;
  }
}
