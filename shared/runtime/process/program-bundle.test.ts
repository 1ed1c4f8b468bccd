/** Program bundles with cached code, in a temporary folder. */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { removeFolder, temporaryFolder } from '../../../test/support/programs';
import { openBundle, runBundle, bundleFiles } from './program-bundle';

const folder = temporaryFolder('program-bundle');
const MAIN = path.join(folder, 'main.js');
const { bundle, codeCache } = bundleFiles(MAIN);
beforeAll(() => void mkdirSync(folder, { recursive: true }));
afterAll(() => removeFolder(folder));

function writeBundle(body: string): string {
  const text = `(function (exports, require, module, __filename, __dirname) {${body}})`;
  const digest = createHash('sha256').update(text).digest('hex');
  writeFileSync(bundle, `//${digest}\n${text}`);
  return digest;
}

const RECORD_FILE = path.join(folder, 'recorded.json');
/**
 * What the last program has written with `record`. A program runs in Node's main context, which shares no variables
 * with a test.
 */
const recorded = (): unknown => JSON.parse(readFileSync(RECORD_FILE, 'utf8'));
const record = (expression: string): string =>
  `require('node:fs').writeFileSync(${JSON.stringify(RECORD_FILE)}, JSON.stringify(${expression}));`;

it('runBundle returns false when the build created no bundle', () => expect(runBundle(path.join(folder, 'none.js'))).toBe(false));

it('runBundle runs the program as a module at the path of its main file', () => {
  writeFileSync(path.join(folder, 'other.json'), '{"a":1}');
  writeBundle(record("{ __filename, __dirname, required: require('./other.json'), isExports: exports === module.exports }"));
  expect(runBundle(MAIN)).toBe(true);
  expect(recorded()).toEqual({ __filename: MAIN, __dirname: folder, required: { a: 1 }, isExports: true });
});

describe('the code cache of a bundle', () => {
  const writeCodeCache = (digest: string, compiled: Buffer): void =>
    writeFileSync(codeCache, Buffer.concat([Buffer.from(digest), compiled]));

  it('is used for the program that it was compiled from', () => {
    const digest = writeBundle(record('1'));
    writeCodeCache(digest, openBundle(MAIN)?.script.createCachedData() ?? Buffer.alloc(0));
    const program = openBundle(MAIN);
    expect([program?.digest, program?.script.cachedDataRejected]).toEqual([digest, false]);
    program?.run();
    expect(recorded()).toBe(1);
  });

  it('is ignored for another program of the same length', () => {
    writeCodeCache(writeBundle(record('1')), openBundle(MAIN)?.script.createCachedData() ?? Buffer.alloc(0));
    writeBundle(record('2'));
    const program = openBundle(MAIN);
    expect(program?.script.cachedDataRejected).toBeUndefined();
    program?.run();
    expect(recorded()).toBe(2);
  });

  it.each<[string, (compiled: Buffer) => Buffer]>([
    ['truncated', (compiled) => compiled.subarray(0, compiled.length / 2)],
    ['of another V8', (compiled) => Buffer.concat([Buffer.from([1, 2, 3, 4]), compiled.subarray(4)])],
    ['empty', () => Buffer.alloc(0)],
  ])('is rejected when it is %s', (state, damage) => {
    writeBundle(record('0'));
    const compiled = openBundle(MAIN)?.script.createCachedData() ?? Buffer.alloc(0);
    // V8 does not read the code cache of a text that it has compiled before, so this text is a new one.
    writeCodeCache(writeBundle(`${record('3')} '${state}'`), damage(compiled));
    const program = openBundle(MAIN);
    expect(program?.script.cachedDataRejected).toBe(true);
    program?.run();
    expect(recorded()).toBe(3);
  });
});

it('runBundle throws an error that names the main file when the bundle is no function', () => {
  writeFileSync(bundle, `//${'0'.repeat(64)}\n1`);
  expect(() => runBundle(MAIN)).toThrow(`${MAIN}: its whole file is no function`);
});
