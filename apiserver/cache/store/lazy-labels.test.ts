/** Labels that are looked up in the text of a long header, through the entries that have them. */
import { createEntry } from './entry';
import { encodeStoredValue } from './stored-value';
import type { Entry, Labels, StoredType } from '../cache';

const TYPE: StoredType = { name: 'configmaps', segment: 'configmaps', namespaced: true };

function entryWith(labels: Labels | undefined, fields: Labels | undefined): Entry {
  const body = '{"metadata":{"name":"a","creationTimestamp":null}}';
  return createEntry(TYPE, 'ns/a', 7, encodeStoredValue({ body, versionOffset: 12, labels, fields, isDialectSensitive: false }));
}

/** Long enough for lazy labels. */
const manyLabels = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`example.com/k${n}`, `v${n}`]));
/** The value has the text that separates labels from fields in a header. */
const fieldsWithSeparator = { 'status.phase': 'Running', odd: '"},"f":{"' };

it('lazyLabels behaves like an object of many labels', () => {
  const { labels, fields } = entryWith(manyLabels, fieldsWithSeparator);
  expect(labels['example.com/k4999']).toBe('v4999');
  expect(labels['example.com/k5']).toBe('v5');
  expect(labels['k5']).toBeUndefined();
  expect(labels['toString']).toBeUndefined();
  expect('example.com/k1' in labels).toBe(true);
  expect(Object.hasOwn(labels, 'example.com/k1')).toBe(true);
  expect(Object.hasOwn(labels, 'constructor')).toBe(false);
  expect({ ...labels }).toEqual(manyLabels);
  expect(fields).toEqual(fieldsWithSeparator);
});

it('createEntry reads long headers that have only labels or only fields', () => {
  expect(entryWith(manyLabels, undefined).fields).toEqual({});
  const longFields = { a: 'x'.repeat(20_000) };
  expect(entryWith(undefined, longFields)).toMatchObject({ labels: {}, fields: longFields });
});
