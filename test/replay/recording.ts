/**
 * The recorded answers of the reference server: files of lines below answers/<area>, a case a line, in some after one line with what all cases share (the head).
 * They are read from the repository's folder, by tests and by compiled recorders alike, and are never modules, so that no build has a copy of them.
 */
import { closeSync, mkdirSync, openSync, readdirSync, readSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { StringDecoder } from 'node:string_decoder';
import { repository } from '../support/repository';
import type { Check } from './shape';

/** From the repository's root. */
export const ANSWERS_FOLDER = 'test/replay/answers';
const EXTENSION = '.jsonl';
const CHUNK_BYTES = 65_536;

/** The cases of a recording without a head, such as `values/ranges`. Throws where a line is not what the check takes. */
export function readCases<C>(recording: string, isCase: Check<C>): readonly C[] {
  const cases: C[] = [];
  let lineNumber = 0;
  for (const line of linesOf(recording)) cases.push(parseLine(line, isCase, `${recording}:${++lineNumber}`));
  return cases;
}

/** A recording with a head, such as `core/configmaps.v1`. Throws where a line is not what its check takes. */
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

/** The recordings of an area (`core/configmaps.v1` …), sorted. */
export function listRecordings(area: string): readonly string[] {
  const files = readdirSync(path.join(repository, ANSWERS_FOLDER, area)).filter((file) => file.endsWith(EXTENSION));
  return files.sort().map((file) => `${area}/${file.slice(0, -EXTENSION.length)}`);
}

/** Puts these lines, the head among them, in the recording's place. */
export function writeRecording(recording: string, lines: Iterable<unknown>): void {
  const file = fileOf(recording);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, Array.from(lines, (line) => `${JSON.stringify(line)}\n`).join(''));
}

const fileOf = (recording: string): string => path.join(repository, ANSWERS_FOLDER, `${recording}${EXTENSION}`);

function parseLine<T>(line: string, isGood: Check<T>, location: string): T {
  const value: unknown = JSON.parse(line);
  if (!isGood(value)) throw new Error(`${location} is not what was expected: ${line.slice(0, 200)}`);
  return value;
}

/** Never holds more of the file than a chunk and a line. */
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
    if (partialLine !== '') throw new Error(`the last line of ${recording} is cut`);
  } finally {
    closeSync(handle);
  }
}
