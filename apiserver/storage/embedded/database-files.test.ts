/**
 * Damaged files, which would make lmdb-js end the process, are rejected with an error; processes open the files one at
 * a time.
 */
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../shared/runtime/clock';
import { errorMessage } from '../../../shared/runtime/error-message';
import { systemRandom } from '../../../shared/runtime/random';
import { flushPromises } from '../../../test/support/clock/manual-clock';
import { prefixRange, type Store } from '../store';
import { explainDamage, explainUncaughtDamage, MissingRecordError } from './database-files';
import { StoreGate } from './store-gate';
import { openEmbeddedStore } from './open';
import { openLockedStoreView, openStoreView, type StoreView } from './store-view';

const WRITES = 50;
const EVERYTHING = prefixRange('/');

let folder: string;
let directory: string;
let data: string;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'embedded-files-'));
  directory = join(folder, 'store');
  data = join(directory, 'data.mdb');
  const store = await open();
  const put = (key: string): unknown =>
    store.transact({ compare: [], operations: [{ type: 'put', key, value: Buffer.alloc(5_000, 'x') }] });
  await Promise.all(Array.from({ length: WRITES }, (_, index) => put(`/${index}`)));
  await store.close();
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (): Promise<Store> => openEmbeddedStore({ directory, clock: systemClock, random: systemRandom });

async function write(): Promise<number> {
  const store = await open();
  try {
    return (await store.range(EVERYTHING)).count;
  } finally {
    await store.close();
  }
}

const readWith = (view: (directory: string) => Promise<StoreView>) => async (): Promise<number> => {
  const { entries, close } = await view(directory);
  let count = 0;
  try {
    for await (const { value } of entries(EVERYTHING)) count += value.length > 0 ? 1 : 0;
  } finally {
    await close();
  }
  return count;
};

const USES = { written: write, read: readWith(openStoreView), held: readWith(openLockedStoreView) };

/** The number of keys, or the error message. */
const outcome = (use: () => Promise<number>): Promise<number | string> => use().catch(errorMessage);

function patch(position: number, bytes: readonly number[]): void {
  const file = openSync(data, 'r+');
  writeSync(file, Buffer.from(bytes), 0, bytes.length, position);
  closeSync(file);
}

const DAMAGED = 'move the damaged one away and restore a backup';

/** Clears all pages behind the meta pages. */
function clearPages(): void {
  const { size } = statSync(data);
  truncateSync(data, 8_192);
  truncateSync(data, size);
}

const FAULTS: readonly (readonly [string, () => void, string])[] = [
  ['the data of another program', () => writeFileSync(data, Buffer.alloc(10_000, 'no database')), 'is not a file of an embedded store'],
  ['only zeros', () => writeFileSync(data, Buffer.alloc(10_000)), 'is not a file of an embedded store'],
  ['100 bytes', () => truncateSync(data, 100), 'it ends before its data starts'],
  ['one page', () => truncateSync(data, 4_096), 'it ends before its data starts'],
  ['two pages', () => truncateSync(data, 8_192), DAMAGED],
  ['half of its pages', () => truncateSync(data, statSync(data).size >> 1), DAMAGED],
  ['pages of zeros', clearPages, DAMAGED],
  ['another magic number', () => patch(24, [0]), 'is not a file of an embedded store'],
  ['a newer lmdb format', () => patch(28, [3]), 'use the program that wrote it'],
  ['pages of another size', () => patch(48, [1]), 'pages of 4097 bytes'],
  ['more pages than fit in the map', () => patch(144 + 6, [1]), 'by its header it has'],
  ['a directory as lock file', replaceLockFile, 'lock.mdb is not a file'],
];

function replaceLockFile(): void {
  rmSync(join(directory, 'lock.mdb'));
  mkdirSync(join(directory, 'lock.mdb'));
}

describe.each(Object.entries(USES))('embedded store that is %s', (_name, use) => {
  test.each(FAULTS)('is rejected when its file has %s', async (_fault, damage, expected) => {
    damage();
    // Repeated: the remains of a failed attempt must not harm the next one.
    for (let attempt = 0; attempt < 3; attempt++) expect(await outcome(use)).toContain(expected);
  });

  it('is readable without its lock file and with a truncated one', async () => {
    rmSync(join(directory, 'lock.mdb'));
    expect(await outcome(use)).toBe(WRITES);
    truncateSync(join(directory, 'lock.mdb'), 10);
    expect(await outcome(use)).toBe(WRITES);
  });

  it('waits while another process opens or closes it', async () => {
    const gate = StoreGate.open(directory);
    let isOver = false;
    let ending: Promise<number | string> | undefined;
    await gate.runExclusive(async () => {
      ending = outcome(use).finally(() => (isOver = true));
      await flushPromises(50);
      expect(isOver).toBe(false);
    });
    expect(await ending).toBe(WRITES);
    gate.close();
  });
});

it('explainDamage names the folder, also for records that cannot be decoded, and leaves other errors alone', () => {
  const decoding = Object.assign(new RangeError('out of range'), { code: 'ERR_OUT_OF_RANGE' });
  for (const error of [new Error('MDB_CORRUPTED'), decoding, new MissingRecordError('the log lacks /a')])
    expect(explainDamage(error, '/data')).toMatch(/^the files of the embedded store in \/data are damaged \(.*restore a backup$/);
  expect(explainDamage(new Error('MDB_READERS_FULL'), '/data')).toBeUndefined();
  expect(explainUncaughtDamage(new Error('Can not abort this transaction'), '/data')).toContain('are damaged');
  expect(explainUncaughtDamage(new Error('x is not a function'), '/data')).toBeUndefined();
});

test('embedded store without data is created by a writer and not by a reader', async () => {
  truncateSync(data, 0);
  expect(await outcome(USES.read)).toContain('is empty');
  expect(await outcome(USES.written)).toBe(0);
  rmSync(data);
  expect(await outcome(USES.read)).toContain('there is no embedded store in');
  expect(existsSync(data)).toBe(false);
});

test('embedded store whose file ends before its free pages is readable, and its file is not extended while another process writes', async () => {
  const store = await open();
  const { size } = statSync(data);
  // As if the last pages were free: no damage is reported, and the file is not extended while another process may write
  // to it.
  patch(4_096 + 144, [0, 16]);
  patch(144, [0, 16]);
  expect(await outcome(USES.held)).toContain('is in use');
  expect(statSync(data).size).toBe(size);
  await store.close();
  expect(await outcome(USES.read)).toBe(WRITES);
  expect(statSync(data).size).toBe(4_097 * 4_096);
});
