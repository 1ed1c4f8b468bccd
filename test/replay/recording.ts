/**
 * Reads and writes recordings: files below answers/<area> with one case per line, in some after a head with what all
 * cases share. They are read from the repository's folder, by tests and by compiled recorders alike, and never imported
 * as modules, so that builds contain no copy.
 */
import { closeSync, mkdirSync, openSync, readdirSync, readSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { repository } from '../support/repository';
import type { Check } from './shape';

/** Relative to the repository. */
export const RECORDINGS_FOLDER = 'test/replay/answers';
const EXTENSION = '.jsonl';
/** Bytes that are read at a time. */
const CHUNK_BYTES = 65_536;

/** The cases of a recording without a head, such as `values/ranges`. Throws when the check rejects a line. */
export function readCases<C>(recording: string, isCase: Check<C>): readonly C[] {
  const cases: C[] = [];
  let lineNumber = 0;
  for (const line of linesOf(recording)) cases.push(parseLine(line, isCase, `${recording}:${++lineNumber}`));
  return cases;
}

/** A recording with a head, such as `core/configmaps.v1`. Throws when a check rejects a line. */
export function readRecording<H, C>(
  recording: string,
  isHead: Check<H>,
  isCase: Check<C>,
): { readonly head: H; readonly cases: readonly C[] } {
  const lines = linesOf(recording);
  const first = lines.next();
  const head = parseLine(first.done === true ? 'null' : first.value, isHead, `${recording}:1`);
  const cases: C[] = [];
  let lineNumber = 1;
  for (const line of lines) cases.push(parseLine(line, isCase, `${recording}:${++lineNumber}`));
  return { head, cases };
}

/** The names of an area's recordings (`core/configmaps.v1` …), sorted. */
export function listRecordings(area: string): readonly string[] {
  const files = readdirSync(path.join(repository, RECORDINGS_FOLDER, area)).filter((file) => file.endsWith(EXTENSION));
  return files.sort().map((file) => `${area}/${file.slice(0, -EXTENSION.length)}`);
}

/** Replaces the recording with these lines, the head included. */
export function writeRecording(recording: string, lines: Iterable<unknown>): void {
  const file = fileOf(recording);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, Array.from(lines, (line) => `${JSON.stringify(line)}\n`).join(''));
}

const fileOf = (recording: string): string => path.join(repository, RECORDINGS_FOLDER, `${recording}${EXTENSION}`);

/** `location` names the line in the error. */
function parseLine<T>(line: string, isExpected: Check<T>, location: string): T {
  const value: unknown = JSON.parse(line);
  if (!isExpected(value)) throw new Error(`${location} is not what was expected: ${line.slice(0, 200)}`);
  return value;
}

/** The lines of a recording. Holds no more of the file in memory than a chunk and a line. */
function* linesOf(recording: string): Generator<string, undefined> {
  const handle = openSync(fileOf(recording), 'r');
  try {
    const decoder = new StringDecoder('utf8');
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    let partialLine = '';
    for (let size = readSync(handle, chunk); size > 0; size = readSync(handle, chunk)) {
      const lines = (partialLine + decoder.write(chunk.subarray(0, size))).split('\n');
      partialLine = lines.pop() ?? '';
      yield* lines;
    }
    if (partialLine !== '') throw new Error(`the last line of ${recording} is truncated`);
  } finally {
    closeSync(handle);
  }
}
