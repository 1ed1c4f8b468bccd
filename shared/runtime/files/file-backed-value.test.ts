import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { staticValue, FileBackedValue } from './file-backed-value';

let folder: string;
let clock: ManualClock;
let lines: string[];
const at = (name: string): string => path.join(folder, name);
const logger = {
  info: (message: string) => void lines.push(message),
  error: (message: string) => void lines.push(message),
};

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'file-backed-'));
  clock = new ManualClock();
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Its value is the content of the file that `index` names. */
const open = (): FileBackedValue<string> =>
  new FileBackedValue('texts', () => {
    const named = at(readFileSync(at('index'), 'utf8'));
    return { value: readFileSync(named, 'utf8'), files: [at('index'), named] };
  });
const write = (name: string, text: string): void => writeFileSync(at(name), text);
async function later(): Promise<void> {
  clock.advance(60_000);
  await flushPromises(5);
}

it('FileBackedValue reloads its value when one of its files changes, also one that it refers to only since a change', async () => {
  write('index', 'a');
  write('a', 'one');
  const value = open();
  const end = value.watch(clock, logger);
  let changes = 0;
  const removeListener = value.onChange(() => (changes += 1));
  write('a', 'two!');
  await later();
  expect([value.current(), changes]).toEqual(['two!', 1]);
  write('bb', 'three');
  write('index', 'bb');
  await later();
  expect([value.current(), changes]).toEqual(['three', 2]);
  write('a', 'this file is not read');
  write('bb', 'fourth');
  await later();
  expect([value.current(), changes]).toEqual(['fourth', 3]);
  removeListener();
  write('bb', 'fifth!!');
  await later();
  expect([value.current(), changes]).toEqual(['fifth!!', 3]);
  end();
  write('bb', 'sixth!!!');
  await later();
  expect([value.current(), clock.pending]).toEqual(['fifth!!', 0]);
});

it('FileBackedValue keeps its value while the files are unusable, and notifies only of changed contents', async () => {
  write('index', 'a');
  write('a', 'one');
  const value = open();
  const end = value.watch(clock, logger);
  let changes = 0;
  value.onChange(() => (changes += 1));
  rmSync(at('a'));
  await later();
  expect([value.current(), changes, lines]).toEqual(['one', 0, ['the changed texts cannot be used']]);
  write('a', 'one');
  await later();
  expect([changes, lines.length]).toEqual([0, 1]);
  write('a', 'two');
  await later();
  expect([value.current(), changes, lines[1]]).toEqual(['two', 1, 'reloaded texts']);
  end();
});

it('FileBackedValue notices a change from before its first watch, and supports several watches', async () => {
  write('index', 'a');
  write('a', 'one');
  const value = open();
  write('a', 'two!');
  const ends = [value.watch(clock, logger), value.watch(clock, logger)];
  await later();
  expect(value.current()).toBe('two!');
  ends[0]?.();
  write('a', 'three');
  await later();
  expect(value.current()).toBe('three');
  ends[1]?.();
  expect(clock.pending).toBe(0);
});

it('FileBackedValue throws when the files are unusable at the start; staticValue returns its constant', () => {
  write('index', 'missing');
  expect(() => open()).toThrow('missing');
  expect(staticValue(7).current()).toBe(7);
});
