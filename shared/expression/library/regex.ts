/**
 * Regular expressions in RE2 syntax, matched in linear time. Compiled patterns are kept; how many is bounded.
 */
import { RE2JS, RE2JSException } from 're2js';
import type { Work } from '../values/equality';
import { ArrayList, Failure, type Value } from '../values/value';

const KEPT = 500;
const LONGEST_KEPT = 1000;
const compiled = new Map<string, RE2JS | Failure>();

/** A pattern, or what is wrong with it in upstream's words. */
export function compilePattern(pattern: string): RE2JS | Failure {
  const known = compiled.get(pattern);
  if (known !== undefined) return known;
  const made = compileAnew(pattern);
  if (pattern.length <= LONGEST_KEPT) {
    if (compiled.size >= KEPT) compiled.clear();
    compiled.set(pattern, made);
  }
  return made;
}

function compileAnew(pattern: string): RE2JS | Failure {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    if (error instanceof RE2JSException) return new Failure(error.message);
    throw error;
  }
}

export function matches(text: string, pattern: string, work: Work): Value {
  const regex = compilePattern(pattern);
  if (regex instanceof Failure) return regex;
  charge(text, pattern, work);
  return regex.matcher(text).find();
}

export function findMatch(text: string, pattern: string, work: Work): Value {
  const regex = compilePattern(pattern);
  if (regex instanceof Failure) return new Failure(`Illegal regex: ${regex.message}`);
  charge(text, pattern, work);
  const matcher = regex.matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

export function findAllMatches(text: string, pattern: string, most: bigint, work: Work): Value {
  const regex = compilePattern(pattern);
  if (regex instanceof Failure) return new Failure(`Illegal regex: ${regex.message}`);
  charge(text, pattern, work);
  const found: string[] = [];
  const matcher = regex.matcher(text);
  let end = -1;
  while ((most < 0n || found.length < most) && matcher.find()) {
    // Nothing is no match where another one has just ended.
    if (matcher.end() > matcher.start() || matcher.start() !== end) found.push(matcher.group() ?? '');
    end = matcher.end();
  }
  return new ArrayList(found);
}

/** A character costs some tens of nanoseconds for each part of the pattern that may match there. */
function charge(text: string, pattern: string, work: Work): void {
  work.spend(1 + Math.ceil((text.length * (1 + pattern.length / 16)) / 8));
}
