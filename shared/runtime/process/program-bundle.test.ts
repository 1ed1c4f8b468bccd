import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { removeFolder, temporaryFolder } from '../../../test/support/programs';
import { openBundle, runBundle, bundleFiles } from './program-bundle';

const folder = temporaryFolder('whole-program');
const MAIN = path.join(folder, 'main.js');
const { bundle: whole, codeCache: code } = bundleFiles(MAIN);
beforeAll(() => void mkdirSync(folder, { recursive: true }));
afterAll(() => removeFolder(folder));

function writeWhole(body: string): string {
  const text = `(function (exports, require, module, __filename, __dirname) {${body}})`;
  const digest = createHash('sha256').update(text).digest('hex');
  writeFileSync(whole, `//${digest}\n${text}`);
  return digest;
}

const SEEN = path.join(folder, 'seen.json');
/** What the last program has written with `see`. A program runs in Node's main context, which shares no variables with a test. */
const seen = (): unknown => JSON.parse(readFileSync(SEEN, 'utf8'));
const see = (expression: string): string => `require('node:fs').writeFileSync(${JSON.stringify(SEEN)}, JSON.stringify(${expression}));`;
const SAYS = see("[__filename, __dirname, require('./other.json').a, typeof module.exports, exports === module.exports]");

it('runWhole returns false when the build made no whole file', () => expect(runBundle(path.join(folder, 'none.js'))).toBe(false));

it('runWhole runs the program as a module at the path of its main file', () => {
  writeFileSync(path.join(folder, 'other.json'), '{"a":1}');
  writeWhole(SAYS);
  expect(runBundle(MAIN)).toBe(true);
  expect(seen()).toEqual([MAIN, folder, 1, 'object', true]);
});

describe('the code cache of a whole program', () => {
  const keep = (digest: string, compiled: Buffer): void => writeFileSync(code, Buffer.concat([Buffer.from(digest), compiled]));

  it('is used for the program that it was compiled from', () => {
    const digest = writeWhole(see('1'));
    keep(digest, openBundle(MAIN)?.script.createCachedData() ?? Buffer.alloc(0));
    const program = openBundle(MAIN);
    expect([program?.digest, program?.script.cachedDataRejected]).toEqual([digest, false]);
    program?.run();
    expect(seen()).toBe(1);
  });

  it('is ignored for another program of the same length', () => {
    keep(writeWhole(see('1')), openBundle(MAIN)?.script.createCachedData() ?? Buffer.alloc(0));
    writeWhole(see('2'));
    const program = openBundle(MAIN);
    expect(program?.script.cachedDataRejected).toBeUndefined();
    program?.run();
    expect(seen()).toBe(2);
  });

  it.each<[string, (compiled: Buffer) => Buffer]>([
    ['truncated', (compiled) => compiled.subarray(0, compiled.length / 2)],
    ['of another V8', (compiled) => Buffer.concat([Buffer.from([1, 2, 3, 4]), compiled.subarray(4)])],
    ['empty', () => Buffer.alloc(0)],
  ])('is rejected when it is %s', (how, spoilt) => {
    writeWhole(see('0'));
    const compiled = openBundle(MAIN)?.script.createCachedData() ?? Buffer.alloc(0);
    // V8 does not look at what was compiled of a text that it has compiled itself.
    keep(writeWhole(`${see('3')} '${how}'`), spoilt(compiled));
    const program = openBundle(MAIN);
    expect(program?.script.cachedDataRejected).toBe(true);
    program?.run();
    expect(seen()).toBe(3);
  });
});

it('runWhole throws an error that names the main file when the whole file is no function', () => {
  writeFileSync(whole, `//${'0'.repeat(64)}\n1`);
  expect(() => runBundle(MAIN)).toThrow(`${MAIN}: its whole file is no function`);
});
