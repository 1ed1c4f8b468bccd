/** Labels that are looked up in the text of a long header, through the entries that have them. */
import { createEntry } from './entry';
import { encodeStoredValue } from './stored-value';
import type { Entry, Labels, StoredType } from '../cache';

const TYPE: StoredType = { name: 'configmaps', segment: 'configmaps', namespaced: true };

/** An entry with a header of these labels and fields. */
function entryWith(labels: Labels | undefined, fields: Labels | undefined): Entry {
  const metadataStart = '{"metadata":';
  const body = `${metadataStart}{"name":"a","creationTimestamp":null}}`;
  return createEntry(
    TYPE,
    'ns/a',
    7,
    encodeStoredValue({ body, versionOffset: metadataStart.length, labels, fields, isDialectSensitive: false }),
  );
}

/** Long enough for lazy labels. */
const manyLabels = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`example.com/k${n}`, `v${n}`]));
/** The value has the text that separates labels from fields in a header. */
const fieldsWithSeparator = { 'status.phase': 'Running', odd: '"},"f":{"' };

describe('lazyLabels', () => {
  it('returns the value of a label, and undefined for names that are no labels', () => {
    const { labels } = entryWith(manyLabels, fieldsWithSeparator);
    expect(labels['example.com/k4999']).toBe('v4999');
    expect(labels['example.com/k5']).toBe('v5');
    // A part of a label's name, and a member of every object.
    expect(labels['k5']).toBeUndefined();
    expect(labels['toString']).toBeUndefined();
  });

  it('knows which names are labels', () => {
    const { labels } = entryWith(manyLabels, fieldsWithSeparator);
    expect('example.com/k1' in labels).toBe(true);
    expect(Object.hasOwn(labels, 'example.com/k1')).toBe(true);
    expect(Object.hasOwn(labels, 'constructor')).toBe(false);
  });

  it('can be copied', () => {
    const { labels } = entryWith(manyLabels, fieldsWithSeparator);
    expect({ ...labels }).toEqual(manyLabels);
  });
});

describe('createEntry with a long header', () => {
  it('separates labels and fields at their last separator', () => {
    expect(entryWith(manyLabels, fieldsWithSeparator).fields).toEqual(fieldsWithSeparator);
  });

  it('reads labels without fields', () => {
    expect(entryWith(manyLabels, undefined).fields).toEqual({});
  });

  it('reads fields without labels', () => {
    const longFields = { a: 'x'.repeat(20_000) };
    expect(entryWith(undefined, longFields)).toMatchObject({ labels: {}, fields: longFields });
  });
});
