import fc from 'fast-check';
import { BackupFault, decodeBackup, encodeBackup, type BackupHeader, type BackupRecord } from './format';

const header: BackupHeader = {
  source: 'etcd',
  revision: 77,
  prefix: '/registry',
  naming: 'platform',
  dataVersion: 1,
  time: '2026-01-02T03:04:05.000Z',
};

const record = (key: string, value: string | Buffer, modRevision = 7): BackupRecord => ({
  key,
  value: Buffer.from(value),
  createRevision: 5,
  modRevision,
  version: 2,
});

async function* each<T>(items: readonly T[]): AsyncGenerator<T, void, undefined> {
  yield* items;
}

async function encoded(records: readonly BackupRecord[]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of encodeBackup(header, each(records), () => undefined)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function decoded(bytes: Buffer, chunk = 1_000): Promise<readonly BackupRecord[]> {
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunk) }, (_, index) => bytes.subarray(index * chunk, (index + 1) * chunk));
  const backup = await decodeBackup(each(chunks));
  expect(backup.header).toEqual(header);
  const records: BackupRecord[] = [];
  for await (const found of backup.records()) records.push(found);
  return records;
}

const some = [record('configmaps/a/b', '{}'), record('pods/ä/ü', Buffer.from([0, 255, 10])), record('empty', '', 2 ** 47)];

it('decodeBackup reads what encodeBackup wrote, whatever the chunk size', async () => {
  const anyRecord = fc.record({
    key: fc.string({ minLength: 1, unit: 'binary' }),
    value: fc.uint8Array({ maxLength: 3_000 }).map((bytes) => Buffer.from(bytes)),
    createRevision: fc.nat(),
    modRevision: fc.integer({ min: 1, max: 2 ** 48 - 1 }),
    version: fc.nat(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyRecord, { maxLength: 20 }), fc.integer({ min: 1, max: 5_000 }), async (records, chunk) => {
      expect(await decoded(await encoded(records), chunk)).toEqual(records);
    }),
    { numRuns: 50 },
  );
});

it('encodeBackup produces chunks of bounded size and reports its progress', async () => {
  const records = Array.from({ length: 1_000 }, (_, index) => record(`k${index}`, Buffer.alloc(2_000)));
  const told: number[] = [];
  const sizes: number[] = [];
  for await (const chunk of encodeBackup(header, each(records), (count) => told.push(count))) sizes.push(chunk.length);
  expect(Math.max(...sizes)).toBeLessThan(300_000);
  expect(told.at(-1)).toBe(1_000);
});

it('decodeBackup rejects a backup truncated at any byte', async () => {
  const whole = await encoded(some);
  for (let length = 0; length < whole.length; length++) {
    await expect(decoded(whole.subarray(0, length))).rejects.toThrow(BackupFault);
  }
  await expect(decoded(whole.subarray(0, whole.length - 1))).rejects.toThrow('cut off');
});

it('decodeBackup rejects a backup with a changed bit at any byte', async () => {
  const whole = await encoded(some);
  for (let at = 0; at < whole.length; at++) {
    const changed = Buffer.from(whole);
    changed.writeUInt8(changed.readUInt8(at) ^ 0x10, at);
    const reading = decodeBackup(each([changed])).then(async (backup) => {
      for await (const found of backup.records()) void found;
    });
    await expect(reading).rejects.toThrow(BackupFault);
  }
});

it.each([
  ['another file', Buffer.from('{"kind":"List","items":[]} and so on, and so on'), 'no backup of this system'],
  ['an empty file', Buffer.alloc(0), 'no backup of this system'],
  ['a newer format', Buffer.from('cluster-control-plane-backup 2\n{}'), 'format 2, this program reads 1'],
])('decodeBackup rejects %s', async (_title, bytes, message) => {
  await expect(decodeBackup(each([bytes]))).rejects.toThrow(message);
});

it('decodeBackup rejects a backup that is followed by another one', async () => {
  const whole = await encoded(some);
  await expect(decoded(Buffer.concat([whole, whole]))).rejects.toThrow('goes on after its end');
});
