/**
 * Regular expressions in RE2 syntax, matched in linear time. Caches a limited number of compiled patterns. Compiling and
 * matching spend work (run/meter.ts) in proportion to the size of the pattern.
 */
import { RE2JS, RE2JSException } from 're2js';
import { holdsForEitherSpelling, type WorkContext } from '../values/equality';
import { ArrayList, ErrorValue, type Value } from '../values/value';

/** Limit of the cache, which is cleared when it is full: patterns may come from objects. */
const MAX_CACHED_PATTERNS = 500;
/** A pattern of more characters is not cached, but compiled on each use. */
const MAX_CACHED_LENGTH = 1000;

interface SizedPattern {
  readonly regex: RE2JS;
  /** The number of instructions of the compiled pattern. */
  readonly size: number;
}

const patternCache = new Map<string, SizedPattern | ErrorValue>();

/**
 * The compiled pattern, or an error with upstream's message. `work` is absent when an expression is compiled, which has
 * no work limit.
 */
export function compileRegex(text: string, work?: WorkContext): SizedPattern | ErrorValue {
  const known = patternCache.get(text);
  if (known !== undefined) return known;
  // Parsing takes time in proportion to the text, compiling in proportion to the instructions.
  work?.spend(1000 + text.length * 10);
  const pattern = compileUncached(text);
  if (!(pattern instanceof ErrorValue)) work?.spend(pattern.size * 200);
  if (text.length <= MAX_CACHED_LENGTH) {
    if (patternCache.size >= MAX_CACHED_PATTERNS) patternCache.clear();
    patternCache.set(text, pattern);
  }
  return pattern;
}

function compileUncached(text: string): SizedPattern | ErrorValue {
  try {
    const regex = RE2JS.compile(text);
    return { regex, size: regex.programSize() };
  } catch (error) {
    if (error instanceof RE2JSException) return new ErrorValue(error.message);
    throw error;
  }
}

/** Spends the work of a match, which in the worst case evaluates every instruction for every character. */
function chargeMatch(text: string, { size }: SizedPattern, work: WorkContext): void {
  work.spend(1 + Math.ceil(text.length * (1 + size / 4)));
}

/**
 * Whether the pattern occurs in the text, in either spelling of names in it; an ErrorValue when the pattern is invalid.
 */
export function matchesPattern(text: string, pattern: string, work: WorkContext): Value {
  const compiledPattern = compileRegex(pattern, work);
  if (compiledPattern instanceof ErrorValue) return compiledPattern;
  return holdsForEitherSpelling(text, work, (name) => {
    chargeMatch(name, compiledPattern, work);
    return compiledPattern.regex.matcher(name).find();
  });
}

/** The first match, or `''` when there is none; an ErrorValue when the pattern is invalid. */
export function findMatch(text: string, pattern: string, work: WorkContext): Value {
  const compiledPattern = compileRegex(pattern, work);
  if (compiledPattern instanceof ErrorValue) return illegalRegex(compiledPattern);
  // In either spelling of names, as in `matches`: a rule may use `find(…) != ''` for the same test.
  let match = '';
  holdsForEitherSpelling(text, work, (name) => {
    chargeMatch(name, compiledPattern, work);
    const matcher = compiledPattern.regex.matcher(name);
    match = matcher.find() ? (matcher.group() ?? '') : '';
    return match !== '';
  });
  return match;
}

/** The list of the first `limit` matches, of all when it is negative; an ErrorValue when the pattern is invalid. */
export function findAllMatches(text: string, pattern: string, limit: bigint, work: WorkContext): Value {
  const compiledPattern = compileRegex(pattern, work);
  if (compiledPattern instanceof ErrorValue) return illegalRegex(compiledPattern);
  let matches: readonly string[] = [];
  holdsForEitherSpelling(text, work, (name) => {
    chargeMatch(name, compiledPattern, work);
    matches = allMatches(name, compiledPattern.regex, limit);
    return matches.length > 0;
  });
  return new ArrayList(matches);
}

function allMatches(text: string, regex: RE2JS, limit: bigint): readonly string[] {
  const matches: string[] = [];
  const matcher = regex.matcher(text);
  let end = -1;
  while ((limit < 0n || matches.length < limit) && matcher.find()) {
    // An empty match directly after another match is skipped.
    if (matcher.end() > matcher.start() || matcher.start() !== end) matches.push(matcher.group() ?? '');
    end = matcher.end();
  }
  return matches;
}

const illegalRegex = ({ message }: ErrorValue): ErrorValue => new ErrorValue(`Illegal regex: ${message}`);
