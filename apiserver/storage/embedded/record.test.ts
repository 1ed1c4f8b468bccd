/** Key order and round trips of the stored records. */
import fc from 'fast-check';
import { compressLongValues } from './value-compression';
import {
  decodeLogEntry,
  decodeLatestRecord,
  decodeHistoryRecord,
  encodeLogEntry,
  encodeLatestRecord,
  encodeHistoryRecord,
  historyBound,
  historyKey,
  keysOfLogEntry,
  splitHistoryKey,
  valueInLogEntry,
} from './record';
import { anyCharacter } from '../../../test/support/any-character';

const key = fc.string({ unit: anyCharacter, minLength: 1, maxLength: 12 }).filter((text) => !text.includes('\0'));
const revision = fc.integer({ min: 1, max: 2 ** 48 - 1 });
const change = fc.record({
  key,
  deleted: fc.constant(false),
  createRevision: revision,
  version: revision,
  lease: fc.nat(),
  value: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)),
});

describe('records of the embedded store', () => {
  it('order history by key, then by revision', () => {
    fc.assert(
      fc.property(key, revision, key, revision, (leftKey, leftRevision, rightKey, rightRevision) => {
        const left = Buffer.from(leftKey);
        const right = Buffer.from(rightKey);
        const order = Math.sign(Buffer.compare(left, right)) || Math.sign(leftRevision - rightRevision);
        expect(Math.sign(Buffer.compare(historyKey(left, leftRevision), historyKey(right, rightRevision)))).toBe(order);
        expect(splitHistoryKey(historyKey(left, leftRevision))).toEqual({ key: left, revision: leftRevision });
      }),
    );
  });

  it('bound history exactly at key bounds', () => {
    const bound = fc.oneof(
      key,
      key.map((text) => `${text}\0`),
    );
    fc.assert(
      fc.property(key, revision, bound, (text, at, limit) => {
        const before = Buffer.compare(Buffer.from(text), Buffer.from(limit)) < 0;
        expect(Buffer.compare(historyKey(Buffer.from(text), at), historyBound(Buffer.from(limit))) < 0).toBe(before);
      }),
    );
  });

  it('decode an entry as it was encoded', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(change, { selector: (entry) => Buffer.from(entry.key).toString(), minLength: 1, maxLength: 5 }),
        (changes) => {
          const bytes = encodeLogEntry(changes);
          // UTF-8 replaces lone surrogates of the generated keys.
          const wellFormed = changes.map((entry) => ({ ...entry, key: Buffer.from(entry.key).toString() }));
          expect(decodeLogEntry(bytes)).toEqual(wellFormed);
          expect(keysOfLogEntry(bytes)).toEqual(wellFormed.map((entry) => ({ key: entry.key, deleted: false })));
          for (const entry of wellFormed) expect(valueInLogEntry(bytes, Buffer.from(entry.key))).toEqual(entry.value);
        },
      ),
    );
  });

  it('decode latest and history records as they were encoded', () => {
    fc.assert(
      fc.property(revision, revision, revision, fc.nat(), (modRevision, createRevision, version, lease) => {
        expect(decodeLatestRecord(encodeLatestRecord({ modRevision, createRevision, version, lease }))).toEqual({
          modRevision,
          createRevision,
          version,
          lease,
        });
        expect(decodeHistoryRecord(encodeHistoryRecord({ createRevision, version }))).toEqual({ createRevision, version });
      }),
    );
    expect(decodeHistoryRecord(encodeHistoryRecord(undefined))).toBeUndefined();
  });

  it('return copies of values', () => {
    const bytes = encodeLogEntry([{ key: '/a', deleted: false, createRevision: 1, version: 1, lease: 0, value: Buffer.from('value') }]);
    const value = valueInLogEntry(bytes, Buffer.from('/a'));
    const [decoded] = decodeLogEntry(bytes);
    bytes.fill(0);
    expect(value?.toString()).toBe('value');
    expect(decoded?.value.toString()).toBe('value');
  });

  it('store long values compressed', async () => {
    const text = Buffer.from('long '.repeat(10_000));
    const shared = { deleted: false, createRevision: 1, version: 1, lease: 0 };
    const changes = [
      { ...shared, key: '/long', value: text },
      { ...shared, key: '/short', value: Buffer.from('short') },
    ];
    const bytes = encodeLogEntry(await compressLongValues(changes));
    expect(bytes.length).toBeLessThan(text.length / 10);
    expect(decodeLogEntry(bytes)).toEqual(changes);
    for (const { key, value } of changes) expect(valueInLogEntry(bytes, Buffer.from(key))).toEqual(value);
    expect(keysOfLogEntry(bytes)).toEqual(changes.map((change) => ({ key: change.key, deleted: false })));
  });
});
