/** Values of files that change while they are read or afterwards. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ManualClock, flushPromises } from '../../../test/support/clock/manual-clock';
import { staticValue, FileBackedValue } from './file-backed-value';

let folder: string;
const pathOf = (name: string): string => path.join(folder, name);

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'file-backed-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A value with the content of the file that the file `index` names. */
const openIndexedFile = (): FileBackedValue<string> =>
  new FileBackedValue('texts', () => {
    const named = pathOf(readFileSync(pathOf('index'), 'utf8'));
    return { value: readFileSync(named, 'utf8'), files: [pathOf('index'), named] };
  });
const write = (name: string, text: string): void => writeFileSync(pathOf(name), text);

/** `passMinute` passes the time in which a change is found without file system events; `lines` has the logged messages. */
function setUp() {
  const clock = new ManualClock();
  const lines: string[] = [];
  const log = (message: string): void => void lines.push(message);
  const passMinute = async (): Promise<void> => {
    clock.advance(60_000);
    await flushPromises(5);
  };
  return { clock, lines, logger: { info: log, error: log }, passMinute };
}

it('FileBackedValue reloads its value when one of its files changes, among them a file that it reads only since a reload', async () => {
  const { clock, logger, passMinute } = setUp();
  write('index', 'a');
  write('a', 'one');
  const value = openIndexedFile();
  const end = value.watch(clock, logger);
  write('a', 'two!');
  await passMinute();
  expect(value.current()).toBe('two!');
  write('bb', 'three');
  write('index', 'bb');
  await passMinute();
  expect(value.current()).toBe('three');
  write('a', 'this file is not read');
  write('bb', 'fourth');
  await passMinute();
  expect(value.current()).toBe('fourth');
  end();
});

it('FileBackedValue calls a listener after each reload until it is removed, and reloads until the watch ends', async () => {
  const { clock, logger, passMinute } = setUp();
  write('index', 'a');
  write('a', 'one');
  const value = openIndexedFile();
  const end = value.watch(clock, logger);
  let changes = 0;
  const removeListener = value.onChange(() => (changes += 1));
  write('a', 'two!');
  await passMinute();
  expect(changes).toBe(1);
  removeListener();
  write('a', 'three');
  await passMinute();
  expect(changes).toBe(1);
  expect(value.current()).toBe('three');
  end();
  write('a', 'four!!');
  await passMinute();
  expect(value.current()).toBe('three');
  expect(clock.pending).toBe(0);
});

it('FileBackedValue keeps its value while the files are unusable, and notifies only of changed contents', async () => {
  const { clock, lines, logger, passMinute } = setUp();
  write('index', 'a');
  write('a', 'one');
  const value = openIndexedFile();
  const end = value.watch(clock, logger);
  let changes = 0;
  value.onChange(() => (changes += 1));
  rmSync(pathOf('a'));
  await passMinute();
  expect(value.current()).toBe('one');
  expect(changes).toBe(0);
  expect(lines).toEqual(['the changed texts cannot be used']);
  write('a', 'one');
  await passMinute();
  expect(changes).toBe(0);
  expect(lines).toHaveLength(1);
  write('a', 'two');
  await passMinute();
  expect(value.current()).toBe('two');
  expect(changes).toBe(1);
  expect(lines.slice(1)).toEqual(['reloaded texts']);
  end();
});

it('FileBackedValue notices a change from before its first watch, and supports several watches', async () => {
  const { clock, logger, passMinute } = setUp();
  write('index', 'a');
  write('a', 'one');
  const value = openIndexedFile();
  write('a', 'two!');
  const ends = [value.watch(clock, logger), value.watch(clock, logger)];
  await passMinute();
  expect(value.current()).toBe('two!');
  ends[0]?.();
  write('a', 'three');
  await passMinute();
  expect(value.current()).toBe('three');
  ends[1]?.();
  expect(clock.pending).toBe(0);
});

it('FileBackedValue throws when the files are unusable at the start; staticValue returns its constant', () => {
  write('index', 'missing');
  expect(() => openIndexedFile()).toThrow('missing');
  expect(staticValue(7).current()).toBe(7);
});
