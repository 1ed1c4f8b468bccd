/** The backup format: round trips for any records, and the detection of damage at any byte. */
import fc from 'fast-check';
import { BackupFormatError, decodeBackup, encodeBackup, type BackupHeader, type BackupRecord } from './backup-format';
import { anyCharacter } from '../../test/support/any-character';

const HEADER: BackupHeader = {
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

/** Records with an empty value, with bytes that are not UTF-8, and with a revision of more than 32 bits. */
const RECORDS = [record('configmaps/a/b', '{}'), record('pods/ä/ü', Buffer.from([0, 255, 10])), record('empty', '', 2 ** 47)];

async function* iterate<T>(items: readonly T[]): AsyncGenerator<T, void, undefined> {
  yield* items;
}

/** The backup of these records in one buffer. */
async function encode(toEncode: readonly BackupRecord[]): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of encodeBackup(HEADER, iterate(toEncode), () => undefined)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The records of a backup that arrives in chunks of this size. */
async function decode(bytes: Buffer, chunkBytes = 1_000): Promise<readonly BackupRecord[]> {
  const chunks = Array.from({ length: Math.ceil(bytes.length / chunkBytes) }, (_, index) =>
    bytes.subarray(index * chunkBytes, (index + 1) * chunkBytes),
  );
  const backup = await decodeBackup(iterate(chunks));
  expect(backup.header).toEqual(HEADER);
  const decoded: BackupRecord[] = [];
  for await (const next of backup.records()) decoded.push(next);
  return decoded;
}

describe('decodeBackup', () => {
  it('returns the records that were encoded, for any chunk size', async () => {
    const anyRecord = fc.record({
      key: fc.string({ minLength: 1, unit: anyCharacter }),
      value: fc.uint8Array({ maxLength: 3_000 }).map((bytes) => Buffer.from(bytes)),
      createRevision: fc.nat(),
      modRevision: fc.integer({ min: 1, max: 2 ** 48 - 1 }),
      version: fc.nat(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(anyRecord, { maxLength: 20 }), fc.integer({ min: 1, max: 5_000 }), async (records, chunkBytes) => {
        expect(await decode(await encode(records), chunkBytes)).toEqual(records);
      }),
      { numRuns: 50 },
    );
  });

  it('rejects a backup truncated at any byte', async () => {
    const complete = await encode(RECORDS);
    for (let length = 0; length < complete.length; length++) {
      await expect(decode(complete.subarray(0, length))).rejects.toThrow(BackupFormatError);
    }
  });

  it('rejects a backup with a changed bit at any byte', async () => {
    const complete = await encode(RECORDS);
    for (let offset = 0; offset < complete.length; offset++) {
      const changed = Buffer.from(complete);
      changed.writeUInt8(changed.readUInt8(offset) ^ 0x10, offset);
      const reading = decodeBackup(iterate([changed])).then(async (backup) => {
        for await (const record of backup.records()) void record;
      });
      await expect(reading).rejects.toThrow(BackupFormatError);
    }
  });

  it.each<[title: string, bytes: Buffer, message: string]>([
    ['another file', Buffer.from('{"kind":"List","items":[]} and so on, and so on'), 'is not a backup of this program'],
    ['an empty file', Buffer.alloc(0), 'is not a backup of this program'],
    ['a newer format', Buffer.from('cluster-control-plane-backup 2\n{}'), 'format 2, and this program reads 1'],
  ])('rejects %s', async (_title, bytes, message) => {
    await expect(decodeBackup(iterate([bytes]))).rejects.toThrow(message);
  });

  it('rejects a backup that is followed by another one', async () => {
    const complete = await encode(RECORDS);
    await expect(decode(Buffer.concat([complete, complete]))).rejects.toThrow('continues after its end');
  });
});

describe('encodeBackup', () => {
  it('produces chunks of bounded size and reports its progress', async () => {
    const manyRecords = Array.from({ length: 1_000 }, (_, index) => record(`k${index}`, Buffer.alloc(2_000)));
    const counts: number[] = [];
    const sizes: number[] = [];
    for await (const chunk of encodeBackup(HEADER, iterate(manyRecords), (count) => counts.push(count))) sizes.push(chunk.length);
    // A chunk ends with the record that reaches 256 KiB.
    expect(Math.max(...sizes)).toBeLessThan(300_000);
    expect(counts.at(-1)).toBe(1_000);
  });
});
