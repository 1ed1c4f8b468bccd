/** Key order and round trips of the records of the embedded store. */
import fc from 'fast-check';
import { packed } from './packing';
import {
  decodeEntry,
  decodeLatest,
  decodePast,
  encodeEntry,
  encodeLatest,
  encodePast,
  historyBound,
  historyKey,
  keysOfEntry,
  splitHistoryKey,
  valueInEntry,
} from './record';

const key = fc.string({ unit: 'binary', minLength: 1, maxLength: 12 }).filter((text) => !text.includes('\0'));
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
        const [left, right] = [Buffer.from(leftKey), Buffer.from(rightKey)];
        const order = Math.sign(Buffer.compare(left, right)) || Math.sign(leftRevision - rightRevision);
        expect(Math.sign(Buffer.compare(historyKey(left, leftRevision), historyKey(right, rightRevision)))).toBe(order);
        expect(splitHistoryKey(historyKey(left, leftRevision))).toEqual({ key: left, revision: leftRevision });
      }),
    );
  });

  it('bound history exactly at the bounds of keys', () => {
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
      fc.property(fc.uniqueArray(change, { selector: (one) => Buffer.from(one.key).toString(), minLength: 1, maxLength: 5 }), (changes) => {
        const bytes = encodeEntry(changes);
        const wellFormed = changes.map((one) => ({ ...one, key: Buffer.from(one.key).toString() }));
        expect(decodeEntry(bytes)).toEqual(wellFormed);
        expect(keysOfEntry(bytes)).toEqual(wellFormed.map((one) => ({ key: one.key, deleted: false })));
        for (const one of wellFormed) expect(valueInEntry(bytes, Buffer.from(one.key))).toEqual(one.value);
      }),
    );
  });

  it('decode revisions and deletions as they were encoded', () => {
    fc.assert(
      fc.property(revision, revision, revision, fc.nat(), (modRevision, createRevision, version, lease) => {
        expect(decodeLatest(encodeLatest({ modRevision, createRevision, version, lease }))).toEqual({
          modRevision,
          createRevision,
          version,
          lease,
        });
        expect(decodePast(encodePast({ createRevision, version }))).toEqual({ createRevision, version });
      }),
    );
    expect(decodePast(encodePast(undefined))).toBeUndefined();
  });

  it('copy the values that they return', () => {
    const bytes = encodeEntry([{ key: '/a', deleted: false, createRevision: 1, version: 1, lease: 0, value: Buffer.from('value') }]);
    const value = valueInEntry(bytes, Buffer.from('/a'));
    const [decoded] = decodeEntry(bytes);
    bytes.fill(0);
    expect([value?.toString(), decoded?.value.toString()]).toEqual(['value', 'value']);
  });

  it('compress long values', async () => {
    const text = Buffer.from('long '.repeat(10_000));
    const shared = { deleted: false, createRevision: 1, version: 1, lease: 0 };
    const changes = [
      { ...shared, key: '/long', value: text },
      { ...shared, key: '/short', value: Buffer.from('short') },
    ];
    const bytes = encodeEntry(await packed(changes));
    expect(bytes.length).toBeLessThan(text.length / 10);
    expect(decodeEntry(bytes)).toEqual(changes);
    for (const { key, value } of changes) expect(valueInEntry(bytes, Buffer.from(key))).toEqual(value);
    expect(keysOfEntry(bytes)).toEqual(changes.map((change) => ({ key: change.key, deleted: false })));
  });
});
