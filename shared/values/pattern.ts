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
const cache = new LRUCache<string, Pattern>({ max: 256 });
const MAX_CACHED_LENGTH = 1000;

export function compilePattern(expression: string): Pattern {
  const cached = cache.get(expression);
  if (cached !== undefined) return cached;
  const pattern = compile(expression);
  if (expression.length <= MAX_CACHED_LENGTH) cache.set(expression, pattern);
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
