/**
 * Opens damaged files, which would make lmdb-js end the process, in every way in which a program opens them. Also checks
 * that these ways exclude each other.
 */
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, rmSync, statSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../../shared/runtime/clock';
import { errorMessage } from '../../../shared/runtime/error-message';
import { systemRandom } from '../../../shared/runtime/random';
import { flushPromises } from '../../../test/support/clock/manual-clock';
import { useForEachTest } from '../../../test/support/use-resource';
import { prefixRange, type Store } from '../store';
import { explainDamage, explainUncaughtDamage, MissingRecordError } from './database-files';
import { StoreGate } from './store-gate';
import { openEmbeddedStore } from './open';
import { openLockedStoreView, openStoreView, type StoreView } from './store-view';

const WRITES = 50;
const EVERYTHING = prefixRange('/');

/** The folder of a closed store with {@link WRITES} keys, and its data file. */
const files = useForEachTest(
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'embedded-files-'));
    const directory = join(folder, 'store');
    await fillStore(directory);
    return { folder, directory, data: join(directory, 'data.mdb') };
  },
  ({ folder }) => rmSync(folder, { recursive: true, force: true }),
);

async function fillStore(directory: string): Promise<void> {
  const store = await open(directory);
  const put = (key: string): unknown =>
    store.transact({ compare: [], operations: [{ type: 'put', key, value: Buffer.alloc(5_000, 'x') }] });
  await Promise.all(Array.from({ length: WRITES }, (_, index) => put(`/${index}`)));
  await store.close();
}

const open = (directory = files().directory): Promise<Store> => openEmbeddedStore({ directory, clock: systemClock, random: systemRandom });

/** Each way of opening the store returns the number of its keys. */
async function openForWriting(): Promise<number> {
  const store = await open();
  try {
    return (await store.range(EVERYTHING)).count;
  } finally {
    await store.close();
  }
}

const readWith = (view: (directory: string) => Promise<StoreView>) => async (): Promise<number> => {
  const { entries, close } = await view(files().directory);
  let count = 0;
  try {
    for await (const { value } of entries(EVERYTHING)) count += value.length > 0 ? 1 : 0;
  } finally {
    await close();
  }
  return count;
};

const openView = readWith(openStoreView);
const openLockedView = readWith(openLockedStoreView);

/** The number of keys, or the error message. */
const outcome = (openStore: () => Promise<number>): Promise<number | string> => openStore().catch(errorMessage);

/** Overwrites bytes of the data file. */
function patch(position: number, bytes: readonly number[]): void {
  const file = openSync(files().data, 'r+');
  writeSync(file, Buffer.from(bytes), 0, bytes.length, position);
  closeSync(file);
}

const PAGE_BYTES = 4_096;
/** Offsets of members of a meta page. The file begins with two meta pages; LMDB uses the newer one. */
const MAGIC_OFFSET = 24;
const FORMAT_OFFSET = 28;
const PAGE_SIZE_OFFSET = 48;
const LAST_PAGE_OFFSET = 144;

const DAMAGED = 'move the damaged one away and restore a backup';

/** Clears all pages behind the meta pages. */
function clearPages(): void {
  const { data } = files();
  const { size } = statSync(data);
  truncateSync(data, 2 * PAGE_BYTES);
  truncateSync(data, size);
}

const FAULTS: readonly (readonly [fault: string, cause: () => void, partOfMessage: string])[] = [
  ['the data of another program', () => writeFileSync(files().data, Buffer.alloc(10_000, 'x')), 'is not a file of an embedded store'],
  ['only zeros', () => writeFileSync(files().data, Buffer.alloc(10_000)), 'is not a file of an embedded store'],
  ['100 bytes', () => truncateSync(files().data, 100), 'it ends before its data starts'],
  ['one page', () => truncateSync(files().data, PAGE_BYTES), 'it ends before its data starts'],
  ['two pages', () => truncateSync(files().data, 2 * PAGE_BYTES), DAMAGED],
  ['half of its pages', () => truncateSync(files().data, statSync(files().data).size / 2), DAMAGED],
  ['pages of zeros', clearPages, DAMAGED],
  ['another magic number', () => patch(MAGIC_OFFSET, [0]), 'is not a file of an embedded store'],
  ['a newer lmdb format', () => patch(FORMAT_OFFSET, [3]), 'use the program that wrote it'],
  ['pages of another size', () => patch(PAGE_SIZE_OFFSET, [1]), 'pages of 4097 bytes'],
  // The seventh byte of the little-endian number: at least 2^48 pages.
  ['more pages than fit in the map', () => patch(LAST_PAGE_OFFSET + 6, [1]), 'by its header it has'],
  ['a directory as lock file', replaceLockFile, 'lock.mdb is not a file'],
];

const lockFile = (): string => join(files().directory, 'lock.mdb');

function replaceLockFile(): void {
  rmSync(lockFile());
  mkdirSync(lockFile());
}

describe.each([
  ['opened for writing', openForWriting],
  ['opened as a view', openView],
  ['opened as a locked view', openLockedView],
])('embedded store that is %s', (_name, openStore) => {
  test.each(FAULTS)('is rejected when its file has %s', async (_fault, damage, expected) => {
    damage();
    // Repeated: the remains of a failed attempt must not harm the next one.
    for (let attempt = 0; attempt < 3; attempt++) expect(await outcome(openStore)).toContain(expected);
  });

  it('is readable without its lock file and with a truncated one', async () => {
    rmSync(lockFile());
    expect(await outcome(openStore)).toBe(WRITES);
    truncateSync(lockFile(), 10);
    expect(await outcome(openStore)).toBe(WRITES);
  });

  it('waits while another process opens or closes it', async () => {
    const gate = StoreGate.open(files().directory);
    let isOver = false;
    let ending: Promise<number | string> | undefined;
    await gate.runExclusive(async () => {
      ending = outcome(openStore).finally(() => (isOver = true));
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
  const { data } = files();
  truncateSync(data, 0);
  expect(await outcome(openView)).toContain('is empty');
  expect(await outcome(openForWriting)).toBe(0);
  rmSync(data);
  expect(await outcome(openView)).toContain('there is no embedded store in');
  expect(existsSync(data)).toBe(false);
});

test('embedded store whose file ends before its free pages is readable, and its file is not extended while another process writes', async () => {
  const { data } = files();
  const store = await open();
  const { size } = statSync(data);
  // Both meta pages claim that page 4,096 (0x1000) is the last one, as if the missing pages were free.
  patch(LAST_PAGE_OFFSET, [0x00, 0x10]);
  patch(PAGE_BYTES + LAST_PAGE_OFFSET, [0x00, 0x10]);
  expect(await outcome(openLockedView)).toContain('is in use');
  expect(statSync(data).size).toBe(size);
  await store.close();
  expect(await outcome(openView)).toBe(WRITES);
  expect(statSync(data).size).toBe(4_097 * PAGE_BYTES);
});
