/**
 * Regular expressions from clients: RE2 syntax, as upstream, with a match time linear in the length of the text.
 * JavaScript's RegExp, which has exponential cases, is used for fixed expressions only.
 */
import { LRUCache } from 'lru-cache';
import { RE2JS, RE2JSException } from 're2js';

/** `error` is the message of upstream: ``error parsing regexp: missing closing ]: `[` ``. */
export type Pattern =
  | {
      readonly type: 'good';
      /** Whether any part of the text matches. */
      readonly matches: (text: string) => boolean;
      /** Worst-case steps per character of the text, of some 20 ns each. */
      readonly stepsPerCharacter: number;
    }
  | { readonly type: 'bad'; readonly error: string };

/** Schemas often contain the same expressions, which are compiled once for as long as they stay in this cache. */
const cache = new LRUCache<string, Pattern>({ max: 256 });
/** Longer expressions are compiled at each use. */
const MAX_CACHED_LENGTH = 1000;

/** Never throws: the result of an invalid expression has the error. */
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
    if (error instanceof RE2JSException) return { type: 'bad', error: error.message };
    throw error;
  }
}
