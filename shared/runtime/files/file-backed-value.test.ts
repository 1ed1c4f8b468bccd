import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ManualClock, settle } from '../../../test/support/manual-clock';
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
  folder = mkdtempSync(path.join(tmpdir(), 'followed-'));
  clock = new ManualClock();
  lines = [];
});
afterEach(() => rmSync(folder, { recursive: true }));

/** The text of the file that `index` names. */
const open = (): FileBackedValue<string> =>
  new FileBackedValue('texts', () => {
    const named = at(readFileSync(at('index'), 'utf8'));
    return { value: readFileSync(named, 'utf8'), files: [at('index'), named] };
  });
const write = (name: string, text: string): void => writeFileSync(at(name), text);
async function later(): Promise<void> {
  clock.advance(60_000);
  await settle(5);
}

it('FollowedFiles reads its value again when one of the files changes, also one named after a change', async () => {
  write('index', 'a');
  write('a', 'one');
  const followed = open();
  const end = followed.watch(clock, logger);
  let changes = 0;
  const forget = followed.onChange(() => (changes += 1));
  write('a', 'two!');
  await later();
  expect([followed.current(), changes]).toEqual(['two!', 1]);
  write('bb', 'three');
  write('index', 'bb');
  await later();
  expect([followed.current(), changes]).toEqual(['three', 2]);
  write('a', 'nobody reads it');
  write('bb', 'fourth');
  await later();
  expect([followed.current(), changes]).toEqual(['fourth', 3]);
  forget();
  write('bb', 'fifth!!');
  await later();
  expect([followed.current(), changes]).toEqual(['fifth!!', 3]);
  end();
  write('bb', 'sixth!!!');
  await later();
  expect([followed.current(), clock.pending]).toEqual(['fifth!!', 0]);
});

it('FollowedFiles keeps its value while the files are unusable, and notifies only of changed contents', async () => {
  write('index', 'a');
  write('a', 'one');
  const followed = open();
  const end = followed.watch(clock, logger);
  let changes = 0;
  followed.onChange(() => (changes += 1));
  rmSync(at('a'));
  await later();
  expect([followed.current(), changes, lines]).toEqual(['one', 0, ['the changed texts cannot be used']]);
  write('a', 'one');
  await later();
  expect([changes, lines.length]).toEqual([0, 1]);
  write('a', 'two');
  await later();
  expect([followed.current(), changes, lines[1]]).toEqual(['two', 1, 'renewed: texts']);
  end();
});

it('FollowedFiles notices a change from before its first watch, and supports several watches', async () => {
  write('index', 'a');
  write('a', 'one');
  const followed = open();
  write('a', 'two!');
  const ends = [followed.watch(clock, logger), followed.watch(clock, logger)];
  await later();
  expect(followed.current()).toBe('two!');
  ends[0]?.();
  write('a', 'three');
  await later();
  expect(followed.current()).toBe('three');
  ends[1]?.();
  expect(clock.pending).toBe(0);
});

it('FollowedFiles throws when the files are unusable at the start; fixed() returns its constant', () => {
  write('index', 'missing');
  expect(() => open()).toThrow('missing');
  expect(staticValue(7).current()).toBe(7);
});
