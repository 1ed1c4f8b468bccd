/** Checks where recordings are stored, and that they are read unchanged. */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { repository } from '../support/repository';
import { RECORDINGS_FOLDER, readCases, readRecording, listRecordings } from './recording';
import { anything, body, either, listOf, mapOf, nullValue, number, oneOf, shape, text, tupleOf, boolean } from './shape';

/** Small files need not be recordings. */
const LARGEST_BYTES = 4096;
/** Folders that are not part of the repository. */
const FOREIGN = /(^|\/)(node_modules|dist|coverage|\.[^/]+)$/;
/** Large data files of the product or its tools. */
const PRODUCT_DATA =
  /^(package-lock\.json|deploy\/compose\/grafana\/.+|deploy\/chart\/values\.schema\.json|test\/integration\/conformance\/ledger\.jsonl|shared\/api\/types\/(generated\/.+|generate\/own-texts\.json|supplement\.json))$/;

/** The paths of all files of the repository below a folder. */
function filesBelow(folder: string): string[] {
  return readdirSync(path.join(repository, folder), { withFileTypes: true }).flatMap((entry) => {
    const file = path.posix.join(folder, entry.name);
    if (FOREIGN.test(file)) return [];
    return entry.isDirectory() ? filesBelow(file) : [file];
  });
}

const files = filesBelow('');

test('all recorded data is below test/replay/answers', () => {
  const data = files.filter((file) => /\.jsonl?$/.test(file) && statSync(path.join(repository, file)).size > LARGEST_BYTES);
  expect(data.filter((file) => !file.startsWith(`${RECORDINGS_FOLDER}/`) && !PRODUCT_DATA.test(file))).toEqual([]);
});

test('every recording is a .jsonl file in the folder of an area', () => {
  const recorded = files.filter((file) => file.startsWith(`${RECORDINGS_FOLDER}/`));
  const areas = [...new Set(recorded.map((file) => file.split('/')[3] ?? ''))];
  expect(areas.flatMap(listRecordings).map((name) => `${RECORDINGS_FOLDER}/${name}.jsonl`)).toEqual([...recorded].sort());
});

test.each(files.filter((file) => file.startsWith(`${RECORDINGS_FOLDER}/`)))('readRecording returns every line of %s unchanged', (file) => {
  const whole = readFileSync(path.join(repository, file), 'utf8');
  expect(whole.endsWith('\n')).toBe(true);
  const lines = whole.slice(0, -1).split('\n');
  const name = file.slice(RECORDINGS_FOLDER.length + 1, -'.jsonl'.length);
  const { head, cases } = readRecording(name, anything, anything);
  expect([head, ...cases]).toEqual(lines.map((line): unknown => JSON.parse(line)));
});

test('readCases throws with the name and line of a case of another shape', () => {
  expect(() => readCases('values/strict', tupleOf(text, text, text))).toThrow('values/strict:1 is not what was expected: ["address",');
});

test.each([
  ['text', text, 'x', 1],
  ['number', number, 1, '1'],
  ['boolean', boolean, false, null],
  ['nullValue', nullValue, null, undefined],
  ['anything', anything, null, undefined],
  ['body', body, {}, []],
  ['listOf', listOf(text), ['x'], ['x', 1]],
  ['mapOf', mapOf(number), { a: 1 }, { a: 1, b: '2' }],
  ['oneOf', oneOf('x', 7), 7, '7'],
  ['either', either(text, nullValue), null, 0],
  ['tupleOf', tupleOf(text, number), ['x', 1], ['x', 1, 2]],
  ['shape with a required member', shape({ a: text }, { b: number }), { a: 'x' }, { b: 1 }],
  ['shape with an optional member', shape({ a: text }, { b: number }), { a: 'x', b: 1 }, { a: 'x', c: 1 }],
  ['shape with a member of another type', shape({ a: text }, { b: number }), { a: 'x', b: 1 }, { a: 'x', b: '1' }],
] as const)('the shape %s accepts a matching value and rejects another', (_name, isMatch, matching, other) => {
  expect(isMatch(matching)).toBe(true);
  expect(isMatch(other)).toBe(false);
});
