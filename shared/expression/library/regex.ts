/**
 * Regular expressions in RE2 syntax, matched in linear time. Compiled patterns are kept; how many is bounded. What compiling and matching take grows
 * with the size of the compiled pattern, and is counted.
 */
import { RE2JS, RE2JSException } from 're2js';
import { holdsForEitherSpelling, type Work } from '../values/equality';
import { ArrayList, Failure, type Value } from '../values/value';

const KEPT = 500;
const LONGEST_KEPT = 1000;

interface SizedPattern {
  readonly regex: RE2JS;
  /** How many instructions it has. */
  readonly size: number;
}

const compiled = new Map<string, SizedPattern | Failure>();

/** A pattern, or what is wrong with it in upstream's words. */
export function compilePattern(text: string, work?: Work): SizedPattern | Failure {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  work?.spend(1000 + text.length * 10);
  const pattern = compileAnew(text);
  if (!(pattern instanceof Failure)) work?.spend(pattern.size * 200);
  if (text.length <= LONGEST_KEPT) {
    if (compiled.size >= KEPT) compiled.clear();
    compiled.set(text, pattern);
  }
  return pattern;
}

function compileAnew(text: string): SizedPattern | Failure {
  try {
    const regex = RE2JS.compile(text);
    return { regex, size: regex.programSize() };
  } catch (error) {
    if (error instanceof RE2JSException) return new Failure(error.message);
    throw error;
  }
}

/** At worst every instruction is looked at for every character. */
function charge(text: string, { size }: SizedPattern, work: Work): void {
  work.spend(1 + Math.ceil(text.length * (1 + size / 4)));
}

export function matches(text: string, pattern: string, work: Work): Value {
  const found = compilePattern(pattern, work);
  if (found instanceof Failure) return found;
  return holdsForEitherSpelling(text, work, (name) => {
    charge(name, found, work);
    return found.regex.matcher(name).find();
  });
}

export function findMatch(text: string, pattern: string, work: Work): Value {
  const found = compilePattern(pattern, work);
  if (found instanceof Failure) return illegal(found);
  // Whether there is a match is what rules ask: `find(…) != ''` says what `matches(…)` says.
  let match = '';
  holdsForEitherSpelling(text, work, (name) => {
    charge(name, found, work);
    const matcher = found.regex.matcher(name);
    match = matcher.find() ? (matcher.group() ?? '') : '';
    return match !== '';
  });
  return match;
}

export function findAllMatches(text: string, pattern: string, most: bigint, work: Work): Value {
  const found = compilePattern(pattern, work);
  if (found instanceof Failure) return illegal(found);
  let matches: readonly string[] = [];
  holdsForEitherSpelling(text, work, (name) => {
    charge(name, found, work);
    matches = allMatches(name, found.regex, most);
    return matches.length > 0;
  });
  return new ArrayList(matches);
}

function allMatches(text: string, regex: RE2JS, most: bigint): readonly string[] {
  const matches: string[] = [];
  const matcher = regex.matcher(text);
  let end = -1;
  while ((most < 0n || matches.length < most) && matcher.find()) {
    // Nothing is no match where another one has just ended.
    if (matcher.end() > matcher.start() || matcher.start() !== end) matches.push(matcher.group() ?? '');
    end = matcher.end();
  }
  return matches;
}

const illegal = ({ message }: Failure): Failure => new Failure(`Illegal regex: ${message}`);
